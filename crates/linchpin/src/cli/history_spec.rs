//! The option `--spec`: a name of the library, `file.lin` or `file.lin::Name`.

use super::Failure;
use super::compile::model_failure;
use super::values::ConstantSetting;
use crate::cli::input::{self, ModuleSource};
use linchpin_engine::model::RequestError;
use linchpin_ir::program::Program;
use linchpin_portfolio::specification::{SpecFile, Specification};
use std::path::{Path, PathBuf};

/// The specification that `--spec` names.
pub struct SpecOption {
    /// The text of the option.
    argument: String,
    specification: Specification,
    path: Option<PathBuf>,
}

impl SpecOption {
    /// Reads the file, if the option names one, and finds the specification.
    pub fn new(argument: &str, constants: &[ConstantSetting]) -> Result<SpecOption, Failure> {
        let (path, name) = match argument.split_once(".lin") {
            Some((stem, "")) => (Some(format!("{stem}.lin")), None),
            Some((stem, rest)) if rest.starts_with("::") => (Some(format!("{stem}.lin")), Some(&rest[2..])),
            _ => (None, Some(argument)),
        };
        let found = match &path {
            Some(path) => {
                let text = input::read_text(Path::new(path)).map_err(Failure::Input)?;
                let file = SpecFile { path: path.clone(), text };
                let constants = constants.iter().map(|constant| (constant.name.clone(), constant.value));
                Specification::of_file(file, name, constants.collect())
            }
            None if !constants.is_empty() => {
                return Err(Failure::input("`--set` does not apply to a specification of the library")
                    .help("write parameters after the name: `--spec 'BoundedQueue(8)'`"));
            }
            None => Specification::library(argument),
        };
        let specification = found.map_err(|error| failure(argument, error))?;
        Ok(SpecOption { argument: argument.into(), specification, path: path.map(PathBuf::from) })
    }

    /// Returns the file of the specification. `None`: the library.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Compiles the specification for a number of threads. Modules are the files beside the file of the
    /// specification.
    pub fn compile(&self, threads: u32) -> Result<Program, Failure> {
        let directory = self.path().and_then(Path::parent).unwrap_or(Path::new("")).to_path_buf();
        let modules = ModuleSource::Directory { directory, problems: Default::default() };
        self.specification.compile(threads, &modules).map_err(|error| failure(&self.argument, error))
    }
}

fn failure(argument: &str, error: RequestError) -> Failure {
    match error {
        RequestError::Model { sources, findings } => model_failure(&sources, argument.into(), &findings),
        RequestError::Message { text, help } => Failure::input(text).help(help),
    }
}
