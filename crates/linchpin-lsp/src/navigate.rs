//! Definition, references and rename.

use crate::address;
use crate::analysis::Analysis;
use crate::documents::{Documents, LibraryCopies};
use crate::position::Lines;
use linchpin_frontend::syntax;
use linchpin_frontend::typing::{NameKind, NameUse};
use linchpin_ir::source::{SourceMap, Span};
use lsp_types::{Location, TextEdit, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns the place of a span.
pub fn location(analysis: &Analysis, copies: &mut LibraryCopies, span: Span) -> Option<Location> {
    let file = analysis.sources.file(span.file);
    let uri = address::of(&copies.path_of(file)?)?;
    Some(Location { uri, range: Lines::of(&file.text).range(&file.text, span) })
}

/// A definition, whatever analysis sees it: the file and the place in the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Definition {
    file: String,
    start: u32,
    end: u32,
}

impl Definition {
    fn of(analysis: &Analysis, name: &NameUse) -> Definition {
        let Span { file, start, end } = name.definition;
        Definition { file: analysis.sources.file(file).name.clone(), start, end }
    }
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub path: PathBuf,
    pub start: usize,
    pub end: usize,
    pub is_definition: bool,
}

/// Returns every place that names what a byte of a model names: in the model, its modules, and the models
/// beside it.
pub fn references(documents: &Documents, analysis: &Analysis, byte: usize) -> Vec<Place> {
    let Some(name) = analysis.name_at(byte) else { return Vec::new() };
    let wanted = Definition::of(analysis, name);
    let mut found = BTreeSet::new();
    collect(analysis, &wanted, &mut found);
    // A variable of a function has no uses in other files.
    if name.kind != NameKind::Variable {
        let own = PathBuf::from(&analysis.sources.file(analysis.root).name);
        for path in own.parent().map(|directory| documents.models_in(directory)).unwrap_or_default() {
            if path == own || !may_name(documents, &path, &own, &wanted) {
                continue;
            }
            if let Some(text) = documents.text_of(&path) {
                collect(&Analysis::of(documents, Some(&path), text), &wanted, &mut found);
            }
        }
    }
    found.into_iter().collect()
}

/// Returns whether a model can name something of another file: the text must contain the name of the module.
fn may_name(documents: &Documents, path: &Path, own: &Path, wanted: &Definition) -> bool {
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_string);
    let Some(text) = documents.text_of(path) else { return false };
    let is_of_library = !Path::new(&wanted.file).is_absolute();
    is_of_library
        || stem(own).is_some_and(|module| text.contains(&*module))
        || stem(Path::new(&wanted.file)).is_some_and(|module| text.contains(&*module))
}

fn collect(analysis: &Analysis, wanted: &Definition, found: &mut BTreeSet<Place>) {
    for name in analysis.names.iter().filter(|name| Definition::of(analysis, name) == *wanted) {
        let path = PathBuf::from(&analysis.sources.file(name.at.file).name);
        let byte = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        found.insert(Place {
            path,
            start: byte(name.at.start),
            end: byte(name.at.end),
            is_definition: name.at == name.definition,
        });
    }
}

/// Renames what a byte of a model names. The error is a sentence for a person.
///
/// The new texts are analysed before the edits are given: the number of errors must not grow, and each name
/// must have as many uses as before. So no edit changes what another name means.
pub fn rename(
    documents: &Documents,
    analysis: &Analysis,
    byte: usize,
    new: &str,
) -> Result<Vec<(Uri, Vec<TextEdit>)>, String> {
    let name = analysis.name_at(byte).ok_or("there is no name here")?;
    if name.kind == NameKind::Module {
        return Err("a module is renamed with its file".into());
    }
    let old = analysis.sources.text(name.at).to_string();
    is_a_name(&old, new)?;
    let places = references(documents, analysis, byte);
    if let Some(place) = places.iter().find(|place| !place.path.is_absolute()) {
        return Err(format!("`{old}` is defined or used in the library (`{}`)", place.path.display()));
    }
    let mut by_file: BTreeMap<&Path, Vec<&Place>> = BTreeMap::new();
    for place in &places {
        by_file.entry(&place.path).or_default().push(place);
    }
    let mut changed = Documents::default();
    for document in documents.all() {
        changed.open(document.address.clone(), document.text.to_string(), document.version);
    }
    let mut edits = Vec::new();
    for (path, places) in &by_file {
        let (Some(text), Some(address)) = (documents.text_of(path), address::of(path)) else {
            return Err(format!("`{}` cannot be read", path.display()));
        };
        let lines = Lines::of(&text);
        let mut of_file = Vec::new();
        let mut after = text.to_string();
        for place in places.iter().rev() {
            let range = lsp_types::Range {
                start: lines.position(&text, place.start),
                end: lines.position(&text, place.end),
            };
            // A shorthand `Node { val }` names a field and a variable.
            let both = is_shorthand(analysis, path, place);
            if both {
                return Err(format!(
                    "`{old}` stands for a field and a variable at line {}: write `{old}: {old}` first",
                    range.start.line + 1
                ));
            }
            after.replace_range(place.start..place.end, new);
            of_file.push(TextEdit { range, new_text: new.to_string() });
        }
        of_file.reverse();
        changed.open(address.clone(), after, 0);
        edits.push((address, of_file));
    }
    for path in by_file.keys() {
        keeps_its_meaning(documents, &changed, path, new)?;
    }
    Ok(edits)
}

/// Returns whether two names with different definitions are at one place.
fn is_shorthand(analysis: &Analysis, path: &Path, place: &Place) -> bool {
    let here = |name: &&NameUse| {
        usize::try_from(name.at.start) == Ok(place.start)
            && Path::new(&analysis.sources.file(name.at.file).name) == path
    };
    analysis.names.iter().filter(here).map(|name| name.definition).collect::<BTreeSet<_>>().len() > 1
}

fn keeps_its_meaning(before: &Documents, after: &Documents, path: &Path, new: &str) -> Result<(), String> {
    let of = |documents: &Documents| {
        let text = documents.text_of(path)?;
        let analysis = Analysis::of(documents, Some(path), text);
        let errors = analysis.findings.iter().filter(|finding| finding.is_error()).count();
        // The uses of each definition, by the order of the definitions.
        let mut uses: BTreeMap<Definition, usize> = BTreeMap::new();
        for name in &analysis.names {
            *uses.entry(Definition::of(&analysis, name)).or_default() += 1;
        }
        Some((errors, uses.into_values().collect::<Vec<_>>()))
    };
    let (old, renamed) = (of(before), of(after));
    let (Some((errors, uses)), Some((new_errors, new_uses))) = (old, renamed) else {
        return Err(format!("`{}` cannot be read", path.display()));
    };
    if new_errors > errors || new_uses != uses {
        return Err(format!("`{new}` already has a meaning here: choose another name"));
    }
    Ok(())
}

/// Checks that a text can be a name, with a capital letter like the old name.
fn is_a_name(old: &str, new: &str) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let text = format!("shared {new}: bool;");
    let file = sources.add("name.lin", text.clone());
    let (tree, findings) = syntax::parse(file, &text);
    let is_one = match tree.items.first().map(|item| &item.kind) {
        Some(syntax::ast::ItemKind::Shared(variable)) => *variable.name.text == *new,
        _ => false,
    };
    if !findings.is_empty() || !is_one {
        return Err(format!("`{new}` is not a name: use letters, digits and `_`, and no reserved word"));
    }
    let capital = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    if capital(old) && !capital(new) {
        return Err(format!("`{new}` must begin with a capital letter, as `{old}` does"));
    }
    Ok(())
}
