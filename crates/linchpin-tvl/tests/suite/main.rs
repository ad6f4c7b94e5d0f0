//! The tests of `linchpin-tvl`, in one binary.

mod abstraction;
mod coerce;
mod difference;
mod embedding;
mod focus;
mod naive;
mod random;
mod schemata;
mod states;
mod update;
