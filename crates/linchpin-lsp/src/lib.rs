//! A language server for models, over the protocol of language servers.
//!
//! The server is synchronous: it answers one request after the other. It reads ahead, so that a request that
//! was cancelled is not answered, and that diagnostics are computed for the last of several changes. Searches
//! run in processes of their own, under a budget, and only on request: opening a file starts none.
//!
//! | module | contents |
//! |---|---|
//! | [`position`] | positions of the protocol in a text |
//! | [`address`] | addresses of files |
//! | [`documents`] | open texts, and modules from texts, files and the catalogue |
//! | [`analysis`] | the tree, the findings and the names of one model |
//! | [`findings`] | findings as diagnostics |
//! | [`navigate`] | definition, references, rename |
//! | [`describe`] | hover |
//! | [`complete`] | completion |
//! | [`outline`] | symbols, semantic tokens, lenses, formatting |
//! | [`job`] | `check` and `prove` as processes |
//! | [`server`] | the loop |

mod address;
mod analysis;
mod complete;
mod describe;
mod documents;
mod findings;
mod job;
mod navigate;
mod outline;
mod position;
pub mod server;

pub use server::{Ended, serve};
