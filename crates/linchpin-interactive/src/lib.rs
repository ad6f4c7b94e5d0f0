//! Explores the executions of a model by hand.
//!
//! A [`Session`] is an execution that grows by one move at a time: each thread, each call, each choice of the
//! plain semantics, without reductions. A [`question`] searches from the present state. Two dialogues use a
//! session: a page on the loopback address ([`server`]) and lines of text ([`text`]).
//!
//! | module | contents |
//! |---|---|
//! | [`configurations`] | what the specification may have done so far |
//! | [`session`] | the execution, its moves, going back |
//! | [`question`] | "from here, is there an execution that …" |
//! | [`asking`] | a question in a thread of its own |
//! | [`view`] | what a dialogue shows |
//! | [`save`] | the execution as a trace |
//! | [`text`] | the dialogue in lines of text |
//! | [`server`] | the dialogue as a page |

pub mod asking;
pub mod configurations;
pub mod question;
pub mod save;
pub mod server;
pub mod session;
pub mod text;
mod view;

pub use session::Session;
