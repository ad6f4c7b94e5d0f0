//! Specifications of the language: of the library or of a `.lin` file.
//!
//! A record becomes the lines that `linchpin history` reads. So a saved record and a record in memory are
//! judged by the same code.

use super::{Judged, Oracle, Question};
use crate::object::Interface;
use crate::saved::lines;
use linchpin_engine::model::RequestError;
use linchpin_frontend::typing::Modules;
use linchpin_ir::nearest::nearest;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::history::{Budget, Explanation, Judgement};
use linchpin_order::Consistency;
use linchpin_portfolio::specification::{SpecFile, Specification};
use linchpin_report::history_view::HistoryView;
use linchpin_report::line::Palette;
use linchpin_report::recorded::{HistoryQuery, LoadError, judge, load};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(super) struct LanguageSpec {
    argument: String,
    /// An error says why there is no specification.
    found: Result<Found, String>,
}

struct Found {
    specification: Specification,
    /// The directory of the file; empty for the library.
    directory: PathBuf,
    /// The compiled specification for each number of threads.
    programs: Mutex<BTreeMap<u32, Program>>,
}

impl LanguageSpec {
    pub fn new(argument: &str) -> LanguageSpec {
        LanguageSpec { argument: argument.into(), found: find(argument) }
    }

    fn program(&self, threads: u32) -> Result<Program, String> {
        let found = self.found.as_ref().map_err(String::clone)?;
        let mut programs = found.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(&threads) {
            return Ok(program.clone());
        }
        let modules = Directory(&found.directory);
        let program = found.specification.compile(threads, &modules).map_err(|error| text(&error))?;
        programs.insert(threads, program.clone());
        Ok(program)
    }
}

impl Oracle for LanguageSpec {
    fn name(&self) -> String {
        self.argument.clone()
    }

    fn check(&self, interface: &Interface) -> Result<(), String> {
        let program = self.program(1)?;
        let known: Vec<&str> = program.ops.iter().map(|op| &*op.name).collect();
        for operation in &interface.operations {
            if !known.contains(&&*operation.name) {
                let help = match nearest(&operation.name, known.iter().copied()).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its operations are `{}`", known.join("`, `")),
                };
                return Err(format!("`{}` has no operation `{}`: {help}", self.argument, operation.name));
            }
        }
        Ok(())
    }

    fn adds(&self, operation: &str) -> bool {
        let Ok(program) = self.program(1) else { return false };
        program.spec.adds.iter().any(|&op| &*program.ops[op].name == operation)
    }

    fn judge(&self, question: Question) -> Judged {
        let Question { interface, record, consistency, ending } = question;
        let mut sources = SourceMap::default();
        let file = sources.add("the record", lines(interface, record));
        let loaded = match load(&sources, file, |threads| self.program(threads), &|| true) {
            Ok(loaded) => loaded,
            Err(LoadError::Empty) => return Judged::Legal,
            Err(error) => return Judged::Unknown(error.to_string()),
        };
        let property = match consistency {
            Consistency::Linearizable => Property::Linearizable,
            Consistency::Sequential => Property::SequentiallyConsistent,
            Consistency::Quiescent => Property::QuiescentlyConsistent,
            Consistency::Barrier => Property::BarrierConsistent,
        };
        let Some(query) = HistoryQuery::new(property, ending) else {
            return Judged::Unknown(format!("`{property}` is not a property of one history"));
        };
        let judged = judge(&loaded.spec, &loaded.recorded, query, Budget::default());
        let explanation: &Explanation = match (&judged.answer, &judged.first_break) {
            (Ok(answer), None) => match &answer.verdict {
                Judgement::Legal(_) => return Judged::Legal,
                Judgement::Illegal(why) => why,
                Judgement::Unknown(_) => return Judged::Unknown(judged.limit().unwrap_or_default()),
            },
            (_, Some(found)) => &found.explanation,
            (Err(_), None) => return Judged::Unknown(judged.limit().unwrap_or_default()),
        };
        let recorded = &loaded.recorded;
        let view =
            HistoryView { names: &recorded.dictionary, spec: &loaded.spec, history: &recorded.history };
        Judged::Illegal(view.explain(explanation, Palette::Plain))
    }
}

fn find(argument: &str) -> Result<Found, String> {
    let (path, name) = match argument.split_once(".lin") {
        Some((stem, "")) => (Some(format!("{stem}.lin")), None),
        Some((stem, rest)) if rest.starts_with("::") => (Some(format!("{stem}.lin")), Some(&rest[2..])),
        _ => (None, Some(argument)),
    };
    let (specification, directory) = match path {
        Some(path) => {
            let text = fs::read_to_string(&path).map_err(|error| {
                format!(
                    "cannot read the specification `{path}`: {error}; tests run in the package's directory"
                )
            })?;
            let directory = Path::new(&path).parent().unwrap_or(Path::new("")).to_path_buf();
            (Specification::of_file(SpecFile { path, text }, name, BTreeMap::new()), directory)
        }
        None => (Specification::library(argument), PathBuf::new()),
    };
    let specification = specification.map_err(|error| text(&error))?;
    Ok(Found { specification, directory, programs: Mutex::default() })
}

fn text(error: &RequestError) -> String {
    match error {
        RequestError::Model { sources, findings } => {
            let all = findings.iter().filter(|finding| finding.is_error());
            let all: Vec<String> =
                all.map(|finding| linchpin_report::render::render(sources, finding, false)).collect();
            all.join("\n")
        }
        RequestError::Message { text, help } => format!("{text}: {help}"),
    }
}

/// The files beside the specification.
struct Directory<'a>(&'a Path);

impl Modules for Directory<'_> {
    fn read(&self, module: &str) -> Option<(String, String)> {
        let path = self.0.join(format!("{module}.lin"));
        fs::read_to_string(&path).ok().map(|text| (path.display().to_string(), text))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
