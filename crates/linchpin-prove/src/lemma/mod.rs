//! Lemmas: guessed from samples of bounded runs, proved by a prover, checked with its certificate.
//!
//! **Claim.** Nothing here is trusted. A lemma that the room returns is a guess that no given sample
//! falsifies. A prover may use it only as a claim of its certificate: assumed of the state before a step,
//! shown of the state after the step, for every thread. A wrong guess costs time.
//!
//! **Two forms.** A *thread lemma* belongs to a rest of an operation: whenever a thread rests there, the
//! premises imply the conclusion. A *cell lemma* is claimed of every cell of the heap, and may name the
//! cell's successor. A literal whose terms have no value (a field behind null) is not true, and neither is
//! its negation. So `pred.next == curr` also says that `pred` is not null.
//!
//! | module | contents |
//! |---|---|
//! | [`syntax`] | lemmas as data |
//! | [`notation`] | print and parse: `parse(print(lemma)) = lemma` |
//! | [`vocabulary`] | the literals that a program suggests |
//! | [`evaluate`] | whether a lemma is true in a sample |
//! | [`pool`] | the lemmas that no sample falsifies |
//! | [`mod@weaken`] | drops lemmas until a prover shows the rest |

pub mod evaluate;
pub mod notation;
pub mod pool;
pub mod syntax;
pub mod vocabulary;
pub mod weaken;

pub use evaluate::{Reader, Scene, Truth};
pub use notation::{Printer, parse};
pub use pool::{LemmaPool, PoolLimits, mine};
pub use syntax::{Atom, Lemma, Literal, Operand, Place, Root, Term};
pub use weaken::{LemmaProver, Weakened, weaken};
