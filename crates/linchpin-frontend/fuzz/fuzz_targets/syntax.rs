//! Looks for a text that breaks a law of parsing or formatting. The property tests call the same function.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_frontend::syntax::fuzzing::check_syntax;

fuzz_target!(|text: &str| {
    if let Err(law) = check_syntax(text) {
        panic!("{law}");
    }
});
