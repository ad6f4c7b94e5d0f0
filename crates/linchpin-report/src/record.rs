//! Watches a machine at work and writes down what a person is shown.

use super::access::Access;
use super::decode::{CellNames, scene, thread_name, value};
use super::trace::{SourceLine, Step, Trace};
use linchpin_ir::index::Index;
use linchpin_ir::program::{Instr, MemoryKind, Method, Op, OpId, Pc};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_ir::types::{TypeId, Word};
use linchpin_semantics as semantics;
use linchpin_semantics::{
    AccessEvent, Blocked, CallChoice, CellId, Events, Fault, FaultKind, Location, LocationBase, Machine,
    NoEvents, Outcome, Picks, Site, State, Status, ThreadId, cell_name, site_method,
};

/// An execution that grows step by step.
pub struct Recorder<'a> {
    machine: &'a Machine,
    sources: &'a SourceMap,
    /// The model's own file: lines of others are shown with their file's name.
    root: FileId,
    names: CellNames,
    trace: Trace,
}

impl<'a> Recorder<'a> {
    /// Begins in front of the first step.
    pub fn new(machine: &'a Machine, sources: &'a SourceMap, start: &State) -> Recorder<'a> {
        let mut names = CellNames::default();
        let threads = machine.bounds().threads as usize;
        let trace = Trace { threads, start: scene(machine, &mut names, start), ..Trace::default() };
        let root = machine.program().object_span.file;
        Recorder { machine, sources, root, names, trace }
    }

    /// Makes a call and writes it down, unless it is disabled, cut or discarded. A fault is the trace's last step.
    pub fn call(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        call: &CallChoice,
        picks: &mut Picks,
    ) -> Outcome {
        let mut watch = self.watch(thread);
        let outcome =
            watch.machine.call(state, thread, call.op, &call.args, call.next_position, picks, &mut watch);
        let step = watch.step;
        self.finish(state, step, &outcome);
        outcome
    }

    /// Makes a step and writes it down, unless it is disabled, cut or discarded. A fault is the trace's last step.
    pub fn step(&mut self, state: &mut State, thread: ThreadId, picks: &mut Picks) -> Outcome {
        let mut watch = self.watch(thread);
        let outcome = watch.machine.step(state, thread, picks, &mut watch);
        let step = watch.step;
        self.finish(state, step, &outcome);
        outcome
    }

    /// Writes down that a thread waits, if it does: nothing changes.
    pub fn wait(&mut self, state: &State, thread: ThreadId) -> Outcome {
        let outcome = self.machine.step(&mut state.clone(), thread, &mut Picks::new(), &mut NoEvents);
        let text = match outcome {
            Outcome::Disabled(blocked) => self.blocked_text(state, blocked),
            _ => "waits".into(),
        };
        let program = self.machine.program();
        let line = match self.machine.status(state, thread) {
            Status::Busy { method, pc, .. } => {
                Some(source_line(self.sources, self.root, program.methods[method].code[pc].span))
            }
            Status::Idle => None,
        };
        let after = self.trace.steps.last().map_or(&self.trace.start, |last| &last.after).clone();
        let step = self.watch(thread).step;
        self.trace.steps.push(Step { line, accesses: vec![text], after, ..step });
        Outcome::Done
    }

    /// The steps from this one on are repeated for ever.
    pub fn set_cycle(&mut self, start: Option<usize>) {
        self.trace.cycle = start;
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The letters of this run.
    pub fn names(&self) -> &CellNames {
        &self.names
    }

    pub fn into_trace(self) -> Trace {
        self.trace
    }

    /// What a thread waits for, with the letters of this run.
    pub fn blocked_text(&mut self, state: &State, blocked: Blocked) -> String {
        let mut place = |location| place_name(self.machine, &mut self.names, state, location);
        match blocked {
            Blocked::Lock { lock, holder: Some(holder) } => {
                format!("waits for {}, which {} holds", place(lock), thread_name(holder))
            }
            Blocked::Condition(condvar) => format!("waits on {}, and nobody notified it", place(condvar)),
            other => self.machine.blocked_text(state, other),
        }
    }

    fn watch(&mut self, thread: ThreadId) -> Watch<'_> {
        let step = Step {
            thread: thread.index(),
            call: None,
            line: None,
            accesses: Vec::new(),
            effects: Vec::new(),
            result: None,
            fault: None,
            after: Default::default(),
        };
        Watch {
            machine: self.machine,
            sources: self.sources,
            root: self.root,
            names: &mut self.names,
            thread,
            step,
            at: None,
            is_atomic: false,
            touched: Vec::new(),
        }
    }

    fn finish(&mut self, state: &mut State, mut step: Step, outcome: &Outcome) {
        match outcome {
            Outcome::Done => {
                self.machine.collect_keeping_names(state);
                step.after = scene(self.machine, &mut self.names, state);
            }
            Outcome::Fault(fault) => {
                step.fault = Some((source_line(self.sources, self.root, fault.span), self.fault_text(fault)));
                // The state is garbage: the picture stays as it was.
                step.after = self.trace.steps.last().map_or(&self.trace.start, |last| &last.after).clone();
            }
            Outcome::Disabled(_) | Outcome::Cut(_) | Outcome::Discarded => return,
        }
        self.trace.steps.push(step);
    }

    fn fault_text(&mut self, fault: &Fault) -> String {
        match fault.kind {
            FaultKind::FreedAccess(cell) | FaultKind::DoubleFree(cell) => {
                fault.message.replace(&cell_name(cell), &self.names.name(cell).to_string())
            }
            _ => fault.message.clone(),
        }
    }
}

/// One step under observation.
struct Watch<'a> {
    machine: &'a Machine,
    sources: &'a SourceMap,
    root: FileId,
    names: &'a mut CellNames,
    thread: ThreadId,
    step: Step,
    /// The instruction that runs.
    at: Option<(&'a Method, &'a Instr)>,
    /// The step's own access; what is local work after it is not shown, unless the access is an atomic block.
    is_atomic: bool,
    /// What [`Step::accesses`] is about, where it is a place: an atomic block may touch one more than once.
    touched: Vec<Option<Touch>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Touch {
    location: Location,
    is_write: bool,
}

impl Events for Watch<'_> {
    const ACCESSES: bool = true;

    fn instruction(&mut self, site: Site, pc: Pc) {
        let method = site_method(self.machine.program(), site);
        let Some(instr) = method.code.get(pc) else { return };
        self.at = Some((method, instr));
        if instr.access.is_step() {
            self.is_atomic = matches!(instr.op, Op::Atomic { .. });
            self.step.line =
                Some(source_line(self.sources, self.root, span_in_model(self.root, method, instr)));
        }
    }

    fn call(&mut self, _thread: ThreadId, op: OpId, args: &[Word]) {
        let program = self.machine.program();
        let Some(operation) = program.ops.get(op) else { return };
        let mut rest = args;
        let mut shown = Vec::new();
        for &param in &operation.params {
            let (words, others) = rest.split_at_checked(program.types.width(param)).unwrap_or((rest, &[]));
            rest = others;
            shown.push(self.outside(param, words));
        }
        self.step.call = Some(format!("{}({})", operation.name, shown.join(", ")));
    }

    fn returned(&mut self, _thread: ThreadId, op: OpId, result: &[Word]) {
        let program = self.machine.program();
        let ty = program.ops.get(op).and_then(|operation| operation.result);
        self.step.result = Some(ty.map_or("done".into(), |ty| self.outside(ty, result)));
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        let whose =
            if target == self.thread { String::new() } else { format!("{}'s call ", thread_name(target)) };
        let verb = if maybe { "may take effect" } else { "takes effect" };
        self.step.effects.push(format!("{whose}{verb}"));
    }

    fn access(&mut self, state: &State, access: &AccessEvent) {
        let shown = |(_, instr): &(&Method, &Instr)| instr.access.is_step() || self.is_atomic;
        let Some((method, instr)) = self.at.filter(shown) else { return };
        let touch = Touch { location: access.location, is_write: access.after.is_some() };
        if !self.is_news(touch) {
            return;
        }
        let mut decoded = |words: &[Word]| {
            let types = &self.machine.program().types;
            value(types, self.names, access.ty, &self.machine.value(state, access.ty, words))
        };
        let (before, after) = (decoded(access.before), access.after.map(decoded));
        let place = place_name(self.machine, self.names, state, access.location);
        let access = Access { method, op: &instr.op, place, before, after };
        self.tell(Some(touch), access.describe());
    }

    fn allocated(&mut self, cell: CellId) {
        let memory = self.machine.program().memory;
        self.names.allocated(memory, cell);
        if memory != MemoryKind::Gc {
            let text = format!("takes the cell {}", self.names.name(cell));
            self.tell(None, text);
        }
    }

    fn freed(&mut self, cell: CellId) {
        let text = format!("gives the cell {} back", self.names.name(cell));
        self.tell(None, text);
    }
}

impl Watch<'_> {
    fn tell(&mut self, touch: Option<Touch>, text: String) {
        self.step.accesses.push(text);
        self.touched.push(touch);
    }

    /// Whether an access says something that those before it in the step do not. What was read before a write of the
    /// same place is told by the write.
    fn is_news(&mut self, touch: Touch) -> bool {
        let same_place = |other: &Option<Touch>| other.is_some_and(|other| other.location == touch.location);
        if !touch.is_write {
            return !self.touched.iter().any(same_place);
        }
        let read = |other: &Option<Touch>| same_place(other) && other.is_some_and(|other| !other.is_write);
        if let Some(position) = self.touched.iter().position(read) {
            self.touched.remove(position);
            self.step.accesses.remove(position);
        }
        true
    }

    /// An argument or a result: nothing of the heap is in it.
    fn outside(&mut self, ty: TypeId, words: &[Word]) -> String {
        let types = &self.machine.program().types;
        value(types, self.names, ty, &semantics::Value::outside(types, ty, words)).to_string()
    }
}

/// `head`, `B.next`, `heap[3].lock`
fn place_name(machine: &Machine, names: &mut CellNames, state: &State, location: Location) -> String {
    let name = machine.location_name(state, location);
    match location.base {
        LocationBase::Cell(cell) => {
            let part = name.strip_prefix(&cell_name(cell)).unwrap_or(&name);
            format!("{}{part}", names.name(cell))
        }
        LocationBase::Global(_) => name,
    }
}

/// Where a person finds the instruction in the model: for a function of another file the call of it.
fn span_in_model(root: FileId, method: &Method, instr: &Instr) -> Span {
    let mut span = instr.span;
    let mut context = instr.context;
    while span.file != root {
        let Some((called, outer)) = method.contexts.get(context).and_then(|context| context.called) else {
            break;
        };
        (span, context) = (called, outer);
    }
    span
}

fn source_line(sources: &SourceMap, root: FileId, span: Span) -> SourceLine {
    let file = sources.file(span.file);
    let number = sources.line_of(span);
    let mut text = code_of(file.line(number)).to_string();
    // The block says what happens, its first line does not.
    if text == "atomic {" {
        text = format!("{text} {} …", code_of(file.line(number + 1)));
    }
    SourceLine { file: (span.file != root).then(|| file.name.clone()), number, text }
}

/// A line without its comment, which says nothing about the step.
fn code_of(line: &str) -> &str {
    line.find("//").map_or(line, |comment| &line[..comment]).trim()
}
