//! What a step shows, kept for printers and judges.

use crate::history::{Event, PointEvent};
use crate::replay::{Access, Observation, TraceStep};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{AccessEvent, CellId, Events, Machine, State, ThreadId};

/// Listens to one step.
pub(super) struct Record<'m> {
    machine: &'m Machine,
    pub observations: Vec<Observation>,
}

impl<'m> Record<'m> {
    pub fn new(machine: &'m Machine) -> Record<'m> {
        Record { machine, observations: Vec::new() }
    }
}

impl Events for Record<'_> {
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

/// What judges of histories and points hear of an execution, each event with the moment in which it is heard.
pub(super) fn heard(moments: &[TraceStep]) -> impl Iterator<Item = (usize, PointEvent)> {
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
