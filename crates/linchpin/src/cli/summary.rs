//! The summary of a model: object, specification and expected verdicts.

use linchpin_frontend::syntax::ast::{Expect, File, ItemKind};
use linchpin_ir::source::SourceMap;

/// The summary of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The name of the object. `None`: a module.
    pub object: Option<String>,
    /// The specification as written: `BoundedQueue(CAP)`.
    pub spec: String,
    /// `linearizable, wait_free ✗; pairs: linearizable`. A violation in one check block counts.
    pub verdicts: String,
}

impl Summary {
    /// Summarizes a model.
    pub fn of(sources: &SourceMap, file: &File) -> Summary {
        let mut lists = vec![(None, Verdicts::default())];
        for item in &file.items {
            let (method, expects) = match &item.kind {
                ItemKind::Check(check) => (None, &check.expects),
                ItemKind::Prove { method, expects } => (Some(&*method.text), expects),
                _ => continue,
            };
            let at = lists.iter().position(|(known, _)| *known == method).unwrap_or_else(|| {
                lists.push((method, Verdicts::default()));
                lists.len() - 1
            });
            lists[at].1.add(expects);
        }
        let shown: Vec<String> = lists
            .iter()
            .filter(|(_, verdicts)| !verdicts.list.is_empty())
            .map(|(method, verdicts)| match method {
                None => verdicts.shown(),
                Some(method) => format!("{method}: {}", verdicts.shown()),
            })
            .collect();
        let object = file.object.as_ref();
        let spec = object.map_or(String::new(), |object| {
            let line = sources.text(object.span.to(object.spec.span));
            let from = (object.spec.span.start.saturating_sub(object.span.start)) as usize;
            line.get(from..).unwrap_or("").trim_end_matches(';').trim_end().to_string()
        });
        Summary {
            object: object.map(|object| object.name.text.to_string()),
            spec,
            verdicts: shown.join("; "),
        }
    }
}

/// Properties in the order of appearance, and whether a check block expects a violation.
#[derive(Default)]
struct Verdicts {
    list: Vec<(String, bool)>,
}

impl Verdicts {
    fn add(&mut self, expects: &[Expect]) {
        for expect in expects {
            let name = expect.property.text.to_string();
            match self.list.iter_mut().find(|(known, _)| *known == name) {
                Some((_, violated)) => *violated |= expect.violated,
                None => self.list.push((name, expect.violated)),
            }
        }
    }

    fn shown(&self) -> String {
        let shown: Vec<String> = self
            .list
            .iter()
            .map(|(name, violated)| if *violated { format!("{name} ✗") } else { name.clone() })
            .collect();
        shown.join(", ")
    }
}
