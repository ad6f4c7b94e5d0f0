//! `linchpin new`: writes a model from a template. There is a template for each specification of the library;
//! each one passes its own check.

use super::terminal::Terminal;
use super::{Ending, Failure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub struct Arguments {
    /// File to write, without `.lin`: a name such as `my_queue`
    pub name: PathBuf,
    /// Specification of the object
    #[arg(long, value_name = "SPEC", value_parser = PossibleValuesParser::new(TEMPLATES.iter().map(|(spec, _)| *spec)))]
    pub spec: String,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let path = if arguments.name.extension().is_some_and(|extension| extension == "lin") {
        arguments.name.clone()
    } else {
        let mut name = arguments.name.clone().into_os_string();
        name.push(".lin");
        PathBuf::from(name)
    };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
    let object = object_name(stem).ok_or_else(|| {
        Failure::input(format!("`{stem}` cannot name an object"))
            .help("use a letter, then letters, digits and `_`: `my_queue`")
    })?;
    let Some((_, template)) = TEMPLATES.iter().find(|(spec, _)| *spec == arguments.spec) else {
        return Err(Failure::input(format!("no library specification `{}`", arguments.spec)));
    };
    let text = template.replace("MyModel", &object).replace("my_model.lin", &path.display().to_string());
    write_new(&path, &text)?;
    let path = path.display();
    terminal.print(&format!("wrote {path}; next: `linchpin run {path}`\n"));
    Ok(Ending::AsAsked)
}

const TEMPLATES: &[(&str, &str)] = &[
    ("Stack", include_str!("../../templates/stack.lin")),
    ("Queue", include_str!("../../templates/queue.lin")),
    ("BoundedQueue", include_str!("../../templates/bounded_queue.lin")),
    ("SynchronousQueue", include_str!("../../templates/synchronous_queue.lin")),
    ("Deque", include_str!("../../templates/deque.lin")),
    ("Set", include_str!("../../templates/set.lin")),
    ("Map", include_str!("../../templates/map.lin")),
    ("PQueue", include_str!("../../templates/pqueue.lin")),
    ("Register", include_str!("../../templates/register.lin")),
    ("Counter", include_str!("../../templates/counter.lin")),
    ("Lock", include_str!("../../templates/lock.lin")),
];

/// Converts `my_queue` and `my-queue` to `MyQueue`. `None`: not an identifier.
fn object_name(stem: &str) -> Option<String> {
    if !stem.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let mut name = String::new();
    for part in stem.split(['_', '-']) {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        name.extend(first.into_iter().chain(letters));
    }
    name.chars().all(|letter| letter.is_ascii_alphanumeric()).then_some(name)
}

/// Writes a new file. An existing file is an error.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let shown = path.display();
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::input(format!("`{shown}` already exists"))
                .help("choose another name, or remove the file"),
            io::ErrorKind::NotFound => Failure::input(format!("no directory to write `{shown}` into")),
            _ => Failure::input(format!("cannot write `{shown}`: {error}")),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_after_their_file() {
        assert_eq!(object_name("my_queue").as_deref(), Some("MyQueue"));
        assert_eq!(object_name("fast-stack2").as_deref(), Some("FastStack2"));
        assert_eq!(object_name("Already").as_deref(), Some("Already"));
        for bad in ["", "2fast", "_x", "a b", "größe", "a.b"] {
            assert_eq!(object_name(bad), None, "{bad}");
        }
    }
}
