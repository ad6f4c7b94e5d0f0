//! A proof for all sizes.

use super::property::Property;
use std::sync::Arc;

/// A certificate that was checked. There is no way to make one but to check a certificate, and as long as nothing in this
/// crate does that, there are none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    property: Property,
    method: Arc<str>,
}

impl Proof {
    pub fn property(&self) -> Property {
        self.property
    }

    /// How it was proved: `pairs`, `canonical`, `cmp`.
    pub fn method(&self) -> &Arc<str> {
        &self.method
    }
}
