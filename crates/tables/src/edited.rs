//! Models of the catalogue with edits.

use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_ir::interface::Setting;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::embedded::compile_beside_catalogue;

pub struct Edited {
    pub name: String,
    text: String,
}

impl Edited {
    /// The first occurrence of a text replaced by another.
    pub fn new(model: &str, edit: Option<(&str, &str)>) -> Result<Edited, String> {
        let entry = catalogue::find(model).ok_or_else(|| format!("the catalogue has no `{model}`"))?;
        let text = match edit {
            None => entry.text.to_string(),
            Some((old, new)) if entry.text.contains(old) => entry.text.replacen(old, new, 1),
            Some((old, _)) => return Err(format!("`{model}` has no `{old}`")),
        };
        Ok(Edited { name: format!("{model}.lin"), text })
    }

    /// Limits each thread to one call: executions with a second call exit the scope. Operations that only end
    /// what an earlier call began, by the model's roles, do not count.
    pub fn with_one_call_a_thread(self, endings: &[&str]) -> Edited {
        let mut text = String::new();
        let mut is_declared = false;
        for line in self.text.lines() {
            let is_ending = |name: &str| endings.contains(&name);
            let body = line.strip_prefix("op ").filter(|op| !op.split('(').next().is_some_and(is_ending));
            let body = body.and_then(|op| op.split_once('{'));
            if body.is_some() && !std::mem::replace(&mut is_declared, true) {
                text.push_str("local has_called: bool;\n\n");
            }
            match body {
                Some((head, rest)) => {
                    text.extend(["op ", head, "{ assume !has_called; has_called = true; ", rest]);
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        Edited { text, ..self }
    }
}

impl Model for Edited {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue(&self.name, &self.text, setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_called_once() {
        let edited = Edited::new("counter", None).unwrap().with_one_call_a_thread(&[]);
        assert_eq!(edited.text.matches("assume !has_called").count(), 2, "{}", edited.text);
        assert_eq!(edited.text.matches("local has_called").count(), 1);
        assert!(edited.compile(&Setting::default()).is_ok());
    }

    #[test]
    fn what_an_earlier_call_began_may_be_ended() {
        let edited = Edited::new("snzi", None).unwrap().with_one_call_a_thread(&["depart"]);
        assert_eq!(edited.text.matches("assume !has_called").count(), 2, "{}", edited.text);
        assert!(edited.text.contains("op depart() { depart_from(mine); }"), "{}", edited.text);
        assert!(edited.compile(&Setting::default()).is_ok());
    }
}
