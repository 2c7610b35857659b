//! Points in space: SciPy's `spatial`.

use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::refused;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Structured, TreeSearch};

/// A complete binary tree of points with `m` coordinates, for [`nearest_in_tree`].
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// For each node its least and its greatest coordinates: `(nodes, 2, m)`. Node 0 is the root,
    /// and nodes `2 * i + 1` and `2 * i + 2` are the parts of node `i`; the last ones are the
    /// leaves.
    pub boxes: &'a Array,
    /// The coordinates of the points of the leaves: `(leaves, m, width)`.
    pub leaves: &'a Array,
    /// The numbers of these points, `(leaves, width)`, from 0; where a leaf has fewer points,
    /// `absent` or more.
    pub members: &'a Array,
    /// The number of points, at most `i64::MAX`: this number and greater ones mark empty places.
    pub absent: u64,
    /// The extents of a periodic space for each coordinate, 0 where it is not periodic.
    pub extents: Option<&'a Array>,
}

/// The numbers (`i64`) of the `count` nearest points of a tree for each row of `points`, in the
/// order of their distances; of points that are equally far, those of the least numbers.
/// `tree.absent` where there are fewer.
///
/// Distances are those of the norm with the exponent `norm`, which is at least 1. Only points whose
/// distance to the power of the exponent, if that is finite, is below `limit` are found. Shapes:
/// `(k, m)` and the result's `(k, count)`. Sharding: rows may be split; every device gets the tree
/// whole. Local (records a node). Errors: `OpError::Ndim` for points that are no matrix, and
/// `OpError::Argument` for trees of other shapes, exponents below 1 and
/// no points to find.
///
/// Source: Friedman, Bentley and Finkel, An Algorithm for Finding Best Matches in Logarithmic
/// Expected Time, ACM TOMS 3, 1977.
#[track_caller]
#[must_use]
pub fn nearest_in_tree(
    points: &Array,
    tree: &Tree<'_>,
    count: usize,
    norm: f64,
    limit: f64,
) -> Array {
    Array::catch(recorded(points, tree, count, [norm, limit], call_site()))
}

fn recorded(
    points: &Array,
    tree: &Tree<'_>,
    count: usize,
    [norm, limit]: [f64; 2],
    site: Site,
) -> Result<Array, Error> {
    const OPERATION: &str = "nearest_in_tree";
    for array in [points, tree.boxes, tree.leaves, tree.members].into_iter().chain(tree.extents) {
        array.ok()?;
    }
    if points.ndim() != 2 {
        let (expected, ndim) = ("2", points.ndim());
        return Err(Error::op(OpError::Ndim { operation: OPERATION, expected, ndim }, site));
    }
    let m = points.shape()[1];
    let is_tree = match (tree.boxes.shape(), tree.leaves.shape(), tree.members.shape()) {
        (&[nodes, 2, of_box], &[leaves, of_leaf, width], &[of_members, places]) => {
            of_box == m
                && of_leaf == m
                && (of_members, places) == (leaves, width)
                && leaves.is_power_of_two()
                && nodes == 2 * leaves - 1
                && leaves <= 1 << 30
                && width > 0
        }
        _ => false,
    };
    if !is_tree || tree.extents.is_some_and(|extents| extents.shape() != [m]) {
        let shapes = [tree.boxes, tree.leaves, tree.members].map(Array::shape);
        return Err(refused(OPERATION, "tree", format!("{shapes:?}"), site));
    }
    if i64::try_from(tree.absent).is_err() {
        return Err(refused(OPERATION, "tree.absent", tree.absent.to_string(), site));
    }
    if norm.is_nan() || norm < 1.0 {
        return Err(refused(OPERATION, "norm", norm.to_string(), site));
    }
    if count == 0 {
        return Err(refused(OPERATION, "count", count.to_string(), site));
    }
    let mesh = points.mesh()?;
    let extents = match tree.extents {
        Some(extents) => extents.clone(),
        None => mesh.enter(|| zeros([0], DType::F64)),
    };
    let op = TreeSearch {
        count: count as u64,
        absent: tree.absent,
        norm: norm.to_bits(),
        limit: limit.to_bits(),
    };
    let float = |array: &Array| array.converted(DType::F64, site);
    let [points, boxes, leaves, extents] = [points, tree.boxes, tree.leaves, &extents].map(float);
    let members = tree.members.converted(DType::I64, site);
    let operands = [&points, &boxes, &leaves, &members, &extents];
    record_structured(Structured::TreeSearch(op), &operands, site)
}
