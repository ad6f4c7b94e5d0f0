//! Digests of contents: the same in every run, so that choices among equals do not depend on the order of
//! insertion.

use linchpin_ir::types::Word;

/// Returns 128 bits of a sequence of words.
pub fn digest(words: impl IntoIterator<Item = u64>) -> u128 {
    let (mut low, mut high) = (0x243f_6a88_85a3_08d3u64, 0x1319_8a2e_0370_7344u64);
    for word in words {
        low = (low.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        high = (high.rotate_left(29) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        low ^= high >> 31;
    }
    u128::from(high ^ high >> 29) << 64 | u128::from(low ^ low >> 32)
}

/// Returns the low half of a digest.
pub fn low_half(digest: u128) -> u64 {
    (digest & 0xffff_ffff_ffff_ffff) as u64
}

/// Converts a word for [`digest`].
pub fn digested(word: Word) -> u64 {
    i64::from(word).cast_unsigned()
}
