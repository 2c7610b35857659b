//! Default shardings.

use phalanx_ops::shape::size;
use phalanx_ops::{Bytes, Mesh, Sharding};

/// The sizes at which arrays are split, agreed by all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Bases of at least this many elements are split, smaller ones replicated.
    pub split_from: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { split_from: 64 * 1024 }
    }
}

/// The inputs of the placement of an operation besides its operands.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The devices.
    pub mesh: &'a Mesh,
    /// The sizes at which arrays are split.
    pub policy: &'a Policy,
}

/// The bytes of a chunk for each element from which arrays are split.
const CHUNK: usize = 256;

impl Policy {
    /// The bytes that a device receives at a time where an exchange goes on in chunks: many times
    /// those of the smallest array that is worth splitting.
    pub fn chunk(&self) -> Bytes {
        Bytes::of(self.split_from.max(1), CHUNK)
    }

    /// The sharding of a new base: split along the first axis with extent ≥ 4 × devices, or else
    /// along the largest axis; small bases are replicated.
    pub fn sharding(&self, shape: &[usize], mesh: &Mesh) -> Sharding {
        let devices = mesh.devices();
        if devices == 1 || shape.is_empty() || size(shape) < self.split_from.max(1) {
            return Sharding::replicated(shape.len());
        }
        let roomy = shape.iter().position(|&extent| extent >= 4 * devices);
        let largest =
            || (0..shape.len()).max_by_key(|&axis| (shape[axis], shape.len() - axis)).unwrap_or(0);
        Sharding::even(shape, roomy.unwrap_or_else(largest), mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SHAPES, block_of, contains, indices, meshes};

    /// The axis that a base is split along, if it is split.
    fn axis_of(shape: &[usize], mesh: &Mesh) -> Option<usize> {
        let sharding = Policy { split_from: 1 }.sharding(shape, mesh);
        assert_eq!(sharding.axes.len(), shape.len());
        assert!(sharding.axes.iter().flatten().count() <= 1, "{sharding}");
        sharding.axes.iter().position(Option::is_some)
    }

    #[test]
    fn bases_are_split_from_the_size_of_the_policy() {
        for mesh in meshes().iter().filter(|mesh| mesh.devices() > 1) {
            for policy in [Policy::default(), Policy { split_from: 12 }] {
                let size = policy.split_from;
                assert!(policy.sharding(&[size - 1], mesh).is_replicated());
                assert!(policy.sharding(&[1, size - 1], mesh).is_replicated());
                assert!(!policy.sharding(&[size], mesh).is_replicated());
                assert!(!policy.sharding(&[size / 4, 4], mesh).is_replicated());
            }
        }
    }

    #[test]
    fn one_device_scalars_and_empty_bases_are_replicated() {
        let policy = Policy { split_from: 0 };
        assert!(policy.sharding(&[1 << 20], &Mesh::line(1)).is_replicated());
        for mesh in meshes() {
            for shape in [&[][..], &[0], &[0, 1 << 20], &[1 << 20, 0]] {
                assert_eq!(policy.sharding(shape, &mesh), Sharding::replicated(shape.len()));
            }
        }
    }

    #[test]
    fn the_first_axis_with_room_is_split_or_else_the_largest() {
        let mesh = Mesh::line(2);
        for (shape, axis) in [
            (&[8, 100][..], 0),
            (&[7, 8, 100], 1),
            (&[7, 3, 100], 2),
            (&[3, 7, 5], 1),
            (&[5, 5], 0),
            (&[2, 5, 5], 1),
            (&[1], 0),
        ] {
            assert_eq!(axis_of(shape, &mesh), Some(axis), "{shape:?}");
        }
        let grid = Mesh::new(&[("row", 2), ("col", 2)]);
        assert_eq!(axis_of(&[15, 16], &grid), Some(1));
        assert_eq!(axis_of(&[16, 17], &grid), Some(0));
    }

    #[test]
    fn blocks_of_split_bases_tile_them() {
        for mesh in meshes() {
            for shape in SHAPES {
                let sharding = Policy { split_from: 1 }.sharding(&shape, &mesh);
                let holders = if sharding.is_replicated() { mesh.devices() } else { 1 };
                let blocks: Vec<_> = (0..mesh.devices())
                    .map(|device| block_of(&sharding, &shape, &mesh, device))
                    .collect();
                let whole: Vec<_> = shape.iter().map(|&extent| 0..extent).collect();
                for index in indices(&whole) {
                    let found = blocks.iter().filter(|block| contains(block, &index)).count();
                    assert_eq!(found, holders, "{index:?} with {sharding} on {mesh}");
                }
            }
        }
    }
}
