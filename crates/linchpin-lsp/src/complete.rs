//! Completion: what can be written at a place.
//!
//! The text before the place decides the kind: after a dot fields and methods, after `::` what the name
//! before has, in a `check` block bounds and properties, after `object Name:` specifications. Elsewhere: the
//! names that can be seen, and the words of the language.

use crate::analysis::{Analysis, contains};
use crate::describe::{BOUNDS, WORDS};
use linchpin_frontend::syntax::ast::{self, ItemKind};
use linchpin_frontend::typing::{NameKind, NameUse};
use linchpin_ir::source::Span;
use linchpin_report::view::rules;
use lsp_types::{CompletionItem, CompletionItemKind};
use std::collections::BTreeMap;

/// The items by label.
#[derive(Default)]
struct Offered(BTreeMap<String, CompletionItem>);

impl Offered {
    fn add(&mut self, label: &str, kind: CompletionItemKind, detail: Option<String>) {
        let item =
            CompletionItem { label: label.into(), kind: Some(kind), detail, ..CompletionItem::default() };
        self.0.entry(label.into()).or_insert(item);
    }
}

/// Returns what can be written at a byte of a model.
pub fn complete(analysis: &Analysis, byte: usize) -> Vec<CompletionItem> {
    let text = &analysis.text()[..byte.min(analysis.text().len())];
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let before = text.trim_end_matches(is_part);
    let line = before.rsplit('\n').next().unwrap_or("");
    let mut offered = Offered::default();
    if line.contains("//") {
        return Vec::new();
    }
    if let Some(path) = before.strip_suffix("::") {
        after_path(analysis, last_word(path), &mut offered);
    } else if let Some(receiver) = before.strip_suffix('.')
        && !before.ends_with("..")
    {
        after_dot(analysis, receiver, byte, &mut offered);
    } else if in_check(analysis, byte) {
        for (name, text) in rules::all() {
            offered.add(&name.replace('-', "_"), CompletionItemKind::CONSTANT, Some(text.into()));
        }
        for (name, text) in BOUNDS {
            offered.add(name, CompletionItemKind::PROPERTY, Some(text.into()));
        }
        offered.add("violated", CompletionItemKind::KEYWORD, None);
    } else if line.trim_start().starts_with("object ") && line.contains(':') {
        names_of(analysis, &mut offered, |name| name.kind == NameKind::Specification);
    } else {
        names_of(analysis, &mut offered, |name| is_visible(analysis, name, byte));
        for (word, text) in WORDS {
            offered.add(word, CompletionItemKind::KEYWORD, Some(text.into()));
        }
        for word in [
            "break", "continue", "const", "else", "enum", "false", "fn", "for", "if", "in", "let", "loop",
            "match", "return", "self", "struct", "true", "type", "use", "while", "bool", "int",
        ] {
            offered.add(word, CompletionItemKind::KEYWORD, None);
        }
    }
    offered.0.into_values().collect()
}

fn last_word(text: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let start = text
        .rfind(|character| !is_part(character))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

fn in_check(analysis: &Analysis, byte: usize) -> bool {
    let is_check = |kind: &ItemKind| matches!(kind, ItemKind::Check(_) | ItemKind::Prove { .. });
    analysis.tree.items.iter().any(|item| is_check(&item.kind) && contains(item.span, byte))
}

fn names_of(analysis: &Analysis, offered: &mut Offered, wanted: impl Fn(&NameUse) -> bool) {
    for name in analysis.names.iter().filter(|name| name.at == name.definition && wanted(name)) {
        offered.add(analysis.sources.text(name.at), kind(name.kind), name.ty.clone());
    }
}

/// Returns whether a definition can be seen from a byte: of the model, or a variable of the function around
/// the byte that is declared before it.
fn is_visible(analysis: &Analysis, name: &NameUse, byte: usize) -> bool {
    match name.kind {
        NameKind::Variable | NameKind::SpecVariable => {
            let item = analysis.tree.items.iter().find(|item| contains(item.span, byte));
            let is_inside = |outer: Span| {
                outer.file == name.at.file && outer.start <= name.at.start && name.at.end <= outer.end
            };
            item.is_some_and(|item| is_inside(item.span))
                && usize::try_from(name.at.end).is_ok_and(|end| end < byte)
        }
        NameKind::Field | NameKind::Variant | NameKind::Method | NameKind::Observer | NameKind::Role => false,
        NameKind::Specification | NameKind::Operation | NameKind::Module => false,
        _ => name.at.file == analysis.root || is_taken(analysis, name),
    }
}

/// Returns whether a `use` of the model takes a definition of another file.
fn is_taken(analysis: &Analysis, name: &NameUse) -> bool {
    let text = analysis.sources.text(name.at);
    let mut modules = analysis.own_names().filter(|module| module.kind == NameKind::Module);
    modules.any(|module| {
        let takes = |item: &ast::Item| match &item.kind {
            ItemKind::Use { module: written, names } if written.span == module.at => match names {
                ast::UseNames::All => true,
                ast::UseNames::Some(taken) => taken.iter().any(|taken| *taken.text == *text),
            },
            _ => false,
        };
        module.definition.file == name.at.file && analysis.tree.items.iter().any(takes)
    })
}

fn after_path(analysis: &Analysis, of: &str, offered: &mut Offered) {
    if of == "key" {
        offered.add("MIN", CompletionItemKind::CONSTANT, None);
        offered.add("MAX", CompletionItemKind::CONSTANT, None);
    }
    for item in &analysis.tree.items {
        if let ItemKind::Enum { name, variants } = &item.kind
            && *name.text == *of
        {
            variants
                .iter()
                .for_each(|variant| offered.add(&variant.text, CompletionItemKind::ENUM_MEMBER, None));
        }
    }
    let modules = analysis.own_names().filter(|name| name.kind == NameKind::Module);
    for module in modules.filter(|module| analysis.sources.text(module.at) == of) {
        let file = module.definition.file;
        let is_item = |kind: NameKind| {
            !matches!(
                kind,
                NameKind::Variable
                    | NameKind::Field
                    | NameKind::Variant
                    | NameKind::Method
                    | NameKind::SpecVariable
            )
        };
        names_of(analysis, offered, |name| name.at.file == file && is_item(name.kind));
    }
}

/// Offers the fields and methods of what is before a dot.
fn after_dot(analysis: &Analysis, receiver: &str, byte: usize, offered: &mut Offered) {
    let Some(ty) = type_of(analysis, receiver, byte) else { return };
    let target = ty.trim_start_matches('*');
    if target.starts_with('[') {
        offered.add("len", CompletionItemKind::METHOD, Some("the number of elements".into()));
    }
    let builtin: &[&str] = match target.split('<').next().unwrap_or(target) {
        "lock" => &["lock", "unlock", "try_lock", "is_locked"],
        "condvar" => &["wait", "notify_one", "notify_all"],
        "seq" => &[
            "len",
            "is_empty",
            "clear",
            "contains",
            "all",
            "any",
            "push_back",
            "push_front",
            "pop_back",
            "pop_front",
            "remove_at",
            "insert_at",
        ],
        "set" => &["len", "is_empty", "clear", "contains", "all", "any", "add", "remove"],
        "bag" => &["len", "is_empty", "clear", "contains", "all", "any", "add", "remove", "count"],
        "map" => &["len", "is_empty", "clear", "contains", "all", "any", "insert", "get", "remove"],
        _ if target.ends_with('?') => &["unwrap"],
        _ => &[],
    };
    builtin.iter().for_each(|method| offered.add(method, CompletionItemKind::METHOD, None));
    for (field, ty) in fields(analysis, target) {
        offered.add(&field, CompletionItemKind::FIELD, Some(ty));
    }
    let base = target.split('<').next().unwrap_or(target);
    for item in &analysis.tree.items {
        if let ItemKind::Impl { target: of, functions, .. } = &item.kind
            && *of.text == *base
        {
            for function in functions {
                offered.add(&function.signature.name.text, CompletionItemKind::METHOD, None);
            }
        }
    }
}

/// Returns the type of `a.b.c`, from the names in the text. `None`: not known.
fn type_of(analysis: &Analysis, receiver: &str, byte: usize) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = receiver.trim_end();
    loop {
        if let Some(array) = rest.strip_suffix(']') {
            let open = array.rfind('[')?;
            parts.push("[]".to_string());
            rest = &array[..open];
            continue;
        }
        let word = last_word(rest);
        if word.is_empty() {
            return None;
        }
        parts.push(word.to_string());
        let before = rest[..rest.len() - word.len()].trim_end();
        match before.strip_suffix('.') {
            Some(more) => rest = more.trim_end(),
            None => break,
        }
    }
    parts.reverse();
    let first = parts.first()?;
    // The nearest use before the place, else any.
    let typed = |name: &&NameUse| name.ty.is_some() && analysis.sources.text(name.at) == first;
    let is_before = |name: &&NameUse| usize::try_from(name.at.end).is_ok_and(|end| end <= byte);
    let of_value = |name: &&NameUse| name.kind != NameKind::Field;
    let mut all = analysis.own_names().filter(typed).filter(of_value);
    let nearest = analysis.own_names().filter(typed).filter(of_value).filter(is_before).last();
    let mut ty = nearest.or_else(|| all.next())?.ty.clone()?;
    for part in &parts[1..] {
        let target = ty.trim_start_matches('*').to_string();
        ty = if part == "[]" {
            let inner = target.strip_prefix('[')?;
            inner.split(';').next()?.trim_end_matches(']').to_string()
        } else {
            fields(analysis, &target).into_iter().find(|(name, _)| name == part)?.1
        };
    }
    Some(ty)
}

/// Returns the fields of a struct or a word, each with its type, from the definitions and uses of the model.
fn fields(analysis: &Analysis, of: &str) -> Vec<(String, String)> {
    let base = of.split('<').next().unwrap_or(of);
    let record = analysis.names.iter().find(|name| {
        name.at == name.definition
            && matches!(name.kind, NameKind::Struct | NameKind::Word)
            && analysis.sources.text(name.at) == base
    });
    let Some(record) = record else { return Vec::new() };
    let file = analysis.sources.file(record.at.file);
    let (tree, _) = linchpin_frontend::syntax::parse(record.at.file, &file.text);
    let found = tree.items.iter().find_map(|item| match &item.kind {
        ItemKind::Struct(written) | ItemKind::Word(written) if written.name.span == record.at => {
            Some(written)
        }
        _ => None,
    });
    let field = |param: &ast::Param| {
        let ty = analysis.sources.text(param.ty.span).to_string();
        (param.name.text.to_string(), ty)
    };
    found.map(|written| written.fields.iter().map(field).collect()).unwrap_or_default()
}

fn kind(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Variable | NameKind::Shared | NameKind::ThreadVariable | NameKind::SpecVariable => {
            CompletionItemKind::VARIABLE
        }
        NameKind::Constant => CompletionItemKind::CONSTANT,
        NameKind::Alias | NameKind::Struct | NameKind::Word => CompletionItemKind::STRUCT,
        NameKind::Enum => CompletionItemKind::ENUM,
        NameKind::Variant => CompletionItemKind::ENUM_MEMBER,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Operation | NameKind::Method => CompletionItemKind::METHOD,
        NameKind::Function | NameKind::Hash | NameKind::Observer | NameKind::Role => {
            CompletionItemKind::FUNCTION
        }
        NameKind::Specification => CompletionItemKind::INTERFACE,
        NameKind::Module => CompletionItemKind::MODULE,
    }
}
