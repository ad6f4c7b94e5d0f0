//! Every planted fault is found, and the structures without a fault pass.

use casebook_seeded::{chase_lev, lazy_list, ms_queue, treiber};
use linchpin_test::{Covered, Failed, Key, Object, Value, Way, object, role};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Result = std::result::Result<Covered, Box<Failed>>;

fn stack(fault: treiber::Fault) -> Object<treiber::Stack> {
    object(move || treiber::Stack::new(fault))
        .op("push", |stack, Value(value): Value| stack.push(value))
        .op("pop", |stack, ()| stack.pop().map(Value))
        .spec("Stack")
        .before(0..=2)
}

fn queue(fault: ms_queue::Fault) -> Object<ms_queue::Queue> {
    object(move || ms_queue::Queue::new(fault))
        .op("enq", |queue, Value(value): Value| queue.enq(value))
        .op("deq", |queue, ()| queue.deq().map(Value))
        .spec("Queue")
        .before(0..=2)
}

fn set(fault: lazy_list::Fault) -> Object<lazy_list::List> {
    object(move || lazy_list::List::new(fault))
        .op("add", |list, Key(key): Key| list.add(key))
        .op("remove", |list, Key(key): Key| list.remove(key))
        .op("contains", |list, Key(key): Key| list.contains(key))
        .spec("Set")
}

fn deque(fault: chase_lev::Fault) -> Object<Arc<chase_lev::Deque>> {
    let owner = role("owner")
        .at_most(1)
        .op("push_right", |deque: &mut Arc<chase_lev::Deque>, Value(value): Value| deque.push(value))
        .op("pop_right", |deque, ()| deque.pop().map(Value));
    let thief =
        role("thief").op("pop_left", |deque: &mut Arc<chase_lev::Deque>, ()| deque.steal().map(Value));
    object(move || Arc::new(chase_lev::Deque::new(fault)))
        .role(owner, |deque| deque.clone())
        .role(thief, |deque| deque.clone())
        .spec("Deque")
        .before(0..=2)
}

/// Real threads may need luck: their time is longer, and the table says what was found.
fn budget() -> Duration {
    Duration::from_secs(if Way::built() == Way::Threads { 20 } else { 60 })
}

/// Every planted fault, as a test that can run.
fn planted() -> Vec<(String, Box<dyn Fn() -> Result>)> {
    let mut all: Vec<(String, Box<dyn Fn() -> Result>)> = Vec::new();
    use treiber::Fault as T;
    for fault in [T::PushStores, T::PopStores, T::PopGivesUp, T::PushKeepsNext, T::Reuse] {
        all.push((format!("Treiber {fault:?}"), Box::new(move || stack(fault).budget(budget()).run())));
    }
    use ms_queue::Fault as M;
    for fault in [M::LinkStores, M::EarlyEmpty, M::HeadStores, M::WrongValue, M::NoHelp] {
        all.push((format!("MS {fault:?}"), Box::new(move || queue(fault).budget(budget()).run())));
    }
    use lazy_list::Fault as L;
    for fault in [L::NoValidation, L::NoMark, L::MarksIgnored, L::ContainsGivesUp, L::OneLock] {
        all.push((format!("lazy list {fault:?}"), Box::new(move || set(fault).budget(budget()).run())));
    }
    use chase_lev::Fault as C;
    let faults =
        [C::PopTakesLast, C::StealStores, C::TopBeforeBottom, C::BottomBeforeTop, C::BottomNotRestored];
    for fault in faults {
        all.push((format!("Chase-Lev {fault:?}"), Box::new(move || deque(fault).budget(budget()).run())));
    }
    all
}

/// Prints the table of `casebook-rust/README.md` (`--nocapture`).
#[test]
fn every_planted_fault_is_found() {
    let mut missed = Vec::new();
    println!("| fault | threads | calls | executions | seconds |\n|---|---|---|---|---|");
    for (name, run) in planted() {
        let started = Instant::now();
        match run() {
            Err(failed) => {
                let Failed { threads, calls, executions, .. } = &*failed;
                let seconds = started.elapsed().as_secs_f64();
                println!("| {name} | {threads} | {calls} | {executions} | {seconds:.1} |");
                assert!(failed.fault.is_some(), "{failed}");
            }
            Ok(covered) => {
                println!("| {name} | not found: {} executions |", covered.executions);
                missed.push(name);
            }
        }
    }
    // Real threads give a sample of schedules only.
    if Way::built() == Way::Shuttle {
        assert!(missed.is_empty(), "not found: {}", missed.join(", "));
    }
}

#[test]
fn the_stack_passes() {
    stack(treiber::Fault::None).check();
}

#[test]
fn the_queue_passes() {
    queue(ms_queue::Fault::None).check();
}

#[test]
fn the_list_passes() {
    set(lazy_list::Fault::None).check();
}

#[test]
fn the_deque_passes() {
    deque(chase_lev::Fault::None).check();
}
