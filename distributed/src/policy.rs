//! Default shardings.

use phalanx_ops::shape::size;
use phalanx_ops::{Mesh, Sharding};

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

impl Policy {
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
