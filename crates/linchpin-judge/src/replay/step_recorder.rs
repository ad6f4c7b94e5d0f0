//! Records the observations of a step, for reports and judges.

use crate::history::{Event, PointEvent};
use crate::replay::{Access, Observation, TraceStep};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{AccessEvent, CellId, Events, Machine, State, ThreadId};

/// Records one step.
pub(super) struct StepRecorder<'m> {
    machine: &'m Machine,
    pub observations: Vec<Observation>,
}

impl<'m> StepRecorder<'m> {
    pub fn new(machine: &'m Machine) -> StepRecorder<'m> {
        StepRecorder { machine, observations: Vec::new() }
    }
}

impl Events for StepRecorder<'_> {
    const ACCESSES: bool = true;

    fn call(&mut self, _thread: ThreadId, op: OpId, args: &[Word]) {
        self.observations.push(Observation::Call { op, args: args.to_vec() });
    }

    fn returned(&mut self, _thread: ThreadId, op: OpId, result: &[Word]) {
        self.observations.push(Observation::Return { op, result: result.to_vec() });
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.observations.push(Observation::Lin { thread: target, maybe });
    }

    fn access(&mut self, state: &State, access: &AccessEvent) {
        let value = |words| self.machine.value(state, access.ty, words);
        self.observations.push(Observation::Access(Access {
            location: access.location,
            place: self.machine.location_name(state, access.location),
            ty: access.ty,
            before: value(access.before),
            after: access.after.map(value),
        }));
    }

    fn allocated(&mut self, cell: CellId) {
        self.observations.push(Observation::Allocated(cell));
    }

    fn freed(&mut self, cell: CellId) {
        self.observations.push(Observation::Freed(cell));
    }
}

/// Returns the calls, points and returns of an execution, each with the number of its step.
pub(super) fn point_events(moments: &[TraceStep]) -> impl Iterator<Item = (usize, PointEvent)> {
    moments.iter().enumerate().flat_map(|(at, moment)| {
        let thread = moment.choice.thread;
        moment.observations.iter().filter_map(move |seen| event(thread, seen)).map(move |event| (at, event))
    })
}

fn event(thread: ThreadId, observation: &Observation) -> Option<PointEvent> {
    match observation {
        Observation::Call { op, args } => {
            Some(PointEvent::Client(Event::Call { thread, op: *op, args: args.clone() }))
        }
        Observation::Return { result, .. } => {
            Some(PointEvent::Client(Event::Return { thread, result: result.clone() }))
        }
        Observation::Lin { thread, maybe } => Some(PointEvent::Lin { thread: *thread, maybe: *maybe }),
        Observation::Access(_) | Observation::Allocated(_) | Observation::Freed(_) => None,
    }
}
