//! The texts that every program may use, in the language itself: the module `std`, and the library
//! specifications. A specification of the library is found by name without a `use`.

pub(super) const STD: &str = "std";

pub(super) const STD_TEXT: &str = include_str!("../../library/std.lin");

pub const SPECIFICATIONS_TEXT: &str = include_str!("../../library/specs.lin");
