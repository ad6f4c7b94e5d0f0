//! `thingbuf` 0.1.5: a push to a full buffer spins for ever (hawkw/thingbuf 83; repaired in 0.1.6).
//!
//! A slot whose reference a reader keeps is skipped by later pushes. In 0.1.5 a push to a full buffer with
//! such a slot does not end. The specification of the first test accepts every result, so it sees only calls
//! that never return.
//!
//! The second test shows what bounded queues of this kind do: a `push` fails while a `pop` is under way,
//! although the buffer is not full any more.

use casebook_instrumented::{Anything, Bounded};
use linchpin_test::{Fault, Value, object};
use thingbuf::ThingBuf;

#[test]
fn a_push_to_a_full_buffer_spins() {
    let test = object(|| ThingBuf::<Option<Value>>::new(2))
        .op("push", |buffer, value: Value| buffer.push(Some(value)).is_ok())
        .op("pop", |buffer, ()| buffer.pop().flatten())
        .op("keep", |buffer, ()| {
            let slot = buffer.pop_ref()?;
            let value = *slot;
            std::mem::forget(slot);
            value
        })
        .spec(Anything)
        .setup("push", 2)
        .before(0..=0);
    match test.run() {
        Err(failed) => {
            println!("{failed}");
            assert!(matches!(failed.fault, Some(Fault::Stuck(_))), "{failed}");
        }
        Ok(covered) => panic!("{covered}"),
    }
}

#[test]
fn push_fails_although_the_buffer_is_not_full() {
    let test = object(|| ThingBuf::new(2))
        .op("push", |buffer, value: Value| buffer.push(Some(value)).is_ok())
        .op("pop", |buffer, ()| buffer.pop().flatten())
        .spec(Bounded { capacity: 2, push_may_fail: false, pop_may_fail: false })
        .before(0..=2);
    match test.run() {
        Err(failed) => println!("{failed}"),
        Ok(covered) => assert!(!cfg!(linchpin_way = "shuttle"), "{covered}"),
    }
}
