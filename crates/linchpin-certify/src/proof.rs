//! A proof for all sizes.

use linchpin_ir::property::Property;
use std::sync::Arc;

/// A certificate that was checked. The only maker is the room `certify`: the constructor is not visible outside this crate, and
/// nothing else in it calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    property: Property,
    method: Arc<str>,
}

impl Proof {
    pub(crate) fn new(property: Property, method: &str) -> Proof {
        Proof { property, method: method.into() }
    }

    pub fn property(&self) -> Property {
        self.property
    }

    /// How it was proved: `pairs`, `canonical`, `cmp`.
    pub fn method(&self) -> &Arc<str> {
        &self.method
    }
}
