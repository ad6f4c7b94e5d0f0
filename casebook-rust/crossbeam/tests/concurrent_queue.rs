//! `concurrent-queue`: no violation.

use concurrent_queue::ConcurrentQueue;
use linchpin_test::{Value, object};

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
