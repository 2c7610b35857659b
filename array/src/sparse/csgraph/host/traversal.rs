//! Breadth-first and depth-first search (R. Tarjan, "Depth-first search and linear graph
//! algorithms", 1972; E. F. Moore, "The shortest path through a maze", 1959).

use super::graph::{Graph, NONE};

/// The nodes that a search has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Visited {
    /// The nodes in the order in which they were reached.
    pub order: Vec<u32>,
    /// The node from which each node was reached.
    pub predecessors: Vec<i32>,
}

/// Visits nodes in the order of their distance from the start.
pub fn breadth_first(graph: &Graph, start: usize) -> Visited {
    let mut predecessors = vec![NONE; graph.rows()];
    let mut order = vec![start as u32];
    let mut at = 0;
    while at < order.len() {
        let node = order[at] as usize;
        for next in graph.columns_of(node) {
            if next != start && predecessors[next] == NONE {
                predecessors[next] = node as i32;
                order.push(next as u32);
            }
        }
        at += 1;
    }
    Visited { order, predecessors }
}

/// Follows edges as far as they lead before it returns to the next edge of an earlier node.
pub fn depth_first(graph: &Graph, start: usize) -> Visited {
    let mut predecessors = vec![NONE; graph.rows()];
    let mut order = vec![start as u32];
    // The nodes of the present path, each with the entry that is examined next.
    let mut path = vec![(start, graph.starts[start])];
    while let Some((node, entry)) = path.last_mut() {
        let node = *node;
        if *entry == graph.starts[node + 1] {
            path.pop();
            continue;
        }
        let next = graph.columns[*entry] as usize;
        *entry += 1;
        if next != start && predecessors[next] == NONE {
            predecessors[next] = node as i32;
            order.push(next as u32);
            path.push((next, graph.starts[next]));
        }
    }
    Visited { order, predecessors }
}

#[cfg(test)]
mod tests {
    use super::super::graph::NONE;
    use super::super::graph::tests::graph;
    use super::{breadth_first, depth_first};

    #[test]
    fn orders_follow_the_entries_of_rows() {
        let edges = [(0, 2, 1.0), (0, 1, 1.0), (1, 3, 1.0), (2, 4, 1.0), (2, 0, 1.0), (4, 1, 1.0)];
        let made = graph(6, &edges);
        let found = breadth_first(&made, 0);
        assert_eq!(found.order, [0, 2, 1, 4, 3]);
        assert_eq!(found.predecessors, [NONE, 0, 0, 1, 2, NONE]);
        let found = depth_first(&made, 0);
        assert_eq!(found.order, [0, 2, 4, 1, 3]);
        assert_eq!(found.predecessors, [NONE, 4, 0, 1, 2, NONE]);
        assert_eq!(depth_first(&made.both_ways(), 5).order, [5]);
    }
}
