//! The validator: what every program must satisfy. The lowering establishes it and later passes rely on it.
//! The validator shares no code with the lowering.
//!
//! - **Shape**: every number (instruction, local, method, context, variable) is in range; variables and
//!   locals lie one after the other in their slots.
//! - **Types** ([`types`]): operands, places and results fit.
//! - **Flow** ([`flow`]): a local is assigned before it is used, on every path; the live sets solve their
//!   equations.
//! - **Steps**: only instructions that touch memory rest; `init`, initial values, hashes and clauses never
//!   do.

mod flow;
mod types;

use super::{Access, Global, Globals, Instr, Method, MethodId, Op, Program};
use crate::index::{Index, IndexVec};
use crate::types::{SlotKind, TypeTable};

/// What is wrong with the program; nothing, if it is one.
pub fn validate(program: &Program) -> Vec<String> {
    let mut faults = Vec::new();
    layout(&program.types, "shared memory", &program.globals, &mut faults);
    layout(&program.types, "the specification", &program.spec.globals, &mut faults);
    let own = Globals {
        variables: program.thread_vars.iter().cloned().collect::<IndexVec<_, Global>>(),
        slots: program.thread_slots.clone(),
    };
    layout(&program.types, "the threads' variables", &own, &mut faults);
    for (id, method) in program.methods.entries() {
        Validator::new(program, &program.globals, method, format!("method {} `{}`", id.index(), method.name))
            .run(&mut faults);
    }
    let spec = &program.spec;
    Validator::new(program, &spec.globals, &spec.init, "the specification's initial values".into())
        .run(&mut faults);
    for clause in &spec.clauses {
        let name = format!("the clause `{}`", clause.method.name);
        Validator::new(program, &spec.globals, &clause.method, name.clone()).run(&mut faults);
        never_rests(&clause.method, &name, &mut faults);
        if clause.heads.iter().map(|head| head.params).sum::<usize>() != clause.method.params.len() {
            faults.push(format!("{name}: its parameters are not those of its heads"));
        }
    }
    never_rests(&spec.init, "the specification's initial values", &mut faults);
    interface(program, &mut faults);
    faults
}

fn layout(types: &TypeTable, what: &str, globals: &Globals, faults: &mut Vec<String>) {
    let mut slots: Vec<SlotKind> = Vec::new();
    for variable in globals.variables.iter() {
        if variable.offset != slots.len() {
            faults.push(format!("{what}: `{}` does not begin where the one before it ends", variable.name));
        }
        slots.extend(types.slots(variable.ty));
    }
    if slots != globals.slots {
        faults.push(format!("{what}: the slots are not those of the variables"));
    }
}

fn interface(program: &Program, faults: &mut Vec<String>) {
    let method = |id: MethodId| program.methods.get(id);
    for op in program.ops.iter() {
        let Some(method) = method(op.method) else {
            faults.push(format!("operation `{}`: no such method", op.name));
            continue;
        };
        let params: Vec<_> = method.params.iter().filter_map(|&local| method.locals.get(local)).collect();
        if params.iter().map(|local| local.ty).ne(op.params.iter().copied()) {
            faults.push(format!("operation `{}`: its parameters are not its method's", op.name));
        }
        if method.results.len() != usize::from(op.result.is_some()) {
            faults.push(format!("operation `{}`: its result is not its method's", op.name));
        }
    }
    let silent = [Some(program.init), program.thread_init].into_iter().flatten();
    let hashes = program.hashes.iter().filter_map(|hash| hash.body);
    for id in silent.chain(hashes) {
        match method(id) {
            Some(method) => never_rests(method, &format!("`{}`", method.name), faults),
            None => faults.push(format!("no method {}", id.index())),
        }
    }
}

fn never_rests(method: &Method, name: &str, faults: &mut Vec<String>) {
    if method.code.iter().any(|instr| instr.access.is_step()) {
        faults.push(format!("{name}: rests"));
    }
}

/// Checks one method.
struct Validator<'p> {
    program: &'p Program,
    globals: &'p Globals,
    method: &'p Method,
    name: String,
    faults: Vec<String>,
}

impl<'p> Validator<'p> {
    fn new(program: &'p Program, globals: &'p Globals, method: &'p Method, name: String) -> Validator<'p> {
        Validator { program, globals, method, name, faults: Vec::new() }
    }

    fn run(mut self, faults: &mut Vec<String>) {
        self.shape();
        // The other checks follow the numbers that this one has seen.
        if self.faults.is_empty() {
            self.types();
            self.flow();
            self.steps();
        }
        let name = self.name;
        faults.extend(self.faults.into_iter().map(|fault| format!("{name}: {fault}")));
    }

    fn fault(&mut self, at: usize, what: impl std::fmt::Display) {
        self.faults.push(format!("instruction {at}: {what}"));
    }

    fn shape(&mut self) {
        let method = self.method;
        let mut slots: Vec<SlotKind> = Vec::new();
        for local in method.locals.iter() {
            if local.offset != slots.len() {
                self.faults.push(format!("`{}` does not begin where the local before it ends", local.name));
            }
            slots.extend(self.program.types.slots(local.ty));
        }
        if slots != method.slots {
            self.faults.push("the slots are not those of the locals".into());
        }
        if method.params.iter().any(|&param| method.locals.get(param).is_none()) {
            self.faults.push("a parameter is not a local".into());
        }
        if method.code.get(method.entry).is_none() {
            self.faults.push("the entry is not an instruction".into());
        }
        for (pc, instr) in method.code.entries() {
            self.numbers(pc.index(), instr);
        }
    }

    fn numbers(&mut self, at: usize, instr: &Instr) {
        let method = self.method;
        let mut targets = instr.successors().into_vec();
        targets.extend(match instr.op {
            Op::Atomic { end } => Some(end),
            _ => None,
        });
        if targets.iter().any(|&target| method.code.get(target).is_none()) {
            self.fault(at, "control goes nowhere");
        }
        if method.contexts.get(instr.context).is_none() {
            self.fault(at, "no such context");
        }
        let mut locals = Vec::new();
        instr.op.uses(&mut |local| locals.push(local));
        locals.extend(instr.op.defines());
        locals.extend(instr.op.updates());
        locals.extend(instr.live.iter());
        if locals.iter().any(|&local| method.locals.get(local).is_none()) {
            self.fault(at, "no such local");
        }
        if let Op::Call { method: callee, .. } = &instr.op
            && self.program.methods.get(*callee).is_none()
        {
            self.fault(at, "calls no method");
        }
    }

    fn steps(&mut self) {
        for (pc, instr) in self.method.code.entries() {
            let touches_memory = match &instr.op {
                Op::Await(_) | Op::Atomic { .. } | Op::Free(_) | Op::New { .. } | Op::NewArray { .. } => true,
                op => !op.places().is_empty(),
            };
            let always_blocks = matches!(instr.op, Op::Lock(_) | Op::Await(_) | Op::WaitEnd { .. });
            match instr.access {
                Access::Step { .. } if !touches_memory => {
                    self.fault(pc.index(), "rests in front of local work")
                }
                Access::Step { can_block: false } if always_blocks => {
                    self.fault(pc.index(), "waits, but says that it cannot block");
                }
                Access::Local
                    if matches!(instr.op, Op::Atomic { .. } | Op::WaitBegin { .. } | Op::WaitEnd { .. }) =>
                {
                    self.fault(pc.index(), "must rest");
                }
                _ => {}
            }
        }
    }
}
