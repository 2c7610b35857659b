//! The digest of everything on which ranks must agree.

use crate::identity::Identity;
use phalanx_graph::Graph;
use phalanx_ops::DType;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::Xxh3;

/// The digest of a closing, equal on ranks that agree: the identity of the window, its scalars, the
/// observed value, the cause of the closing, and the settings that plans depend on.
pub(crate) fn ticket_digest(graph: &Graph, window: &Identity, cause: &str, settings: u128) -> u128 {
    let mut hasher = StableHasher::default();
    (window, &graph.scalars, graph.observed(), cause, settings).hash(&mut hasher);
    hasher.0.digest128()
}

/// The digest of the settings that plans depend on, from their debug text.
pub(crate) fn settings_digest(settings: &impl std::fmt::Debug) -> u128 {
    let mut hasher = StableHasher::default();
    hasher.write(format!("{settings:?}").as_bytes());
    hasher.0.digest128()
}

/// The digest of larger host data covers a sample of this many bytes.
const SAMPLE_BYTES: usize = 1 << 20;
/// The sample consists of runs of this length, spread evenly from the first byte to the last.
const RUN_BYTES: usize = 4 << 10;

/// The digest of host data: dtype, shape and bytes, all of them or a sample.
pub(crate) fn data_digest(dtype: DType, shape: &[usize], bytes: &[u8]) -> u128 {
    let mut hasher = StableHasher::default();
    (dtype, shape).hash(&mut hasher);
    if bytes.len() <= SAMPLE_BYTES {
        hasher.write(bytes);
    } else {
        let runs = SAMPLE_BYTES / RUN_BYTES;
        let last = (bytes.len() - RUN_BYTES) as u128;
        for run in 0..runs {
            let start = (last * run as u128 / (runs - 1) as u128) as usize;
            hasher.write(&bytes[start..start + RUN_BYTES]);
        }
    }
    hasher.0.digest128()
}

/// The digest of bytes that are not an array, such as the name of a file.
pub(crate) fn bytes_digest(bytes: &[u8]) -> u128 {
    let mut hasher = StableHasher::default();
    hasher.write(bytes);
    hasher.0.digest128()
}

/// Joins two digests into one that depends on their order.
pub(crate) fn join_digests(first: u128, second: u128) -> u128 {
    let mut hasher = StableHasher::default();
    hasher.write_u128(first);
    hasher.write_u128(second);
    hasher.0.digest128()
}

/// A hasher with the same result in every process and build; the standard library may change its
/// own. Numbers are hashed as little-endian and `usize` as 64 bits.
#[derive(Default)]
struct StableHasher(Xxh3);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }
    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }
    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }
    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
    // The trait's methods for signed numbers call those for unsigned ones.
    fn finish(&self) -> u64 {
        self.0.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identifier;
    use phalanx_graph::HostArray;
    use phalanx_ops::{DType, Scalar};

    fn digest_of(data: &HostArray) -> u128 {
        data_digest(data.dtype, &data.shape, &data.bytes)
    }

    fn data(bytes: Vec<u8>) -> HostArray {
        HostArray { dtype: DType::U8, shape: vec![bytes.len()], bytes }
    }

    fn numbers(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at ^ at >> 8 ^ at >> 16) as u8).collect()
    }

    #[test]
    fn digests_are_the_same_in_every_build() {
        // The numbers are those of xxHash's own implementation for the same bytes.
        let mut hasher = StableHasher::default();
        (1u8, 2i16, -3i32, 4usize, "five", Some([6u64, 7]), 8u128).hash(&mut hasher);
        assert_eq!(hasher.0.digest128(), 240_487_910_209_739_561_561_717_891_773_033_867_291);
        assert_eq!(
            digest_of(&data(numbers(1000))),
            154_473_443_263_524_676_832_012_433_695_345_280_815
        );
        assert_eq!(
            digest_of(&data(numbers(3_000_001))),
            100_795_131_518_074_546_550_609_150_007_713_184_316
        );
    }

    #[test]
    fn data_differs_by_dtype_shape_and_each_byte_that_is_looked_at() {
        let small = data(numbers(1024));
        let digest = digest_of(&small);
        assert_ne!(digest, digest_of(&HostArray { shape: vec![32, 32], ..small.clone() }));
        assert_ne!(digest, digest_of(&HostArray { dtype: DType::I8, ..small.clone() }));
        for at in 0..1024 {
            let mut other = small.clone();
            other.bytes[at] ^= 1;
            assert_ne!(digest, digest_of(&other));
        }
        let large = data(numbers(5_000_003));
        for at in [0, RUN_BYTES - 1, 5_000_002, 5_000_003 - RUN_BYTES] {
            let mut other = large.clone();
            other.bytes[at] ^= 1;
            assert_ne!(digest_of(&large), digest_of(&other));
        }
    }

    #[test]
    fn tickets_differ_by_window_cause_settings_and_scalars() {
        let graph = |scalars: &[Scalar]| Graph { scalars: scalars.to_vec(), ..Graph::default() };
        let (empty, one, two) =
            (graph(&[]), graph(&[Scalar::new(1.0)]), graph(&[Scalar::new(2.0)]));
        let (nothing, observes, other) =
            (Identity::default(), "observes a value", settings_digest(&"other limits"));
        let mut identifier = Identifier::default();
        let window = identifier.window(&one, &[]);
        let digests = [
            ticket_digest(&empty, &nothing, observes, 0),
            ticket_digest(&empty, &nothing, "prints a value", 0),
            ticket_digest(&empty, &nothing, observes, other),
            ticket_digest(&empty, window, observes, 0),
            ticket_digest(&one, window, observes, 0),
            ticket_digest(&two, window, observes, 0),
        ];
        let different: std::collections::BTreeSet<u128> = digests.into_iter().collect();
        assert_eq!(different.len(), digests.len());
    }
}
