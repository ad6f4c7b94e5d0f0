//! Changes the paths of a source file: `core::sync`, `std::sync`, `std::thread` and `hint` become those of
//! `linchpin_instrument::shadow`.
//!
//! The file is not parsed. Comments and strings are left alone; elsewhere a path is a sequence of names and
//! `::`. A `use` of a group (`use std::{cell::Cell, sync::Arc};`) is split. Three things stay as they are:
//! paths through another name of `std`, paths that a macro puts together, and `extern crate`.

/// The root of instrumented modules.
const SHADOW: &str = "::linchpin_instrument::shadow";
const ROOTS: [&str; 2] = ["core", "std"];
const MODULES: [&str; 3] = ["hint", "sync", "thread"];

/// Returns the changed text, and the number of changes.
pub(crate) fn rewrite(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len() + 256);
    let mut changes = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let skipped = inert(rest);
        if skipped > 0 {
            out += &rest[..skipped];
            rest = &rest[skipped..];
            continue;
        }
        let is_start = !out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_start && let Some((new, length)) = path(rest, out.ends_with("use ")) {
            // `::std::sync` has a root already.
            if out.ends_with("::") && new.starts_with("::") {
                if out[..out.len() - 2].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>') {
                    let next = rest.chars().next().map_or(1, char::len_utf8);
                    out += &rest[..next];
                    rest = &rest[next..];
                    continue;
                }
                out.truncate(out.len() - 2);
            }
            out += &new;
            rest = &rest[length..];
            changes += 1;
            continue;
        }
        let next = rest.chars().next().map_or(1, char::len_utf8);
        out += &rest[..next];
        rest = &rest[next..];
    }
    (out, changes)
}

/// Returns the length of a comment, string or character at the beginning of the text; 0 if there is none.
fn inert(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |at| at + 2);
    }
    if text.starts_with("r\"") || text.starts_with("r#\"") {
        let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
        let close = format!("\"{}", "#".repeat(hashes));
        return text[2 + hashes..].find(&close).map_or(text.len(), |at| 2 + hashes + at + close.len());
    }
    if let Some(inside) = text.strip_prefix('"') {
        let mut escaped = false;
        for (at, c) in inside.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return at + 2,
                _ => {}
            }
        }
        return text.len();
    }
    // A character, not a lifetime.
    if text.starts_with("'\"'") || text.starts_with("'{'") || text.starts_with("'}'") {
        return 3;
    }
    0
}

/// Returns the replacement of a path at the beginning of the text, and the length of the old path.
fn path(text: &str, is_use: bool) -> Option<(String, usize)> {
    if let Some(rest) = text.strip_prefix("thread_local!") {
        return Some(("::linchpin_instrument::thread_local!".into(), text.len() - rest.len()));
    }
    let root = ROOTS.into_iter().find(|root| text.starts_with(&format!("{root}::")))?;
    let after = &text[root.len() + 2..];
    if let Some(rest) = after.strip_prefix("thread_local!") {
        return Some(("::linchpin_instrument::thread_local!".into(), text.len() - rest.len()));
    }
    for module in MODULES {
        let Some(rest) = after.strip_prefix(module) else { continue };
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        return Some((format!("{SHADOW}::{module}"), text.len() - rest.len()));
    }
    let group = after.strip_prefix('{').filter(|_| is_use)?;
    let (items, length) = items(group)?;
    let is_shadowed = |item: &&str| {
        let first = item.split("::").next().unwrap_or("").trim();
        MODULES.contains(&first.split_whitespace().next().unwrap_or(""))
    };
    let (shadowed, others): (Vec<&str>, Vec<&str>) = items.into_iter().partition(is_shadowed);
    if shadowed.is_empty() {
        return None;
    }
    let mut new = format!("{SHADOW}::{{{}}}", shadowed.join(", "));
    if !others.is_empty() {
        new = format!("{root}::{{{}}}; use {new}", others.join(", "));
    }
    Some((new, root.len() + 3 + length))
}

/// Splits the items of a group after its brace. Returns them, and the length up to the closing brace.
fn items(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            '}' if depth == 0 => {
                items.push(text[start..at].trim());
                items.retain(|item| !item.is_empty());
                return Some((items, at + 1));
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> String {
        rewrite(text).0
    }

    #[test]
    fn paths_of_shared_memory_change() {
        let shadow = "::linchpin_instrument::shadow";
        assert_eq!(
            changed("use core::sync::atomic::{self, AtomicUsize};"),
            format!("use {shadow}::sync::atomic::{{self, AtomicUsize}};")
        );
        assert_eq!(changed("::std::thread::yield_now()"), format!("{shadow}::thread::yield_now()"));
        assert_eq!(
            changed("use std::{fmt, sync::{Arc, atomic::AtomicBool}, thread};"),
            format!("use std::{{fmt}}; use {shadow}::{{sync::{{Arc, atomic::AtomicBool}}, thread}};")
        );
        assert_eq!(changed("use std::{\n    sync::Arc,\n};"), format!("use {shadow}::{{sync::Arc}};"));
        assert_eq!(changed("thread_local! {}"), "::linchpin_instrument::thread_local! {}");
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "use std::{cell::Cell, fmt};",
            "// use std::sync::Arc;\n/* std::thread */",
            "\"std::sync \\\" std::thread\"",
            "r#\"std::sync\"#",
            "use crate::std::sync::Arc;",
            "mystd::sync::Arc",
            "use std::synchronous;",
            "core::mem::swap(a, b)",
            "my_thread_local! {}",
            "'\"' std :: sync",
        ] {
            assert_eq!(rewrite(text), (text.to_string(), 0));
        }
    }
}
