//! The tests of `linchpin-prove`, in one binary.

mod local;
mod prove;
mod random_proofs;
