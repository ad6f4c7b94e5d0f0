//! Normal forms: states up to the names of cells, handles and ages.

pub mod ages;
pub mod compact;
pub mod encode;
pub mod normalise;
