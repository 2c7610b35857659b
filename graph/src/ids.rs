//! Ids: the positions of nodes, leaves and scalars in a graph.

use phalanx_ops::id_type;

id_type! {
    /// A node of a graph, by its position in [`Graph::nodes`](crate::Graph::nodes). An id holds for
    /// one graph: a window and the graph of its plan number their nodes differently.
    pub struct NodeId;

    /// A leaf of a graph, by its position in [`Graph::leaves`](crate::Graph::leaves).
    pub struct LeafId;

    /// A scalar argument of a graph, by its position in [`Graph::scalars`](crate::Graph::scalars).
    pub struct ScalarId;
}
