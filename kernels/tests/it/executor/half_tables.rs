//! Tables of half precision: accumulated in f32 and rounded once.

use super::case::{Case, Generator};
use phalanx_ops::{DType, Scalar, Weak};

const WHOLE: &str =
    "kernel(a: i64 in, b: HALF in, c: HALF table; s0: i64) { for grid { for i0 loop {
    v0: i64 = load a.0[i0]
    v1: HALF = load b.1[i0]
    accumulate c.2[] at v0 below s0 = MONOID(v1) } } }";
const ROWS: &str =
    "kernel(a: i64 in, b: HALF in, c: HALF table; s0: i64) { for i0 grid { for i1 loop {
    v0: i64 = load a.0[i0, i1]
    v1: HALF = load b.1[i0, i1]
    accumulate c.2[i0] at v0 below s0 = MONOID(v1) } } }";

/// The same kernel with a table of f32.
fn wide(text: &str) -> String {
    text.replace("c: HALF table", "c: f32 table")
        .replace(
            "accumulate",
            "v2: f32 = cast(v1)
        accumulate",
        )
        .replace("MONOID(v1)", "MONOID(v2)")
}

fn convert(elements: &[Scalar], dtype: DType) -> Vec<Scalar> {
    elements.iter().map(|element| Scalar::from_weak(dtype, element.to_weak())).collect()
}

fn positions(count: usize) -> Vec<Scalar> {
    let mut generator = Generator(5);
    (0..count).map(|_| Scalar::new(generator.below(9) as i64 - 1)).collect()
}

fn case(text: &str, extents: &[usize], dtype: DType) -> Case {
    let count = extents.iter().product();
    let strides: &[isize] = if extents.len() == 1 { &[1] } else { &[extents[1] as isize, 1] };
    let case = Case::new(text, extents)
        .elements(0, positions(count))
        .random(1, count)
        .access(0, 0, strides)
        .access(1, 0, strides)
        .scalar(Scalar::new(7i64));
    let tables = if extents.len() == 1 { 1 } else { extents[0] };
    let mut generator = Generator(6);
    let elements: Vec<Scalar> = (0..tables * 8).map(|_| generator.scalar(dtype)).collect();
    let case = case.elements(2, elements);
    if extents.len() == 1 { case } else { case.access(2, 0, &[8]) }
}

#[test]
fn tables_of_half_precision_are_rounded_once() {
    for dtype in [DType::F16, DType::BF16] {
        for (text, extents) in [(WHOLE, &[3000][..]), (ROWS, &[30, 90]), (ROWS, &[3, 0])] {
            for monoid in ["add", "max", "multiply"] {
                let named =
                    |text: &str| text.replace("MONOID", monoid).replace("HALF", &dtype.to_string());
                let half = case(&named(text), extents, dtype);
                let mut wider = case(&named(&wide(text)), extents, dtype);
                wider.buffers[2] = convert(&wider.buffers[2], DType::F32);
                let mut expected = wider.reference();
                expected[2] = convert(&expected[2], dtype);
                half.check_against(&expected);
            }
        }
    }
}

#[test]
fn many_small_numbers_are_not_lost_in_a_table_of_half_precision() {
    // In f16 a sum of ones ends at 2048.
    let count = 5000;
    let case = Case::new(&WHOLE.replace("HALF", "f16").replace("MONOID", "add"), &[count])
        .elements(0, vec![Scalar::new(0i64); count])
        .elements(1, vec![Scalar::from_weak(DType::F16, Weak::Float(1.0)); count])
        .elements(2, vec![Scalar::from_weak(DType::F16, Weak::Float(0.0))])
        .access(0, 0, &[1])
        .access(1, 0, &[1])
        .scalar(Scalar::new(1i64));
    let found = case.run(None, &phalanx_kernels::cpu::Tuning::default());
    assert_eq!(found[2][0], Scalar::from_weak(DType::F16, Weak::Float(5000.0)));
}
