//! Replays a trace: the only maker of a [`Counterexample`].
//!
//! A trace holds choices. Replay makes them again in the plain semantics, one by one, with no reduction and
//! no code of any engine. It judges the execution by definition: histories by [`crate::history`], annotated
//! points by its reference monitor, errors by the semantics, stuck executions by all continuations, endless
//! executions by their cycle. There is a counterexample only if the execution shows the claim of the trace.
//! Otherwise there is a [`ReplayError`].
//!
//! | file | contents |
//! |---|---|
//! | `fingerprint` | whether the trace was made with this program |
//! | `execution`, `step_recorder` | running choices, and the observations of each step |
//! | `counterexample` | the confirmed violation, and its constructor |
//! | `judge`, `stuck`, `lasso` | what the execution shows |
//! | `refused` | why a trace is not accepted |

mod counterexample;
mod execution;
mod fingerprint;
mod judge;
mod lasso;
mod refused;
mod step_recorder;
mod stuck;

pub use counterexample::{
    Access, BlockedThread, Counterexample, Deadlock, Endless, Evidence, Inconsistency, Observation,
    PointsRefuted, TraceStep,
};
pub use execution::{End, Execution};
pub use fingerprint::fingerprint;
pub use refused::{ClaimNotShown, InvalidChoice, ReplayError};

use crate::history::fits;
use crate::trace::{Instance, PlannedCall, Trace, TraceClient};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::Word;
use linchpin_semantics::{Client, Machine, State};
use std::sync::Arc;

/// Makes the choices of the trace again, and judges the execution. This is the only way to make a
/// [`Counterexample`].
pub fn replay(program: &Arc<Program>, trace: &Trace) -> Result<Counterexample, ReplayError> {
    Counterexample::confirm(program, trace)
}

/// An execution that was made again, without a judgement.
#[derive(Clone, Debug)]
pub struct Rerun {
    pub machine: Machine,
    /// The state before the first step.
    pub initial: State,
    /// The steps. Cells keep their names from one step to the next.
    pub moments: Vec<TraceStep>,
    /// `None`: the execution can continue.
    pub end: Option<End>,
}

/// Makes the choices of the trace again, and judges nothing.
pub fn rerun(program: &Arc<Program>, trace: &Trace) -> Result<Rerun, ReplayError> {
    let instance = &trace.instance;
    check_program(program, instance)?;
    let machine = Machine::new(program, &instance.bounds).map_err(ReplayError::Instance)?;
    let client = client(program, instance)?;
    let (initial, moments, end) = {
        let invalid = |choice| move |reason| ReplayError::InvalidChoice { choice, reason };
        let mut execution = Execution::start(&machine, &client, &trace.initial).map_err(invalid(None))?;
        let initial = execution.state().clone();
        let make = |(at, choice)| execution.make(choice).map_err(invalid(Some(at)));
        let moments = trace.choices.iter().enumerate().map(make).collect::<Result<_, _>>()?;
        (initial, moments, execution.end().cloned())
    };
    Ok(Rerun { machine, initial, moments, end })
}

/// Checks that the trace was made with this program; the error is the first difference.
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
        let why =
            format!("it has {} threads, but the instance has {}", threads.len(), instance.bounds.threads);
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
        return Err(ReplayError::Schedule(format!("it calls `{}` with invalid arguments", call.op)));
    }
    Ok((id, call.args.clone()))
}
