//! `linchpin fmt`: formats models. A file with errors stays unchanged.

use super::compile::model_failure;
use super::files::write_whole;
use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::cli::input;
use clap::Args;
use linchpin_frontend::syntax;
use linchpin_ir::source::SourceMap;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub struct Arguments {
    /// Files to format in place
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write nothing; list the files that are not formatted and return exit code 1 if there are any
    #[arg(long)]
    pub check: bool,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let mut ending = Ending::AsAsked;
    for file in &arguments.files {
        match format_file(file, arguments.check) {
            Ok(Change::None) => {}
            Ok(Change::Written) => terminal.print(&format!("formatted {}\n", file.display())),
            Ok(Change::Needed) => {
                terminal.print(&format!("not formatted: {}\n", file.display()));
                if ending == Ending::AsAsked {
                    ending = Ending::Violated;
                }
            }
            Err(Failure::Output(error)) => return Err(error.into()),
            Err(failure) => {
                // The other files are still formatted.
                terminal.note(&failure);
                ending = Ending::BadInput;
            }
        }
    }
    Ok(ending)
}

enum Change {
    None,
    Needed,
    Written,
}

fn format_file(path: &Path, only_tell: bool) -> Result<Change, Failure> {
    let text = input::read_text(path).map_err(Failure::Input)?;
    let formatted = format_text(&path.display().to_string(), &text)?;
    if formatted == text {
        return Ok(Change::None);
    }
    if only_tell {
        return Ok(Change::Needed);
    }
    write_whole(path, &formatted)?;
    Ok(Change::Written)
}

fn format_text(name: &str, text: &str) -> Result<String, Failure> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let (tree, findings) = syntax::parse(file, text);
    if findings.iter().any(|finding| finding.is_error()) {
        return Err(model_failure(&sources, name.to_string(), &findings));
    }
    Ok(syntax::format(&tree, text))
}
