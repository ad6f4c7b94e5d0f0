//! Looks for a text that breaks a law of the reader of a recorded history. The property tests call the same
//! function.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_report::recorded::fuzzing::check;

fuzz_target!(|text: &str| {
    if let Err(law) = check(text) {
        panic!("{law}");
    }
});
