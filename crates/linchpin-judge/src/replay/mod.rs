//! Running a trace again: the only maker of a [`Counterexample`].
//!
//! A trace holds choices. Here they are made again in the plain semantics, one by one, with no reduction and no code of any
//! engine, and what is seen is judged by definition: histories by [`crate::history`], annotated points by its reference
//! monitor, errors by the semantics, stuck executions by looking at every continuation, endless ones by their cycle. Only
//! if the execution shows what the trace claims is there a counterexample; otherwise there is a reason.
//!
//! | file | what it says |
//! |---|---|
//! | `fingerprint` | whether the trace was made with this program |
//! | `execution`, `record` | running choices, and what is seen |
//! | `judge`, `stuck`, `lasso` | what it shows |
//! | `refused` | why it shows nothing |

mod counterexample;
mod execution;
mod fingerprint;
mod judge;
mod lasso;
mod record;
mod refused;
mod stuck;

pub use counterexample::{
    Access, BlockedThread, Counterexample, Deadlock, Endless, Evidence, Inconsistency, Observation,
    PointsRefuted, TraceStep,
};
pub use execution::{End, Execution};
pub use fingerprint::fingerprint;
pub use refused::{ClaimNotShown, InvalidChoice, ReplayError};

use crate::history::{History, PointEvent, fits};
use crate::trace::{Instance, PlannedCall, Trace, TraceClient};
use counterexample::Confirmed;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::Word;
use linchpin_semantics::{Client, Machine, SpecMachine};
use std::sync::Arc;

/// Runs the choices of the trace again and judges what happens.
pub fn replay(program: &Arc<Program>, trace: &Trace) -> Result<Counterexample, ReplayError> {
    let instance = &trace.instance;
    check_program(program, instance)?;
    let machine = Machine::new(program, &instance.bounds).map_err(ReplayError::Instance)?;
    let spec = SpecMachine::new(program, &instance.bounds).map_err(ReplayError::Instance)?;
    let client = client(program, instance)?;
    let misstep = |choice| move |misstep| ReplayError::InvalidChoice { choice, misstep };
    let mut execution = Execution::start(&machine, &client, &trace.initial).map_err(misstep(None))?;
    let initial = execution.state().clone();
    let mut moments = Vec::new();
    for (at, choice) in trace.choices.iter().enumerate() {
        moments.push(execution.make(choice).map_err(misstep(Some(at)))?);
    }
    let events = record::heard(&moments).filter_map(|(_, event)| match event {
        PointEvent::Client(event) => Some(event),
        PointEvent::Lin { .. } => None,
    });
    let history = History::new(program, events.collect()).map_err(ReplayError::Malformed)?;
    let run = judge::Run {
        machine: &machine,
        client: &client,
        spec: &spec,
        trace,
        initial: &initial,
        moments: &moments,
        end: execution.end(),
        history: &history,
    };
    let evidence = run.evidence()?;
    run.cycle_belongs_to(&evidence)?;
    let trace = trace.clone();
    Ok(Counterexample::new(Confirmed { trace, machine, spec, initial, moments, history, evidence }))
}

/// Whether the trace was made with this program, and if not, what differs.
fn check_program(program: &Program, instance: &Instance) -> Result<(), ReplayError> {
    if *instance.model != *program.name {
        let (trace, program) = (instance.model.clone(), program.name.to_string());
        return Err(ReplayError::OtherModel { trace, program });
    }
    let of_trace =
        |name: &str| instance.constants.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let of_program = |name: &str| program.constants.iter().find(|c| *c.name == *name).map(|c| c.value);
    let names = instance.constants.iter().map(|(name, _)| &**name);
    for name in names.chain(program.constants.iter().map(|constant| &*constant.name)) {
        let (trace, program) = (of_trace(name), of_program(name));
        if trace != program {
            return Err(ReplayError::OtherConstant { name: name.into(), trace, program });
        }
    }
    if program.threads_used_at.is_some() && instance.bounds.threads != program.threads {
        return Err(ReplayError::OtherThreads { trace: instance.bounds.threads, program: program.threads });
    }
    let current = fingerprint(program);
    if instance.fingerprint != current {
        return Err(ReplayError::Changed { trace: instance.fingerprint, program: current });
    }
    Ok(())
}

fn client(program: &Program, instance: &Instance) -> Result<Client, ReplayError> {
    let TraceClient::Schedule { prefix, threads } = &instance.client else {
        return Client::general(program, &instance.bounds).map_err(ReplayError::Instance);
    };
    if threads.len() != instance.bounds.threads as usize {
        let why = format!("it is for {} threads, and there are {}", threads.len(), instance.bounds.threads);
        return Err(ReplayError::Schedule(why));
    }
    let calls =
        |list: &[PlannedCall]| list.iter().map(|call| planned(program, call)).collect::<Result<Vec<_>, _>>();
    let threads = threads.iter().map(|list| calls(list)).collect::<Result<Vec<_>, _>>()?;
    Ok(Client::schedule(&calls(prefix)?, &threads))
}

fn planned(program: &Program, call: &PlannedCall) -> Result<(OpId, Vec<Word>), ReplayError> {
    let named = program.ops.entries().find(|(_, op)| *op.name == *call.op);
    let (id, op) =
        named.ok_or_else(|| ReplayError::Schedule(format!("there is no operation `{}`", call.op)))?;
    if !fits(&program.types, &op.params, &call.args) {
        return Err(ReplayError::Schedule(format!("it calls `{}` with what are not its arguments", call.op)));
    }
    Ok((id, call.args.clone()))
}
