//! The files of a program: the root, the modules it uses, the modules they use, `std`, and the library
//! specifications. Every module is read once. Each unit follows the units that it uses.

use crate::syntax::{self, ast};
use crate::typing::{Modules, library, suggest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::source::{FileId, SourceMap};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

linchpin_ir::index_types! {
    /// One file of the program.
    pub struct UnitId;
}

pub(in crate::typing) struct Unit {
    pub tree: ast::File,
    /// For each `use` of the tree, in order, the unit it names, unless there is none.
    pub uses: Vec<Option<UnitId>>,
    /// The parser reported errors, so a missing definition may be in the text.
    pub broken: bool,
}

pub(in crate::typing) struct Units {
    pub all: IndexVec<UnitId, Unit>,
    pub root: UnitId,
    /// The library specifications.
    pub specifications: UnitId,
    /// The root names a specification that no object implements.
    pub is_specification: bool,
}

/// Parses the root and everything it uses.
pub(in crate::typing) fn load(
    sources: &mut SourceMap,
    modules: &dyn Modules,
    root: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Units {
    let mut loader = Loader::new(sources, modules, diagnostics);
    let root = loader.unit(root);
    loader.units(root, false)
}

/// Parses the file of a specification and everything it uses. The root takes the specification of `applied`
/// and the constants from the file.
pub(in crate::typing) fn load_specification(
    sources: &mut SourceMap,
    modules: &dyn Modules,
    applied: ast::Object,
    file: Option<FileId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Units {
    let mut loader = Loader::new(sources, modules, diagnostics);
    let used = file.map(|file| loader.unit(file));
    let span = applied.span;
    let item = used.map(|used| {
        let constants = loader.units[used].tree.items.iter().filter_map(|item| match &item.kind {
            ast::ItemKind::Const { name, .. } => Some(name.text.clone()),
            _ => None,
        });
        let names: BTreeSet<Arc<str>> = constants.chain([applied.spec.text.clone()]).collect();
        let name = |text: Arc<str>| ast::Name { text, span: applied.spec.span };
        let names = ast::UseNames::Some(names.into_iter().map(name).collect());
        ast::Item { kind: ast::ItemKind::Use { module: applied.spec.clone(), names }, span }
    });
    let items = item.into_iter().collect();
    let tree = ast::File { header: Vec::new(), object: Some(applied), items, comments: Vec::new(), span };
    let root = loader.units.push(Unit { tree, uses: used.into_iter().map(Some).collect(), broken: false });
    loader.units(root, true)
}

impl Units {
    /// All units from which this one can be reached by `use`, in the order of their ids.
    pub fn users_of(&self, unit: UnitId) -> Vec<UnitId> {
        let mut reached = vec![false; self.all.len()];
        reached[unit.index()] = true;
        // A unit follows those it uses: one pass is enough.
        for (id, user) in self.all.entries() {
            reached[id.index()] |= user.uses.iter().flatten().any(|used| reached[used.index()]);
        }
        self.all.ids().filter(|id| *id != unit && reached[id.index()]).collect()
    }

    /// The root and the units that it takes as a whole (`use m::*`), directly or through others; the root
    /// last.
    pub fn taken_whole(&self) -> Vec<UnitId> {
        let mut taken = vec![false; self.all.len()];
        self.mark_whole(self.root, &mut taken);
        self.all.ids().filter(|id| taken[id.index()]).collect()
    }

    fn mark_whole(&self, unit: UnitId, taken: &mut [bool]) {
        if std::mem::replace(&mut taken[unit.index()], true) {
            return;
        }
        let unit = &self.all[unit];
        for ((_, names), used) in uses(&unit.tree).zip(&unit.uses) {
            if let (ast::UseNames::All, Some(used)) = (names, used) {
                self.mark_whole(*used, taken);
            }
        }
    }
}

/// Returns the `use` items of a file in order: the module and the names.
pub(in crate::typing) fn uses(tree: &ast::File) -> impl Iterator<Item = (&ast::Name, &ast::UseNames)> {
    tree.items.iter().filter_map(|item| match &item.kind {
        ast::ItemKind::Use { module, names } => Some((module, names)),
        _ => None,
    })
}

#[derive(Clone, Copy)]
enum State {
    Loading,
    Loaded(UnitId),
    Missing,
}

struct Loader<'l> {
    sources: &'l mut SourceMap,
    modules: &'l dyn Modules,
    diagnostics: &'l mut Vec<Diagnostic>,
    units: IndexVec<UnitId, Unit>,
    states: BTreeMap<Arc<str>, State>,
    /// The modules that are being loaded, each used by the one before it.
    path: Vec<Arc<str>>,
}

impl<'l> Loader<'l> {
    fn new(
        sources: &'l mut SourceMap,
        modules: &'l dyn Modules,
        diagnostics: &'l mut Vec<Diagnostic>,
    ) -> Loader<'l> {
        Loader {
            sources,
            modules,
            diagnostics,
            units: IndexVec::new(),
            states: BTreeMap::new(),
            path: Vec::new(),
        }
    }

    /// Adds the library to what was loaded.
    fn units(mut self, root: UnitId, is_specification: bool) -> Units {
        let file = self.sources.add("specs.lin", library::SPECIFICATIONS_TEXT);
        let specifications = self.unit(file);
        Units { all: self.units, root, specifications, is_specification }
    }

    fn unit(&mut self, file: FileId) -> UnitId {
        let text = self.sources.file(file).text.clone();
        let (tree, errors) = syntax::parse(file, &text);
        let broken = errors.iter().any(Diagnostic::is_error);
        self.diagnostics.extend(errors);
        let uses = uses(&tree).map(|(module, _)| self.module(module)).collect();
        self.units.push(Unit { tree, uses, broken })
    }

    fn module(&mut self, name: &ast::Name) -> Option<UnitId> {
        match self.states.get(&name.text) {
            Some(State::Loaded(unit)) => return Some(*unit),
            Some(State::Missing) => return None,
            Some(State::Loading) => {
                self.cycle(name);
                return None;
            }
            None => {}
        }
        let found = match &*name.text {
            library::STD => Some(("std.lin".to_string(), library::STD_TEXT.to_string())),
            other => self.modules.read(other),
        };
        let Some((shown, text)) = found else {
            self.missing(name);
            self.states.insert(name.text.clone(), State::Missing);
            return None;
        };
        self.states.insert(name.text.clone(), State::Loading);
        self.path.push(name.text.clone());
        let file = self.sources.add(shown, text);
        let unit = self.unit(file);
        self.path.pop();
        self.states.insert(name.text.clone(), State::Loaded(unit));
        Some(unit)
    }

    fn missing(&mut self, name: &ast::Name) {
        let mut known = self.modules.names();
        known.push(library::STD.to_string());
        known.sort();
        let mut diagnostic = Diagnostic::error(
            format!("there is no module `{}`", name.text),
            name.span,
            "there is no file of this name next to the model",
        );
        diagnostic.help = suggest::nearest(&name.text, known.iter().map(String::as_str))
            .map(|near| format!("did you mean `{near}`?"))
            .or_else(|| Some(format!("`use {0}::…` reads `{0}.lin` next to the file, or `std`", name.text)));
        self.diagnostics.push(diagnostic);
    }

    fn cycle(&mut self, name: &ast::Name) {
        let from = self.path.iter().position(|m| *m == name.text).unwrap_or(0);
        let mut circle: Vec<&str> = self.path[from..].iter().map(|m| &**m).collect();
        circle.push(&name.text);
        self.diagnostics.push(
            Diagnostic::error("modules use each other in a circle", name.span, circle.join(" uses "))
                .help("put what both need into a module of its own"),
        );
    }
}
