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
    #[inline]
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

    /// The string, padded with zeros to a whole number of bytes.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.bytes);
        let rest = self.used.div_ceil(8) as usize;
        out.extend_from_slice(&self.pending.to_le_bytes()[..rest]);
    }
}

pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bytes taken into `pending`.
    taken: usize,
    pending: u64,
    left: u32,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, taken: 0, pending: 0, left: 0 }
    }

    /// Behind the end there are zeros.
    #[inline]
    pub fn take(&mut self, bits: u32) -> u32 {
        while self.left < bits {
            let byte = self.bytes.get(self.taken).copied().unwrap_or(0);
            self.pending |= u64::from(byte) << self.left;
            self.taken += 1;
            self.left += 8;
        }
        let code = self.pending & ((1 << bits) - 1);
        self.pending >>= bits;
        self.left -= bits;
        code as u32
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
        self.taken - (self.left / 8) as usize
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
