//! Sums of the squares of differences, which the executor folds as they are in memory.

use super::case::Case;

/// Rows of `a` and of `b`, one for each point of the sum.
const PAIRS: &str = "kernel(a: DTYPE in, b: DTYPE in, c: DTYPE out) {
  for i0, i1 grid {
    for i2 loop {
      v0: DTYPE = load a.0[i0, i2]
      v1: DTYPE = load b.1[i1, i2]
      v2: DTYPE = subtract(v0, v1)
      v3: DTYPE = SQUARE
      fold v4: DTYPE = add(v3)
    }
    store c.2[i0, i1] = v4
  }
}";

/// Two sums, of the squares and of the differences themselves.
const BOTH: &str = "kernel(a: DTYPE in, b: DTYPE in, c: DTYPE out, d: DTYPE out) {
  for i0 grid {
    for i1 loop {
      v0: DTYPE = load a.0[i0, i1]
      v1: DTYPE = load b.1[i0, i1]
      v2: DTYPE = subtract(v0, v1)
      v3: DTYPE = SQUARE
      fold v4: DTYPE = add(v3)
      fold v5: DTYPE = add(v2)
    }
    store c.2[i0] = v4
    store d.3[i0] = v5
  }
}";

/// Sums of rows, of which the differences are stored, too.
const STORED: &str = "kernel(a: DTYPE in, b: DTYPE in, c: DTYPE out, d: DTYPE out) {
  for i0 grid {
    for i1 loop {
      v0: DTYPE = load a.0[i0, i1]
      v1: DTYPE = load b.1[i0, i1]
      v2: DTYPE = subtract(v0, v1)
      store d.2[i0, i1] = v2
      v3: DTYPE = SQUARE
      fold v4: DTYPE = add(v3)
    }
    store c.3[i0] = v4
  }
}";

fn texts(text: &str) -> Vec<String> {
    let squares = ["square(v2)", "multiply(v2, v2)"];
    let dtypes = ["f32", "f64", "f16", "i64"];
    let text = |dtype: &str, square| text.replace("DTYPE", dtype).replace("SQUARE", square);
    dtypes.iter().flat_map(|dtype| squares.map(|square| text(dtype, square))).collect()
}

#[test]
fn distances_of_all_pairs() {
    for (points, rows, columns) in
        [(16, 5, 300), (1, 3, 40), (2, 4, 33), (7, 3, 64), (13, 2, 70), (40, 3, 65), (300, 2, 33)]
    {
        for text in texts(PAIRS) {
            Case::new(&text, &[rows, columns, points])
                .random(0, points * rows)
                .random(1, points * columns)
                .random(2, rows * columns)
                .access(0, 0, &[1, rows as isize])
                .access(1, 0, &[1, columns as isize])
                .access(2, 0, &[columns as isize, 1])
                .check();
        }
    }
}

/// Checks a kernel of rows of differences with two results, of which the second one has the
/// differences themselves, or one element a row.
fn check_rows(text: &str, stores_differences: bool) {
    for (rows, columns) in [(1, 3000), (3, 257), (40, 9)] {
        let whole = [columns as isize, 1];
        let second = if stores_differences { rows * columns } else { rows };
        let strides = if stores_differences { &whole[..] } else { &[1] };
        for text in texts(text) {
            Case::new(&text, &[rows, columns])
                .random(0, rows * columns)
                .random(1, rows * columns)
                .random(2, rows)
                .random(3, second)
                .access(0, 0, &whole)
                .access(1, 0, &whole)
                .access(2, 0, strides)
                .access(3, 0, &[1])
                .check();
        }
    }
}

#[test]
fn differences_that_are_summed_twice() {
    check_rows(BOTH, false);
}

#[test]
fn differences_that_are_stored_and_summed() {
    check_rows(STORED, true);
}
