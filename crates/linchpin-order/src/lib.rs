//! Histories of concurrent calls over plain Rust types, and the search for a legal order.

pub mod stop;
