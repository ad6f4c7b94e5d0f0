//! JSON inside a `<script>` element.

use maud::{Markup, PreEscaped, html};
use serde::Serialize;

/// Returns a data block that a script of the page reads. The identifier is a name of this crate.
///
/// A parser of HTML ends a script at `</script`, and changes its mode at `<!--`. Both begin with `<`, which
/// JSON contains only in strings, where `\u003c` has the same meaning.
pub fn json(id: &str, value: &impl Serialize) -> Markup {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    html! { script type="application/json" id=(id) { (PreEscaped(escaped(&text))) } }
}

fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_string_ends_the_script() {
        let hostile = ["</script><script>alert(1)</script>", "<!--", "]]>", "&lt;", "\u{2028}\"\\"];
        let block = json("x", &hostile).into_string();
        let (_, inside) = block.split_once('>').expect("an element");
        let inside = inside.strip_suffix("</script>").expect("its end");
        assert!(!inside.contains(['<', '>', '&', '\u{2028}']), "{inside}");
        let read: Vec<String> = serde_json::from_str(inside).expect("the same value");
        assert_eq!(read, hostile);
    }
}
