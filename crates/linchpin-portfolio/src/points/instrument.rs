//! The model with every candidate written into its text: one program whose executions report which
//! candidates they pass.
//!
//! The front end decides which candidates fit their places. Three kinds are dropped: those that it refuses,
//! those whose condition reads shared memory (a step of its own), and those whose condition can fail. A
//! `lin` without an access is local work without effect on memory. So the program has the executions of the
//! model, and the choices of one are choices of the other.

use super::sites::{Sites, insert};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::{Modules, check};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{MethodId, Op, Pc, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

linchpin_ir::index_types! {
    /// A place with a condition.
    pub struct CandidateId;
}

/// A `lin` that can be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The byte of the text at which the `lin` is inserted.
    pub at: usize,
    /// An index into [`Sites::functions`].
    pub function: usize,
    /// Empty: unconditional.
    pub condition: String,
}

impl Candidate {
    /// Returns the statement.
    pub fn statement(&self, maybe: bool) -> String {
        let maybe = if maybe { " maybe" } else { "" };
        if self.condition.is_empty() {
            format!("lin{maybe};")
        } else {
            format!("lin{maybe} if {};", self.condition)
        }
    }
}

/// A text and the modules that it uses, as a model.
pub struct Annotated {
    pub name: String,
    pub text: String,
    pub modules: Arc<SourceMap>,
}

impl Model for Annotated {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let mut sources = SourceMap::default();
        let root = sources.add(self.name.as_str(), self.text.as_str());
        let checked = check(&mut sources, &ReadModules(&self.modules), root, setting);
        let sources = Arc::new(sources);
        let refuse = |findings| RequestError::Model { sources: sources.clone(), findings };
        let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
        let program = lower(&sources, &typed).map_err(refuse)?;
        Ok(Compiled { sources, program: Arc::new(program) })
    }
}

/// The modules that a compilation has read already.
struct ReadModules<'s>(&'s SourceMap);

impl Modules for ReadModules<'_> {
    fn read(&self, module: &str) -> Option<(String, String)> {
        let mut files = self.0.files().map(|(_, file)| file);
        let file = files.find(|file| stem(&file.name) == Some(module))?;
        Some((file.name.clone(), file.text.to_string()))
    }

    fn names(&self) -> Vec<String> {
        self.0.files().filter_map(|(_, file)| stem(&file.name)).map(str::to_string).collect()
    }
}

fn stem(name: &str) -> Option<&str> {
    Path::new(name).file_stem()?.to_str()
}

/// A program that contains candidates.
pub struct Instrumented {
    pub program: Arc<Program>,
    pub candidates: Vec<Candidate>,
    /// The candidate of each `lin` of the program.
    marks: FxHashMap<(MethodId, Pc), CandidateId>,
    /// The bytes of each candidate in the text of the program.
    ranges: Vec<Range<usize>>,
}

/// The number of compilations after which a function that still has errors loses all its candidates.
const MOST_ROUNDS: usize = 6;

impl Instrumented {
    /// Writes every candidate of the places into the text. The error is one of the model itself.
    pub fn new(sites: &Sites, base: &Annotated, setting: &Setting) -> Result<Instrumented, RequestError> {
        let conditions = |place: &super::sites::Place| {
            let (at, function) = (place.at, place.function);
            let all = std::iter::once(String::new()).chain(place.conditions.iter().cloned());
            all.map(move |condition| Candidate { at, function, condition }).collect::<Vec<_>>()
        };
        let mut places: Vec<_> = sites.places.iter().collect();
        places.sort_by_key(|place| place.at);
        Instrumented::compile(places.into_iter().flat_map(conditions).collect(), sites, base, setting)
    }

    /// Compiles the program again without some candidates.
    pub fn without(
        &self,
        dropped: &BTreeSet<CandidateId>,
        sites: &Sites,
        base: &Annotated,
        setting: &Setting,
    ) -> Result<Instrumented, RequestError> {
        let all = self.candidates.iter().enumerate();
        let kept = all.filter(|(at, _)| !dropped.contains(&CandidateId::from(*at)));
        Instrumented::compile(kept.map(|(_, candidate)| candidate.clone()).collect(), sites, base, setting)
    }

    fn compile(
        mut candidates: Vec<Candidate>,
        sites: &Sites,
        base: &Annotated,
        setting: &Setting,
    ) -> Result<Instrumented, RequestError> {
        let mut round = 0;
        loop {
            round += 1;
            let written: Vec<String> =
                candidates.iter().map(|candidate| format!(" {}", candidate.statement(false))).collect();
            let insertions = candidates.iter().zip(&written).map(|(c, text)| (c.at, text.as_str()));
            let (text, ranges) = insert(&sites.text, insertions);
            let model = Annotated { name: base.name.clone(), text, modules: base.modules.clone() };
            let dropped = match model.compile(setting) {
                Ok(compiled) => {
                    let root = compiled.program.object_span.file;
                    let extra = steps_within(&compiled.program, root, &ranges);
                    if extra.is_empty() {
                        let marks = marks(&compiled.program, root, &ranges);
                        return Ok(Instrumented { program: compiled.program, candidates, marks, ranges });
                    }
                    extra
                }
                Err(RequestError::Model { sources, findings }) => {
                    let errors = findings.iter().filter(|finding| finding.is_error());
                    let spans: Vec<Span> =
                        errors.flat_map(|finding| finding.labels.iter().map(|label| label.span)).collect();
                    let mut dropped: BTreeSet<usize> =
                        spans.iter().filter_map(|span| holder(&ranges, span.start)).collect();
                    if round > MOST_ROUNDS {
                        let functions: BTreeSet<usize> =
                            dropped.iter().map(|at| candidates[*at].function).collect();
                        let within = |at: &usize| functions.contains(&candidates[*at].function);
                        dropped = (0..candidates.len()).filter(within).collect();
                    }
                    if dropped.is_empty() {
                        return Err(RequestError::Model { sources, findings });
                    }
                    dropped
                }
                Err(error) => return Err(error),
            };
            let mut at = 0;
            candidates.retain(|_| {
                at += 1;
                !dropped.contains(&(at - 1))
            });
        }
    }

    /// Returns the candidate of a `lin`.
    pub fn mark(&self, method: MethodId, pc: Pc) -> Option<CandidateId> {
        self.marks.get(&(method, pc)).copied()
    }

    /// Returns the candidate whose text holds a place of the program.
    pub fn candidate_at(&self, span: Span) -> Option<CandidateId> {
        let is_root = span.file == self.program.object_span.file;
        holder(&self.ranges, span.start).filter(|_| is_root).map(CandidateId::from)
    }
}

impl From<usize> for CandidateId {
    fn from(at: usize) -> CandidateId {
        linchpin_ir::index::Index::new(at)
    }
}

/// Returns the range that holds a byte.
fn holder(ranges: &[Range<usize>], byte: u32) -> Option<usize> {
    let byte = byte as usize;
    let at = ranges.partition_point(|range| range.end <= byte);
    ranges.get(at).filter(|range| range.contains(&byte)).map(|_| at)
}

/// Returns the candidates whose conditions are steps.
fn steps_within(program: &Program, root: FileId, ranges: &[Range<usize>]) -> BTreeSet<usize> {
    let code = program.methods.iter().flat_map(|method| method.code.iter());
    let steps = code.filter(|instr| instr.access.is_step() && instr.span.file == root);
    steps.filter_map(|instr| holder(ranges, instr.span.start)).collect()
}

fn marks(program: &Program, root: FileId, ranges: &[Range<usize>]) -> FxHashMap<(MethodId, Pc), CandidateId> {
    let mut marks = FxHashMap::default();
    for (id, method) in program.methods.entries() {
        for (pc, instr) in method.code.entries() {
            if matches!(instr.op, Op::Lin { .. })
                && instr.span.file == root
                && let Some(at) = holder(ranges, instr.span.start)
            {
                marks.insert((id, pc), CandidateId::from(at));
            }
        }
    }
    marks
}
