//! Matchings of all rows with the least sum of weights.

use super::graph::Graph;
use super::shortest::Waiting;
use std::collections::BinaryHeap;

/// A number for no column or row.
const FREE: u32 = u32::MAX;

/// The column of each row in the matching of all rows that has the least sum of weights, for a
/// matrix with at least as many columns as rows. `None` if not all rows can be matched.
///
/// Source: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
/// linear assignment problems" (1987): the augmentation, with a heap.
pub fn least_assignment(graph: &Graph, width: usize) -> Option<Vec<i32>> {
    let mut state = Assignment::new(graph, width);
    for row in 0..graph.rows() {
        state.start(row);
    }
    for row in 0..graph.rows() {
        if state.columns[row] == FREE && !state.augment(row) {
            return None;
        }
    }
    Some(state.columns.into_iter().map(|column| column as i32).collect())
}

/// A matching of some rows, and the dual prices for which it is the cheapest one: a weight less the
/// prices of its row and its column is never negative, and is zero for the pairs of the matching.
struct Assignment<'a> {
    graph: &'a Graph,
    columns: Vec<u32>,
    rows: Vec<u32>,
    row_prices: Vec<f64>,
    column_prices: Vec<f64>,
    /// The state of one augmentation: the length of the shortest path to each column, the row
    /// before it, and whether it is final.
    lengths: Vec<f64>,
    before: Vec<u32>,
    is_final: Vec<bool>,
    reached: Vec<u32>,
}

impl Assignment<'_> {
    fn new(graph: &Graph, width: usize) -> Assignment<'_> {
        Assignment {
            graph,
            columns: vec![FREE; graph.rows()],
            rows: vec![FREE; width],
            row_prices: vec![0.0; graph.rows()],
            column_prices: vec![0.0; width],
            lengths: vec![f64::INFINITY; width],
            before: vec![FREE; width],
            is_final: vec![false; width],
            reached: Vec::new(),
        }
    }

    /// Gives a row its least weight as its price, and the column of that weight if it is free.
    fn start(&mut self, row: usize) {
        let compare = |least: (usize, f64), next: (usize, f64)| {
            if next.1 < least.1 { next } else { least }
        };
        if let Some((column, weight)) = self.graph.edges(row).reduce(compare) {
            self.row_prices[row] = weight;
            if self.rows[column] == FREE {
                self.rows[column] = row as u32;
                self.columns[row] = column as u32;
            }
        }
    }

    /// Matches one more row along a shortest path of alternating pairs to a free column. Returns
    /// whether there is one.
    fn augment(&mut self, first: usize) -> bool {
        for column in self.reached.drain(..) {
            self.lengths[column as usize] = f64::INFINITY;
            self.is_final[column as usize] = false;
        }
        let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
        let (mut row, mut length) = (first, 0.0);
        let end = loop {
            for (column, weight) in self.graph.edges(row) {
                let reduced = weight - self.row_prices[row] - self.column_prices[column];
                let to = length + reduced;
                if to < self.lengths[column] && !self.is_final[column] {
                    if self.lengths[column] == f64::INFINITY {
                        self.reached.push(column as u32);
                    }
                    self.lengths[column] = to;
                    self.before[column] = row as u32;
                    waiting.push(Waiting { distance: to, node: column });
                }
            }
            let nearest = loop {
                let Some(next) = waiting.pop() else { return false };
                if !self.is_final[next.node] {
                    break next;
                }
            };
            self.is_final[nearest.node] = true;
            length = nearest.distance;
            if self.rows[nearest.node] == FREE {
                break nearest.node;
            }
            row = self.rows[nearest.node] as usize;
        };
        self.row_prices[first] += length;
        for &column in &self.reached {
            let column = column as usize;
            let change = length - self.lengths[column];
            if self.is_final[column] && column != end {
                self.column_prices[column] -= change;
                self.row_prices[self.rows[column] as usize] += change;
            }
        }
        let mut column = end;
        loop {
            let row = self.before[column] as usize;
            self.rows[column] = row as u32;
            let former = std::mem::replace(&mut self.columns[row], column as u32);
            if row == first {
                return true;
            }
            column = former as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::super::matching::tests::random_entries;
    use super::least_assignment;

    fn least(graph: &Graph, row: usize, used: usize) -> Option<f64> {
        if row == graph.rows() {
            return Some(0.0);
        }
        let free = graph.edges(row).filter(|edge| used >> edge.0 & 1 == 0);
        let with = free.filter_map(|(column, weight)| {
            Some(weight + least(graph, row + 1, used | 1 << column)?)
        });
        with.min_by(f64::total_cmp)
    }

    #[test]
    fn sums_are_the_least() {
        let mut matched = 0;
        for seed in 0..300 {
            let (height, width) = (3 + seed as usize % 4, 6 + seed as usize % 3);
            let made = random_entries(height, width, 10 + seed as usize % 22, seed);
            let expected = least(&made, 0, 0);
            let found = least_assignment(&made, width);
            assert_eq!(found.is_some(), expected.is_some(), "{seed}");
            let Some(found) = found else { continue };
            matched += 1;
            let mut sum = 0.0;
            for (row, &column) in found.iter().enumerate() {
                sum += made.edges(row).find(|edge| edge.0 == column as usize).unwrap().1;
                assert!(found[..row].iter().all(|&other| other != column));
            }
            assert_eq!(Some(sum), expected, "{seed}");
        }
        assert!(matched > 50);
    }
}
