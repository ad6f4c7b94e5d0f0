//! `heapless::mpmc::Queue`: `enqueue` fails although the queue is not full (rust-embedded/heapless 583).
//!
//! `dequeue` claims its place first, and releases it later. In between the place is neither full nor free. A
//! second `dequeue` may overtake the first and return. Then the queue is not full, but `enqueue` finds the
//! place of the first one still taken.

use heapless::mpmc::Queue;
use linchpin_test::{Fault, Object, Value, model, object};
use std::collections::VecDeque;

const CAPACITY: usize = 2;

fn queue() -> Object<Queue<Value, CAPACITY>> {
    object(Queue::new)
        .op("push", |queue, value: Value| queue.enqueue(value).is_ok())
        .op("pop", |queue, ()| queue.dequeue())
        .spec(
            model(VecDeque::new)
                .adding("push", |items, value: Value| {
                    let has_room = items.len() < CAPACITY;
                    if has_room {
                        items.push_back(value);
                    }
                    has_room
                })
                .op("pop", |items, ()| items.pop_front()),
        )
        .before(0..=2)
}

#[test]
fn push_fails_although_the_queue_is_not_full() {
    match queue().run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Illegal(_))));
        }
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}
