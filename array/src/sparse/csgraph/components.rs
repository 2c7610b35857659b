//! Connected components.

use super::gathered::{gathered_unweighted, is_gathered, nodes_of, numbers, uploaded};
use super::host;
use super::minima::{at, lower};
use crate::array::Array;
use crate::creation::zeros;
use crate::math::cumsum;
use crate::sparse::{Csr, Semiring};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;

/// Which nodes of a directed graph belong to one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Nodes that edges connect, in whatever direction.
    Weak,
    /// Nodes that reach each other.
    Strong,
}

/// SciPy's `connected_components`: the number of components, and the component of each node.
///
/// Weak components are numbered in the order of their first nodes. Strong ones are numbered in the
/// order in which a depth-first search completes them. The components of a graph that is not
/// directed are the weak ones.
///
/// Shape `(n,)`, dtype `i32`. Collective over the mesh: weak components are distributed from
/// `gather_below` entries on ([`super::GATHER_BELOW`] for `None`), strong ones are gathered.
/// Errors: `OpError::Argument` for a matrix that is not square, `OpError::TooLarge`.
///
/// Source: Y. Zhang, A. Azad, A. Buluç, "Parallel algorithms for finding connected components using
/// linear algebra" (2020), for the distributed algorithm; R. Tarjan, "Depth-first search and linear
/// graph algorithms" (1972), for strong components.
#[track_caller]
pub fn connected_components(
    graph: &Csr,
    connection: Connection,
    gather_below: impl Into<Option<usize>>,
) -> Result<(usize, Array), Error> {
    let site = call_site();
    let gather_below = gather_below.into();
    within(site, || {
        nodes_of("connected_components", graph, site)?;
        if connection == Connection::Weak && !is_gathered(graph, gather_below) {
            return weak(graph, site);
        }
        let mesh = graph.values().mesh()?;
        let found = gathered_unweighted(graph, site)?;
        let (count, labels) = match connection {
            Connection::Weak => host::weak_components(&found),
            Connection::Strong => host::strong_components(&found),
        };
        Ok((count, uploaded(&mesh, &labels).into_result()?))
    })
}

/// Weak components: each node has a parent with a smaller number. In each round, nodes and their
/// parents take the least grandparent among their neighbours as parent.
fn weak(graph: &Csr, site: Site) -> Result<(usize, Array), Error> {
    let nodes = graph.shape()[0];
    let mesh = graph.values().mesh()?;
    let all = numbers(&mesh, nodes);
    if nodes == 0 {
        return Ok((0, all.converted(DType::I32, site)));
    }
    // Numbers of nodes fit into 32 bits, of which products read half as many bytes.
    let graph = graph.of_values(mesh.enter(|| zeros([graph.nnz()], DType::I32)));
    let turned = graph.transpose()?;
    let mut parents = all.copy();
    let mut grandparents = parents.copy();
    loop {
        let narrow = grandparents.converted(DType::I32, site);
        let least = |graph: &Csr| graph.product(&narrow, Semiring::MinPlus, site);
        let nearest = least(&graph)?.minimum(least(&turned)?).converted(DType::I64, site);
        let next = parents.copy();
        lower(&next, &parents, &nearest, site)?;
        parents = next.minimum(&nearest).minimum(&grandparents);
        let further = at(&parents, &parents);
        let has_changed = further.not_equal(&grandparents).any(()).item::<bool>()?;
        grandparents = further;
        if !has_changed {
            break;
        }
    }
    // All grandparents of a component are its first node.
    let counted = cumsum(&grandparents.equal(&all).converted(DType::I64, site), 0);
    let count = counted.slice(crate::s![-1]).item::<i64>()?;
    let labels = at(&(counted - 1), &grandparents).converted(DType::I32, site);
    Ok((usize::try_from(count).unwrap_or(0), labels.into_result()?))
}
