//! `concurrent-queue`: no violation.

use concurrent_queue::ConcurrentQueue;
use linchpin_test::{Value, model, object};
use std::collections::VecDeque;

#[test]
fn unbounded_is_a_queue() {
    object(ConcurrentQueue::unbounded)
        .op("enq", |queue, value: Value| {
            let _ = queue.push(value);
        })
        .op("deq", |queue, ()| queue.pop().ok())
        .spec("Queue")
        .check();
}

#[test]
fn bounded_is_a_bounded_queue() {
    object(|| ConcurrentQueue::bounded(2))
        .op("push", |queue, value: Value| queue.push(value).is_ok())
        .op("pop", |queue, ()| queue.pop().ok())
        .spec(
            model(VecDeque::new)
                .adding("push", |items, value: Value| {
                    let has_room = items.len() < 2;
                    if has_room {
                        items.push_back(value);
                    }
                    has_room
                })
                .op("pop", |items, ()| items.pop_front()),
        )
        .before(0..=2)
        .check();
}
