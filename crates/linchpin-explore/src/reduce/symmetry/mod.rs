//! Symmetries of a program: interchangeable threads and values, and how states are renamed.

mod data;
mod rename;
mod threads;

pub use data::DataSymmetry;
pub use rename::{rename_data, rename_spec_data};
pub use threads::{ThreadSymmetry, rename_spec_threads, rename_threads};
