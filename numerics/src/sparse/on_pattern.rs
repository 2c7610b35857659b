//! Incomplete factors that have the entries of the matrix and no others (Y. Saad, Iterative Methods
//! for Sparse Linear Systems, 2nd ed., sections 10.2 and 10.3).

use super::{Columns, Factors, Scalar, Unfactorised};

/// The factors of a matrix whose rows have no duplicates, `ILU(0)`.
pub(super) fn factorise<T: Scalar>(matrix: &Columns<T>) -> Result<Factors<T>, Unfactorised> {
    let n = matrix.extent();
    let mut rows = matrix.transposed();
    let mut diagonals = vec![0; n];
    // The entry of the current row at each column, plus one.
    let mut places = vec![0; n];
    for row in 0..n {
        let entries = rows.entries(row);
        for entry in entries.clone() {
            places[rows.rows[entry] as usize] = entry + 1;
        }
        for entry in entries.clone() {
            let column = rows.rows[entry] as usize;
            if column >= row {
                break;
            }
            let factor = rows.values[entry] / rows.values[diagonals[column]];
            rows.values[entry] = factor;
            for above in diagonals[column] + 1..rows.starts[column + 1] {
                let place = places[rows.rows[above] as usize];
                if place > 0 {
                    let product = factor * rows.values[above];
                    rows.values[place - 1] -= product;
                }
            }
        }
        match places[row] {
            0 => return Err(Unfactorised::Singular { column: row }),
            place if rows.values[place - 1] == T::default() => {
                return Err(Unfactorised::Singular { column: row });
            }
            place => diagonals[row] = place - 1,
        }
        for entry in entries {
            places[rows.rows[entry] as usize] = 0;
        }
    }
    Ok(split(&rows.transposed()))
}

/// Both factors from one matrix that has their entries; the diagonal is that of `U`.
fn split<T: Scalar>(both: &Columns<T>) -> Factors<T> {
    let n = both.extent();
    let capacity = both.rows.len();
    let (mut lower, mut upper) =
        (Columns::with_capacity(capacity), Columns::with_capacity(capacity));
    for column in 0..n {
        lower.push(column, T::of(1.0, 0.0));
        for (row, value) in both.column(column) {
            if row > column { lower.push(row, value) } else { upper.push(row, value) }
        }
        lower.end_column();
        upper.end_column();
    }
    let positions: Vec<u32> = (0..n as u32).collect();
    Factors { lower, upper, row_positions: positions.clone(), column_positions: positions }
}

/// The factors of a step of symmetric successive over-relaxation for `A = L + D + U`:
/// `(I + w L D^-1) (D / w + U) / (2 - w)` (Y. Saad, section 10.2).
pub(super) fn relaxation<T: Scalar>(
    matrix: &Columns<T>,
    factor: f64,
) -> Result<Factors<T>, Unfactorised> {
    let mut factors = split(matrix);
    let scale = T::of(factor, 0.0);
    let whole = T::of(1.0 / (2.0 - factor), 0.0);
    for column in 0..matrix.extent() {
        let entries = factors.upper.entries(column);
        let last = entries.clone().last().filter(|&it| factors.upper.rows[it] as usize == column);
        let diagonal = last.map(|it| factors.upper.values[it]).unwrap_or_default();
        if diagonal == T::default() {
            return Err(Unfactorised::Singular { column });
        }
        let below = factors.lower.starts[column] + 1..factors.lower.starts[column + 1];
        for value in &mut factors.lower.values[below] {
            *value = *value * scale / diagonal;
        }
        factors.upper.values[entries.end - 1] = diagonal / scale;
        for value in &mut factors.upper.values[entries] {
            *value *= whole;
        }
    }
    Ok(factors)
}

/// `L L* ≈ A` on the pattern of the lower triangle of a Hermitian matrix, `IC(0)`, as the factors
/// `L D^-1` and `D L*`, where `D` is the diagonal of `L`. A pivot that is not positive refuses the
/// matrix.
pub(super) fn factorise_hermitian<T: Scalar>(
    matrix: &Columns<T>,
) -> Result<Factors<T>, Unfactorised> {
    let n = matrix.extent();
    // The rows of L: those of the lower triangle.
    let rows = matrix.transposed();
    let mut lower: Columns<T> = Columns::with_capacity(rows.rows.len());
    for row in 0..n {
        let begin = lower.rows.len();
        let mut diagonal = None;
        for (column, value) in rows.column(row).take_while(|&(column, _)| column <= row) {
            let (mut value, end) = (value, lower.rows.len());
            if column < row {
                value -= common(&lower, begin..end, lower.entries(column), column);
                let last = lower.values[lower.starts[column + 1] - 1];
                lower.push(column, value / last);
            } else {
                for at in begin..end {
                    value -= lower.values[at] * lower.values[at].conjugate();
                }
                diagonal = Some(value);
            }
        }
        let pivot = diagonal.map_or(0.0, |it| it.parts()[0]);
        // NaN is no pivot either.
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(Unfactorised::Singular { column: row });
        }
        lower.push(row, T::of(pivot.sqrt(), 0.0));
        lower.end_column();
    }
    // Columns of L.
    let columns = lower.transposed();
    let mut upper = lower;
    let mut lower = columns;
    for column in 0..n {
        let entries = lower.entries(column);
        let diagonal = lower.values[entries.start];
        for value in &mut lower.values[entries] {
            *value = *value / diagonal;
        }
    }
    // The rows of L are the columns of its transpose; the row of D L* is scaled by D.
    let diagonals: Vec<T> =
        (0..n).map(|column| upper.values[upper.starts[column + 1] - 1]).collect();
    for entry in 0..upper.rows.len() {
        upper.values[entry] =
            upper.values[entry].conjugate() * diagonals[upper.rows[entry] as usize];
    }
    let positions: Vec<u32> = (0..n as u32).collect();
    Ok(Factors { lower, upper, row_positions: positions.clone(), column_positions: positions })
}

/// The sum of the products of two rows of L before a column.
fn common<T: Scalar>(
    lower: &Columns<T>,
    mut a: std::ops::Range<usize>,
    mut b: std::ops::Range<usize>,
    before: usize,
) -> T {
    let mut sum = T::default();
    while a.start < a.end && b.start < b.end {
        let (left, right) = (lower.rows[a.start], lower.rows[b.start]);
        if right as usize >= before {
            break;
        }
        if left == right {
            sum += lower.values[a.start] * lower.values[b.start].conjugate();
        }
        a.start += usize::from(left <= right);
        b.start += usize::from(right <= left);
    }
    sum
}
