//! The CUDA C of kernels of every mode, without the device functions before them.

use super::case::Case;
use super::cuda::text_of;
use super::golden::{descent, folder, least, neighbours, stencil, stencil_norm, text};
use phalanx_ops::Scalar;

/// Compares the text of a case with the golden file of its kernel, or writes it when blessing.
fn check(name: &str, case: &Case) {
    let whole = text_of(case).expect("there are points");
    let at = whole.find("struct Argument").expect("a kernel has arguments");
    let path = format!("{}/tests/golden/{name}/cuda.txt", folder());
    if std::env::var_os("PHALANX_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &whole[at..]).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = whole[at..].lines().zip(golden.lines()).find(|(now, known)| now != known);
    assert_eq!(differs, None, "{path} (`cargo xtask bless` rewrites it)");
    assert_eq!(whole[at..].lines().count(), golden.lines().count(), "{path}");
}

/// A kernel whose accesses have these strides from element 0.
fn strided(name: &str, extents: &[usize], strides: &[&[isize]]) -> Case {
    let case = Case::new(&text(name), extents);
    strides.iter().enumerate().fold(case, |case, (access, strides)| case.access(access, 0, strides))
}

#[test]
fn several_elements_a_thread() {
    let case = strided("chain", &[100_000], &[&[1], &[1], &[1]]);
    check("chain", &case.scalar(Scalar::new(2.5)));
}

#[test]
fn stretches_with_guards() {
    check("stencil", &stencil([1000, 3000], [0, 0]));
}

/// The rows of a point and of the points above and below it are loaded once.
#[test]
fn stretches_that_share_rows() {
    check("neighbours", &neighbours([1000, 3000]));
}

#[test]
fn loops_over_successive_rows() {
    check("stencil_norm", &stencil_norm([1001, 3001]));
}

/// A thread has eight elements of a row, and compares 32-bit positions.
#[test]
fn short_rows() {
    check("least", &least([5000, 32]));
}

#[test]
fn tiles() {
    let strides: [&[isize]; 3] = [&[1000, 1], &[1, 1000], &[1000, 1]];
    check("add_transpose", &strided("add_transpose", &[1000, 1000], &strides));
}

#[test]
fn rows_of_teams() {
    let row: &[isize] = &[100, 1];
    check("softmax", &strided("softmax", &[5000, 100, 100, 100], &[row; 4]));
}

#[test]
fn chunks_and_moments() {
    let long = 10_000_000;
    let strides: [&[isize]; 3] = [&[0, 1], &[0, 1], &[0]];
    let case = strided("variance", &[1, long, long], &strides);
    check("variance", &case.scalar(Scalar::new(1e7)));
}

/// Two means, two sums of squares and one of the sums in one pass.
#[test]
fn moments_of_complex_numbers() {
    let long = 10_000_000;
    let row: &[isize] = &[0, 1];
    let strides: [&[isize]; 7] = [row, row, &[0], &[0], &[0], &[0], &[0]];
    let case = strided("moments", &[1, long, long], &strides);
    check("moments", &case.scalar(Scalar::new(10_000_000i64)));
}

/// The update is stored after all threads have loaded the elements that it may overwrite.
#[test]
fn chunks_that_continue_together() {
    check("descent", &descent(5, 30_000));
}
