//! The trusted checker of certificates and the gate. This crate is the only maker of a [`Proof`].
//!
//! Each proof method has a checker: [`pairs`], [`sets`], [`cmp`]. A checker checks a certificate for all sizes, without
//! code of any engine. The [`gate`] then compares the certificate with all states of small instances, using
//! only the plain semantics. A checker and the gate do not use each other: a bug of one does not hide in the
//! other. A [`Proof`] exists only if both accept ([`certify`]).
//!
//! No other code can construct a [`Proof`]: its fields and its constructor are private to the module that
//! contains [`certify`]. The following does not compile:
//!
//! ```compile_fail,E0624
//! use linchpin_certify::Proof;
//! use linchpin_ir::property::Property;
//!
//! let proof = Proof::new(Property::Linearizable, "pairs"); // error: associated function `new` is private
//! ```
//!
//! Nor does this:
//!
//! ```compile_fail,E0451
//! use linchpin_certify::Proof;
//! use linchpin_ir::property::Property;
//!
//! let proof = Proof { property: Property::Linearizable, method: "pairs".into() }; // error: fields are private
//! ```
//!
//! Reading a proof compiles:
//!
//! ```
//! use linchpin_certify::Proof;
//! use linchpin_ir::property::Property;
//!
//! fn property_of(proof: &Proof) -> Property {
//!     proof.property()
//! }
//! ```

pub mod certificate;
pub mod cmp;
pub mod cmp_certificate;
pub mod gate;
pub mod observer_adequacy;
pub mod pairs;
mod proof;
pub mod set_certificate;
pub mod sets;

pub use pairs::{CheckError, check};
pub use proof::{CertificateError, Certified, Proof, certify, certify_cmp, certify_set};
