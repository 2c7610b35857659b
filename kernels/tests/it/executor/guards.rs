//! Selections by guards, whose lane blocks inside or outside take an operand as it is.

use super::case::Case;

/// Selections by `g0` with the guard's truth values as an operand, and selections of selections.
const TRUTHS: &str = "kernel(a: bool in, c: bool out, d: bool out; g0[i0], g1[i0]) {
  for i0 grid {
    v0: bool = load a.0[i0]
    v1: bool = inside g0
    v2: bool = select(v1, v1, v0)
    v3: bool = inside g1
    v4: bool = select(v3, v1, v2)
    store c.1[i0] = v2
    store d.2[i0] = v4
  }
}";

/// An array's rows moved down in place of its own elements, and the sum of each row.
const MOVED: &str =
    "kernel(a: f64 in, b: f64 in, c: f64 out, d: f64 out; s0: f64; g0[i0], g1[i0, i1]) {
  for i0 grid {
    v0: f64 = s0
    for i1 loop {
      v1: f64 = load a.0[i0, i1] if g0
      v2: bool = inside g0
      v3: f64 = select(v2, v1, v0)
      v4: f64 = load b.1[i0, i1] if g1
      v5: bool = inside g1
      v6: f64 = select(v5, v4, v3)
      v7: f64 = add(v3, v6)
      store c.2[i0, i1] = v6
      fold v8: f64 = add(v7)
    }
    store d.3[i0] = v8
  }
}";

/// Two arrays beside each other along the innermost axis.
const STACKED: &str = "kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64; g0[i2], g1[i2]) {
  for i0, i1, i2 grid {
    v0: f64 = s0
    v1: f64 = load a.0[i0, i1] if g0
    v2: bool = inside g0
    v3: f64 = select(v2, v1, v0)
    v4: f64 = load b.1[i0, i1] if g1
    v5: bool = inside g1
    v6: f64 = select(v5, v4, v3)
    store c.2[i0, i1, i2] = v6
  }
}";

/// Two arrays beside each other, along rows that are long.
const BESIDE: &str = "kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64; g0[i1], g1[i0, i1]) {
  for i0, i1 grid {
    v0: f64 = s0
    v1: f64 = load a.0[i0, i1] if g0
    v2: bool = inside g0
    v3: f64 = select(v2, v1, v0)
    v4: f64 = load b.1[i0, i1] if g1
    v5: bool = inside g1
    v6: f64 = select(v5, v4, v3)
    store c.2[i0, i1] = v6
  }
}";

/// A copy of axes in another order.
const COPIED: &str = "kernel(a: f64 in, b: f64 out) {
  for i0, i1, i2 grid {
    v0: f64 = load a.0[i0, i1, i2]
    store b.1[i0, i1, i2] = v0
  }
}";

#[test]
fn short_runs_of_an_innermost_axis_are_visited_apart() {
    // Operands in the order of the result, and transposed ones.
    for operand in [[90, 1], [1, 80]] {
        for guards in [[(0, 1), (1, 2)], [(0, 2), (1, 3)], [(0, 0), (2, 3)], [(0, 3), (0, 3)]] {
            let case = Case::new(STACKED, &[80, 90, 3]).random(0, 7200).random(1, 7200);
            let case = case.random(2, 21600).access(0, 0, &operand).access(1, 0, &operand);
            let case = case.access(2, 0, &[270, 3, 1]);
            let case = case.scalar(phalanx_ops::Scalar::new(2.5));
            case.guard(&[guards[0]]).guard(&[guards[1]]).check();
        }
    }
    for short in [2, 5, 17] {
        let all = 80 * 90 * short as usize;
        let case = Case::new(COPIED, &[80, short as usize, 90]).random(0, all).random(1, all);
        // The innermost axis of what is read is short, and that of what is written is not.
        let case = case.access(0, 0, &[short, 1, 80 * short]);
        case.access(1, 0, &[90 * short, 90, 1]).check();
    }
}

#[test]
fn long_rows_are_cut_where_guards_end() {
    // Also rows that are too short for that, and guards that overlap or hold in some rows.
    for columns in [40, 1000, 5000i64] {
        let middle = columns / 3;
        for (one, rows, other) in [
            ((0, middle), (0, 6), (middle, columns)),
            ((0, middle + 9), (2, 5), (middle - 9, columns - 1)),
            ((7, columns), (0, 6), (0, 11)),
            ((1, columns - 1), (0, 0), (0, columns)),
        ] {
            let all = 6 * columns as usize;
            let case = Case::new(BESIDE, &[6, columns as usize]).random(0, all).random(1, all);
            let case = case.random(2, all).access(0, 0, &[columns as isize, 1]);
            // One operand is read backwards, as a flipped array.
            let case = case.access(1, all as isize - 1, &[-columns as isize, -1]);
            let case = case.access(2, 0, &[columns as isize, 1]);
            let case = case.scalar(phalanx_ops::Scalar::new(2.5));
            case.guard(&[one]).guard(&[rows, other]).check();
        }
    }
}

#[test]
fn selections_by_guards_take_operands() {
    for bounds in [(0, 700), (0, 0), (0, 350), (64, 448), (699, 700)] {
        let case = Case::new(TRUTHS, &[700]).random(0, 700).random(1, 700).random(2, 700);
        let case = case.access(0, 0, &[1]).access(1, 0, &[1]).access(2, 0, &[1]);
        case.guard(&[bounds]).guard(&[(100, 600)]).check();
    }
}

#[test]
fn selected_loads_are_folded_and_stored() {
    for (outer, inner) in
        [((0, 5), (0, 300)), ((1, 4), (256, 300)), ((0, 0), (3, 3)), ((2, 9), (0, 256))]
    {
        let case = Case::new(MOVED, &[5, 300]).random(0, 1500).random(1, 1500).random(2, 1500);
        let case = case.random(3, 5).access(0, 0, &[300, 1]).access(1, 0, &[300, 1]);
        let case = case.access(2, 0, &[300, 1]).access(3, 0, &[1]);
        let case = case.scalar(phalanx_ops::Scalar::new(2.5));
        case.guard(&[outer]).guard(&[(1, 4), inner]).check();
    }
}
