//! A weighted graph in compressed rows.

use std::ops::Range;

/// The predecessor of a node that has none, as in SciPy.
pub const NONE: i32 = -9999;

/// A directed graph. The entries of row `i` are the edges from node `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// For each row, the number of its first entry; then the number of entries.
    pub starts: Vec<usize>,
    /// The node to which each edge leads.
    pub columns: Vec<u32>,
    /// The weight of each edge.
    pub weights: Vec<f64>,
}

impl Graph {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The numbers of the entries of a row.
    pub fn entries(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of a row.
    pub fn columns_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.columns[self.entries(row)].iter().map(|&column| column as usize)
    }

    /// The columns of a row with their weights.
    pub fn edges(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.columns_of(row).zip(self.weights[self.entries(row)].iter().copied())
    }

    /// The row of each entry.
    pub fn rows_of_entries(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.columns.len());
        for row in 0..self.rows() {
            all.extend(self.entries(row).map(|_| row as u32));
        }
        all
    }

    /// The transposed matrix of a matrix with this number of columns. Entries of a row are in the
    /// order of their former rows.
    #[must_use]
    pub fn transposed(&self, width: usize) -> Graph {
        let mut starts = vec![0; width + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for column in 0..width {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut weights = vec![0.0; self.columns.len()];
        for row in 0..self.rows() {
            for (column, weight) in self.edges(row) {
                columns[next[column]] = row as u32;
                weights[next[column]] = weight;
                next[column] += 1;
            }
        }
        Graph { starts, columns, weights }
    }

    /// The graph in which each edge leads both ways. A row has its own entries first, and then
    /// those of its column.
    #[must_use]
    pub fn both_ways(&self) -> Graph {
        let turned = self.transposed(self.rows());
        let count = 2 * self.columns.len();
        let mut both = Graph {
            starts: vec![0],
            columns: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
        };
        for row in 0..self.rows() {
            for part in [self, &turned] {
                both.columns.extend_from_slice(&part.columns[part.entries(row)]);
                both.weights.extend_from_slice(&part.weights[part.entries(row)]);
            }
            both.starts.push(both.columns.len());
        }
        both
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Graph;

    /// The graph with these edges, in the order of their rows.
    pub fn graph(nodes: usize, edges: &[(usize, usize, f64)]) -> Graph {
        let mut made = Graph { starts: vec![0], columns: vec![], weights: vec![] };
        for row in 0..nodes {
            for &(_, column, weight) in edges.iter().filter(|edge| edge.0 == row) {
                made.columns.push(column as u32);
                made.weights.push(weight);
            }
            made.starts.push(made.columns.len());
        }
        made
    }

    /// Numbers that look random, below a bound.
    pub fn random(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |bound| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            (state >> 33) as usize % bound
        }
    }

    /// A graph with random edges whose weights are integers from `least` to `least + 9`.
    pub fn random_graph(nodes: usize, edges: usize, least: f64, seed: u64) -> Graph {
        let mut below = random(seed);
        let edge = |_| (below(nodes), below(nodes), below(10) as f64 + least);
        graph(nodes, &(0..edges).map(edge).collect::<Vec<_>>())
    }

    #[test]
    fn both_ways_has_the_row_before_the_column() {
        let made = graph(3, &[(0, 2, 1.0), (0, 1, 2.0), (2, 0, 3.0), (1, 0, 4.0)]);
        let turned = made.transposed(3);
        assert_eq!(turned, graph(3, &[(0, 1, 4.0), (0, 2, 3.0), (1, 0, 2.0), (2, 0, 1.0)]));
        let both = made.both_ways();
        assert_eq!(both.columns_of(0).collect::<Vec<_>>(), [2, 1, 1, 2]);
        assert_eq!(both.edges(2).collect::<Vec<_>>(), [(0, 3.0), (0, 1.0)]);
    }
}
