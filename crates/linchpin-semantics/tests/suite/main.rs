//! The tests of `linchpin-semantics`, in one binary.

mod steps_and_laws;
