//! Strings of bits, written and read from the lowest bit of each byte up.

#[derive(Default, Debug)]
pub(super) struct BitWriter {
    pub bytes: Vec<u8>,
    /// The unfinished bits. A writer of many codes copies the cursor out and back.
    pub cursor: Cursor,
}

/// The bits after the last whole word of `BitWriter::bytes`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Cursor {
    pending: u64,
    /// The number of bits in `pending`; fewer than 64.
    used: u32,
}

/// A position in the written bits, for [`BitWriter::rewind`].
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Mark {
    bytes: usize,
    cursor: Cursor,
}

impl Cursor {
    /// Appends the lowest `bits` bits of a code; at most 32.
    #[inline(always)]
    pub fn put(&mut self, bytes: &mut Vec<u8>, code: u32, bits: u32) {
        debug_assert!(bits <= 32 && (bits == 32 || code < 1 << bits));
        self.pending |= u64::from(code) << self.used;
        self.used += bits;
        if self.used >= 64 {
            *self = self.flushed(bytes, code, bits);
        }
    }

    #[inline(never)]
    fn flushed(self, bytes: &mut Vec<u8>, code: u32, bits: u32) -> Cursor {
        bytes.extend_from_slice(&self.pending.to_le_bytes());
        let used = self.used - 64;
        // The bits of the code that did not fit.
        Cursor { pending: u64::from(code) >> (bits - used), used }
    }
}

impl BitWriter {
    pub fn begin(&mut self) {
        self.rewind(Mark::default());
    }

    pub fn mark(&self) -> Mark {
        Mark { bytes: self.bytes.len(), cursor: self.cursor }
    }

    /// Removes everything written after a mark.
    pub fn rewind(&mut self, mark: Mark) {
        self.bytes.truncate(mark.bytes);
        self.cursor = mark.cursor;
    }

    /// Returns the number of bits written.
    pub fn length(&self) -> usize {
        8 * self.bytes.len() + self.cursor.used as usize
    }

    /// Appends the lowest `bits` bits of a code; at most 32.
    #[inline(always)]
    pub fn put(&mut self, code: u32, bits: u32) {
        self.cursor.put(&mut self.bytes, code, bits);
    }

    /// Appends a number of any size: groups of three bits, each followed by a bit that is 1 if more groups
    /// follow.
    pub fn put_elastic(&mut self, mut code: u32) {
        loop {
            let more = code >= 8;
            self.put(code & 7 | u32::from(more) << 3, 4);
            code >>= 3;
            if !more {
                return;
            }
        }
    }

    /// Replaces `out` by the bits, padded with zeros to whole bytes.
    pub fn copy_to(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.bytes);
        let Cursor { pending, used } = self.cursor;
        out.extend_from_slice(&pending.to_le_bytes()[..used.div_ceil(8) as usize]);
    }
}

pub(super) struct BitReader<'a> {
    /// The bytes that are not yet in `pending`.
    bytes: &'a [u8],
    pending: u64,
    /// The number of bits in `pending`.
    left: u32,
    /// The number of bits taken.
    taken: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, pending: 0, left: 0, taken: 0 }
    }

    /// Takes at most 32 bits. After the end all bits are 0.
    #[inline(always)]
    pub fn take(&mut self, bits: u32) -> u32 {
        if self.left < bits {
            self.refill();
        }
        let code = self.pending & ((1 << bits) - 1);
        self.pending >>= bits;
        self.left -= bits;
        self.taken += bits as usize;
        low_half(code)
    }

    fn refill(&mut self) {
        let (word, rest) = match self.bytes.split_first_chunk::<4>() {
            Some((bytes, rest)) => (u32::from_le_bytes(*bytes), rest),
            None => (self.bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)), &[][..]),
        };
        self.pending |= u64::from(word) << self.left;
        self.left += 32;
        self.bytes = rest;
    }

    pub fn take_elastic(&mut self) -> u32 {
        let (mut code, mut shift) = (0, 0);
        loop {
            let group = self.take(4);
            code |= (group & 7) << shift.min(31);
            shift += 3;
            if group & 8 == 0 || shift > 33 {
                return code;
            }
        }
    }

    /// Returns the number of bytes read, padding included.
    pub fn length(&self) -> usize {
        self.taken.div_ceil(8)
    }
}

fn low_half(code: u64) -> u32 {
    u32::try_from(code & 0xffff_ffff).expect("32 bits are left")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(parts in proptest::collection::vec((any::<u32>(), 0u32..=32, any::<bool>()), 0..40)) {
            let mut writer = BitWriter::default();
            writer.begin();
            let cut = |code: u32, bits: u32| low_half(u64::from(code) & ((1u64 << bits) - 1));
            for &(code, bits, elastic) in &parts {
                if elastic { writer.put_elastic(code) } else { writer.put(cut(code, bits), bits) }
            }
            let mut bytes = Vec::new();
            writer.copy_to(&mut bytes);
            let mut reader = BitReader::new(&bytes);
            for &(code, bits, elastic) in &parts {
                if elastic {
                    prop_assert_eq!(reader.take_elastic(), code);
                } else {
                    prop_assert_eq!(reader.take(bits), cut(code, bits));
                }
            }
            prop_assert_eq!(reader.length(), bytes.len());
        }
    }
}
