//! Reads models: a path to a `.lin` file or a name of the catalogue, and modules in the same directory.

use super::ending::{Failure, Message};
use linchpin_frontend::typing::Modules;
use linchpin_ir::nearest::nearest;
use linchpin_ir::source::{FileId, SourceMap};
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::CatalogueModules;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest accepted file in bytes. Positions in a file are 32 bits wide.
const LARGEST_FILE: u64 = 64 << 20;

/// A model before parsing.
pub struct Model {
    pub sources: SourceMap,
    pub root: FileId,
    pub modules: ModuleSource,
}

impl Model {
    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.sources.file(self.root).name
    }

    /// Returns the text of the model.
    pub fn text(&self) -> &str {
        &self.sources.file(self.root).text
    }
}

/// The name of standard input in messages.
const STANDARD_INPUT: &str = "<stdin>";

/// The text of a model, read once. So all compilations of a command see the same text.
#[derive(Clone)]
pub struct ModelText {
    name: String,
    text: Arc<str>,
    /// The directory of its modules. `None`: the catalogue.
    directory: Option<PathBuf>,
}

impl ModelText {
    /// Returns a model before parsing.
    pub fn model(&self) -> Model {
        let modules = match &self.directory {
            None => ModuleSource::Catalogue,
            Some(directory) => {
                ModuleSource::Directory { directory: directory.clone(), problems: RefCell::default() }
            }
        };
        let mut sources = SourceMap::default();
        let root = sources.add(self.name.clone(), self.text.clone());
        Model { sources, root, modules }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Reads the model that `MODEL` names on the command line.
pub fn load(argument: &str) -> Result<Model, Failure> {
    read(argument).map(|text| text.model())
}

/// Returns the file that `MODEL` names. `None`: standard input, or a model of the catalogue.
pub fn model_file(argument: &str) -> Option<PathBuf> {
    let is_of_catalogue = !looks_like_a_path(argument) && catalogue::find(argument).is_some();
    (argument != "-" && !is_of_catalogue).then(|| PathBuf::from(argument))
}

fn looks_like_a_path(argument: &str) -> bool {
    argument.ends_with(".lin") || argument.contains(std::path::is_separator)
}

/// Reads the text of the model that `MODEL` names on the command line.
///
/// `-` is standard input. An argument with `.lin` at the end or with a path separator is a path. Another
/// argument is first looked up in the catalogue.
pub fn read(argument: &str) -> Result<ModelText, Failure> {
    if argument == "-" {
        let text = read_bytes(io::stdin().lock())
            .map_err(|error| Failure::Input(Message::new(format!("cannot read standard input: {error}"))))?;
        let text = utf8_text(text, "standard input").map_err(Failure::Input)?;
        let directory = Some(PathBuf::new());
        return Ok(ModelText { name: STANDARD_INPUT.into(), text: text.into(), directory });
    }
    if !looks_like_a_path(argument) {
        if let Some(entry) = catalogue::find(argument) {
            return Ok(ModelText { name: entry.path(), text: entry.text.into(), directory: None });
        }
        if !Path::new(argument).exists() {
            return Err(Failure::Input(unknown_model(argument)));
        }
    }
    let path = Path::new(argument);
    let text = read_text(path).map_err(Failure::Input)?;
    let directory = Some(path.parent().unwrap_or(Path::new("")).to_path_buf());
    Ok(ModelText { name: argument.to_string(), text: text.into(), directory })
}

/// Reads the text of a file.
pub fn read_text(path: &Path) -> Result<String, Message> {
    let shown = path.display();
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => missing_file(path),
        io::ErrorKind::IsADirectory => directory(path),
        io::ErrorKind::PermissionDenied => Message::new(format!("no permission to read `{shown}`")),
        _ => Message::new(format!("cannot read `{shown}`: {error}")),
    };
    // Some systems open a directory and fail at the first read.
    if path.is_dir() {
        return Err(directory(path));
    }
    let bytes = File::open(path).and_then(read_bytes).map_err(unreadable)?;
    utf8_text(bytes, &format!("`{shown}`"))
}

/// Reads at most one byte more than the largest accepted file.
fn read_bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn utf8_text(bytes: Vec<u8>, shown: &str) -> Result<String, Message> {
    if bytes.len() as u64 > LARGEST_FILE {
        let limit = LARGEST_FILE >> 20;
        return Err(Message::new(format!("{shown} is larger than {limit} MiB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Message::new(format!("{shown} is not UTF-8 text: byte {at} (line {line}) does not start a character"))
            .help("save the file as UTF-8")
    })
}

/// The place where `use m::…` finds `m`.
pub enum ModuleSource {
    Catalogue,
    /// `m.lin` in the directory of the model. `problems` collects unreadable files.
    Directory {
        directory: PathBuf,
        problems: RefCell<Vec<Message>>,
    },
}

impl ModuleSource {
    /// Returns the messages of unreadable modules.
    pub fn problems(&self) -> Vec<Message> {
        match self {
            ModuleSource::Catalogue => Vec::new(),
            ModuleSource::Directory { problems, .. } => problems.borrow().clone(),
        }
    }
}

impl Modules for ModuleSource {
    fn read(&self, module: &str) -> Option<(String, String)> {
        match self {
            ModuleSource::Catalogue => CatalogueModules.read(module),
            ModuleSource::Directory { directory, problems } => {
                let path = directory.join(format!("{module}.lin"));
                if !path.exists() {
                    return None;
                }
                match read_text(&path) {
                    Ok(text) => Some((path.display().to_string(), text)),
                    Err(problem) => {
                        problems.borrow_mut().push(problem);
                        None
                    }
                }
            }
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            ModuleSource::Catalogue => CatalogueModules.names(),
            ModuleSource::Directory { directory, .. } => model_files(directory)
                .iter()
                .filter_map(|file| file.file_stem()?.to_str().map(str::to_string))
                .collect(),
        }
    }
}

fn unknown_model(name: &str) -> Message {
    let message = Message::new(format!("no model `{name}` in the catalogue"));
    if Path::new(&format!("{name}.lin")).is_file() {
        return message.help(format!("name the file: `{name}.lin`"));
    }
    match catalogue::similar(name).as_slice() {
        [] => message.help("run `linchpin models` for the catalogue, or name a file with `.lin`"),
        near => message.help(format!("did you mean {}?", one_of(near))),
    }
}

fn missing_file(path: &Path) -> Message {
    let message = Message::new(format!("no file `{}`", path.display()));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return message };
    let files = model_files(path.parent().unwrap_or(Path::new("")));
    let names: Vec<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
    if let near @ [_, ..] = nearest(name, names).as_slice() {
        return message.help(format!("did you mean {}?", one_of(near)));
    }
    match path.file_stem().and_then(|stem| stem.to_str()).and_then(catalogue::find) {
        Some(entry) => {
            message.help(format!("for the model of the catalogue, write `{}` without `.lin`", entry.name))
        }
        None => message,
    }
}

fn directory(path: &Path) -> Message {
    let message = Message::new(format!("`{}` is a directory, not a model", path.display()));
    match model_files(path).first() {
        Some(file) => message.help(format!("name a file, such as `{}`", file.display())),
        None => message,
    }
}

/// Returns the sorted `.lin` files of a directory. An unreadable directory has none.
fn model_files(directory: &Path) -> Vec<PathBuf> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "lin"));
    files.sort();
    files
}

/// Returns `` `a` ``, `` `a` or `b` `` or `` `a`, `b` or `c` ``.
fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
