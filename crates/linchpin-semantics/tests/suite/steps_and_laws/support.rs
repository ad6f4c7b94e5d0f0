//! Programs for the tests of the semantics, and ways to run them.

use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{Bound, OpId, Program};
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::{Word, word_of};
use linchpin_report::render::render;
use linchpin_semantics::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the program of a text. Panics with the rendered diagnostics.
pub fn program(text: &str, setting: &Setting) -> Arc<Program> {
    let mut sources = SourceMap::default();
    let root = sources.add("test.lin", text);
    let modules: BTreeMap<String, String> = BTreeMap::new();
    let checked = check(&mut sources, &modules, root, setting);
    let show = |list: &[linchpin_ir::diagnostic::Diagnostic]| -> String {
        list.iter().map(|diagnostic| render(&sources, diagnostic, false)).collect::<Vec<_>>().join("\n")
    };
    let typed = checked.program.unwrap_or_else(|| panic!("{}", show(&checked.diagnostics)));
    Arc::new(lower(&sources, &typed).unwrap_or_else(|list| panic!("{}", show(&list))))
}

pub fn machine(text: &str, bounds: &Bounds) -> Machine {
    let setting = Setting { threads: bounds.threads, ..Setting::default() };
    Machine::new(&program(text, &setting), bounds).unwrap_or_else(|list| panic!("{list:?}"))
}

/// Returns the models of the catalogue, in order.
pub fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = ["correct", "wrong"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the catalogue"));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lin"));
    paths.sort();
    assert!(paths.len() > 20, "the catalogue is gone");
    paths
}

/// Returns a model with the bounds and constants of its first check, for a number of threads. Without a bound
/// on cells it has enough cells.
pub fn model(path: &Path, threads: u32) -> (Arc<Program>, Bounds) {
    let text = std::fs::read_to_string(path).expect("a model");
    let mut setting = Setting { threads, ..Setting::default() };
    let as_written = program(&text, &setting);
    let mut bounds = Bounds { threads, nodes: 24, ..Bounds::default() };
    for (name, bound, _) in as_written.checks.first().into_iter().flat_map(|check| &check.bounds) {
        let Bound::Range(_, high) = bound else { continue };
        match &**name {
            "nodes" => bounds.nodes = number_of(*high),
            "values" => bounds.values = number_of(*high),
            "keys" => bounds.keys = number_of(*high),
            "ints" => bounds.ints = word_of(*high),
            _ if as_written.constants.iter().any(|constant| constant.name == *name) => {
                setting.constants.insert(name.to_string(), *high);
            }
            _ => {}
        }
    }
    (program(&text, &setting), bounds)
}

/// A call or step that may happen next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Step(ThreadId),
    Call(ThreadId, CallChoice),
}

pub fn actions(machine: &Machine, client: &Client, state: &State) -> Vec<Action> {
    let of_thread = |thread: ThreadId| {
        let calls = client.calls(machine, state, thread).map(move |call| Action::Call(thread, call.clone()));
        let step = (!machine.is_idle(state, thread)).then_some(Action::Step(thread));
        step.into_iter().chain(calls).collect::<Vec<_>>()
    };
    machine.bounds().thread_ids().flat_map(of_thread).collect()
}

pub fn perform<E: Events>(
    machine: &Machine,
    state: &mut State,
    action: &Action,
    picks: &mut Picks,
    events: &mut E,
) -> Outcome {
    match action {
        Action::Step(thread) => machine.step(state, *thread, picks, events),
        Action::Call(thread, call) => {
            machine.call(state, *thread, call.op, &call.args, call.next_position, picks, events)
        }
    }
}

/// Returns every outcome of an action, with the state after it.
pub fn outcomes(machine: &Machine, state: &State, action: &Action) -> Vec<(Outcome, State)> {
    let mut picks = Picks::new();
    let mut found = Vec::new();
    loop {
        picks.restart();
        let mut after = state.clone();
        let outcome = perform(machine, &mut after, action, &mut picks, &mut NoEvents);
        found.push((outcome, after));
        if !picks.advance() {
            return found;
        }
    }
}

pub fn initial(machine: &Machine) -> State {
    machine.initial(&mut Picks::new()).unwrap_or_else(|outcome| panic!("{outcome:?}"))
}

pub fn op(machine: &Machine, name: &str) -> OpId {
    let mut ops = machine.program().ops.entries();
    ops.find(|(_, op)| &*op.name == name).map(|(id, _)| id).unwrap_or_else(|| panic!("no operation `{name}`"))
}

/// A program and its state, driven call by call.
pub struct Runner {
    pub machine: Machine,
    pub state: State,
    /// The events: `t0 push(1)`, `t0 returns none`, `t0 takes effect`.
    pub log: Vec<String>,
}

impl Runner {
    pub fn new(text: &str, bounds: &Bounds) -> Runner {
        let machine = machine(text, bounds);
        let state = initial(&machine);
        Runner { machine, state, log: Vec::new() }
    }

    /// Makes a call with the first picks.
    pub fn call(&mut self, thread: usize, name: &str, args: &[Word]) -> Outcome {
        self.call_picking(thread, name, args, &[])
    }

    pub fn call_picking(&mut self, thread: usize, name: &str, args: &[Word], picks: &[u32]) -> Outcome {
        let op = op(&self.machine, name);
        let call = CallChoice { op, args: args.into(), next_position: 0 };
        self.perform(&Action::Call(ThreadId::new(thread), call), picks)
    }

    pub fn step(&mut self, thread: usize) -> Outcome {
        self.step_picking(thread, &[])
    }

    pub fn step_picking(&mut self, thread: usize, picks: &[u32]) -> Outcome {
        self.perform(&Action::Step(ThreadId::new(thread)), picks)
    }

    /// Makes steps of one thread until its call returns. Returns their number. Panics if a step is not done.
    pub fn finish(&mut self, thread: usize) -> usize {
        let mut steps = 0;
        while !self.machine.is_idle(&self.state, ThreadId::new(thread)) {
            let outcome = self.step(thread);
            assert_eq!(outcome, Outcome::Done, "step {steps}");
            steps += 1;
            assert!(steps < 1000, "the call does not return");
        }
        steps
    }

    /// Makes a whole call; returns its result as text.
    pub fn whole(&mut self, thread: usize, name: &str, args: &[Word]) -> String {
        assert_eq!(self.call(thread, name, args), Outcome::Done);
        self.finish(thread);
        let last = self.log.last().expect("a return");
        last.split_once(" returns").map_or(String::new(), |(_, result)| result.trim().to_string())
    }

    /// Lists the shared variables.
    pub fn shared(&self) -> String {
        let globals = &self.machine.program().globals.variables;
        let one = |(id, global): (_, &linchpin_ir::program::Global)| {
            format!("{} = {}", global.name, self.machine.global(&self.state, id))
        };
        globals.entries().map(one).collect::<Vec<_>>().join(", ")
    }

    fn perform(&mut self, action: &Action, picks: &[u32]) -> Outcome {
        let mut after = self.state.clone();
        let mut picks = if picks.is_empty() { Picks::new() } else { Picks::replay(picks) };
        let mut log = Log { machine: &self.machine, lines: Vec::new() };
        let outcome = perform(&self.machine, &mut after, action, &mut picks, &mut log);
        assert!(picks.is_faithful(), "other picks were asked for");
        let lines = log.lines;
        if outcome.is_done() {
            self.state = after;
            self.log.extend(lines);
        }
        outcome
    }
}

/// Returns the property and the description of a fault.
pub fn message(outcome: Outcome) -> String {
    match outcome {
        Outcome::Fault(fault) => format!("{:?}: {}", fault.property(), fault.message),
        other => panic!("no fault: {other:?}"),
    }
}

struct Log<'a> {
    machine: &'a Machine,
    lines: Vec<String>,
}

impl Events for Log<'_> {
    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        let program = self.machine.program();
        let mut words = args;
        let mut values = Vec::new();
        for param in &program.ops[op].params {
            let (own, others) = words.split_at(program.types.width(*param));
            values.push(Value::outside(&program.types, *param, own).to_string());
            words = others;
        }
        self.lines.push(format!("{} {}({})", thread_name(thread), program.ops[op].name, values.join(", ")));
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        let program = self.machine.program();
        let value =
            program.ops[op].result.map(|ty| format!(" {}", Value::outside(&program.types, ty, result)));
        self.lines.push(format!("{} returns{}", thread_name(thread), value.unwrap_or_default()));
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        let may = if maybe { "may take effect" } else { "takes effect" };
        self.lines.push(format!("{} {may}", thread_name(target)));
    }
}
