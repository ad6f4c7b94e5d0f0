//! A small change to the text of a model: within one item, one passage, for another.

/// The passage `from` becomes `to`. The indentation of lines does not count, and is lost.
#[derive(Clone, Copy)]
pub struct Edit {
    /// How the item begins: `op push`. It reaches as far as the next empty line.
    item: &'static str,
    from: &'static str,
    to: &'static str,
}

pub const fn edit(item: &'static str, from: &'static str, to: &'static str) -> Edit {
    Edit { item, from, to }
}

impl Edit {
    /// Refused unless there is just one such item, and just one such passage in it.
    pub fn apply(&self, text: &str) -> Result<String, String> {
        let Edit { item, from, to } = self;
        let start = the_only(text, &format!("\n{item}"))?;
        let length = text[start..].find("\n\n").unwrap_or(text.len() - start);
        let (before, rest) = text.split_at(start);
        let (body, after) = rest.split_at(length);
        let body = body.split('\n').map(str::trim_start).collect::<Vec<_>>().join("\n");
        let at = the_only(&body, from)?;
        Ok(format!("{before}{}{to}{}{after}", &body[..at], &body[at + from.len()..]))
    }
}

fn the_only(text: &str, passage: &str) -> Result<usize, String> {
    let mut found = text.match_indices(passage).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(at),
        (None, _) => Err(format!("`{passage}` is not there")),
        (Some(_), Some(_)) => Err(format!("`{passage}` is there more than once")),
    }
}

#[test]
fn an_edit_stays_within_its_item_and_refuses_what_it_cannot_place() {
    let text = "object O;\n\nop a() { f(); }\n\nop b() {\n    f();\n    g(); g();\n}\n";
    let changed = edit("op b", "f();\ng", "h();\ng").apply(text);
    assert_eq!(changed.as_deref(), Ok("object O;\n\nop a() { f(); }\n\nop b() {\nh();\ng(); g();\n}\n"));
    assert!(edit("op b", "g();", "").apply(text).is_err_and(|why| why.contains("more than once")));
    assert!(edit("op a", "g();", "").apply(text).is_err_and(|why| why.contains("not there")));
    assert!(edit("op", "f();", "").apply(text).is_err_and(|why| why.contains("more than once")));
}
