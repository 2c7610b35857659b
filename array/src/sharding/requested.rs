//! Shardings that a program requests: the check that they fit, and the copy that has them.

use crate::array::Array;
use phalanx_graph::{Error, NodeOp, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Mesh, Sharding};
use std::sync::Arc;

impl Array {
    /// A copy of the array with another sharding, in Fortran order if this array is. Elements move
    /// when the copy is first used. Local (records a node). Errors: `OpError::Sharding`.
    #[track_caller]
    pub fn with_sharding(&self, sharding: Sharding) -> Array {
        let site = call_site();
        Array::catch((|| {
            let mesh = self.mesh()?;
            check(&sharding, self.shape(), mesh.mesh()).map_err(|error| Error::op(error, site))?;
            if self.is_fortran()? {
                // The elements keep their order: the recorded value has the axes reversed.
                let mut reversed = sharding;
                reversed.axes.reverse();
                let base = within(site, || self.t().with_sharding(reversed));
                return base.t().into_result();
            }
            let op = NodeOp::Reshard(Arc::new(sharding));
            let operand = self.operand(site)?;
            let node = mesh.defer(op, operand, self.shape().into(), self.dtype(), site)?;
            Ok(Array::from_node(mesh, node))
        })())
    }
}

/// Checks that a user's sharding fits an array of this shape on this mesh.
fn check(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Result<(), OpError> {
    check_splits(sharding, shape, mesh)?;
    if sharding.partial.is_some() {
        return Err(wrong(sharding, shape, "a requested sharding cannot be partial"));
    }
    Ok(())
}

fn wrong(sharding: &Sharding, shape: &[usize], reason: &'static str) -> OpError {
    OpError::Sharding { sharding: sharding.to_string(), shape: shape.into(), reason }
}

/// Checks that the blocks of a sharding tile an array of this shape on this mesh.
pub(super) fn check_splits(
    sharding: &Sharding,
    shape: &[usize],
    mesh: &Mesh,
) -> Result<(), OpError> {
    let wrong = |reason| wrong(sharding, shape, reason);
    if sharding.axes.len() != shape.len() {
        return Err(wrong("it is for another number of axes"));
    }
    let mut used = Vec::new();
    for (split, &extent) in sharding.axes.iter().zip(shape) {
        let Some(split) = split else { continue };
        let mut parts = 1;
        for &axis in &split.mesh_axes {
            if axis as usize >= mesh.ndim() {
                return Err(wrong("it names a mesh axis that does not exist"));
            }
            if used.contains(&axis) {
                return Err(wrong("it names a mesh axis twice"));
            }
            used.push(axis);
            parts *= mesh.extent(axis as usize);
        }
        if !split.bounds.is_valid() {
            return Err(wrong("its blocks do not tile an axis"));
        }
        if split.bounds.parts() != parts {
            return Err(wrong("the number of blocks differs from the extent of the mesh axes"));
        }
        if split.bounds.extent() != extent {
            return Err(wrong("the blocks do not add up to the extent"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::{Bounds, Split};

    #[test]
    fn shardings_that_do_not_fit_are_refused() {
        let mesh = Mesh::line(2);
        let split = |bounds| Split { mesh_axes: [0].into_iter().collect(), bounds };
        let of = |axes: Vec<Option<Split>>| Sharding { axes: axes.into(), partial: None };
        assert!(check(&of(vec![Some(split(Bounds::even(4, 2)))]), &[4], &mesh).is_ok());
        for (wrong, shape) in [
            (of(vec![Some(split(Bounds::even(5, 2)))]), vec![4]),
            (of(vec![Some(split(Bounds::even(4, 3)))]), vec![4]),
            (of(vec![None]), vec![4, 4]),
            (
                of(vec![Some(split(Bounds::even(4, 2))), Some(split(Bounds::even(4, 2)))]),
                vec![4, 4],
            ),
        ] {
            assert_eq!(check(&wrong, &shape, &mesh).unwrap_err().code(), "PX021");
        }
    }
}
