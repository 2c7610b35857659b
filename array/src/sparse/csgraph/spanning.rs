//! Minimum spanning trees.

use super::gathered::{NOWHERE, gathered, is_gathered, nodes_of, numbers, uploaded, weighted};
use super::host;
use super::minima::{at, lower, only_where};
use crate::array::{Argument, Array};
use crate::creation::{full, zeros};
use crate::indexing::{AnyIndex, Mode, combine_at};
use crate::math::select;
use crate::sorting::argsort;
use crate::sparse::Csr;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, Op};

/// SciPy's `minimum_spanning_tree`: the entries of the graph that connect its components with the
/// least sum of weights. Edges lead both ways.
///
/// Of edges with equal weights, the one with the smaller entry number is taken; NaN is larger than
/// all. As in SciPy, an edge of weight zero connects, but is no entry of the result.
///
/// Shape: that of the graph; dtype `f64`. Collective over the mesh: distributed from `gather_below`
/// entries on ([`super::GATHER_BELOW`] for `None`). Errors: `OpError::Argument` for a matrix that
/// is not square, `OpError::TooLarge`.
///
/// Source: O. Borůvka, "O jistém problému minimálním" (1926), for the distributed algorithm; J. B.
/// Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman problem"
/// (1956).
#[track_caller]
pub fn minimum_spanning_tree(
    graph: &Csr,
    gather_below: impl Into<Option<usize>>,
) -> Result<Csr, Error> {
    let site = call_site();
    let gather_below = gather_below.into();
    within(site, || {
        nodes_of("minimum_spanning_tree", graph, site)?;
        let graph = weighted(graph, site)?;
        let is_in_tree = match is_gathered(&graph, gather_below) || graph.nnz() == 0 {
            true => {
                let mesh = graph.values().mesh()?;
                uploaded(&mesh, &host::minimum_spanning_forest(&gathered(&graph, site)?))
            }
            false => by_components(&graph, site)?,
        };
        graph.kept(&is_in_tree.logical_and(graph.values().not_equal(0)))
    })
}

/// In each round, every component takes the least edge that leads out of it, and components that
/// are connected so become one. Entries are compared by their places in the order of the weights,
/// so that no two are equal.
fn by_components(graph: &Csr, site: Site) -> Result<Array, Error> {
    let (mesh, nodes, entries) = (graph.values().mesh()?, graph.shape()[0], graph.nnz());
    let order = argsort(graph.values(), 0);
    let places = mesh.enter(|| zeros([entries], DType::I64));
    places.put(&order, numbers(&mesh, entries), Mode::Clip);
    let (rows, columns) = (graph.rows(), graph.columns().converted(DType::I64, site));
    let all = numbers(&mesh, nodes);
    let is_in_tree = mesh.enter(|| zeros([entries], DType::Bool));
    // A component has the number of one of its nodes.
    let mut labels = all.copy();
    loop {
        let (one, other) = (at(&labels, &rows), at(&labels, &columns));
        let outward = only_where(&one.not_equal(&other), &places);
        let least = mesh.enter(|| full([nodes], NOWHERE, DType::I64));
        lower(&least, &one, &outward, site)?;
        lower(&least, &other, &outward, site)?;
        let has_edge = least.less(NOWHERE);
        if !has_edge.any(()).item::<bool>()? {
            return Ok(is_in_tree);
        }
        let taken = at(&order, &least);
        let items = [AnyIndex::Array(taken.clone())];
        combine_at(Op::LogicalOr, &is_in_tree, &items, Some(&Argument::from(&has_edge)), site)?;
        let across = at(&one, &taken) + at(&other, &taken) - &all;
        let target = select(&has_edge, &across, &all);
        // Of two components with one least edge, the smaller number stays.
        let is_first = at(&target, &target).equal(&all).logical_and(all.less(&target));
        let mut above = select(&is_first, &all, &target);
        loop {
            let further = at(&above, &above);
            let has_changed = further.not_equal(&above).any(()).item::<bool>()?;
            above = further;
            if !has_changed {
                break;
            }
        }
        labels = at(&above, &labels);
    }
}
