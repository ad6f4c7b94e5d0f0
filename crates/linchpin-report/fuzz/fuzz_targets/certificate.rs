//! Looks for a text that breaks a law of the reader of a certificate. The property tests call the same
//! function.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_report::fuzzing::check_certificate;

fuzz_target!(|text: &str| {
    if let Err(law) = check_certificate(text) {
        panic!("{law}");
    }
});
