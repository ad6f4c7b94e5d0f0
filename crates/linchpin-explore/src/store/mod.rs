//! The visited set: every node of the search once, in full, in shards that workers fill in parallel.
//!
//! A *node* is an encoded state ([`crate::reduce::Canonicalizer`]) and a monitor state. A shard keeps
//! its nodes one after the other, in the order of insertion, in chunks that never move:
//!
//! ```text
//! | monitor and mark (4 bytes) | length (1 to 5) | the state's bytes | …
//! ```
//!
//! The table of a shard finds nodes by the hash of their state alone, since pruning needs all nodes of a
//! state. States are compared in full, so a hash collision never merges two states. A level of the search is
//! a range of each shard.
//!
//! The last bytes of a state may be its *tail*: the preemption state of [`crate::expand`]. The tail
//! distinguishes nodes of one state, as the monitor state does.
//!
//! | file | contents |
//! |---|---|
//! | [`node`] | offsets and encoding of nodes |
//! | [`shard`] | one shard |
//! | [`visited_set`] | all shards |

mod node;
mod shard;
mod visited_set;

pub use node::{NodeId, NodeOffset, StoredNode, Tag};
pub use shard::{Inserted, Shard};
pub use visited_set::{SHARDS, VisitedSet};
