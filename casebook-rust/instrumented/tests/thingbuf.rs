//! `thingbuf` 0.1.5: a push to a full buffer spins for ever (hawkw/thingbuf 83; repaired in 0.1.6).
//!
//! The specification of the first test lets `push` and `pop` fail at any time, so it sees only calls that never
//! return, and values in the wrong order.

use casebook_instrumented::Bounded;
use linchpin_test::{Fault, Object, Value, object};
use thingbuf::ThingBuf;

fn buffer(may_fail: bool) -> Object<ThingBuf<Option<Value>>> {
    object(|| ThingBuf::new(2))
        .op("push", |buffer, value: Value| buffer.push(Some(value)).is_ok())
        .op("pop", |buffer, ()| buffer.pop().flatten())
        .spec(Bounded { capacity: 2, push_may_fail: may_fail, pop_may_fail: may_fail })
        .before(0..=2)
}

#[test]
fn a_push_to_a_full_buffer_spins() {
    match buffer(true).run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Stuck(_))), "{failed}");
        }
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}

#[test]
fn push_fails_although_the_buffer_is_not_full() {
    match buffer(false).run() {
        Err(failed) => println!("{failed}"),
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}
