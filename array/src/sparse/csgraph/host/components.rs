//! Connected components.

use super::graph::Graph;

/// The number of weakly connected components, and the component of each node. Components are
/// numbered in the order of their first nodes.
///
/// Source: R. E. Tarjan, J. van Leeuwen, "Worst-case analysis of set union algorithms" (1984),
/// with path halving.
pub fn weak_components(graph: &Graph) -> (usize, Vec<i32>) {
    let nodes = graph.rows();
    // Roots are the first nodes of their sets, so that labels need no second order.
    let mut parents: Vec<u32> = (0..nodes as u32).collect();
    let root = |parents: &mut [u32], mut node: usize| {
        while parents[node] as usize != node {
            parents[node] = parents[parents[node] as usize];
            node = parents[node] as usize;
        }
        node
    };
    for row in 0..nodes {
        for column in graph.columns_of(row) {
            let (one, other) = (root(&mut parents, row), root(&mut parents, column));
            parents[one.max(other)] = one.min(other) as u32;
        }
    }
    let mut labels = vec![0; nodes];
    let mut count = 0;
    for node in 0..nodes {
        let first = root(&mut parents, node);
        if first == node {
            labels[node] = count;
            count += 1;
        } else {
            labels[node] = labels[first];
        }
    }
    (count as usize, labels)
}

/// The number of strongly connected components, and the component of each node. Components are
/// numbered in the order in which a depth-first search completes them, so that edges between
/// components lead to smaller numbers.
///
/// Source: R. Tarjan, "Depth-first search and linear graph algorithms" (1972), with one array of
/// numbers as in D. J. Pearce, "A space-efficient algorithm for finding strongly connected
/// components" (2016).
pub fn strong_components(graph: &Graph) -> (usize, Vec<i32>) {
    let nodes = graph.rows();
    // 0 before a node is visited; then the least visit number that it reaches; then `DONE`.
    const DONE: u32 = u32::MAX;
    let mut lowest = vec![0_u32; nodes];
    let mut labels = vec![0; nodes];
    let (mut visits, mut count) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    // The nodes of the present path: node, its own visit number, the entry examined next.
    let mut path: Vec<(usize, u32, usize)> = Vec::new();
    for first in 0..nodes {
        if lowest[first] != 0 {
            continue;
        }
        let mut enter = Some(first);
        loop {
            if let Some(node) = enter.take() {
                visits += 1;
                lowest[node] = visits;
                open.push(node as u32);
                path.push((node, visits, graph.starts[node]));
            }
            let Some((node, number, entry)) = path.last_mut() else { break };
            let (node, number) = (*node, *number);
            if *entry < graph.starts[node + 1] {
                let next = graph.columns[*entry] as usize;
                *entry += 1;
                match lowest[next] {
                    0 => enter = Some(next),
                    DONE => {}
                    seen => lowest[node] = lowest[node].min(seen),
                }
                continue;
            }
            path.pop();
            let reached = lowest[node];
            if reached == number {
                while let Some(member) = open.pop() {
                    labels[member as usize] = count;
                    lowest[member as usize] = DONE;
                    if member as usize == node {
                        break;
                    }
                }
                count += 1;
            } else if let Some(&(parent, ..)) = path.last() {
                lowest[parent] = lowest[parent].min(reached);
            }
        }
    }
    (count as usize, labels)
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{graph, random_graph};
    use super::super::traversal::breadth_first;
    use super::{strong_components, weak_components};

    #[test]
    fn weak_components_are_numbered_by_their_first_nodes() {
        let made = graph(7, &[(6, 0, 1.0), (3, 1, 1.0), (4, 3, 1.0), (5, 5, 1.0)]);
        assert_eq!(weak_components(&made), (4, vec![0, 1, 2, 1, 1, 3, 0]));
        assert_eq!(weak_components(&graph(0, &[])), (0, vec![]));
    }

    #[test]
    fn nodes_of_a_strong_component_reach_each_other() {
        for seed in 0..40 {
            let made = random_graph(30, 20 + seed as usize, 1.0, seed);
            let (count, labels) = strong_components(&made);
            let reached: Vec<Vec<u32>> = (0..30).map(|at| breadth_first(&made, at).order).collect();
            let reaches = |one: usize, other: usize| reached[one].contains(&(other as u32));
            for one in 0..30 {
                for other in 0..30 {
                    let is_same = labels[one] == labels[other];
                    assert_eq!(is_same, reaches(one, other) && reaches(other, one));
                    assert!(!reaches(one, other) || labels[one] >= labels[other]);
                }
            }
            assert_eq!(labels.iter().max().map_or(0, |last| *last as usize + 1), count);
        }
    }
}
