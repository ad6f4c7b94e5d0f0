//! Strings of bits, written and read from the lowest bit of each byte up.

#[derive(Default, Debug)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    used: u32,
}

impl BitWriter {
    pub fn begin(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.used = 0;
    }

    /// Appends the lowest `bits` bits of a code; at most 32.
    #[inline(always)]
    pub fn put(&mut self, code: u32, bits: u32) {
        debug_assert!(bits <= 32 && (bits == 32 || code < 1 << bits));
        self.pending |= u64::from(code) << self.used;
        self.used += bits;
        if self.used >= 32 {
            self.bytes.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.used -= 32;
        }
    }

    /// Any number: three bits at a time, and one that says whether more follow.
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

    /// The string, padded with zeros to a whole number of bytes. What `out` held is lost, its buffer used again.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let rest = self.used.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..rest]);
        std::mem::swap(out, &mut self.bytes);
    }
}

pub(super) struct BitReader<'a> {
    /// What is not yet in `pending`.
    bytes: &'a [u8],
    pending: u64,
    /// Bits of `pending`.
    left: u32,
    /// Bits that were taken.
    taken: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, pending: 0, left: 0, taken: 0 }
    }

    /// At most 32; behind the end there are zeros.
    #[inline(always)]
    pub fn take(&mut self, bits: u32) -> u32 {
        if self.left < bits {
            self.refill();
        }
        let code = self.pending & ((1 << bits) - 1);
        self.pending >>= bits;
        self.left -= bits;
        self.taken += bits as usize;
        code as u32
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

    /// How many bytes the string has that was read, its padding included.
    pub fn length(&self) -> usize {
        self.taken.div_ceil(8)
    }
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
            let cut = |code: u32, bits: u32| (u64::from(code) & ((1u64 << bits) - 1)) as u32;
            for &(code, bits, elastic) in &parts {
                if elastic { writer.put_elastic(code) } else { writer.put(cut(code, bits), bits) }
            }
            let mut bytes = Vec::new();
            writer.finish(&mut bytes);
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
