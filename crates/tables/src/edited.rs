//! A model of the catalogue with one thing exchanged.

use linchpin::catalogue;
use linchpin::embedded::compile_beside_catalogue;
use linchpin::explore::{Compiled, Model, Uncheckable};
use linchpin_core::typing::Setting;

pub struct Edited {
    pub name: String,
    text: String,
}

impl Edited {
    pub fn new(model: &str, edit: Option<(&str, &str)>) -> Result<Edited, String> {
        let entry = catalogue::find(model).ok_or_else(|| format!("the catalogue has no `{model}`"))?;
        let text = match edit {
            None => entry.text.to_string(),
            Some((old, new)) if entry.text.contains(old) => entry.text.replacen(old, new, 1),
            Some((old, _)) => return Err(format!("`{model}` has no `{old}`")),
        };
        Ok(Edited { name: format!("{model}.lin"), text })
    }
}

impl Model for Edited {
    fn compile(&self, setting: &Setting) -> Result<Compiled, Uncheckable> {
        compile_beside_catalogue(&self.name, &self.text, setting)
    }
}
