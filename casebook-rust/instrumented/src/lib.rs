//! What bounded queues promise, if some of their answers are only hints.

use linchpin_test::{Call, Datum, Sequential, SequentialModel};
use std::collections::VecDeque;

/// A bounded queue with `push(value) -> bool` and `pop() -> value or none`.
pub struct Bounded {
    pub capacity: usize,
    /// `push` may fail although there is room.
    pub push_may_fail: bool,
    /// `pop` may return none although there is a value.
    pub pop_may_fail: bool,
}

impl Sequential for Bounded {
    type State = VecDeque<Datum>;
    type Op = Call;
    type Ret = Datum;

    fn initial(&self) -> Vec<VecDeque<Datum>> {
        vec![VecDeque::new()]
    }

    fn outcomes(&self, items: &VecDeque<Datum>, call: &Call) -> Vec<(VecDeque<Datum>, Datum)> {
        let mut outcomes = Vec::new();
        let mut after = items.clone();
        if call.operation == "push" {
            if items.len() < self.capacity {
                after.extend(call.parts.first().cloned());
                outcomes.push((after, Datum::Bool(true)));
            }
            if outcomes.is_empty() || self.push_may_fail {
                outcomes.push((items.clone(), Datum::Bool(false)));
            }
        } else {
            if let Some(first) = after.pop_front() {
                outcomes.push((after, Datum::Present(Box::new(first))));
            }
            if outcomes.is_empty() || self.pop_may_fail {
                outcomes.push((items.clone(), Datum::Absent));
            }
        }
        outcomes
    }
}

impl SequentialModel for Bounded {
    fn name(&self) -> String {
        "a bounded queue".into()
    }

    fn operations(&self) -> Option<Vec<String>> {
        Some(vec!["push".into(), "pop".into()])
    }

    fn adds(&self, operation: &str) -> bool {
        operation == "push"
    }
}

/// Accepts every result. For tests that only follow tokens: each value comes out at most once.
pub struct Anything;

impl Sequential for Anything {
    type State = ();
    type Op = Call;
    type Ret = Datum;

    fn initial(&self) -> Vec<()> {
        vec![()]
    }

    fn outcomes(&self, (): &(), _: &Call) -> Vec<((), Datum)> {
        vec![((), Datum::Nothing)]
    }

    fn fits(&self, _: &Call, _: &Datum, _: &Datum) -> bool {
        true
    }
}

impl SequentialModel for Anything {
    fn name(&self) -> String {
        "each value once".into()
    }
}
