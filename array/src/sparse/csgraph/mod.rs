//! Graphs as sparse matrices: SciPy's `sparse.csgraph`.
//!
//! An entry at `(i, j)` is an edge from node `i` to node `j`. In a graph that is not directed, each
//! entry is an edge both ways.
//!
//! Some algorithms are distributed: they repeat operations on global arrays, and read one number in
//! each step. The others are sequential by nature: every process reads the graph to its host and
//! computes the same; their documentation says *gathered*. A graph with few entries is gathered
//! also for the distributed ones, as a step costs more than the whole algorithm on the host. All
//! functions are Collective over the mesh.

mod components;
mod dense;
mod error;
mod gathered;
mod host;
mod laplacian;
mod matching;
mod minima;
mod paths;
mod relaxation;
mod spanning;
mod traversal;
mod trees;

pub use components::{Connection, connected_components};
pub use dense::{construct_dist_matrix, csgraph_to_dense, floyd_warshall};
pub use error::GraphError;
pub use gathered::GATHER_BELOW;
pub use host::{FlowMethod, NONE};
pub use laplacian::{Laplacian, LaplacianOptions, laplacian};
pub use matching::{
    MaximumFlow, maximum_bipartite_matching, maximum_flow, min_weight_full_bipartite_matching,
    reverse_cuthill_mckee, structural_rank,
};
pub use paths::{PathOptions, Paths, bellman_ford, dijkstra, johnson, yen};
pub use spanning::minimum_spanning_tree;
pub use traversal::{Traversal, breadth_first_order, depth_first_order};
pub use trees::{breadth_first_tree, depth_first_tree, reconstruct_path};
