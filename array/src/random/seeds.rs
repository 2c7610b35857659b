//! Seeds of any size as one word, from which a generator is made.

/// The seed of [`seeded`](super::seeded) that stands for several words: it depends on each of them
/// and on their order. Local.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::random::seed_of_words;
/// assert_ne!(seed_of_words([1, 2]), seed_of_words([2, 1]));
/// ```
#[must_use]
pub fn seed_of_words(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, |all: u64, word| {
        (all.rotate_left(25) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
    })
}

/// The seed that stands for an integer of any size, from its bytes, the lowest first. Local.
#[must_use]
pub fn seed_of_bytes(bytes: &[u8]) -> u64 {
    seed_of_words(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_words_of_eight() {
        let bytes: Vec<u8> = (1..=9).collect();
        assert_eq!(seed_of_bytes(&bytes), seed_of_words([0x0807_0605_0403_0201, 9]));
        assert_ne!(seed_of_bytes(&bytes), seed_of_bytes(&bytes[..8]));
        assert_eq!(seed_of_bytes(&[]), 0);
    }

    /// Programs that store a seed draw the same numbers in every version.
    #[test]
    fn seeds_never_change() {
        assert_eq!(seed_of_words([1]), 0xbfa5_3e0a_cf1b_bcdc);
        assert_eq!(seed_of_words([1, 2]), 0xf4f9_122b_68a9_d551);
    }
}
