//! Open texts, and modules: an open text comes before the file of the same path.

use crate::address;
use crate::position::Lines;
use linchpin_frontend::typing::Modules;
use linchpin_ir::source::SourceFile;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Limit on files that are read as modules or searched for references, in bytes.
const LARGEST_FILE: u64 = 16 << 20;

/// A text that an editor has open.
#[derive(Clone, Debug)]
pub struct Document {
    pub address: Uri,
    pub text: Arc<str>,
    pub version: i32,
    /// `None`: not a file.
    pub path: Option<PathBuf>,
}

/// The open texts by address.
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<String, Document>,
}

impl Documents {
    pub fn open(&mut self, address: Uri, text: String, version: i32) {
        let path = address::path_of(&address);
        let document = Document { address: address.clone(), text: text.into(), version, path };
        self.open.insert(address.as_str().to_string(), document);
    }

    pub fn close(&mut self, address: &Uri) {
        self.open.remove(address.as_str());
    }

    pub fn get(&self, address: &Uri) -> Option<&Document> {
        self.open.get(address.as_str())
    }

    pub fn all(&self) -> impl Iterator<Item = &Document> {
        self.open.values()
    }

    /// Applies changes in their order.
    pub fn change(&mut self, address: &Uri, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(document) = self.open.get_mut(address.as_str()) else { return };
        let mut text = document.text.to_string();
        for change in changes {
            let Some(range) = change.range else {
                text = change.text;
                continue;
            };
            let lines = Lines::of(&text);
            let (start, end) = (lines.byte(&text, range.start), lines.byte(&text, range.end));
            text.replace_range(start..end.max(start), &change.text);
        }
        document.text = text.into();
        document.version = version;
    }

    /// Returns the text of a path: open, or on disk.
    pub fn text_of(&self, path: &Path) -> Option<Arc<str>> {
        let open = self.open.values().find(|document| document.path.as_deref() == Some(path));
        open.map(|document| document.text.clone()).or_else(|| read(path).map(Arc::from))
    }

    /// Returns the models in a directory, open or on disk, by path.
    pub fn models_in(&self, directory: &Path) -> Vec<PathBuf> {
        let listed = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        let open = self.open.values().filter_map(|document| document.path.clone());
        let mut paths: Vec<PathBuf> = listed.chain(open).filter(|path| is_model(path, directory)).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

fn is_model(path: &Path, directory: &Path) -> bool {
    path.parent() == Some(directory) && path.extension().is_some_and(|extension| extension == "lin")
}

fn read(path: &Path) -> Option<String> {
    let size = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    (size <= LARGEST_FILE).then(|| fs::read_to_string(path).ok()).flatten()
}

/// The modules beside a model. The name of a module is the path of its file.
pub struct Beside<'d> {
    pub documents: &'d Documents,
    /// `None`: the model is not a file, so it has no modules.
    pub directory: Option<PathBuf>,
}

impl Modules for Beside<'_> {
    fn read(&self, module: &str) -> Option<(String, String)> {
        let path = self.directory.as_ref()?.join(format!("{module}.lin"));
        let text = self.documents.text_of(&path)?;
        Some((path.to_string_lossy().into_owned(), text.to_string()))
    }

    fn names(&self) -> Vec<String> {
        let models = self.directory.as_ref().map(|directory| self.documents.models_in(directory));
        let stem = |path: &PathBuf| Some(path.file_stem()?.to_str()?.to_string());
        models.iter().flatten().filter_map(stem).collect()
    }
}

/// Copies of the library's texts, so that an editor can open them. The copies vanish with the server.
#[derive(Debug, Default)]
pub struct LibraryCopies {
    directory: Option<tempfile::TempDir>,
}

impl LibraryCopies {
    /// Returns the path of a file of a model: its own, or that of a copy. `None`: no copy can be made.
    pub fn path_of(&mut self, file: &SourceFile) -> Option<PathBuf> {
        let path = PathBuf::from(&file.name);
        if path.is_absolute() {
            return Some(path);
        }
        let name = path.file_name()?;
        if self.directory.is_none() {
            self.directory = tempfile::Builder::new().prefix("linchpin-library-").tempdir().ok();
        }
        let copy = self.directory.as_ref()?.path().join(name);
        if !copy.exists() {
            fs::write(&copy, &*file.text).ok()?;
        }
        Some(copy)
    }

    /// Returns whether a path is that of a copy.
    pub fn has(&self, path: &Path) -> bool {
        self.directory.as_ref().is_some_and(|directory| path.starts_with(directory.path()))
    }
}
