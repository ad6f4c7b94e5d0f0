//! Steps, tested from outside: small programs in the language, and laws on the whole catalogue.

mod blocking;
mod clients;
mod errors;
mod laws;
mod memory;
mod specs;
mod steps;
mod support;
mod values;
