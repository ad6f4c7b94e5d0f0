//! From a violation in the reduced graph to the one execution that is shown.
//!
//! | file | contents |
//! |---|---|
//! | [`witness`] | the path in the reduced graph with the fewest context switches |
//! | [`concretise`] | the choices of an execution of the plain semantics along a path |

mod concretise;
mod witness;

pub use concretise::{Choices, ConcretePosition};
pub use witness::Path;
