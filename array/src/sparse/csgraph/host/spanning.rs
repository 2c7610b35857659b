//! Minimum spanning trees.

use super::graph::Graph;
use std::cmp::Ordering;

/// Which entries belong to the minimum spanning forest of the graph whose edges lead both ways.
/// Among edges of equal weights, the one with the smaller entry number comes first; NaN comes last.
///
/// Source: J. B. Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman
/// problem" (1956).
pub fn minimum_spanning_forest(graph: &Graph) -> Vec<bool> {
    let weights = &graph.weights;
    let mut order: Vec<u32> = (0..weights.len() as u32).collect();
    let compare = |one: &u32, other: &u32| {
        let (one, other) = (weights[*one as usize], weights[*other as usize]);
        one.partial_cmp(&other).unwrap_or_else(|| match (one.is_nan(), other.is_nan()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => Ordering::Equal,
        })
    };
    order.sort_by(compare);
    let rows = graph.rows_of_entries();
    let mut parents: Vec<u32> = (0..graph.rows() as u32).collect();
    let mut sizes = vec![1_u32; graph.rows()];
    let mut is_in_tree = vec![false; weights.len()];
    let root = |parents: &mut [u32], mut node: usize| {
        while parents[node] as usize != node {
            parents[node] = parents[parents[node] as usize];
            node = parents[node] as usize;
        }
        node
    };
    let mut missing = graph.rows().saturating_sub(1);
    for entry in order {
        if missing == 0 {
            break;
        }
        let entry = entry as usize;
        let one = root(&mut parents, rows[entry] as usize);
        let other = root(&mut parents, graph.columns[entry] as usize);
        if one != other {
            let (above, below) =
                if sizes[one] < sizes[other] { (other, one) } else { (one, other) };
            parents[below] = above as u32;
            sizes[above] += sizes[below];
            is_in_tree[entry] = true;
            missing -= 1;
        }
    }
    is_in_tree
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::graph;
    use super::minimum_spanning_forest;

    #[test]
    fn equal_weights_follow_the_entries() {
        let edges = [
            (0, 1, 1.0),
            (0, 2, 1.0),
            (1, 2, 1.0),
            (2, 1, 0.5),
            (3, 3, -1.0),
            (4, 3, f64::NAN),
            (4, 4, 0.0),
        ];
        let found = minimum_spanning_forest(&graph(5, &edges));
        assert_eq!(found, [true, false, false, true, false, true, false]);
    }
}
