//! A panicking worker ends the run: there is no verdict without its part. Schedules one at a time agree with
//! all at once.

use crate::engine::support::{Text, finding, holds, request, violated};
use linchpin_engine::Silent;
use linchpin_explore::{ClientRequest, Pass, Reductions, Request, check};
use linchpin_ir::property::Property;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn a_panic_is_no_verdict() {
    let model = Text::of("treiber_stack");
    let asked = [(Property::Linearizable, Pass::Search), (Property::LockFree, Pass::Progress)];
    for (property, pass) in asked {
        for jobs in [1, 2] {
            let reductions = Reductions::NONE;
            let request = Request { jobs, reductions, ..request(property, (3, 3, 2)) };
            let answer = |planted: Option<Pass>| {
                let request = Request { planted, ..request.clone() };
                catch_unwind(AssertUnwindSafe(|| {
                    check(&model, &request, &crate::engine::support::unlimited(), &mut Silent).is_ok()
                }))
            };
            assert!(matches!(answer(None), Ok(true)), "{property}, {jobs}");
            let panic = answer(Some(pass)).expect_err("no verdict");
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(message.contains("a planted panic"), "{property}, {jobs}: {message}");
        }
    }
}

/// A thread that has made its calls owes no call. The remaining thread spins for ever, and that is fair.
#[test]
fn who_has_made_its_calls_owes_nothing() {
    let gate = "object Gate: Spec; role one: 1 = pass; role others = look raise; \
                spec Spec { state up: bool; op pass() when up { } op look() -> bool { return up; } op raise() { up = true; } } \
                shared up: bool; op pass() { while !up {} } op look() -> bool { let r = up; return r; } op raise() { up = true; }";
    let client = ClientRequest::Schedules { steps: 3..=3, preadds: 0..=0, restrictions: Vec::new() };
    for (property, fair) in
        [(Property::StarvationFree, false), (Property::Terminating, true), (Property::LockFree, true)]
    {
        let request = Request { client: client.clone(), fair, ..request(property, (2, 1, 1)) };
        assert!(violated(&finding(&Text::new(gate), &request)), "{property}");
    }
}

/// The result of a call depends on its thread only, and threads are distinguished.
#[test]
fn specifications_that_say_me() {
    let marks = "object Marks: Spec; spec Spec { state signed: [bool; threads]; \
                 op sign() -> bool { let r = signed[me]; signed[me] = true; return r; } } \
                 shared signed: [bool; threads]; \
                 op sign() -> bool { let r = signed[me]; signed[me] = true; return r; }";
    let wrong = "object Marks: Spec; spec Spec { state signed: [bool; threads]; \
                 op sign() -> bool { let r = signed[me]; signed[me] = true; return r; } } \
                 shared any: bool; op sign() -> bool { let r = any; any = true; return r; }";
    let client = ClientRequest::Schedules { steps: 2..=3, preadds: 0..=0, restrictions: Vec::new() };
    for symmetry in [false, true] {
        for property in [Property::QuiescentlyConsistent, Property::BarrierConsistent] {
            let mut request = Request { client: client.clone(), ..request(property, (2, 1, 1)) };
            request.reductions.symmetry = symmetry;
            let right = finding(&Text::new(marks), &request);
            assert!(holds(&right), "{property}: {:?}", right.verdict());
            assert!(violated(&finding(&Text::new(wrong), &request)), "{property}");
        }
    }
}
