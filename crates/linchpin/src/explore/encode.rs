//! States as strings of bytes: variable-length integers, so that the small numbers that states are made of take a byte.
//!
//! The two markers of [`linchpin_core::types`] get the first codes, all other words follow in zigzag order:
//! undefined 0, none 1, then 0, -1, 1, -2, 2 … The code is a bijection, so equal bytes are equal states.

use linchpin_core::types::{NONE, UNDEFINED, Word};

pub fn encode(words: &[Word], out: &mut Vec<u8>) {
    out.clear();
    for &word in words {
        let mut code = match word {
            UNDEFINED => 0,
            NONE => 1,
            w => u64::from(((w << 1) ^ (w >> 31)) as u32) + 2,
        };
        while code >= 0x80 {
            out.push(code as u8 | 0x80);
            code >>= 7;
        }
        out.push(code as u8);
    }
}

pub fn decode(bytes: &[u8], out: &mut Vec<Word>) {
    out.clear();
    let mut code = 0u64;
    let mut shift = 0;
    for &byte in bytes {
        code |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        out.push(match code {
            0 => UNDEFINED,
            1 => NONE,
            c => {
                let z = (c - 2) as u32;
                (z >> 1) as Word ^ -((z & 1) as Word)
            }
        });
        code = 0;
        shift = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoding_undoes_encoding(words in proptest::collection::vec(any::<Word>(), 0..40)) {
            let (mut bytes, mut back) = (Vec::new(), Vec::new());
            encode(&words, &mut bytes);
            decode(&bytes, &mut back);
            prop_assert_eq!(words, back);
        }
    }

    #[test]
    fn the_extremes_survive() {
        let words = [UNDEFINED, NONE, 0, -1, 1, Word::MAX, Word::MIN + 2];
        let (mut bytes, mut back) = (Vec::new(), Vec::new());
        encode(&words, &mut bytes);
        decode(&bytes, &mut back);
        assert_eq!(back, words);
        assert!(bytes[..5].iter().all(|b| *b < 0x80), "small words take one byte each");
    }
}
