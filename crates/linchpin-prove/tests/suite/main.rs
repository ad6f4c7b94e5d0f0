//! The tests of `linchpin-prove`, in one binary.

mod lemma;
mod local;
mod prove;
mod random_proofs;
