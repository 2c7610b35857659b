//! The kernels of `tests/golden`, each run in every way on several launches.

use super::case::{Case, Generator};
use phalanx_kernels::ir::parse;
use phalanx_ops::{DType, Scalar, Weak};

/// The folder of the package, also on another machine than that of the build.
pub(super) fn folder() -> String {
    let told = std::env::var("CARGO_MANIFEST_DIR");
    told.unwrap_or_else(|_| String::from(env!("CARGO_MANIFEST_DIR")))
}

/// The text of a golden kernel, in printed form.
pub(super) fn text(name: &str) -> String {
    let path = format!("{}/tests/golden/{name}/input.kir", folder());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let kernel = parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(kernel.to_string(), text, "{path} is not as it would be printed");
    text
}

fn float(scalar: Scalar) -> f64 {
    match scalar.to_weak() {
        Weak::Float(value) => value,
        other => panic!("{other:?} is not a float"),
    }
}

fn floats(values: impl IntoIterator<Item = f64>) -> Vec<Scalar> {
    values.into_iter().map(Scalar::new).collect()
}

#[test]
fn chain() {
    for count in [0, 1, 5, 63, 64, 1000, 5000] {
        let case = Case::new(&text("chain"), &[count])
            .random(0, count)
            .random(1, count)
            .random(2, count)
            .access(0, 0, &[1])
            .access(1, 0, &[1])
            .access(2, 0, &[1])
            .scalar(Scalar::new(2.5));
        let result = case.check();
        for (&result, &b) in result.iter().zip(&case.buffers[1]) {
            assert!((float(result) - 2.5 - float(b)).abs() < 1e-14);
        }
    }
}

#[test]
fn chain_with_negative_and_wide_strides() {
    let case = Case::new(&text("chain"), &[500])
        .random(0, 500)
        .random(1, 1500)
        .random(2, 1000)
        .access(0, 499, &[-1])
        .access(1, 1497, &[-3])
        .access(2, 1, &[2])
        .scalar(Scalar::new(-1.0));
    case.check();
}

#[test]
fn elements_need_not_be_aligned_to_more_than_8_bytes() {
    // c128 elements that start at odd multiples of 8 bytes: the imaginary parts of one and the real
    // parts of the next.
    let text = "kernel(a: c128 in, b: c128 out) { for i0 grid {
        v0: c128 = load a.0[i0]\nv1: c128 = add(v0, v0)\nstore b.1[i0] = v1 } }";
    let mut case = Case::new(text, &[100]).random(0, 101).random(1, 101);
    case = case.access(0, 0, &[1]).access(1, 0, &[1]);
    case.check();
    case.accesses = vec![(0, vec![24]), (0, vec![24])];
    case.extents = vec![60];
    case.check();
}

#[test]
fn variance_of_rows_and_of_columns() {
    for (rows, columns) in
        [(3, 1000), (1000, 3), (40, 300), (1, 5000), (300, 0), (2, 255), (2, 257)]
    {
        for transposed in [false, true] {
            let strides = if transposed { [1, rows as isize] } else { [columns as isize, 1] };
            Case::new(&text("variance"), &[rows, columns, columns])
                .random(0, rows * columns)
                .random(1, rows)
                .access(0, 0, &strides)
                .access(1, 0, &strides)
                .access(2, 0, &[1])
                .scalar(Scalar::new(columns as f64))
                .check();
        }
    }
}

#[test]
fn moments_of_complex_rows_and_columns() {
    for (rows, columns) in
        [(3, 1000), (1000, 3), (40, 300), (1, 5000), (300, 0), (2, 255), (2, 257)]
    {
        for transposed in [false, true] {
            let strides = if transposed { [1, rows as isize] } else { [columns as isize, 1] };
            let case = Case::new(&text("moments"), &[rows, columns, columns])
                .random(0, rows * columns)
                .access(0, 0, &strides)
                .access(1, 0, &strides)
                .scalar(Scalar::new(columns as i64));
            let case = (1..6).fold(case, |case, param| case.random(param, rows));
            (2..7).fold(case, |case, access| case.access(access, 0, &[1])).check();
        }
    }
}

#[test]
fn softmax_of_rows() {
    for (rows, columns) in [(4, 700), (200, 9), (1, 3000)] {
        let strides = [columns as isize, 1];
        let case = Case::new(&text("softmax"), &[rows, columns, columns, columns])
            .random(0, rows * columns)
            .random(1, rows * columns)
            .access(0, 0, &strides)
            .access(1, 0, &strides)
            .access(2, 0, &strides)
            .access(3, 0, &strides);
        let total: f64 = case.check().iter().map(|&value| float(value)).sum();
        assert!((total - rows as f64).abs() < 1e-4 * rows as f64);
    }
}

#[test]
fn stencil_with_guards() {
    for (rows, columns) in [(30, 50), (3, 2000), (500, 4), (1, 1)] {
        stencil([rows, columns], [10, 20]).check();
    }
}

/// A five-point stencil on a grid whose first point has the index `origin`, with zeros around it.
pub(super) fn stencil([rows, columns]: [usize; 2], origin: [i64; 2]) -> Case {
    let row = columns as isize;
    let strides = [row, 1];
    let case = Case::new(&text("stencil"), &[rows, columns])
        .random(0, rows * columns)
        .random(1, rows * columns)
        .access(0, -row, &strides)
        .access(1, row, &strides)
        .access(2, -1, &strides)
        .access(3, 1, &strides)
        .access(4, 0, &strides)
        .access(5, 0, &strides)
        .scalar(Scalar::new(4.0))
        .origins(&origin);
    with_edges(case, [rows, columns], origin)
}

/// Guards of the loads from the rows above and below and from the columns before and after.
fn with_edges(case: Case, extents: [usize; 2], origin: [i64; 2]) -> Case {
    origin.into_iter().zip(extents).fold(case, |case, (first, extent)| {
        let last = first + extent as i64 - 1;
        case.guard(&[(first + 1, i64::MAX)]).guard(&[(i64::MIN, last)])
    })
}

/// The products of a five-point stencil with other elements, stored and summed. On GPUs a thread
/// has points in successive rows, if there are many.
pub(super) fn stencil_norm([rows, columns]: [usize; 2]) -> Case {
    let row = columns as isize;
    let strides = [row, 1];
    let case = Case::new(&text("stencil_norm"), &[rows, columns])
        .random(0, rows * columns)
        .random(1, rows * columns)
        .random(2, rows * columns)
        .random(3, 1);
    let around = [0, -row, row, -1, 1].into_iter().enumerate();
    let case = around
        .fold(case, |case, (access, start)| case.access(access, start, &strides))
        .access(5, 0, &strides)
        .access(6, 0, &strides)
        .access(7, 0, &[])
        .scalar(Scalar::new(4.0));
    with_edges(case, [rows, columns], [0, 0])
}

#[test]
fn stencils_that_are_summed() {
    for (rows, columns) in [(30, 50), (3, 2000), (64, 256), (70, 257), (41, 1001), (1, 1)] {
        stencil_norm([rows, columns]).check();
    }
}

/// The positions of the least elements of rows.
pub(super) fn least([rows, columns]: [usize; 2]) -> Case {
    Case::new(&text("least"), &[rows, columns])
        .random(0, rows * columns)
        .random(1, columns)
        .random(2, rows)
        .access(0, 0, &[columns as isize, 1])
        .access(1, 0, &[1])
        .access(2, 0, &[1])
        .scalar(Scalar::new(2f32))
}

#[test]
fn least_elements_of_rows() {
    for (rows, columns) in
        [(500, 32), (500, 8), (500, 4), (99, 33), (77, 40), (77, 128), (33, 1000), (2, 100_000)]
    {
        least([rows, columns]).check();
    }
}

/// The least elements of two axes of three, where the inner one is part of a longer axis, so rows
/// do not follow each other: a thread must not have elements of two rows.
#[test]
fn least_elements_of_parts_of_rows() {
    for (inner, all) in [(12, 12), (12, 16), (8, 24), (6, 8), (4, 12)] {
        let (points, rows) = (9, 8);
        Case::new(&text("extremes"), &[points, rows, inner])
            .random(0, points * rows * all)
            .random(1, points)
            .access(0, 0, &[(rows * all) as isize, all as isize, 1])
            .access(1, 0, &[1])
            .check();
        // The rows of the other axis lie between these.
        Case::new(&text("extremes"), &[points, rows, inner])
            .random(0, points * rows * all)
            .random(1, points)
            .access(0, 0, &[all as isize, (points * all) as isize, 1])
            .access(1, 0, &[1])
            .check();
    }
}

/// The variance of sums of neighbours in planes, whose ends lie within a thread's points.
#[test]
fn variances_of_neighbours() {
    for extents in [[3, 5, 7], [11, 61, 105], [10, 60, 104]] {
        let [planes, rows, columns] = extents;
        let strides = [((rows + 2) * columns) as isize, columns as isize, 1];
        let shape = [planes, rows, columns];
        let loops: Vec<usize> = shape.into_iter().chain(shape).collect();
        let elements = planes * (rows + 2) * columns;
        let case = Case::new(&text("around"), &loops).random(0, elements).random(1, 1);
        let row = columns as isize;
        (0..6)
            .fold(case, |case, at| case.access(at, (at % 3) as isize * row, &strides))
            .access(6, 0, &[])
            .scalar(Scalar::new((planes * rows * columns) as f64))
            .check();
    }
}

/// The inner points of a grid, each with its neighbours.
pub(super) fn neighbours([rows, columns]: [usize; 2]) -> Case {
    let row = columns as isize + 2;
    let strides = [row, 1];
    let inner = Case::new(&text("neighbours"), &[rows, columns])
        .random(0, (rows + 2) * (columns + 2))
        .random(1, rows * columns);
    let around = [row + 1, 1, row, row + 2, 2 * row + 1];
    let loads = around.into_iter().enumerate();
    loads.fold(inner, |case, (access, start)| case.access(access, start, &strides)).access(
        5,
        0,
        &[columns as isize, 1],
    )
}

#[test]
fn neighbours_of_inner_points() {
    for (rows, columns) in [(30, 50), (3, 2000), (500, 4), (1, 1)] {
        neighbours([rows, columns]).check();
    }
}

#[test]
fn nearest_centre() {
    for (points, centres, features) in [(500, 7, 3), (3, 400, 5), (40, 40, 300)] {
        let strides = [features as isize, 1];
        Case::new(&text("nearest"), &[points, centres, features])
            .random(0, points * features)
            .random(1, centres * features)
            .random(2, points)
            .random(3, points)
            .access(0, 0, &strides)
            .access(1, 0, &strides)
            .access(2, 0, &[1])
            .access(3, 0, &[1])
            .check();
    }
}

#[test]
fn the_first_nan_wins_and_ties_go_to_the_smaller_index() {
    let mut elements: Vec<f64> = (0..900).map(|at| f64::from(at % 50)).collect();
    let run = |elements: &[f64]| {
        let case = Case::new(&text("nearest"), &[1, 900, 1])
            .elements(0, floats([0.0]))
            .elements(1, floats(elements.to_vec()))
            .random(2, 1)
            .random(3, 1)
            .access(0, 0, &[1, 1])
            .access(1, 0, &[1, 1])
            .access(2, 0, &[1])
            .access(3, 0, &[1]);
        case.check()[0]
    };
    assert_eq!(run(&elements), Scalar::new(0i64));
    elements[0] = 1.0;
    assert_eq!(run(&elements), Scalar::new(50i64));
    elements[700] = f64::NAN;
    elements[400] = f64::NAN;
    assert_eq!(run(&elements), Scalar::new(400i64));
}

#[test]
fn columns_less_their_mean() {
    for (rows, columns) in [(1000, 4), (20, 3000), (300, 300)] {
        let strides = [1, columns as isize];
        Case::new(&text("centre"), &[columns, rows, rows])
            .random(0, rows * columns)
            .random(1, rows * columns)
            .access(0, 0, &strides)
            .access(1, 0, &strides)
            .access(2, 0, &strides)
            .scalar(Scalar::new(rows as f64))
            .check();
    }
}

#[test]
fn matrix_and_its_transpose() {
    for size in [5, 33, 100, 150] {
        let row = size as isize;
        let case = Case::new(&text("add_transpose"), &[size, size])
            .random(0, size * size)
            .random(1, size * size)
            .access(0, 0, &[row, 1])
            .access(1, 0, &[1, row])
            .access(2, 0, &[row, 1]);
        let result = case.check();
        for i in 0..size {
            for j in 0..size {
                assert_eq!(result[i * size + j], result[j * size + i]);
            }
        }
    }
}

#[test]
fn sum_under_a_mask() {
    for (rows, columns) in [(1, 1), (70, 130), (1, 9000), (9000, 1), (0, 5)] {
        let strides = [columns as isize, 1];
        Case::new(&text("masked_sum"), &[rows, columns])
            .random(0, rows * columns)
            .random(1, rows * columns)
            .random(2, 1)
            .random(3, 1)
            .access(0, 0, &strides)
            .access(1, 0, &strides)
            .check();
    }
}

fn positions(count: usize) -> Vec<Scalar> {
    let mut generator = Generator(7);
    (0..count).map(|_| Scalar::new(generator.below(14) as i32 - 2)).collect()
}

#[test]
fn histogram_skips_positions_outside() {
    for count in [0, 10, 3000, 100_000] {
        let case = Case::new(&text("histogram"), &[count])
            .elements(0, positions(count))
            .elements(1, vec![Scalar::new(100i64); 12])
            .access(0, 0, &[1])
            .scalar(Scalar::new(10i64));
        let result = case.check();
        assert_eq!(result[10..], [Scalar::new(100i64); 2]);
    }
}

#[test]
fn weighted_histogram_depends_on_nothing_but_its_points() {
    for count in [10, 3000] {
        weighted_histogram(count).check();
    }
    // Enough points for chunks with private tables: the order differs from the reference, but not
    // between runs.
    let case = weighted_histogram(200_000);
    let expected = case.reference();
    let once = case.run(None, &phalanx_kernels::cpu::Tuning::default());
    for (&found, &expected) in once[2].iter().zip(&expected[2]) {
        assert!((float(found) - float(expected)).abs() < 1e-6);
    }
    case.check_against(&once);
}

fn weighted_histogram(count: usize) -> Case {
    Case::new(&text("weighted_histogram"), &[count])
        .elements(0, positions(count))
        .random(1, count)
        .elements(2, floats([0.5; 10]))
        .access(0, 0, &[1])
        .access(1, 0, &[1])
        .scalar(Scalar::new(10i64))
}

#[test]
fn a_histogram_for_each_row() {
    let (rows, columns) = (40, 60);
    Case::new(&text("row_histograms"), &[rows, columns, 7])
        .elements(0, positions(rows * columns * 7))
        .elements(1, floats(vec![0.0; rows * 10]))
        .access(0, 0, &[columns as isize * 7, 7, 1])
        .access(1, 0, &[10])
        .scalar(Scalar::new(10i64))
        .check();
}

#[test]
fn a_histogram_shared_by_rows() {
    let (rows, columns) = (60, 40);
    Case::new(&text("shared_histogram"), &[rows, columns])
        .elements(0, positions(rows * columns))
        .random(1, rows * columns)
        .random(2, 10)
        .access(0, 0, &[columns as isize, 1])
        .access(1, 0, &[columns as isize, 1])
        .scalar(Scalar::new(10i64))
        .check();
}

#[test]
fn half_precision_rounds_each_operation_and_folds_in_single() {
    let (rows, columns) = (5, 1100);
    let case = Case::new(&text("half_norm"), &[rows, columns])
        .random(0, rows * columns)
        .random(1, rows)
        .random(2, rows)
        .access(0, 0, &[columns as isize, 1])
        .access(1, 0, &[1])
        .access(2, 0, &[1]);
    case.check();
}

#[test]
fn a_load_keeps_its_value_after_the_store_over_it() {
    for count in [1, 100, 3000] {
        let case = Case::new(&text("in_place"), &[count])
            .random(0, count)
            .random(1, count)
            .access(0, 0, &[1])
            .access(1, 0, &[1])
            .access(2, 0, &[1])
            .scalar(Scalar::new(3.0));
        case.check();
    }
}

#[test]
fn folds_over_nothing_give_identities() {
    let case = Case::new(&text("identities"), &[3, 0]);
    let case = (0..5).fold(case, |case, at| case.random(at, 3).access(at, 0, &[1]));
    let case = case.scalar(Scalar::new(4.0));
    let results = case.reference();
    assert_eq!(results[0], floats([1.0; 3]));
    assert_eq!(results[1], floats([f64::NEG_INFINITY; 3]));
    assert_eq!(results[2], [Scalar::new(true); 3]);
    assert_eq!(results[3], [Scalar::new(i64::MAX); 3]);
    assert_eq!(results[4], [Scalar::new(-1i64); 3]);
    case.check();
    let mut some = case;
    some.extents[1] = 300;
    some.check();
}

#[test]
fn sums_of_every_dtype_and_length() {
    for &dtype in DType::ALL {
        let text = format!(
            "kernel(a: {dtype} in, b: {dtype} out) {{ for i0 grid {{ for i1 loop {{
                v0: {dtype} = load a.0[i0, i1]
                fold v1: {dtype} = add(v0) }}
                store b.1[i0] = v1 }} }}"
        );
        for count in [1, 31, 32, 33, 256, 257, 800, 2048, 2900] {
            Case::new(&text, &[2, count])
                .random(0, 2 * count)
                .random(1, 2)
                .access(0, 0, &[count as isize, 1])
                .access(1, 0, &[1])
                .check();
        }
    }
}

#[test]
fn several_folds_of_a_line() {
    let text = "kernel(a: f64 in, b: f64 out, c: f64 out, d: i64 out) { for i0 grid {
        for i1 loop {
            v0: f64 = load a.0[i0, i1]
            v1: f64 = square(v0)
            v2: i64 = index i1
            fold v3: f64 = max(v0)
            fold v4: f64 = add(v1)
            fold v5: f64, v6: i64 = argmin(v0, v2) }
        store b.1[i0] = v3
        store c.2[i0] = v4
        store d.3[i0] = v6 } }";
    // Of the longest lines, each point is read once.
    for count in [1, 31, 32, 100, 256, 257, 800, 17_000] {
        Case::new(text, &[5, count])
            .random(0, 5 * count)
            .random(1, 5)
            .random(2, 5)
            .random(3, 5)
            .access(0, 0, &[count as isize, 1])
            .access(1, 0, &[1])
            .access(2, 0, &[1])
            .access(3, 0, &[1])
            .check();
    }
}

#[test]
fn a_grid_without_axes_is_one_point() {
    let text = "kernel(a: f64 in, b: f64 out) { for grid {
        v0: f64 = load a.0[]\nv1: f64 = negative(v0)\nstore b.1[] = v1 } }";
    let case = Case::new(text, &[]).elements(0, floats([3.0])).elements(1, floats([0.0]));
    assert_eq!(case.check(), floats([-3.0]));
}

#[test]
fn an_operation_on_a_result_in_memory_reads_it_there() {
    let text = "kernel(a: f64 in, b: f64 out, c: f64 out) { for i0 grid {
        v0: f64 = load a.0[i0]\nv1: f64 = negative(v0)\nstore b.1[i0] = v1
        v2: f64 = add(v1, v0)\nstore c.2[i0] = v2\nv3: f64 = add(v2, v1) } }";
    Case::new(text, &[300])
        .random(0, 300)
        .random(1, 300)
        .random(2, 300)
        .access(0, 0, &[1])
        .access(1, 0, &[1])
        .access(2, 299, &[-1])
        .check();
}

#[test]
fn pairs_of_operations_round_as_single_ones() {
    for dtype in [DType::F32, DType::F64] {
        for inner in ["add(v0, v1)", "subtract(v0, v1)", "multiply(v0, v1)", "square(v0)"] {
            for outer in ["add", "subtract", "multiply"] {
                for operands in ["v3, v2", "v2, v3"] {
                    let text = format!(
                        "kernel(a: {dtype} in, b: {dtype} in, c: {dtype} inout) {{ for i0 grid {{
                            v0: {dtype} = load a.0[i0]
                            v1: {dtype} = load b.1[i0]
                            v2: {dtype} = load c.2[i0]
                            v3: {dtype} = {inner}
                            v4: {dtype} = {outer}({operands})
                            store c.2[i0] = v4 }} }}"
                    );
                    let case = (0..3).fold(Case::new(&text, &[700]), |case, param| {
                        case.random(param, 700).access(param, 0, &[1])
                    });
                    case.check();
                }
            }
        }
    }
}

/// A thread loads elements that another thread has stored in the loop before.
#[test]
fn a_loop_loads_what_the_loop_before_has_stored() {
    let text = "kernel(a: f64 in, b: f64 inout, c: f64 out) { for grid {
        for i0 loop {
        v0: f64 = load a.0[i0]\nv1: f64 = add(v0, v0)\nstore b.1[i0] = v1 }
        for i1 loop {
        v2: f64 = load b.2[i1]\nv3: f64 = square(v2)\nfold v4: f64 = add(v3) }
        store c.3[] = v4 } }";
    for count in [7, 1000, 60_000] {
        Case::new(text, &[count, count])
            .random(0, count)
            .random(1, count)
            .random(2, 1)
            .access(0, 0, &[1])
            .access(1, 0, &[1])
            .access(2, count as isize - 1, &[-1])
            .access(3, 0, &[])
            .check();
    }
}

/// Rows or columns of a matrix against a vector, an update of the vector, and the products of the
/// new vector, in one kernel that blocks share.
pub(super) fn descent(columns: usize, rows: usize) -> Case {
    Case::new(&text("descent"), &[columns, rows, rows])
        .random(0, columns * rows)
        .random(1, rows)
        .random(2, columns)
        .random(3, columns)
        .random(4, columns * rows)
        .access(0, 0, &[1, columns as isize])
        .access(1, 0, &[1])
        .access(2, 0, &[1])
        .access(3, 0, &[1])
        .access(4, 0, &[1, columns as isize])
        .access(5, 0, &[1, columns as isize])
        .scalar(Scalar::new(0.5))
}

#[test]
fn an_update_within_a_kernel() {
    for (columns, rows) in [(1, 1), (5, 300), (5, 30_000)] {
        descent(columns, rows).check();
    }
}
