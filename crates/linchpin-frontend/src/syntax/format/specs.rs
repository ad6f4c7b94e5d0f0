//! Specifications, roles, checks.
//!
//! A `check` that fits stands on one line. Otherwise its properties stand under its bounds, if they do not
//! fit behind them. A `check` that was spread over lines has a line for each property.

use super::super::ast::{
    Bound, Calls, Check, Clause, ClauseHead, Expect, Expr, Name, Observer, ObserverStep, Pattern, Spec,
    SpecMember,
};
use super::Printer;
use super::doc::{Doc, concat_docs};
use super::statements::OneLine;
use super::{Delimiters, Spanned};
use linchpin_ir::source::Span;

/// The width of `check {` and a space.
const UNDER_BOUNDS: usize = 8;

impl Spanned for (Name, Bound) {
    fn span(&self) -> Span {
        self.0.span
    }
}

impl Spanned for Pattern {
    fn span(&self) -> Span {
        self.span
    }
}

impl Printer<'_> {
    pub(super) fn spec(&mut self, spec: &Spec, close: usize) -> Doc {
        let name = concat_docs![self.name(&spec.name), self.type_params(&spec.type_params)];
        let span = |member: &SpecMember| match member {
            SpecMember::State(_, span) => *span,
            SpecMember::Clause(clause) => clause.span,
            SpecMember::Observer(observer) => observer.span,
        };
        let first = spec.members.first().map_or(close, |m| span(m).start as usize);
        let params = if spec.params.is_empty() {
            Doc::empty()
        } else {
            self.delimited(&spec.params, Delimiters::tight("(", ")", first), Self::param)
        };
        let head = concat_docs!["spec ", name, params, " {"];
        self.braced_sequence(head, first, close, |p| {
            p.sequence(&spec.members, span, close, |p, member| match member {
                SpecMember::State(variable, _) => p.variable("state ", variable),
                SpecMember::Clause(clause) => p.clause(clause),
                SpecMember::Observer(observer) => p.observer(observer),
            })
        })
    }

    fn clause(&mut self, clause: &Clause) -> Doc {
        let body_start = clause.body.span.start as usize;
        let mut parts = Vec::new();
        for (index, head) in clause.heads.iter().enumerate() {
            let next = clause.heads.get(index + 1).map(|next| next.signature.name.span.start as usize);
            let doc = self.clause_head(head, next.unwrap_or(body_start));
            parts.push(if index == 0 { doc } else { concat_docs![Doc::Line, "& ", doc].nest() });
        }
        if let Some(when) = &clause.when {
            parts.push(concat_docs![Doc::Line, "when ", self.expr(when)].nest());
        }
        let gap = if parts.len() > 1 { Doc::Line } else { " ".into() };
        self.with_block(parts.into(), gap, &clause.body, OneLine::IfWritten)
    }

    /// The head that ends before `end`.
    fn clause_head(&mut self, head: &ClauseHead, end: usize) -> Doc {
        let mut parts = Vec::new();
        for attribute in &head.attributes {
            parts.push(concat_docs!["#[", self.name(attribute), "] "]);
        }
        concat_docs![parts, "op ", self.signature(&head.signature, end)]
    }

    fn observer(&mut self, observer: &Observer) -> Doc {
        let close = observer.span.end as usize - 1;
        let first = observer.steps.first().map_or(close, |step| step.span.start as usize);
        let name = self.name(&observer.name);
        let end = observer.when.as_ref().map_or(first, |when| when.span.start as usize);
        let params = self.delimited(&observer.params, Delimiters::tight("(", ")", end), Self::param);
        let when = match &observer.when {
            Some(when) => concat_docs![" when ", self.expr(when)],
            None => Doc::empty(),
        };
        let head = concat_docs!["observer ", name, params, when, " {"];
        self.braced_sequence(head, first, close, |p| {
            p.sequence(&observer.steps, |step| step.span, close, Self::observer_step)
        })
    }

    fn observer_step(&mut self, step: &ObserverStep) -> Doc {
        let from = self.name(&step.from);
        let op = self.name(&step.op);
        let end = step.result.as_ref().map_or(step.to.span, |result| result.span).start as usize;
        let args = self.delimited(&step.args, Delimiters::tight("(", ")", end), Self::pattern);
        let result = match &step.result {
            Some(result) => concat_docs![" -> ", self.pattern(result)],
            None => Doc::empty(),
        };
        concat_docs![from, ": ", op, args, result, " => ", self.name(&step.to), ";"]
    }

    fn pattern(&mut self, pattern: &Pattern) -> Doc {
        match &pattern.value {
            Some(value) => self.expr(value),
            None => self.leaf(pattern.span, "_"),
        }
    }

    pub(super) fn role(&mut self, name: &Name, count: Option<&Expr>, calls: &Calls) -> Doc {
        let name = self.name(name);
        let count = match count {
            Some(count) => concat_docs![": ", self.expr(count)],
            None => Doc::empty(),
        };
        let calls = self.calls(calls).nest().group();
        concat_docs!["role ", name, count, " = ", calls, ";"]
    }

    fn calls(&mut self, calls: &Calls) -> Doc {
        match calls {
            Calls::Op(name) => self.name(name),
            Calls::Sequence(parts) => self.calls_joined(parts, " "),
            Calls::Choice(parts) => {
                let mut docs: Vec<Doc> = Vec::new();
                for part in parts {
                    if !docs.is_empty() {
                        docs.extend([Doc::Line, "| ".into()]);
                    }
                    docs.push(match part {
                        Calls::Choice(_) => self.calls_in_parentheses(part),
                        _ => self.calls(part),
                    });
                }
                docs.into()
            }
            Calls::Star(inner) => concat_docs![self.calls_in_parentheses(inner), "*"],
            Calls::Optional(inner) => concat_docs![self.calls_in_parentheses(inner), "?"],
        }
    }

    fn calls_joined(&mut self, parts: &[Calls], separator: &'static str) -> Doc {
        let mut docs: Vec<Doc> = Vec::new();
        for part in parts {
            if !docs.is_empty() {
                docs.push(separator.into());
            }
            docs.push(match part {
                Calls::Choice(_) | Calls::Sequence(_) => self.calls_in_parentheses(part),
                _ => self.calls(part),
            });
        }
        docs.into()
    }

    fn calls_in_parentheses(&mut self, calls: &Calls) -> Doc {
        match calls {
            Calls::Op(name) => self.name(name),
            _ => concat_docs!["(", self.calls(calls), ")"],
        }
    }

    pub(super) fn check(&mut self, span: Span, check: &Check) -> Doc {
        let first = check.bounds.first().map(|(name, _)| name.span);
        self.claims("check {".into(), span, first, &check.bounds, &check.expects)
    }

    pub(super) fn prove(&mut self, span: Span, method: &Name, expects: &[Expect]) -> Doc {
        let head = concat_docs!["prove ", self.name(method), " {"];
        self.claims(head, span, None, &[], expects)
    }

    fn claims(
        &mut self,
        head: Doc,
        span: Span,
        first_bound: Option<Span>,
        bounds: &[(Name, Bound)],
        expects: &[Expect],
    ) -> Doc {
        let close = (span.end as usize).saturating_sub(1);
        let first = first_bound.or(expects.first().map(|e| e.span));
        let Some(first) = first.map(|span| span.start as usize) else {
            return self.braced_sequence(head, close, close, |p| p.flush(close));
        };
        let spread = self.comments.line_ends_within(span.start as usize, first);
        if spread || self.comments.any_before(close) {
            return self.braced_sequence(head, first, close, |p| {
                let below = p.bounds_before(bounds, expects.first().map_or(close, |e| e.span.start as usize));
                let expects = p.sequence(expects, |e| e.span, close, Self::expect);
                concat_docs![below, if bounds.is_empty() { Doc::empty() } else { Doc::HardLine }, expects]
            });
        }
        let bounds_doc = self.bounds_before(bounds, close);
        let gap = if bounds.is_empty() || expects.is_empty() { Doc::empty() } else { Doc::Line };
        let expects = expects.iter().map(|e| self.expect(e)).collect();
        let expects = concat_docs![gap, self.fill(expects), " }"].group();
        concat_docs![head, " ", Doc::Nest(UNDER_BOUNDS, Box::new(concat_docs![bounds_doc, expects]))]
    }

    /// `name: bound, …;` and the comment behind it, if it comes before `next`.
    fn bounds_before(&mut self, bounds: &[(Name, Bound)], next: usize) -> Doc {
        let mut docs = Vec::new();
        for (index, (name, bound)) in bounds.iter().enumerate() {
            let end = if index + 1 == bounds.len() { ";" } else { "," };
            docs.push(concat_docs![self.name(name), ": ", self.bound(bound), end]);
        }
        let filled = self.fill(docs);
        concat_docs![filled, Vec::from_iter(self.comments.trailing(next))]
    }

    fn bound(&mut self, bound: &Bound) -> Doc {
        match bound {
            Bound::Range(low, high, span) if low == high => self.leaf(*span, low.to_string()),
            Bound::Range(low, high, span) => self.leaf(*span, format!("{low}..{high}")),
            Bound::Name(name) => self.name(name),
            Bound::Names(names, span) => {
                let open = self.leaf(*span, "[");
                concat_docs![open, self.joined(names, Self::name), "]"]
            }
        }
    }

    fn expect(&mut self, expect: &Expect) -> Doc {
        let violated = if expect.violated { ": violated;" } else { ";" };
        concat_docs![self.name(&expect.property), violated]
    }
}
