//! The tests of `linchpin-explore`, in one binary.

mod ages;
mod engine;
mod mutants;
mod optional_results;
mod oracle;
mod reduce;
mod reductions;
