//! Partial-order reduction: [`movers`] finds local steps, [`sharing`] finds the cells that one thread alone
//! can reach.

mod movers;
mod sharing;

pub use movers::Movers;
pub use sharing::HeapSharing;
