//! Explains a lasso: which call never returns, whether the call waits or retries, and which threads
//! interfere.
//!
//! A call *waits* if its steps in the loop change nothing and no other thread changes what the call reads.
//! The call is blocked by a lock or a condition, or reads the same values again. Otherwise the call
//! *retries*. A thread *interferes* if it changes a location between two accesses of the starved thread to
//! that location.

use super::calls::{Plain, call_text};
use super::decode::{CellNames, thread_name};
use super::view::why::{Fact, Part};
use linchpin_ir::index::Index;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::replay::{Access, Counterexample, Endless, Observation, TraceStep};
use linchpin_judge::trace::Action;
use linchpin_semantics::{
    Blocked, Location, LocationBase, NoEvents, Outcome, Picks, State, Status, ThreadId, cell_name,
};
use std::collections::BTreeSet;

/// Explains the loop of a counterexample.
pub fn explain(
    sources: &SourceMap,
    counterexample: &Counterexample,
    endless: &Endless,
    names: &mut CellNames,
) -> Vec<Part> {
    let view = View { sources, counterexample, endless };
    let fact = |&thread: &ThreadId| {
        let text =
            format!("{}'s {} never returns: {}", thread_name(thread), view.call(thread), view.fate(thread));
        Fact::of_thread(thread.index(), text)
    };
    let facts = endless.starved.iter().map(fact).collect();
    let mut parts = vec![Part { facts, ..Part::default() }.titled(view.title())];
    let interference = view.interference(names);
    if !interference.is_empty() {
        parts.push(Part { facts: interference, ..Part::default() }.titled("Interference"));
    }
    parts
}

struct View<'a> {
    sources: &'a SourceMap,
    counterexample: &'a Counterexample,
    endless: &'a Endless,
}

impl View<'_> {
    fn title(&self) -> String {
        let from = format!("From step {} on the execution repeats for ever", self.endless.start + 1);
        match self.endless.property {
            Property::LockFree => format!("{from}, and no call returns"),
            Property::ObstructionFree => format!("{from}, with a single running thread"),
            Property::Terminating => format!("{from}, and no call begins or returns"),
            Property::StarvationFree => format!("{from}, and every thread that stays enabled makes a step"),
            _ => from,
        }
    }

    fn cycle(&self) -> &[TraceStep] {
        self.counterexample.moments().get(self.endless.start..).unwrap_or_default()
    }

    /// Returns the state at the beginning of the loop.
    fn state(&self) -> &State {
        let before = self.endless.start.checked_sub(1).and_then(|at| self.counterexample.moments().get(at));
        before.and_then(|moment| moment.after.as_ref()).unwrap_or(self.counterexample.initial())
    }

    /// Returns the pending call of a thread.
    fn call(&self, thread: ThreadId) -> String {
        let program = self.counterexample.machine().program();
        let calls = self.counterexample.moments().iter().filter(|moment| moment.choice.thread == thread);
        let mut calls = calls.flat_map(|moment| &moment.observations).filter_map(|seen| match seen {
            Observation::Call { op, args } => Some(call_text(&Plain, program, *op, args)),
            _ => None,
        });
        calls.next_back().unwrap_or_else(|| "call".into())
    }

    /// Describes a pending call in the loop.
    fn fate(&self, thread: ThreadId) -> String {
        let own = || self.cycle().iter().filter(|moment| moment.choice.thread == thread);
        if own().next().is_none() {
            return match self.blocked(thread) {
                Some(text) => text,
                None => format!("it makes no step{}", self.resting_place(thread)),
            };
        }
        if own().all(|moment| moment.choice.action == Action::Wait) {
            return self.blocked(thread).unwrap_or_else(|| "it waits".into());
        }
        if self.only_looks(thread) {
            let lines = self.lines(own());
            return format!("it waits: it reads the same values again and again ({lines})");
        }
        let lines = self.lines(own());
        format!("it retries for ever ({lines})")
    }

    /// Returns what blocks a thread at the beginning of the loop or later in the loop.
    fn blocked(&self, thread: ThreadId) -> Option<String> {
        let machine = self.counterexample.machine();
        let states = std::iter::once(self.state())
            .chain(self.cycle().iter().filter_map(|moment| moment.after.as_ref()));
        for state in states {
            if machine.is_idle(state, thread) {
                continue;
            }
            let outcome = machine.step(&mut state.clone(), thread, &mut Picks::new(), &mut NoEvents);
            if let Outcome::Disabled(blocked) = outcome
                && !blocked.by_bound()
            {
                let text = machine.blocked_text(state, blocked);
                let holder = match blocked {
                    Blocked::Lock { holder: Some(holder), .. } => self.holder(holder),
                    _ => String::new(),
                };
                return Some(format!("it {text}{holder}{}", self.resting_place(thread)));
            }
        }
        None
    }

    /// Returns a remark if the holder of a lock makes no step in the loop.
    fn holder(&self, holder: ThreadId) -> String {
        let acts = self.cycle().iter().any(|moment| moment.choice.thread == holder);
        if acts { String::new() } else { format!("; {} makes no step", thread_name(holder)) }
    }

    fn resting_place(&self, thread: ThreadId) -> String {
        let machine = self.counterexample.machine();
        match machine.status(self.state(), thread) {
            Status::Busy { method, pc, .. } => {
                let span = machine.program().methods[method].code[pc].span;
                format!(" (line {})", self.sources.line_of(span))
            }
            Status::Idle => String::new(),
        }
    }

    /// Returns whether a thread changes nothing in the loop and no thread changes what the thread reads.
    fn only_looks(&self, thread: ThreadId) -> bool {
        let looked_at: BTreeSet<_> = self
            .accesses()
            .filter(|(_, by, _)| *by == thread)
            .map(|(_, _, access)| place_key(access))
            .collect();
        !self.accesses().any(|(_, by, access)| {
            changes(access) && (by == thread || looked_at.contains(&place_key(access)))
        })
    }

    /// Returns every access of the loop with its position and its thread.
    fn accesses(&self) -> impl Iterator<Item = (usize, ThreadId, &Access)> {
        self.cycle().iter().enumerate().flat_map(|(at, moment)| {
            moment.observations.iter().filter_map(move |seen| match seen {
                Observation::Access(access) => Some((at, moment.choice.thread, access)),
                _ => None,
            })
        })
    }

    fn interference(&self, names: &mut CellNames) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        let all: Vec<_> = self.accesses().collect();
        for &victim in &self.endless.starved {
            let own: Vec<usize> = (0..all.len()).filter(|at| all[*at].1 == victim).collect();
            for (nth, &first) in own.iter().enumerate() {
                let place = place_key(all[first].2);
                // The next access to the same location, perhaps in the next iteration.
                let later =
                    (1..=own.len()).map(|more| (own[(nth + more) % own.len()], nth + more >= own.len()));
                let Some((second, wraps)) = later.clone().find(|(at, _)| place_key(all[*at].2) == place)
                else {
                    continue;
                };
                let between =
                    |at: usize| if wraps { at > first || at < second } else { at > first && at < second };
                let undoing = (0..all.len()).find(|&at| {
                    between(at) && all[at].1 != victim && changes(all[at].2) && place_key(all[at].2) == place
                });
                let Some(undoing) = undoing else { continue };
                let (at, by, access) = all[undoing];
                let steps = [at, all[first].0, all[second].0].map(|step| self.endless.start + step);
                let text = format!(
                    "{} changes {} at step {}, between {}'s steps {} and {}{}",
                    thread_name(by),
                    place_text(names, access),
                    self.endless.start + at + 1,
                    thread_name(victim),
                    self.endless.start + all[first].0 + 1,
                    self.endless.start + all[second].0 + 1,
                    if wraps { " of the next iteration" } else { "" },
                );
                let steps = steps.to_vec();
                let fact = Fact { steps, ..Fact::of_thread(by.index(), text) };
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        }
        facts
    }

    /// Returns the source lines of some steps, each once, in order.
    fn lines<'m>(&self, moments: impl Iterator<Item = &'m TraceStep>) -> String {
        let program = self.counterexample.machine().program();
        let mut numbers: Vec<usize> = Vec::new();
        for moment in moments {
            if let Status::Busy { method, pc, .. } = moment.from {
                let number = self.sources.line_of(program.methods[method].code[pc].span);
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        let texts: Vec<String> = numbers.iter().map(usize::to_string).collect();
        match texts.as_slice() {
            [one] => format!("line {one}"),
            [some @ .., last] => format!("lines {} and {last}", some.join(", ")),
            [] => "no line".into(),
        }
    }
}

fn changes(access: &Access) -> bool {
    access.after.as_ref().is_some_and(|after| *after != access.before)
}

/// Returns the name of a location, with the letters of the drawing.
fn place_text(names: &mut CellNames, access: &Access) -> String {
    match access.location.base {
        LocationBase::Cell(cell) => {
            let part = access.place.strip_prefix(&cell_name(cell)).unwrap_or(&access.place);
            format!("{}{part}", names.name(cell))
        }
        LocationBase::Global(_) => access.place.clone(),
    }
}

/// Returns an ordered key of a location.
fn place_key(access: &Access) -> (String, u32) {
    let Location { base, slot, .. } = access.location;
    (format!("{base:?}"), slot)
}
