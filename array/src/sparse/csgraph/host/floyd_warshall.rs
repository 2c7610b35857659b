//! Shortest paths between all pairs of nodes.

use super::graph::NONE;

/// Replaces edges by shortest paths. `distances` has a row for each node: weights of edges, zeros
/// on the diagonal, infinity elsewhere. `predecessors` has the row of each finite element that is
/// not on the diagonal. A negative cycle leaves a negative number on the diagonal.
///
/// Sources: R. W. Floyd, "Algorithm 97: Shortest path" (1962); S. Warshall, "A theorem on Boolean
/// matrices" (1962).
pub fn floyd_warshall(nodes: usize, distances: &mut [f64], predecessors: Option<&mut [i32]>) {
    let mut unused = Vec::new();
    let predecessors = predecessors.unwrap_or(&mut unused);
    let has_predecessors = !predecessors.is_empty();
    for through in 0..nodes {
        let onward = distances[through * nodes..][..nodes].to_vec();
        let before = match has_predecessors {
            true => predecessors[through * nodes..][..nodes].to_vec(),
            false => Vec::new(),
        };
        for row in 0..nodes {
            let first = distances[row * nodes + through];
            if first == f64::INFINITY {
                continue;
            }
            let line = &mut distances[row * nodes..][..nodes];
            for (column, distance) in line.iter_mut().enumerate() {
                let length = first + onward[column];
                if length < *distance {
                    *distance = length;
                    if has_predecessors {
                        predecessors[row * nodes + column] = before[column];
                    }
                }
            }
        }
    }
}

/// The predecessors before the first step.
pub fn first_predecessors(nodes: usize, distances: &[f64]) -> Vec<i32> {
    let of = |(at, distance): (usize, &f64)| {
        let (row, column) = (at / nodes, at % nodes);
        if row != column && !distance.is_infinite() { row as i32 } else { NONE }
    };
    distances.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::random_graph;
    use super::super::shortest::dijkstra;
    use super::{first_predecessors, floyd_warshall};

    #[test]
    fn rows_are_the_distances_from_their_nodes() {
        for seed in 0..30 {
            let made = random_graph(15, 40, 1.0, seed);
            let mut distances = vec![f64::INFINITY; 15 * 15];
            for row in 0..15 {
                for (column, weight) in made.edges(row) {
                    let at = row * 15 + column;
                    distances[at] = distances[at].min(weight);
                }
                distances[row * 16] = 0.0;
            }
            let mut predecessors = first_predecessors(15, &distances);
            let direct = distances.clone();
            floyd_warshall(15, &mut distances, Some(&mut predecessors));
            let mut again = direct.clone();
            floyd_warshall(15, &mut again, None);
            assert_eq!(again, distances);
            for row in 0..15 {
                let expected = dijkstra(&made, &[row], f64::INFINITY);
                assert_eq!(distances[row * 15..][..15], expected.distances);
                for column in 0..15 {
                    let before = predecessors[row * 15 + column];
                    assert_eq!(before >= 0, expected.predecessors[column] >= 0);
                    if before >= 0 {
                        let before = before as usize;
                        let length = distances[row * 15 + before] + direct[before * 15 + column];
                        assert_eq!(length, distances[row * 15 + column]);
                    }
                }
            }
        }
    }
}
