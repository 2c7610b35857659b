//! The reverse Cuthill-McKee order.

use super::graph::Graph;

/// An order of the nodes of a symmetric graph that brings neighbours close together.
///
/// Each component starts at a node of the least degree. Neighbours follow in the order of their
/// degrees; those of equal degrees keep the order of the entries.
///
/// Sources: E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices" (1969);
/// J. A. George, "Computer implementation of the finite element method" (1971) for the reversal.
pub fn reverse_cuthill_mckee(graph: &Graph) -> Vec<i32> {
    let nodes = graph.rows();
    // An edge from a node to itself counts twice.
    let degree = |node: usize| {
        graph.entries(node).len() + usize::from(graph.columns_of(node).any(|next| next == node))
    };
    let degrees: Vec<usize> = (0..nodes).map(degree).collect();
    let mut starts: Vec<usize> = (0..nodes).collect();
    starts.sort_by_key(|&node| degrees[node]);
    let mut is_numbered = vec![false; nodes];
    let mut order: Vec<i32> = Vec::with_capacity(nodes);
    let mut at = 0;
    for start in starts {
        if std::mem::replace(&mut is_numbered[start], true) {
            continue;
        }
        order.push(start as i32);
        while at < order.len() {
            let first = order.len();
            for next in graph.columns_of(order[at] as usize) {
                if !std::mem::replace(&mut is_numbered[next], true) {
                    order.push(next as i32);
                }
            }
            order[first..].sort_by_key(|&node| degrees[node as usize]);
            at += 1;
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{graph, random};
    use super::reverse_cuthill_mckee;

    #[test]
    fn a_shuffled_band_is_narrow_again() {
        let mut below = random(4);
        let mut names: Vec<usize> = (0..50).collect();
        (1..50).for_each(|at| names.swap(at, below(at + 1)));
        let step = |at: usize, by: usize| (names[at], names[at + by], 1.0);
        let mut edges: Vec<(usize, usize, f64)> = (0..49).map(|at| step(at, 1)).collect();
        edges.extend((0..48).map(|at| step(at, 2)));
        edges.extend(edges.clone().into_iter().map(|(row, column, weight)| (column, row, weight)));
        let order = reverse_cuthill_mckee(&graph(50, &edges));
        let place = |node: usize| order.iter().position(|&other| other == node as i32).unwrap();
        let width = edges.iter().map(|edge| place(edge.0).abs_diff(place(edge.1))).max();
        assert!(width.unwrap() <= 3);
    }
}
