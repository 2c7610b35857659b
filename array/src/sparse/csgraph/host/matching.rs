//! Matchings of rows with columns.

use super::graph::Graph;
use std::collections::VecDeque;

/// Pairs of rows and columns; -1 for those that have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Matching {
    /// The column of each row.
    pub columns: Vec<i32>,
    /// The row of each column.
    pub rows: Vec<i32>,
}

/// As many pairs of a row and a column with an entry as there can be, for a matrix with this number
/// of columns.
///
/// Source: J. E. Hopcroft, R. M. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite
/// graphs" (1973).
pub fn maximum_matching(graph: &Graph, width: usize) -> Matching {
    let height = graph.rows();
    let mut found = Matching { columns: vec![-1; height], rows: vec![-1; width] };
    let mut layers = vec![u32::MAX; height];
    while has_augmenting_path(graph, &found, &mut layers) {
        // The first entry of each row that may still lead to a free column.
        let mut open = graph.starts.clone();
        for row in 0..height {
            if found.columns[row] < 0 {
                augment(graph, &mut found, &mut layers, &mut open, row);
            }
        }
    }
    found
}

/// Numbers the rows by the lengths of alternating paths from rows without a column. Returns whether
/// a path ends at a free column.
fn has_augmenting_path(graph: &Graph, found: &Matching, layers: &mut [u32]) -> bool {
    let mut waiting = VecDeque::new();
    for (row, &column) in found.columns.iter().enumerate() {
        layers[row] = if column < 0 { 0 } else { u32::MAX };
        if column < 0 {
            waiting.push_back(row);
        }
    }
    let mut last = u32::MAX;
    while let Some(row) = waiting.pop_front() {
        if layers[row] >= last {
            break;
        }
        for column in graph.columns_of(row) {
            match usize::try_from(found.rows[column]) {
                Err(_) => last = layers[row],
                Ok(next) if layers[next] == u32::MAX => {
                    layers[next] = layers[row] + 1;
                    waiting.push_back(next);
                }
                Ok(_) => {}
            }
        }
    }
    last != u32::MAX
}

/// Finds a path in layers from a row to a free column, and swaps the pairs along it.
fn augment(
    graph: &Graph,
    found: &mut Matching,
    layers: &mut [u32],
    open: &mut [usize],
    first: usize,
) {
    let mut path = vec![first];
    while let Some(&row) = path.last() {
        if open[row] == graph.starts[row + 1] {
            layers[row] = u32::MAX;
            path.pop();
            if let Some(&before) = path.last() {
                open[before] += 1;
            }
            continue;
        }
        let column = graph.columns[open[row]] as usize;
        match usize::try_from(found.rows[column]) {
            Err(_) => {
                for row in path.drain(..) {
                    let column = graph.columns[open[row]];
                    found.rows[column as usize] = row as i32;
                    found.columns[row] = column as i32;
                    layers[row] = u32::MAX;
                }
            }
            Ok(next) if layers[next] != u32::MAX && layers[next] == layers[row] + 1 => {
                path.push(next);
            }
            Ok(_) => open[row] += 1,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::graph::Graph;
    use super::super::graph::tests::{graph, random};
    use super::maximum_matching;

    /// The matrix with random entries, of a height and a width.
    pub fn random_entries(height: usize, width: usize, count: usize, seed: u64) -> Graph {
        let mut below = random(seed);
        let mut at: Vec<(usize, usize)> =
            (0..count).map(|_| (below(height), below(width))).collect();
        at.sort_unstable();
        at.dedup();
        let edges = at.into_iter().map(|(row, column)| (row, column, below(20) as f64 - 9.5));
        graph(height, &edges.collect::<Vec<_>>())
    }

    /// The size of the largest matching of rows from one on with columns that are not used.
    fn largest(graph: &Graph, row: usize, used: usize) -> usize {
        if row == graph.rows() {
            return 0;
        }
        let free = graph.columns_of(row).filter(|column| used >> column & 1 == 0);
        let with = free.map(|column| 1 + largest(graph, row + 1, used | 1 << column));
        with.max().unwrap_or(0).max(largest(graph, row + 1, used))
    }

    #[test]
    fn matchings_are_the_largest() {
        for seed in 0..100 {
            let (height, width) = (4 + seed as usize % 4, 7 - seed as usize % 3);
            let made = random_entries(height, width, 3 + seed as usize % 14, seed);
            let found = maximum_matching(&made, width);
            let mut count = 0;
            for (row, &column) in found.columns.iter().enumerate() {
                if column >= 0 {
                    count += 1;
                    assert_eq!(found.rows[column as usize], row as i32);
                    assert!(made.columns_of(row).any(|other| other == column as usize));
                }
            }
            assert_eq!(found.rows.iter().filter(|&&row| row >= 0).count(), count);
            assert_eq!(count, largest(&made, 0, 0), "{seed}");
        }
    }
}
