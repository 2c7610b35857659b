//! Factors by columns from left to right (J. R. Gilbert, T. Peierls, SIAM J. Sci. Stat. Comput.
//! 9(5), 1988), complete or with a threshold.

use super::{Columns, Dropping, Factors, Options, Scalar, Unfactorised};

/// The position of a row that is no pivot yet.
const NONE: u32 = u32::MAX;

/// The column that is computed.
struct Work<T> {
    values: Vec<T>,
    /// For each row, the last column (plus one) in which it was found.
    marks: Vec<u32>,
    /// The rows with elements, each before those that its elimination changes, from `first` on.
    found: Vec<u32>,
    first: usize,
    /// Rows whose columns of L are being searched, and how far.
    stack: Vec<(u32, usize)>,
}

/// Factorises a square matrix; `None` if that takes more than a number of multiplications.
pub(super) fn factorise<T: Scalar>(
    matrix: &Columns<T>,
    options: &Options,
    most_products: usize,
) -> Result<Option<Factors<T>>, Unfactorised> {
    let n = matrix.extent();
    let order = options.order.of(matrix);
    let capacity = 4 * matrix.rows.len();
    let (mut lower, mut upper) =
        (Columns::with_capacity(capacity), Columns::with_capacity(capacity));
    let mut row_positions = vec![NONE; n];
    let mut work = Work {
        values: vec![T::default(); n],
        marks: vec![0; n],
        found: vec![0; n],
        first: n,
        stack: Vec::new(),
    };
    let mut products = 0;
    let most = options.dropping.map(|it| most_entries(it, matrix));
    for (place, &column) in order.iter().enumerate() {
        let column = column as usize;
        work.find(matrix.rows_of(column), place as u32 + 1, &lower, &row_positions);
        let mut largest = 0.0_f64;
        for (row, value) in matrix.column(column) {
            work.values[row] += value;
            largest = largest.max(value.magnitude());
        }
        let threshold = options.dropping.map_or(0.0, |it| it.threshold);
        products += work.eliminate(&lower, &row_positions, threshold * largest);
        if products > most_products {
            return Ok(None);
        }
        let pivot = work.pivot(column, &row_positions, options.diagonal_threshold);
        let Some(pivot) = pivot.filter(|&row| is_pivot(work.values[row])) else {
            return Err(Unfactorised::Singular { column });
        };
        row_positions[pivot] = place as u32;
        if let Some(most) = most {
            work.drop_small(pivot, &row_positions, place, [threshold * largest, threshold], most);
        }
        work.store(pivot, place, &row_positions, &mut lower, &mut upper);
    }
    for row in &mut lower.rows {
        *row = row_positions[*row as usize];
    }
    let mut column_positions = vec![0; n];
    for (place, &column) in order.iter().enumerate() {
        column_positions[column as usize] = place as u32;
    }
    // Transposed twice, rows ascend.
    let (lower, upper) = (lower.transposed().transposed(), upper.transposed().transposed());
    Ok(Some(Factors { lower, upper, row_positions, column_positions }))
}

fn is_pivot<T: Scalar>(value: T) -> bool {
    value != T::default() && value.parts().iter().all(|part| part.is_finite())
}

/// The entries that a column of both factors keeps.
fn most_entries<T: Scalar>(dropping: Dropping, matrix: &Columns<T>) -> usize {
    let mean = matrix.rows.len() as f64 / matrix.extent().max(1) as f64;
    (dropping.fill * mean).ceil().max(1.0) as usize
}

impl<T: Scalar> Work<T> {
    /// Finds the rows that have elements once the column is eliminated: those that are reached from
    /// its own rows through the columns of L.
    fn find(&mut self, rows: &[u32], mark: u32, lower: &Columns<T>, row_positions: &[u32]) {
        self.first = self.found.len();
        for &row in rows {
            if self.marks[row as usize] == mark {
                continue;
            }
            self.marks[row as usize] = mark;
            self.stack.push((row, 0));
            while let Some((row, next)) = self.stack.last_mut() {
                let position = row_positions[*row as usize];
                let of_row: &[u32] = match position {
                    NONE => &[],
                    position => lower.rows_of(position as usize),
                };
                let unseen = of_row[*next..].iter().position(|&it| self.marks[it as usize] != mark);
                if let Some(steps) = unseen {
                    let row = of_row[*next + steps];
                    *next += steps + 1;
                    self.marks[row as usize] = mark;
                    self.stack.push((row, 0));
                } else {
                    self.first -= 1;
                    self.found[self.first] = *row;
                    self.stack.pop();
                }
            }
        }
    }

    /// Subtracts the columns of L that belong to elements of U. Smaller elements of U become zero.
    /// Returns the number of multiplications.
    fn eliminate(&mut self, lower: &Columns<T>, row_positions: &[u32], least: f64) -> usize {
        let mut products = 0;
        for &row in &self.found[self.first..] {
            let position = row_positions[row as usize];
            let value = self.values[row as usize];
            if position == NONE || value == T::default() {
                continue;
            }
            if value.magnitude() < least {
                self.values[row as usize] = T::default();
                continue;
            }
            products += lower.entries(position as usize).len();
            // The first entry is the pivot itself.
            for (below, factor) in lower.column(position as usize).skip(1) {
                self.values[below] -= factor * value;
            }
        }
        products
    }

    /// The row of the pivot: the largest element that is left, or the diagonal if it is nearly as
    /// large. NaN counts as the largest.
    fn pivot(&self, diagonal: usize, row_positions: &[u32], threshold: f64) -> Option<usize> {
        let mut best = None;
        let mut largest = -1.0_f64;
        for &row in &self.found[self.first..] {
            if row_positions[row as usize] != NONE {
                continue;
            }
            let magnitude = self.values[row as usize].magnitude();
            if magnitude > largest || magnitude.is_nan() {
                (best, largest) = (Some(row as usize), magnitude);
            }
        }
        let is_found = self.found[self.first..].contains(&(diagonal as u32));
        if is_found && row_positions[diagonal] == NONE && largest > 0.0 {
            let magnitude = self.values[diagonal].magnitude();
            if magnitude > 0.0 && magnitude >= threshold * largest {
                return Some(diagonal);
            }
        }
        best
    }

    /// Drops elements of both factors: the small ones, and the smallest beyond the number that a
    /// column keeps. The pivot stays.
    fn drop_small(
        &mut self,
        pivot: usize,
        row_positions: &[u32],
        place: usize,
        [least_upper, least_lower]: [f64; 2],
        most: usize,
    ) {
        let divisor = self.values[pivot].magnitude();
        let mut kept: Vec<(f64, u32)> = Vec::new();
        for &row in &self.found[self.first..] {
            if row as usize == pivot {
                continue;
            }
            let magnitude = self.values[row as usize].magnitude();
            let is_upper = (row_positions[row as usize] as usize) < place;
            let is_small =
                if is_upper { magnitude < least_upper } else { magnitude < least_lower * divisor };
            match is_small || magnitude == 0.0 {
                true => self.values[row as usize] = T::default(),
                false => kept.push((magnitude, row)),
            }
        }
        if kept.len() >= most {
            // The largest first; equal ones by their rows, so that the result is determined.
            kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for &(_, row) in &kept[most - 1..] {
                self.values[row as usize] = T::default();
            }
        }
    }

    /// Appends the column to both factors and clears it. Elements that are zero are not stored.
    fn store(
        &mut self,
        pivot: usize,
        place: usize,
        row_positions: &[u32],
        lower: &mut Columns<T>,
        upper: &mut Columns<T>,
    ) {
        let divisor = self.values[pivot];
        lower.push(pivot, T::of(1.0, 0.0));
        for &row in &self.found[self.first..] {
            let value = std::mem::take(&mut self.values[row as usize]);
            let position = row_positions[row as usize];
            if value == T::default() || row as usize == pivot {
                continue;
            }
            match position {
                NONE => lower.push(row as usize, value / divisor),
                position => upper.push(position as usize, value),
            }
        }
        upper.push(place, divisor);
        lower.end_column();
        upper.end_column();
    }
}
