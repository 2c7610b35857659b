//! Sequential graph algorithms on the host. They are deterministic, so every process that has the
//! same graph computes the same result.

mod assignment;
mod components;
mod cuthill_mckee;
mod flow;
mod floyd_warshall;
mod graph;
mod matching;
mod negative;
mod shortest;
mod spanning;
mod traversal;
mod yen;

pub use assignment::least_assignment;
pub use components::{strong_components, weak_components};
pub use cuthill_mckee::reverse_cuthill_mckee;
pub use flow::{FlowMethod, Network, maximum_flow};
pub use floyd_warshall::{first_predecessors, floyd_warshall};
pub use graph::{Graph, NONE};
pub use matching::maximum_matching;
pub use negative::{NegativeCycle, bellman_ford, johnson, potentials, reweighted};
pub use shortest::{Reached, dijkstra};
pub use spanning::minimum_spanning_forest;
pub use traversal::{Visited, breadth_first, depth_first};
pub use yen::shortest_paths;
