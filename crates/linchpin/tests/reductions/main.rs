//! Reductions change nothing but the cost: symmetry, partial order and jobs against the plain search, on random objects and on
//! the catalogue.

mod agree;
mod catalogue;
#[expect(dead_code, reason = "stuck states are judged by the oracle, which shares this")]
mod endless;
mod model;
mod objects;
mod progress;
mod random;
mod statistics;
mod traps;
