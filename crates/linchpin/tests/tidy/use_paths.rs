//! Paths in Rust code, read off the text: `use` declarations with their groups taken apart, and qualified
//! paths.

/// One name that a `use` declaration brings in.
pub struct UseLeaf {
    pub path: Vec<String>,
    /// The name by which the importing module knows it.
    pub name: String,
    pub is_public: bool,
}

/// The code of a file without line comments, up to its unit tests.
pub fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod").next().unwrap_or("");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

/// Every path of the code: leaves of `use` declarations, and paths that begin with `crate`, `self` or
/// `super`.
pub fn paths_in(code: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = use_leaves(code).into_iter().map(|leaf| leaf.path).collect();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':')) {
                paths.push(parts(leading_path(&code[at..])));
            }
        }
    }
    paths
}

pub fn use_leaves(code: &str) -> Vec<UseLeaf> {
    let mut leaves = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let starts_a_word = rest[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '}');
        let line = rest[..at].rsplit('\n').next().unwrap_or("").trim();
        let after = &rest[at + 4..];
        let end = after.find(';').unwrap_or(after.len());
        if starts_a_word && (line.is_empty() || line.starts_with("pub")) {
            let mut found = Vec::new();
            expand(&after[..end], &[], &mut found);
            let is_public = line.starts_with("pub");
            leaves.extend(found.into_iter().map(|(path, name)| UseLeaf { path, name, is_public }));
            rest = &after[end..];
        } else {
            rest = after;
        }
    }
    leaves
}

fn expand(tree: &str, prefix: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let prefix = [prefix, &parts(head)].concat();
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        members(group).iter().for_each(|member| expand(member, &prefix, leaves));
        return;
    }
    let (path, alias) =
        tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let mut path = [prefix, &parts(path)].concat();
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        leaves.push((path, alias.map_or(last, String::from)));
    }
}

/// The members of a group, at its own depth.
fn members(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut found = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&group[start..]);
    found.retain(|member| !member.trim().is_empty());
    found
}

fn leading_path(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(':')
}

fn parts(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(String::from).collect()
}
