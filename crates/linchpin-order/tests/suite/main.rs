//! The tests of `linchpin-order`, in one binary.

mod agreement;
mod brute_force;
mod deciders;
mod logs;
mod objects;
mod random;
mod verdicts;
