//! Writes values as bytes such that different values have different bytes.
//!
//! Numbers are 8 bytes, the lowest byte first. Texts and lists begin with their length. An optional value
//! begins with a byte that says whether it is there. A variant of an enum begins with its number. So no value
//! is the beginning of another value of its type, and the bytes of a sequence of values determine the values.

use linchpin_ir::index::Index;

/// The bytes of the values written so far.
#[derive(Default)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
}

/// A value that has an encoding. Spans have none: they do not change the meaning of a program.
pub(super) trait Encode {
    fn encode(&self, to: &mut Encoder);
}

impl Encoder {
    /// Writes the fixed number of a variant.
    pub fn variant(&mut self, number: u8) {
        self.bytes.push(number);
    }

    pub fn flag(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    pub fn unsigned(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub fn signed(&mut self, value: i64) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Writes a length, an offset or a position. These fit into 64 bits on every platform.
    pub fn size(&mut self, value: usize) {
        self.unsigned(u64::try_from(value).unwrap_or(u64::MAX));
    }

    pub fn index(&mut self, value: impl Index) {
        self.size(value.index());
    }

    pub fn text(&mut self, text: &str) {
        self.size(text.len());
        self.bytes.extend(text.as_bytes());
    }

    /// Writes a list with its length.
    pub fn list<'a, T: Encode + 'a>(&mut self, items: impl ExactSizeIterator<Item = &'a T>) {
        self.size(items.len());
        items.for_each(|item| item.encode(self));
    }

    /// Writes a list of indices with its length.
    pub fn indices<I: Index>(&mut self, items: &[I]) {
        self.size(items.len());
        items.iter().for_each(|item| self.index(*item));
    }

    pub fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Encoder, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Returns the FNV-1a hash of the bytes, in 64 bits.
    pub fn hash(&self) -> u64 {
        self.bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, to: &mut Encoder) {
        to.optional(self.as_ref(), |to, value| value.encode(to));
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, to: &mut Encoder) {
        (**self).encode(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
        let mut to = Encoder::default();
        write(&mut to);
        to.bytes
    }

    /// Lengths keep neighbouring values apart.
    #[test]
    fn neighbours_do_not_merge() {
        let texts = |one: &str, other: &str| {
            bytes(|to| {
                to.text(one);
                to.text(other);
            })
        };
        assert_ne!(texts("ab", "c"), texts("a", "bc"));
        assert_ne!(texts("", "a"), texts("a", ""));
        let optional = |value: Option<u64>| bytes(|to| to.optional(value, Encoder::unsigned));
        assert_ne!(optional(None), optional(Some(0)));
        assert_ne!(bytes(|to| to.signed(-1)), bytes(|to| to.signed(1)));
    }

    /// The published test vectors of 64-bit FNV-1a.
    #[test]
    fn the_hash_is_fnv_1a() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let encoder = Encoder { bytes: text.as_bytes().to_vec() };
            assert_eq!(encoder.hash(), hash, "{text}");
        }
    }
}
