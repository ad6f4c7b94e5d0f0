//! The tree-sitter grammar against the parser of Linchpin: on every model, the library, the templates, and
//! every example of `tests/language`.
//!
//! A text that the parser accepts has a tree without errors, with as many items, statements of some kinds, and
//! the same names. Changed texts must be refused, so the comparison is not blind.

use linchpin_frontend::syntax;
use linchpin_frontend::syntax::ast::{self, ItemKind};
use linchpin_ir::source::SourceMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Parser, Query, QueryCursor, Tree};

fn parsed(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&editors::language().into()).expect("the grammar has the version of the library");
    parser.parse(text, None).expect("a tree")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the texts of a directory with this extension, by name.
fn files(directory: &str, extension: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join(directory)).expect("a directory").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let read = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a text"));
    paths.iter().map(read).collect()
}

/// Returns the models, the library and the templates.
fn models() -> Vec<(String, String)> {
    let directories =
        ["models/correct", "models/wrong", "crates/linchpin-frontend/library", "crates/linchpin/templates"];
    directories.iter().flat_map(|directory| files(directory, "lin")).collect()
}

/// Returns the examples of the literate tests.
fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, text) in files("tests/language", "md") {
        let mut block: Option<String> = None;
        for (at, line) in text.lines().enumerate() {
            if line.starts_with("```lin") {
                block = Some(String::new());
            } else if line.starts_with("```") {
                found.extend(block.take().map(|block| (format!("{name}:{}", at + 1), block)));
            } else if let Some(block) = &mut block {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    found
}

fn accepts(text: &str) -> Option<ast::File> {
    let mut sources = SourceMap::default();
    let file = sources.add("m.lin", text);
    let (tree, findings) = syntax::parse(file, text);
    findings.iter().all(|finding| !finding.is_error()).then_some(tree)
}

/// Returns the place of the first error or missing node.
fn first_error(node: Node<'_>) -> Option<String> {
    if node.is_error() || node.is_missing() {
        return Some(format!("{} at {}", node.to_sexp(), node.start_position()));
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(first_error)
}

/// Returns the kinds of the top-level nodes, without comments.
fn items_of_grammar(tree: &Tree) -> Vec<String> {
    let mut cursor = tree.walk();
    let kinds = tree.root_node().children(&mut cursor).map(|node| node.kind().to_string());
    kinds.filter(|kind| kind != "comment").collect()
}

fn items_of_parser(tree: &ast::File) -> Vec<String> {
    let kind = |item: &ast::Item| match &item.kind {
        ItemKind::Memory(_) => "memory",
        ItemKind::Use { .. } => "use",
        ItemKind::Const { .. } => "const",
        ItemKind::TypeAlias { .. } => "type_alias",
        ItemKind::Enum { .. } => "enum",
        ItemKind::Struct(_) => "struct",
        ItemKind::Word(_) => "word",
        ItemKind::Shared(_) => "shared",
        ItemKind::Local(_) => "local",
        ItemKind::Init(_) => "init",
        ItemKind::Op(_) => "operation",
        ItemKind::Fn(_) => "function",
        ItemKind::Impl { .. } => "impl",
        ItemKind::Hash { .. } => "hash",
        ItemKind::Role { .. } => "role",
        ItemKind::Spec(_) => "spec",
        ItemKind::Check(_) => "check",
        ItemKind::Prove { .. } => "prove",
    };
    let object = tree.object.iter().map(|_| "object".to_string());
    object.chain(tree.items.iter().map(|item| kind(item).to_string())).collect()
}

/// Returns the bodies of operations and functions: their name and number of statements.
fn bodies_of_grammar<'t>(node: Node<'t>, text: &'t str, found: &mut Vec<(String, usize)>) {
    if matches!(node.kind(), "operation" | "function") {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let of = |kind: &str| children.iter().find(|child| child.kind() == kind);
        if let (Some(signature), Some(block)) = (of("signature"), of("block")) {
            let name = signature.child_by_field_name("name").expect("a name");
            let mut cursor = block.walk();
            let statements =
                block.named_children(&mut cursor).filter(|child| child.kind() != "comment").count();
            found.push((text[name.byte_range()].to_string(), statements));
        }
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    children.into_iter().for_each(|child| bodies_of_grammar(child, text, found));
}

fn bodies_of_parser(tree: &ast::File) -> Vec<(String, usize)> {
    let body = |function: &ast::Function| {
        let body = function.body.as_ref()?;
        Some((function.signature.name.text.to_string(), body.stmts.len()))
    };
    let of_item = |item: &ast::Item| match &item.kind {
        ItemKind::Op(function) | ItemKind::Fn(function) => body(function).into_iter().collect(),
        ItemKind::Impl { functions, .. } => functions.iter().filter_map(body).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    tree.items.iter().flat_map(of_item).collect()
}

fn agree(name: &str, text: &str) -> bool {
    let Some(tree) = accepts(text) else { return false };
    let found = parsed(text);
    if let Some(error) = first_error(found.root_node()) {
        panic!("{name}: {error}");
    }
    assert_eq!(items_of_grammar(&found), items_of_parser(&tree), "{name}: the items");
    let mut bodies = Vec::new();
    bodies_of_grammar(found.root_node(), text, &mut bodies);
    assert_eq!(bodies, bodies_of_parser(&tree), "{name}: the bodies");
    true
}

#[test]
fn every_model_has_a_tree_without_errors() {
    let all = models();
    assert!(all.len() > 90, "{}", all.len());
    for (name, text) in &all {
        // A template has a place for a name, which is one.
        assert!(agree(name, text) || text.contains("NAME"), "{name}: the parser refuses it");
    }
}

#[test]
fn every_example_that_the_parser_accepts_has_a_tree_without_errors() {
    let all = examples();
    let accepted = all.iter().filter(|(name, text)| agree(name, text)).count();
    assert!(accepted > 120 && all.len() > 170, "{accepted} of {}", all.len());
}

/// A text without one of its tokens is refused by both, or accepted by both, nearly always. The grammar of an
/// editor may accept more than the parser; it must not accept everything.
#[test]
fn a_text_without_a_token_is_refused() {
    let (_, text) = models().into_iter().find(|(name, _)| name.ends_with("/ms_queue.lin")).expect("a model");
    let (mut refused, mut missed) = (0, 0);
    for (at, token) in text.char_indices().filter(|(_, token)| ";{}():=".contains(*token)) {
        let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
        if text[line..at].contains("//") {
            continue;
        }
        let changed = format!("{}{}", &text[..at], &text[at + token.len_utf8()..]);
        if accepts(&changed).is_none() {
            refused += 1;
            missed += usize::from(first_error(parsed(&changed).root_node()).is_none());
        }
    }
    assert!(refused > 50 && missed * 20 <= refused, "{missed} of {refused} were not noticed");
}

#[test]
fn the_highlight_queries_fit_the_grammar_and_colour_every_model() {
    let text = fs::read_to_string(root().join("editors/tree-sitter-linchpin/queries/highlights.scm"));
    let query = Query::new(&editors::language().into(), &text.expect("the queries"))
        .expect("queries of this grammar");
    let mut used = BTreeSet::new();
    for (_, text) in models().iter().chain(&examples()) {
        let tree = parsed(text);
        let mut cursor = QueryCursor::new();
        let mut captures = cursor.captures(&query, tree.root_node(), text.as_bytes());
        while let Some((found, at)) = captures.next() {
            used.insert(query.capture_names()[found.captures[*at].index as usize].to_string());
        }
    }
    let unused: Vec<&&str> = query.capture_names().iter().filter(|name| !used.contains(**name)).collect();
    assert!(unused.is_empty(), "never used: {unused:?}");
}
