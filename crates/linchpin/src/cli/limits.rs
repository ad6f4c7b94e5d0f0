//! Bounds of numbers, nesting and hash functions, and spurious wake-ups: options of `check` and `run`.

use clap::{Args, ValueEnum};
use linchpin_ir::types::Word;

/// The bounds of a `check` block beyond threads, nodes, values and keys. `None`: as the block says.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Bounds")]
pub struct Limits {
    /// Greatest value of `int`; a greater one cuts the execution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(Word).range(0..))]
    pub ints: Option<Word>,
    /// Modulus of `age` (default: exact ages)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ages: Option<u32>,
    /// Greatest number of nested calls of functions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Let waiting threads wake up spuriously (`--spurious=off`: not)
    #[arg(long, value_enum, value_name = "SWITCH", num_args = 0..=1, require_equals = true,
        default_missing_value = "on", hide_possible_values = true)]
    pub spurious: Option<Switch>,
    /// Hash functions: `given` by the model, or `any`
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true)]
    pub hashes: Option<Hashes>,
}

/// A switch of a `check` block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

impl Switch {
    pub fn is_on(self) -> bool {
        self == Switch::On
    }
}

/// The hash functions of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Hashes {
    Given,
    Any,
}

impl Limits {
    /// Returns whether no bound is given.
    pub fn is_empty(&self) -> bool {
        let Limits { ints, ages, depth, spurious, hashes } = self;
        ints.is_none() && ages.is_none() && depth.is_none() && spurious.is_none() && hashes.is_none()
    }
}
