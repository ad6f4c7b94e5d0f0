//! The tests of `linchpin-judge`, in one binary.

mod fingerprint;
mod history_and_replay;
mod observers;
