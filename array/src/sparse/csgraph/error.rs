//! Errors of graphs.

use phalanx_graph::Error;

/// An error of an algorithm on a graph.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GraphError {
    /// A cycle whose weights have a negative sum: no path through it is the shortest one.
    #[error(
        "a negative cycle on node {node}: no path through it is the shortest one; hint: remove or \
         raise the weights of the cycle"
    )]
    NegativeCycle {
        /// A node of the cycle, or a node from which the cycle is reached.
        node: usize,
    },
    /// The shorter side of a matrix cannot be matched as a whole.
    #[error(
        "no full matching exists of {rows} rows and {columns} columns; hint: \
         maximum_bipartite_matching finds the largest one"
    )]
    NoFullMatching {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// An error of the arrays.
    #[error(transparent)]
    Array(#[from] Error),
}
