//! `thingbuf` 0.1.5: a push to a full buffer spins for ever (hawkw/thingbuf 83).

use linchpin_test::{Object, Value, model, object};
use std::collections::VecDeque;
use thingbuf::ThingBuf;

const CAPACITY: usize = 2;

fn buffer() -> Object<ThingBuf<Option<Value>>> {
    object(|| ThingBuf::new(CAPACITY))
        .op("push", |buffer, value: Value| buffer.push(Some(value)).is_ok())
        .op("pop", |buffer, ()| buffer.pop().flatten())
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
fn a_push_to_a_full_buffer_spins() {
    match buffer().run() {
        Err(failed) => {
            println!("{failed}");
            assert!(failed.fault.is_some());
        }
        Ok(covered) => println!("{covered}"),
    }
}
