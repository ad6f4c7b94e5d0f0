//! `crossbeam-deque` 0.8.0: a task is popped twice (RUSTSEC-2021-0093).
//!
//! `steal` reads the buffer, then the value, then moves the front. In between the owner may empty the deque,
//! which makes the buffer smaller, and push again. Then the thief reads the old buffer: it returns a
//! value that the owner has popped, and the new value is lost.
//!
//! `prepare` sets the smallest buffer to 2 places instead of 64. The fault is the same with 64, with longer
//! scenarios.

use crossbeam_deque::{Steal, Stealer, Worker};
use linchpin_test::{Fault, Object, Value, object, role};

struct Deque {
    worker: Option<Worker<Value>>,
    stealer: Stealer<Value>,
}

fn deque() -> Object<Deque> {
    let owner = role("owner")
        .at_most(1)
        .op("push_right", |worker: &mut Worker<Value>, value: Value| worker.push(value))
        .op("pop_right", |worker, ()| worker.pop());
    let thief = role("thief").op("pop_left", |stealer: &mut Stealer<Value>, ()| {
        loop {
            match stealer.steal() {
                Steal::Success(value) => return Some(value),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    });
    let make = || {
        let worker = Worker::new_lifo();
        let stealer = worker.stealer();
        Deque { worker: Some(worker), stealer }
    };
    object(make)
        .role(owner, |deque| deque.worker.take().expect("there is one owner"))
        .role(thief, |deque| deque.stealer.clone())
        .spec("Deque")
        .setup("push_right", 3)
        .setup("pop_right", 2)
        .before(0..=0)
        .threads(2)
}

#[test]
fn a_task_is_popped_twice() {
    match deque().run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Illegal(_))));
        }
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}
