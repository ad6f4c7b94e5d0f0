//! `crossbeam-queue`: no violation.

use casebook_instrumented::Bounded;
use crossbeam_queue::{ArrayQueue, SegQueue};
use linchpin_test::{Value, object};

#[test]
fn seg_queue_is_a_queue() {
    object(SegQueue::new)
        .op("enq", |queue, value: Value| queue.push(value))
        .op("deq", |queue, ()| queue.pop())
        .spec("Queue")
        .check();
}

#[test]
fn array_queue_is_a_bounded_queue() {
    object(|| ArrayQueue::new(2))
        .op("push", |queue, value: Value| queue.push(value).is_ok())
        .op("pop", |queue, ()| queue.pop())
        .spec(Bounded { capacity: 2, push_may_fail: false, pop_may_fail: false })
        .before(0..=2)
        .check();
}
