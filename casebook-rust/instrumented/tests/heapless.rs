//! `heapless::mpmc::Queue`: `enqueue` fails although the queue is not full (rust-embedded/heapless 583).
//!
//! `dequeue` claims its place first, and releases it later. In between the place is neither full nor free. A
//! second `dequeue` may overtake the first and return. Then the queue is not full, but `enqueue` finds the
//! place of the first one still taken. So also `dequeue` returns `None` while an `enqueue` is under way,
//! although a later `enqueue` has returned. The first test allows that, and sees the failing `enqueue` alone.

#![allow(deprecated, reason = "the deprecation names the same weakness")]

use casebook_instrumented::Bounded;
use heapless::mpmc::Queue;
use linchpin_test::{Fault, Object, Value, object};

fn queue(pop_may_fail: bool) -> Object<Queue<Value, 2>> {
    object(Queue::new)
        .op("push", |queue, value: Value| queue.enqueue(value).is_ok())
        .op("pop", |queue, ()| queue.dequeue())
        .spec(Bounded { capacity: 2, push_may_fail: false, pop_may_fail })
        .before(0..=2)
}

fn fails(test: Object<Queue<Value, 2>>, what: &str) {
    match test.run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Illegal(_))));
            assert!(failed.to_string().contains(what), "{failed}");
        }
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}

#[test]
fn push_fails_although_the_queue_is_not_full() {
    fails(queue(true), "must return true, but returned false");
}

#[test]
fn pop_finds_nothing_although_the_queue_is_not_empty() {
    fails(queue(false), "but returned none");
}
