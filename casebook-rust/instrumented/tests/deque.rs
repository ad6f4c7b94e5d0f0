//! `crossbeam-deque` 0.8.0: a task is popped twice (RUSTSEC-2021-0093).
//!
//! `steal_batch` of a LIFO deque reads the buffer once, and then steals one value after the other. In between
//! the owner may pop, which makes the buffer smaller, and push. Then the thief reads a value of the old
//! buffer: the owner has popped it already, and the new value is lost.
//!
//! `prepare` sets the smallest buffer to 2 places instead of 64. The fault is the same with 64, with longer
//! scenarios. A batch is not one step, so the test follows tokens: each comes out at most once.

use casebook_instrumented::Anything;
use crossbeam_deque::{Stealer, Worker};
use linchpin_test::{Fault, Object, Token, object, role};

struct Deque {
    worker: Option<Worker<Token>>,
    stealer: Stealer<Token>,
}

fn deque() -> Object<Deque> {
    let owner = role("owner")
        .at_most(1)
        .op("push", |worker: &mut Worker<Token>, token: Token| worker.push(token))
        .op("pop", |worker, ()| worker.pop());
    let thief = role("thief").op("steal_batch", |stealer: &mut Stealer<Token>, ()| {
        let own = Worker::new_lifo();
        let _ = stealer.steal_batch(&own);
        std::iter::from_fn(|| own.pop()).collect::<Vec<Token>>()
    });
    let make = || {
        let worker = Worker::new_lifo();
        let stealer = worker.stealer();
        Deque { worker: Some(worker), stealer }
    };
    object(make)
        .role(owner, |deque| deque.worker.take().expect("there is one owner"))
        .role(thief, |deque| deque.stealer.clone())
        .spec(Anything)
        .setup("push", 5)
        .setup("pop", 2)
        .before(0..=0)
        .threads(2)
        .preemptions(1)
        .budget(std::time::Duration::from_secs(20))
}

#[test]
fn a_task_is_popped_twice() {
    match deque().run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Twice(_))), "{failed}");
        }
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}
