//! The tree, the findings and the names of one model.

use crate::documents::{Beside, Documents};
use linchpin_frontend::lower::lower;
use linchpin_frontend::syntax::{self, ast};
use linchpin_frontend::typing::{NameUse, check_with_names};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::{FileId, SourceMap, Span};
use std::path::Path;
use std::sync::Arc;

/// What is known of a model.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub sources: SourceMap,
    /// The file of the model itself.
    pub root: FileId,
    pub tree: ast::File,
    /// Of all files of the model.
    pub findings: Vec<Diagnostic>,
    /// The names of all files, in the order of the text.
    pub names: Vec<NameUse>,
}

/// The title of the finding that a file without an object gets; such a file is a module.
const NO_OBJECT: &str = "this file has no object";

impl Analysis {
    /// Analyses a text. `path` is its file; `None`: not a file.
    pub fn of(documents: &Documents, path: Option<&Path>, text: Arc<str>) -> Analysis {
        let mut sources = SourceMap::default();
        let name = path.map_or("untitled.lin".into(), |path| path.to_string_lossy().into_owned());
        let root = sources.add(name, text.clone());
        let (tree, _) = syntax::parse(root, &text);
        let directory = path.and_then(Path::parent).map(Path::to_path_buf);
        let modules = Beside { documents, directory };
        let (checked, names) = check_with_names(&mut sources, &modules, root, &Setting::default());
        let mut findings = checked.diagnostics;
        if let Some(Err(more)) = checked.program.map(|program| lower(&sources, &program)) {
            findings.extend(more);
        }
        if tree.object.is_none() {
            findings.retain(|finding| finding.title != NO_OBJECT);
        }
        Analysis { sources, root, tree, findings, names }
    }

    /// Returns the text of the model.
    pub fn text(&self) -> &str {
        &self.sources.file(self.root).text
    }

    /// Returns the names of the model's own file.
    pub fn own_names(&self) -> impl Iterator<Item = &NameUse> {
        self.names.iter().filter(|name| name.at.file == self.root)
    }

    /// Returns the name at a byte of the model. At the end of a name, it is that name.
    pub fn name_at(&self, byte: usize) -> Option<&NameUse> {
        self.own_names().find(|name| contains(name.at, byte))
    }

    /// Returns whether a file is one of the library, which cannot be changed.
    pub fn is_of_library(&self, file: FileId) -> bool {
        !Path::new(&self.sources.file(file).name).is_absolute() && file != self.root
    }
}

/// Returns whether a byte lies in a span, or at its end.
pub fn contains(span: Span, byte: usize) -> bool {
    u32::try_from(byte).is_ok_and(|byte| span.start <= byte && byte <= span.end)
}
