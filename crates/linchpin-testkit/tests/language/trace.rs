//! One schedule, step by step: who, the access, what is different afterwards.

use crate::outputs::Compiled;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::types::Word;
use linchpin_semantics::{
    CallChoice, Events, Machine, Outcome, Picks, Site, State, ThreadId, Value, site_method, thread_name,
};
use linchpin_testkit::agreement;
use linchpin_testkit::reference::Call;
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn trace(
    compiled: &Compiled,
    program: &Arc<Program>,
    nodes: u32,
    order: &[usize],
    calls: &[Vec<Call>],
) -> Result<String, String> {
    let machine =
        Machine::new(program, &compiled.bounds(nodes)).map_err(|problems| format!("{problems:?}"))?;
    let client = agreement::fused::schedule(program, calls);
    let mut state = machine.initial(&mut Picks::new()).map_err(|outcome| format!("{outcome:?}"))?;
    let mut shown = variables(&machine, &state);
    let mut out = String::new();
    for thread in order.iter().copied().map(ThreadId::new) {
        let mut seen = Seen { program, accesses: Vec::new(), result: None };
        let mut picks = Picks::new();
        let mut what = thread_name(thread);
        let outcome = match client.calls(&machine, &state, thread).next() {
            Some(call) => {
                what += &format!(" calls {}", shown_call(program, call));
                let position = call.next_position;
                machine.call(&mut state, thread, call.op, &call.args, position, &mut picks, &mut seen)
            }
            None if machine.is_idle(&state, thread) => return Err(format!("{what} has no call left")),
            None => machine.step(&mut state, thread, &mut picks, &mut seen),
        };
        if picks.advance() {
            return Err(format!("{what} has a choice here, which an order does not tell"));
        }
        for span in &seen.accesses {
            let text = compiled.sources.text(*span).lines().next().unwrap_or_default();
            what += &format!(", line {}: {text}", compiled.sources.line_of(*span));
        }
        match outcome {
            Outcome::Done => {}
            Outcome::Disabled(blocked) => {
                return Err(format!("{what}: {}", machine.blocked_text(&state, blocked)));
            }
            Outcome::Fault(fault) => {
                out += &format!("{what}\n    error: {}\n", fault.message);
                return Ok(out);
            }
            other => return Err(format!("{what}: {other:?}")),
        }
        if let Some(result) = seen.result {
            what += &format!(" → {result}");
        }
        out += &format!("{what}\n");
        let now = variables(&machine, &state);
        for (name, value) in now.iter().filter(|(name, value)| shown.get(*name) != Some(value)) {
            out += &format!("    {name} = {value}\n");
        }
        shown = now;
    }
    Ok(out)
}

/// What a step shows of itself.
struct Seen<'p> {
    program: &'p Program,
    /// Where its accesses stand.
    accesses: Vec<linchpin_ir::source::Span>,
    result: Option<String>,
}

impl Events for Seen<'_> {
    const ACCESSES: bool = true;

    fn instruction(&mut self, site: Site, pc: Pc) {
        let instr = &site_method(self.program, site).code[pc];
        if instr.access.is_step() {
            self.accesses.push(instr.span);
        }
    }

    fn returned(&mut self, _: ThreadId, op: OpId, result: &[Word]) {
        let ty = self.program.ops[op].result;
        self.result =
            Some(ty.map_or("done".into(), |ty| Value::outside(&self.program.types, ty, result).to_string()));
    }
}

/// The shared variables and the fields of cells, by name.
fn variables(machine: &Machine, state: &State) -> BTreeMap<String, String> {
    let globals = machine.program().globals.variables.entries();
    let globals =
        globals.map(|(id, global)| (global.name.to_string(), machine.global(state, id).to_string()));
    let cells = machine.cells(state).flat_map(|cell| {
        let name = linchpin_semantics::cell_name(cell.id);
        machine
            .fields(state, cell)
            .into_iter()
            .map(move |(field, value)| (format!("{name}.{field}"), value.to_string()))
    });
    globals.chain(cells).collect()
}

fn shown_call(program: &Program, call: &CallChoice) -> String {
    let operation = &program.ops[call.op];
    let mut words = &call.args[..];
    let mut args = Vec::new();
    for &ty in &operation.params {
        let (own, rest) = words.split_at(program.types.width(ty).min(words.len()));
        args.push(Value::outside(&program.types, ty, own).to_string());
        words = rest;
    }
    format!("{}({})", operation.name, args.join(", "))
}
