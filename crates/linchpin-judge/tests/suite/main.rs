//! The tests of `linchpin-judge`, in one binary.

mod history_and_replay;
mod observers;
