//! Shardings: the block of an array that each device of a mesh holds.

use crate::bounds::Bounds;
use crate::mesh::Mesh;
use crate::monoid::Monoid;
use crate::view::AffineMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// A box of indices: a range for each axis. It is empty if any range is.
pub type IndexBox = SmallVec<[Range<usize>; 4]>;

/// How one axis of an array is split.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Split {
    /// The mesh axes that split it, outermost first.
    pub mesh_axes: SmallVec<[u8; 2]>,
    /// The bounds of the blocks; the number of blocks is the product of the mesh axes' extents.
    pub bounds: Bounds,
}

/// The layout of an array over a mesh.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sharding {
    /// For each axis of the array, its split, or `None` if every device has the whole axis.
    pub axes: SmallVec<[Option<Split>; 4]>,
    /// Set if the shards must still be combined.
    pub partial: Option<Partial>,
}

/// A pending combination of shards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partial {
    /// The combination.
    pub monoid: Monoid,
    /// The mesh axes over which shards are combined.
    pub mesh_axes: SmallVec<[u8; 2]>,
}

impl Split {
    /// The number of the block that a device at these mesh coordinates holds.
    pub fn part(&self, mesh: &Mesh, coordinates: &[usize]) -> usize {
        self.mesh_axes
            .iter()
            .fold(0, |part, &axis| part * mesh.extent(axis as usize) + coordinates[axis as usize])
    }
}

impl Sharding {
    /// Every device holds the whole array.
    pub fn replicated(ndim: usize) -> Sharding {
        Sharding { axes: smallvec::smallvec![None; ndim], partial: None }
    }

    /// Axis `axis` of an array of shape `shape` cut evenly over all mesh axes.
    ///
    /// If the array has no such axis, the sharding has an additional axis and fits no array of this
    /// shape.
    pub fn even(shape: &[usize], axis: usize, mesh: &Mesh) -> Sharding {
        let ndim = if axis < shape.len() { shape.len() } else { shape.len() + 1 };
        let mut sharding = Sharding::replicated(ndim);
        let place = axis.min(shape.len());
        sharding.axes[place] = Some(Split {
            mesh_axes: (0..mesh.ndim() as u8).collect(),
            bounds: Bounds::even(shape.get(place).copied().unwrap_or(0), mesh.devices()),
        });
        sharding
    }

    /// Whether every device holds the whole, combined array.
    pub fn is_replicated(&self) -> bool {
        self.partial.is_none() && self.axes.iter().all(Option::is_none)
    }

    /// The block that a device holds.
    pub fn block(&self, shape: &[usize], mesh: &Mesh, coordinates: &[usize]) -> IndexBox {
        self.axes
            .iter()
            .zip(shape)
            .map(|(split, &extent)| match split {
                None => 0..extent,
                Some(split) => split.bounds.block(split.part(mesh, coordinates)),
            })
            .collect()
    }

    /// The largest number of elements a device holds.
    pub fn largest_block(&self, shape: &[usize]) -> usize {
        let extents = self.axes.iter().zip(shape);
        extents
            .map(|(split, &extent)| split.as_ref().map_or(extent, |s| s.bounds.largest_block()))
            .product()
    }

    /// The sharding of a view of an array with this sharding: blocks stay on their devices, clipped
    /// to the view.
    ///
    /// A split axis that the view fixes at one position leaves the view unsplit. The view then
    /// counts as replicated, although one device holds it, and its readers fetch it.
    pub fn through(&self, map: &AffineMap) -> Sharding {
        let mut sharding = Sharding::replicated(map.shape.len());
        sharding.partial = self.partial.clone();
        for (split, axis) in self.axes.iter().zip(&map.axes) {
            let (Some(split), Some(to)) = (split, axis.axis) else {
                continue;
            };
            let place = &mut sharding.axes[to as usize];
            if place.is_none() {
                *place = Some(Split {
                    mesh_axes: split.mesh_axes.clone(),
                    bounds: split.bounds.clipped(axis.start, axis.step, map.shape[to as usize]),
                });
            }
        }
        sharding
    }

    /// The text form, such as `[device, -]` or `[row, col] partial(add, col)`.
    pub fn text(&self, mesh: &Mesh) -> String {
        let names =
            |axes: &[u8]| axes.iter().map(|&a| mesh.name(a as usize)).collect::<Vec<_>>().join("*");
        let axes: Vec<String> = self
            .axes
            .iter()
            .map(|split| split.as_ref().map_or(String::from("-"), |split| names(&split.mesh_axes)))
            .collect();
        let partial = match &self.partial {
            None => String::new(),
            Some(partial) => format!(" partial({}, {})", partial.monoid, names(&partial.mesh_axes)),
        };
        format!("[{}]{partial}", axes.join(", "))
    }
}

impl fmt::Display for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self
            .axes
            .iter()
            .map(|split| split.as_ref().map_or(String::from("-"), |split| split.bounds.to_string()))
            .collect();
        write!(f, "[{}]", axes.join(", "))
    }
}

/// Whether a box has no index.
pub fn is_empty(of: &[Range<usize>]) -> bool {
    of.iter().any(Range::is_empty)
}

/// The number of indices of a box.
pub fn volume(of: &[Range<usize>]) -> usize {
    of.iter().map(Range::len).product()
}

/// The common part of two boxes.
pub fn intersect(a: &[Range<usize>], b: &[Range<usize>]) -> IndexBox {
    a.iter()
        .zip(b)
        .map(|(x, y)| {
            let start = x.start.max(y.start);
            start..x.end.min(y.end).max(start)
        })
        .collect()
}

/// The difference of boxes `a` and `b`, as disjoint boxes.
pub fn subtract(a: &[Range<usize>], b: &[Range<usize>]) -> Vec<IndexBox> {
    if is_empty(a) {
        return Vec::new();
    }
    let common = intersect(a, b);
    if is_empty(&common) {
        return vec![a.iter().cloned().collect()];
    }
    let mut rest: IndexBox = a.iter().cloned().collect();
    let mut pieces = Vec::new();
    for axis in 0..a.len() {
        for piece in [rest[axis].start..common[axis].start, common[axis].end..rest[axis].end] {
            if !piece.is_empty() {
                let mut part = rest.clone();
                part[axis] = piece;
                pieces.push(part);
            }
        }
        rest[axis] = common[axis].clone();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Index;

    #[test]
    fn a_slice_keeps_its_base_blocks() {
        let mesh = Mesh::line(4);
        let sharding = Sharding::even(&[10, 5], 0, &mesh);
        let view = AffineMap::identity(&[10, 5])
            .index(&[Index::Range { start: Some(1), stop: Some(-1), step: 1 }])
            .unwrap();
        let inner = sharding.through(&view);
        let blocks: Vec<_> =
            (0..4).map(|d| inner.block(&view.shape, &mesh, &[d])[0].clone()).collect();
        assert_eq!(blocks, [0..2, 2..5, 5..7, 7..8]);
    }

    #[test]
    fn a_difference_of_boxes_tiles() {
        let a: IndexBox = [0..6, 0..6].into_iter().collect();
        let b: IndexBox = [2..4, 3..9].into_iter().collect();
        let pieces = subtract(&a, &b);
        let total: usize = pieces.iter().map(|piece| volume(piece)).sum();
        assert_eq!(total + volume(&intersect(&a, &b)), 36);
        for (k, x) in pieces.iter().enumerate() {
            assert!(pieces[k + 1..].iter().all(|y| is_empty(&intersect(x, y))));
        }
    }
}
