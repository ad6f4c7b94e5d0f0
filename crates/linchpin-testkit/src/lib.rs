//! Shared by the tests of several crates: random programs, a reference interpreter, naive judges.

pub mod agreement;
pub mod large_histories;
pub mod precedence;
pub mod random_programs;
pub mod reference;
