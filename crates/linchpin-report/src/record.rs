//! Records an execution of a machine as a trace for drawing.

use super::access::{Access, is_computed, variable};
use super::decode::{CellNames, scene, thread_name, value};
use super::scene::Field;
use super::trace::{Rest, SourceLine, Step, Trace};
use super::uri;
use super::visible::visible;
use linchpin_ir::index::Index;
use linchpin_ir::program::{Instr, MemoryKind, Method, Op, OpId, Pc};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_ir::types::{TypeId, Word};
use linchpin_judge::trace::{Action, Choice};
use linchpin_semantics as semantics;
use linchpin_semantics::{
    AccessEvent, Blocked, CallChoice, CellId, Events, Fault, FaultKind, Location, LocationBase, Machine,
    NoEvents, Outcome, Picks, Site, State, Status, ThreadId, cell_name, site_method,
};

/// Records an execution step by step.
pub struct Recorder<'a> {
    machine: &'a Machine,
    sources: &'a SourceMap,
    /// The file of the model. Lines of other files are shown with the name of the file.
    root: FileId,
    names: CellNames,
    trace: Trace,
}

impl<'a> Recorder<'a> {
    /// Starts a recording in the initial state.
    pub fn new(machine: &'a Machine, sources: &'a SourceMap, start: &State) -> Recorder<'a> {
        let mut names = CellNames::default();
        let threads = machine.bounds().threads as usize;
        let trace = Trace { threads, start: scene(machine, &mut names, start), ..Trace::default() };
        let root = machine.program().object_span.file;
        let mut recorder = Recorder { machine, sources, root, names, trace };
        recorder.rest(start, None);
        recorder
    }

    /// Returns a recorder without steps that continues this one, with the same letters of cells.
    pub fn fork(&self, state: &State) -> Recorder<'a> {
        let mut names = self.names.clone();
        let start = scene(self.machine, &mut names, state);
        let rests = self.trace.rests.last().cloned().into_iter().collect();
        let trace = Trace { threads: self.trace.threads, start, rests, ..Trace::default() };
        Recorder { names, trace, ..*self }
    }

    /// Makes a choice of a trace and records it.
    pub fn choose(&mut self, state: &mut State, choice: &Choice) -> Outcome {
        let mut picks = Picks::replay(&choice.picks);
        match &choice.action {
            Action::Call(call) => {
                let program = self.machine.program();
                let named = program.ops.entries().find(|(_, op)| *op.name == *call.op);
                let Some((op, _)) = named else { return Outcome::Discarded };
                let call = CallChoice { op, args: call.args.as_slice().into(), next_position: 0 };
                self.call(state, choice.thread, &call, &mut picks)
            }
            Action::Step => self.step(state, choice.thread, &mut picks),
            Action::Wait => self.wait(state, choice.thread),
        }
    }

    /// Makes a call and records it. A disabled, cut or discarded call is not recorded. A fault is the last
    /// step.
    pub fn call(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        call: &CallChoice,
        picks: &mut Picks,
    ) -> Outcome {
        let mut observer = self.observe(thread);
        let outcome = observer.machine.call(
            state,
            thread,
            call.op,
            &call.args,
            call.next_position,
            picks,
            &mut observer,
        );
        let step = observer.finished();
        self.finish(state, step, &outcome);
        outcome
    }

    /// Makes a step and records it. A disabled, cut or discarded step is not recorded. A fault is the last
    /// step.
    pub fn step(&mut self, state: &mut State, thread: ThreadId, picks: &mut Picks) -> Outcome {
        let mut observer = self.observe(thread);
        let outcome = observer.machine.step(state, thread, picks, &mut observer);
        let step = observer.finished();
        self.finish(state, step, &outcome);
        outcome
    }

    /// Records that a thread waits. The state does not change.
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
        let step = self.observe(thread).step;
        self.trace.steps.push(Step { line, accesses: vec![text], after, ..step });
        self.rest(state, None);
        Outcome::Done
    }

    /// Sets the first step of the loop.
    pub fn set_cycle(&mut self, start: Option<usize>) {
        self.trace.cycle = start;
    }

    /// Returns the trace so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the letters of the cells.
    pub fn names(&self) -> &CellNames {
        &self.names
    }

    /// Returns the finished trace.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    /// Describes what blocks a thread, with the letters of the cells.
    pub fn blocked_text(&mut self, state: &State, blocked: Blocked) -> String {
        let mut place = |location| place_name(self.machine, &mut self.names, state, location);
        match blocked {
            Blocked::Lock { lock, holder: Some(holder) } => {
                format!("waits for {}, which {} holds", place(lock), thread_name(holder))
            }
            Blocked::Condition(condvar) => format!("waits on {}, which no thread notified", place(condvar)),
            other => self.machine.blocked_text(state, other),
        }
    }

    fn observe(&mut self, thread: ThreadId) -> StepObserver<'_> {
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
        StepObserver {
            machine: self.machine,
            sources: self.sources,
            root: self.root,
            names: &mut self.names,
            thread,
            step,
            at: None,
            is_atomic: false,
            touched: Vec::new(),
            computed: Vec::new(),
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
                // The state after a fault is undefined, so the drawing keeps the state before.
                step.after = self.trace.steps.last().map_or(&self.trace.start, |last| &last.after).clone();
            }
            Outcome::Disabled(_) | Outcome::Cut(_) | Outcome::Discarded => return,
        }
        if step.fault.is_some() {
            // The state after a fault is undefined, so the threads stay where they were.
            let rests = self.trace.rests.last().cloned().unwrap_or_default();
            self.trace.rests.push(rests);
        } else {
            self.rest(state, step.call.as_ref().map(|call| (step.thread, call)));
        }
        self.trace.steps.push(step);
    }

    /// Records where each thread rests. `called` is the thread of the last step with the call that it began.
    fn rest(&mut self, state: &State, called: Option<(usize, &String)>) {
        let before = self.trace.rests.last();
        let rest = |thread: ThreadId| {
            let frames = self.machine.frames(state, thread);
            let Some(frame) = frames.first() else { return Rest::default() };
            let program = self.machine.program();
            let method = &program.methods[frame.method];
            let earlier =
                || before.and_then(|rests| rests.get(thread.index())).and_then(|rest| rest.call.clone());
            let begun = called.filter(|(by, _)| *by == thread.index()).map(|(_, call)| call.clone());
            let line = method
                .code
                .get(frame.pc)
                .map(|instr| source_line(self.sources, self.root, span_in_model(self.root, method, instr)));
            let mut locals = Vec::new();
            for (id, item) in &frame.locals {
                let Some(local) = method.locals.get(*id).filter(|local| !local.temporary) else { continue };
                let shown = value(&program.types, &mut self.names, local.ty, item);
                locals.push(Field::new(&*local.name, shown));
            }
            Rest { call: begun.or_else(earlier), line, locals }
        };
        let rests = self.machine.bounds().thread_ids().map(rest).collect();
        self.trace.rests.push(rests);
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

/// Collects the events of one step.
struct StepObserver<'a> {
    machine: &'a Machine,
    sources: &'a SourceMap,
    root: FileId,
    names: &'a mut CellNames,
    thread: ThreadId,
    step: Step,
    /// The current instruction.
    at: Option<(&'a Method, &'a Instr)>,
    /// The access of the step is an atomic block. Only then later accesses are shown too.
    is_atomic: bool,
    /// The location of each entry of [`Step::accesses`]. An atomic block may access a location more than
    /// once.
    touched: Vec<Option<Touch>>,
    /// Variables that local work of the step computes, with their last values.
    computed: Vec<(&'a str, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Touch {
    location: Location,
    is_write: bool,
}

impl Events for StepObserver<'_> {
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
        self.push_access(Some(touch), access.describe());
    }

    fn assigned(&mut self, state: &State, words: &[Word]) {
        let Some((method, instr)) = self.at.filter(|(_, instr)| instr.span.file == self.root) else { return };
        let Op::Assign { to, value: assigned } = &instr.op else { return };
        let Some(name) = variable(method, to).filter(|_| is_computed(assigned)) else { return };
        let types = &self.machine.program().types;
        let text = value(types, self.names, to.ty, &self.machine.value(state, to.ty, words)).to_string();
        // A loop may assign a variable more than once: the last value counts.
        self.computed.retain(|(known, _)| *known != name);
        self.computed.push((name, text));
    }

    fn allocated(&mut self, cell: CellId) {
        let memory = self.machine.program().memory;
        self.names.allocated(memory, cell);
        if memory != MemoryKind::Gc {
            let text = format!("allocates the cell {}", self.names.name(cell));
            self.push_access(None, text);
        }
    }

    fn freed(&mut self, cell: CellId) {
        let text = format!("frees the cell {}", self.names.name(cell));
        self.push_access(None, text);
    }
}

impl StepObserver<'_> {
    /// Returns the step, with the variables that it computes after its accesses.
    fn finished(self) -> Step {
        let mut step = self.step;
        step.accesses.extend(self.computed.into_iter().map(|(name, text)| format!("{name} = {text}")));
        step
    }

    fn push_access(&mut self, touch: Option<Touch>, text: String) {
        self.step.accesses.push(text);
        self.touched.push(touch);
    }

    /// Returns whether an access is new in this step. A write replaces an earlier read of the same location,
    /// because the write shows the old value.
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

    /// Formats an argument or a result. Such values contain no pointers.
    fn outside(&mut self, ty: TypeId, words: &[Word]) -> String {
        let types = &self.machine.program().types;
        value(types, self.names, ty, &semantics::Value::outside(types, ty, words)).to_string()
    }
}

/// Returns the name of a location: `head`, `B.next`, `heap[3].lock`.
pub(super) fn place_name(
    machine: &Machine,
    names: &mut CellNames,
    state: &State,
    location: Location,
) -> String {
    let name = machine.location_name(state, location);
    match location.base {
        LocationBase::Cell(cell) => {
            let part = name.strip_prefix(&cell_name(cell)).unwrap_or(&name);
            format!("{}{part}", names.name(cell))
        }
        LocationBase::Global(_) => name,
    }
}

/// Returns the place of an instruction in the model. For a function of another file, it is the place of the
/// call.
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
    // The first line of a block does not show what happens.
    if text == "atomic {" {
        text = format!("{text} {} …", code_of(file.line(number + 1)));
    }
    let other = (span.file != root).then_some(file);
    SourceLine {
        file: other.map(|file| visible(&file.name)),
        uri: other.map(|file| uri::of_path(&file.name)),
        number,
        text: visible(&text),
    }
}

/// Returns a line without its comment.
fn code_of(line: &str) -> &str {
    line.find("//").map_or(line, |comment| &line[..comment]).trim()
}
