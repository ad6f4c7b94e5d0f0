//! Traps: objects as small as they can be, each of which is judged wrongly if one condition of one reduction
//! is forgotten.
//!
//! Every way to search is compared with the plain one, and the plain verdict with what is known of the
//! object.

use crate::reductions::agree::{Comparison, PARTIAL_ORDER, Room, Said, compare};
use crate::reductions::model::Text;
use linchpin_explore::Request;
use linchpin_ir::property::Property;
use std::sync::mpsc::channel;
use std::time::Duration;

const ROOM: Room = Room { bytes: None, seconds: 60 };

struct Trap {
    text: String,
    request: Request,
}

impl Trap {
    /// Two threads, and one of everything else.
    fn new(text: &str) -> Trap {
        let request = Request {
            threads: 2..=2,
            nodes: Some(1..=1),
            values: 1..=1,
            keys: 1..=1,
            ints: 4,
            properties: vec![
                Property::Linearizable,
                Property::MemorySafe,
                Property::Assertions,
                Property::DeadlockFree,
            ],
            ..Request::default()
        };
        Trap { text: text.into(), request }
    }

    fn threads(self, threads: u32) -> Trap {
        Trap { request: Request { threads: threads..=threads, ..self.request }, ..self }
    }

    fn nodes(self, nodes: u32) -> Trap {
        Trap { request: Request { nodes: Some(nodes..=nodes), ..self.request }, ..self }
    }

    fn values(self, values: u32) -> Trap {
        Trap { request: Request { values: values..=values, ..self.request }, ..self }
    }

    fn points(self) -> Trap {
        Trap { request: Request { lin_points: true, ..self.request }, ..self }
    }

    fn holds(&self) {
        let said = self.said();
        assert!(said.iter().all(|(_, said)| *said == Said::Holds), "{said:?}");
    }

    fn violates(&self, property: &str) {
        let said = self.said();
        let is_violated =
            |(name, said): &(String, Said)| name == property && matches!(said, Said::Violated(_));
        assert!(said.iter().any(is_violated), "{property}: {said:?}");
    }

    /// What every way says.
    fn said(&self) -> Vec<(String, Said)> {
        self.comparison().plain().said.clone()
    }

    fn comparison(&self) -> Comparison {
        let comparison = compare(&Text::new(self.text.as_str()), &self.request, ROOM);
        assert!(comparison.differences.is_empty(), "{}", comparison.differences.join("\n\n"));
        comparison
    }
}

/// Local steps that never end are made as moves sooner or later: others go on, and the search ends.
#[test]
fn private_steps_without_end() {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let trap = Trap::new(include_str!("traps/private_steps_without_end.txt"));
        let _ = sender.send(trap.said());
    });
    let said = receiver.recv_timeout(Duration::from_secs(60)).expect("the search ends, and every way agrees");
    assert!(matches!(said[0].1, Said::Violated(_)), "{said:?}");
}

/// Values that only the monitor remembers are not fresh: the second value is tried although no state holds
/// the first.
#[test]
fn values_that_only_the_monitor_knows() {
    Trap::new(include_str!("traps/values_that_only_the_monitor_knows.txt"))
        .values(2)
        .violates("linearizable");
}

/// The same for values that only the state remembers.
#[test]
fn values_that_only_the_state_knows() {
    Trap::new(include_str!("traps/values_that_only_the_state_knows.txt")).values(2).violates("assertions");
}

/// Three threads that hold (x, y), (y, z), (z, x) look alike, and their orders are not all the same: the
/// monitor is renamed by the order that the state is written in, or it takes one call for another.
#[test]
fn threads_that_hold_things_in_a_circle() {
    Trap::new(include_str!("traps/threads_that_hold_things_in_a_circle.txt")).threads(3).values(3).holds();
}

/// Two threads alike in state, of which one has taken effect: each of them may be the first to go on.
#[test]
fn twins_that_the_monitor_tells_apart() {
    let text = include_str!("traps/twins_that_the_monitor_tells_apart.txt");
    // In one of the two models the other thread has to move, whichever thread is first in the order of names.
    Trap::new(text).points().violates("points");
    let mirrored =
        text.replace("lin if a != 1;", "lin if a != 0;").replace("lin if b == 1;", "lin if b == 0;");
    assert_ne!(mirrored, text);
    Trap::new(&mirrored).points().violates("points");
}

/// Two threads alike in state, of which one is named: each of them may be the first to go on.
#[test]
fn twins_of_which_one_is_named() {
    let text = include_str!("traps/twins_of_which_one_is_named.txt");
    // In one of the two models the other thread has to move, whichever thread is first in the order of names.
    Trap::new(text).violates("assertions");
    let mirrored =
        text.replace("if inside == 1 { assert owner == me; }", "if inside == 1 { assert owner != me; }");
    assert_ne!(mirrored, text);
    Trap::new(&mirrored).violates("assertions");
}

/// A hash function tells values apart: an exchanged value would have the class of the other one.
#[test]
fn values_with_hashes() {
    Trap::new(include_str!("traps/values_with_hashes.txt")).values(2).holds();
}

/// The number of a value tells it from others.
#[test]
fn values_with_numbers() {
    Trap::new(include_str!("traps/values_with_numbers.txt")).values(2).violates("assertions");
}

/// Threads with numbers are not alike.
#[test]
fn threads_with_numbers() {
    Trap::new(include_str!("traps/threads_with_numbers.txt")).violates("assertions");
}

/// Nor are those that are gone through in order.
#[test]
fn threads_in_order() {
    Trap::new(include_str!("traps/threads_in_order.txt")).violates("assertions");
}

/// Nor are those one of which has an element that is named by its number.
#[test]
fn threads_with_numbered_elements() {
    Trap::new(include_str!("traps/threads_with_numbered_elements.txt")).violates("assertions");
}

/// An annotated point is visible: a step with one is not made at once.
#[test]
fn points_after_private_steps() {
    Trap::new(include_str!("traps/points_after_private_steps.txt")).nodes(2).points().violates("points");
}

/// In manual memory a `cas` that is bound to fail may also be an error.
#[test]
fn cas_that_fails_in_cells_that_are_freed() {
    Trap::new(include_str!("traps/cas_that_fails_in_cells_that_are_freed.txt"))
        .nodes(2)
        .violates("memory-safe");
}

/// A freed cell belongs to no thread, although only one thread has a pointer to it.
#[test]
fn freed_cells_are_not_private() {
    Trap::new(include_str!("traps/freed_cells_are_not_private.txt")).nodes(1).violates("linearizable");
}

/// Nor is a cell private that a freed one leads to.
#[test]
fn cells_behind_freed_ones_are_not_private() {
    Trap::new(include_str!("traps/cells_behind_freed_ones_are_not_private.txt"))
        .nodes(2)
        .violates("linearizable");
}

/// A cell that shared memory has lost may still be held by two threads.
#[test]
fn cells_that_two_threads_hold_are_not_private() {
    Trap::new(include_str!("traps/cells_that_two_threads_hold_are_not_private.txt"))
        .nodes(2)
        .violates("linearizable");
}

/// A thread that tries a lock sees that it is taken.
#[test]
fn locks_that_are_tried() {
    Trap::new(include_str!("traps/locks_that_are_tried.txt")).violates("linearizable");
}

/// One access without the lock, and it protects nothing.
#[test]
fn accesses_without_the_lock() {
    Trap::new(include_str!("traps/accesses_without_the_lock.txt")).violates("assertions");
}

/// A lock that is given back at a computed position is not held any more.
#[test]
fn locks_given_back_at_computed_positions() {
    Trap::new(include_str!("traps/locks_given_back_at_computed_positions.txt")).violates("assertions");
}

/// The lock of an element protects that element, and no other.
#[test]
fn elements_under_the_lock_of_another() {
    Trap::new(include_str!("traps/elements_under_the_lock_of_another.txt")).violates("assertions");
}

/// After its index has been written the lock that is held is not that of the element any more.
#[test]
fn elements_whose_index_was_changed() {
    Trap::new(include_str!("traps/elements_whose_index_was_changed.txt")).violates("assertions");
}

/// All threads have to take the same lock for the same element.
#[test]
fn elements_under_locks_of_another_array() {
    Trap::new(include_str!("traps/elements_under_locks_of_another_array.txt")).violates("assertions");
}

/// An element that is named by a number is one of the elements, and its lock has that number.
#[test]
fn elements_by_a_constant_index() {
    Trap::new(include_str!("traps/elements_by_a_constant_index.txt")).violates("assertions");
}

/// An index may have the same value under another name.
#[test]
fn locks_of_elements_given_back_under_another_name() {
    Trap::new(include_str!("traps/locks_of_elements_given_back_under_another_name.txt"))
        .violates("assertions");
}

/// So may a number.
#[test]
fn locks_of_elements_given_back_by_number() {
    Trap::new(include_str!("traps/locks_of_elements_given_back_by_number.txt")).violates("assertions");
}

/// Where all threads take the lock of the element, whatever its name, accesses to the element are local.
#[test]
fn elements_under_their_own_locks() {
    let trap = Trap::new(include_str!("traps/elements_under_their_own_locks.txt"));
    trap.holds();
    let comparison = trap.comparison();
    let states = comparison.answer_of(PARTIAL_ORDER).map(|answer| answer.states);
    assert!(states.is_some_and(|states| states * 20 < comparison.plain().states), "{states:?}");
}

/// A call that blocks at once is pending when no thread can move.
#[test]
fn calls_that_block_at_once() {
    Trap::new(include_str!("traps/calls_that_block_at_once.txt")).violates("deadlock-free");
}

/// A call that is made with its first step comes before it.
#[test]
fn calls_with_their_first_step() {
    Trap::new(include_str!("traps/calls_with_their_first_step.txt")).points().holds();
}

/// Taking the last cell early keeps others from going on.
#[test]
fn the_last_cell() {
    Trap::new(include_str!("traps/the_last_cell.txt")).nodes(1).violates("linearizable");
}

/// The same where the cell is taken in the local work after an access.
#[test]
fn the_last_cell_in_local_work() {
    Trap::new(include_str!("traps/the_last_cell_in_local_work.txt")).nodes(1).violates("linearizable");
}
