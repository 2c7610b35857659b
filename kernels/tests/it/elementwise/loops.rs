//! Every operation and signature, element by element.

use super::data::{Array, Data, dtype};
use super::distance::{Distance, Grid, complex_distance, distance, weak};
use num_complex::Complex64;
use phalanx_kernels::cpu::loops;
use phalanx_ops::{DType, Op, Scalar, Weak};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Runs the operation as the executor does: natively, or through f32 where there is no loop for
/// half types.
pub fn run(op: Op, operands: &[&Array], output: DType) -> Array {
    let dtypes: Vec<_> = operands.iter().map(|operand| operand.dtype()).collect();
    if let Some(function) = loops::elementwise(op, &dtypes) {
        let mut result = Array::zeroed(output, operands[0].count());
        let pointers: Vec<_> = operands.iter().map(|operand| operand.pointer()).collect();
        // SAFETY: conditions 1 to 4 of the loops: arrays of equal count, of the loop's dtypes, all
        // distinct.
        unsafe { function(&pointers, result.pointer_mut(), operands[0].count()) };
        return result;
    }
    let widened = |dtype: DType| {
        if dtype.size() == 2 && dtype.is_inexact() { DType::F32 } else { dtype }
    };
    assert!(dtypes.iter().any(|&dtype| widened(dtype) != dtype), "{op} has no loop for {dtypes:?}");
    let wide: Vec<_> =
        operands.iter().map(|operand| cast(operand, widened(operand.dtype()))).collect();
    let wide: Vec<_> = wide.iter().collect();
    cast(&run(op, &wide, widened(output)), output)
}

/// The array as elements of another dtype.
pub fn cast(array: &Array, to: DType) -> Array {
    let mut result = Array::zeroed(to, array.count());
    let function = loops::cast(array.dtype(), to);
    // SAFETY: conditions 1 to 4 of the loops, as in `run`.
    unsafe { function(&[array.pointer()], result.pointer_mut(), array.count()) };
    result
}

/// The statistics of an operation on a dtype.
#[derive(Default)]
struct Seen {
    elements: usize,
    wrong: usize,
    /// The largest distance from the nearer of the reference and NumPy.
    farthest: f64,
    /// Correct elements where NumPy's own result is farther from the reference than the row allows.
    numpy_inaccurate: usize,
    /// Elements that differ only in the sign of zero, where NumPy's sign depends on the machine.
    zero_signs: usize,
    examples: String,
}

/// Whether the sign of a zero result in NumPy depends on the machine's instructions.
fn zero_sign_is_open(op: Op) -> bool {
    matches!(op, Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin)
}

/// A row of the table: an operation on operands of some dtypes.
pub struct Row {
    pub op: Op,
    pub operands: Vec<Array>,
    pub output: DType,
    numpy: Array,
    reference: Option<Array>,
}

/// The rows of the table for a test; `None` without the data.
pub fn rows(test: &str) -> Option<Vec<Row>> {
    let data = Data::find(test)?;
    let mut missing = Op::ALL.to_vec();
    let mut rows = Vec::new();
    for row in data.table("loops") {
        let [name, inputs, output, count, operands, numpy, reference] = row.as_slice() else {
            panic!("loops.tsv has seven columns, not {row:?}")
        };
        let op = Op::from_name(name).unwrap_or_else(|| panic!("no operation {name}"));
        missing.retain(|&other| other != op);
        let output = dtype(output);
        let operands = operands.split(',').zip(inputs.split(','));
        let operands = operands.map(|(name, inputs)| data.array(name, dtype(inputs))).collect();
        let numpy = data.array(numpy, output);
        let reference = (reference != "-").then(|| data.array(reference, output));
        assert_eq!(count.parse(), Ok(numpy.count()), "{name}");
        rows.push(Row { op, operands, output, numpy, reference });
    }
    assert_eq!(missing, [], "operations without data");
    Some(rows)
}

/// Compares the result of `run` for each row.
pub fn check(rows: &[Row], run: impl Fn(Op, &[&Array], DType) -> Array + Sync) {
    let compute = |row: &Row| run(row.op, &row.operands.iter().collect::<Vec<_>>(), row.output);
    let computed: Vec<Array> = rows.par_iter().map(compute).collect();
    let mut seen = BTreeMap::new();
    for (row, computed) in rows.iter().zip(&computed) {
        let operands: Vec<_> = row.operands.iter().collect();
        let inputs: Vec<_> = operands.iter().map(|operand| operand.dtype()).collect();
        let entry: &mut Seen = seen.entry((row.op.name(), format!("{inputs:?}"))).or_default();
        compare(row.op, &operands, computed, &row.numpy, row.reference.as_ref(), entry);
    }
    report(&seen);
}

#[test]
fn every_loop_computes_what_numpy_computes() {
    if let Some(rows) = rows("every_loop_computes_what_numpy_computes") {
        check(&rows, run);
    }
}

fn compare(
    op: Op,
    operands: &[&Array],
    computed: &Array,
    numpy: &Array,
    reference: Option<&Array>,
    seen: &mut Seen,
) {
    let output = computed.dtype();
    let bound = f64::from(op.ulp_for(operands[0].dtype()));
    for position in 0..computed.count() {
        let element = computed.element(position);
        let measure = |expected: &Array| {
            let given: Vec<_> = operands
                .iter()
                .map(|operand| weak(operand.dtype(), operand.element(position)))
                .collect();
            measure(op, &given, output, element, expected.element(position))
        };
        let from_numpy = measure(numpy);
        let from_reference = reference.map(measure);
        seen.elements += 1;
        // Near the ends of the range NumPy's result is the reference: both lose digits that the
        // exact reference keeps.
        let nearest =
            [Some(from_numpy), from_reference].into_iter().flatten().filter_map(|distance| {
                if let Distance::Ulp(ulp) = distance { Some(ulp) } else { None }
            });
        if let Some(ulp) = nearest.reduce(f64::min) {
            seen.farthest = seen.farthest.max(ulp);
        }
        if from_numpy.within(bound) {
            continue;
        }
        if from_reference.is_some_and(|distance| distance.within(bound)) {
            seen.numpy_inaccurate += 1;
            continue;
        }
        if zero_sign_is_open(op) && matches!(from_numpy, Distance::Other("zeros of different sign"))
        {
            seen.zero_signs += 1;
            continue;
        }
        seen.wrong += 1;
        if seen.wrong <= 6 {
            let show = |array: &Array| Scalar::from_bytes(array.dtype(), array.element(position));
            let given: Vec<_> = operands.iter().map(|operand| show(operand)).collect();
            let _ = writeln!(
                seen.examples,
                "    {given:?} -> {:?}, NumPy {:?} ({from_numpy:?}), \
                 reference {:?} ({from_reference:?})",
                show(computed),
                show(numpy),
                reference.map(show),
            );
        }
    }
}

/// The distance that the row of the operation bounds.
fn measure(op: Op, given: &[Weak], output: DType, computed: &[u8], expected: &[u8]) -> Distance {
    match (op, weak(output, computed), weak(output, expected)) {
        // An operand below 1 is added to a logarithm of similar size, and they may cancel.
        (Op::LogAddExp | Op::LogAddExp2, Weak::Float(computed), Weak::Float(expected)) => {
            let larger = given.iter().map(|value| value.to_complex().re).fold(f64::NAN, f64::max);
            let scale = larger.abs().min(1.0).max(expected.abs());
            Grid::of(output).distance(computed, expected, scale)
        }
        (Op::Power | Op::FloatPower, Weak::Complex(computed), Weak::Complex(expected)) => {
            power_distance(given, output, computed, expected)
        }
        // Which components of an infinite product are NaN depends on whether NumPy's build
        // contracts products and sums.
        (
            Op::Multiply | Op::Square | Op::Divide | Op::Reciprocal,
            Weak::Complex(computed),
            Weak::Complex(expected),
        ) if !computed.is_finite() && !expected.is_finite() => Distance::Ulp(0.0),
        // The sign of a sum of products that round to zero depends on it too.
        (Op::Multiply | Op::Square, Weak::Complex(computed), Weak::Complex(expected)) => {
            let positive_zeros = |z: Complex64| Complex64::new(z.re + 0.0, z.im + 0.0);
            complex_distance(output, positive_zeros(computed), positive_zeros(expected))
        }
        _ => distance(output, computed, expected),
    }
}

/// The distance in the unit of the bound in the row of `power`: an error in the logarithm of the
/// base grows with the exponent, and a tiny result loses its angle, and so the signs of its zeros,
/// first.
fn power_distance(
    given: &[Weak],
    output: DType,
    computed: Complex64,
    expected: Complex64,
) -> Distance {
    if !computed.is_finite() && !expected.is_finite() {
        return Distance::Ulp(0.0);
    }
    let growth = match given {
        [base, exponent] => {
            let logarithm = base.to_complex().ln().norm();
            exponent.to_complex().norm() * (1.0 + logarithm)
        }
        _ => unreachable!("power takes two operands"),
    };
    let growth = if growth.is_finite() { growth.max(1.0) } else { 1.0 };
    let scale = expected.re.abs().max(expected.im.abs()) * growth;
    let grid = Grid::of(output);
    let component =
        |computed: f64, expected: f64| grid.distance(computed + 0.0, expected + 0.0, scale);
    component(computed.re, expected.re).larger(component(computed.im, expected.im))
}

fn report(seen: &BTreeMap<(&str, String), Seen>) {
    let mut failures = String::new();
    let (mut elements, mut wrong) = (0, 0);
    for ((name, inputs), entry) in seen {
        elements += entry.elements;
        wrong += entry.wrong;
        if entry.farthest > 0.0 || entry.numpy_inaccurate > 0 || entry.zero_signs > 0 {
            println!(
                "{name} {inputs}: farthest {:.2} ulp; NumPy less accurate in {}, other zero in {}",
                entry.farthest, entry.numpy_inaccurate, entry.zero_signs
            );
        }
        if entry.wrong > 0 {
            let _ =
                writeln!(failures, "{name} {inputs}: {} of {} wrong", entry.wrong, entry.elements);
            failures.push_str(&entry.examples);
        }
    }
    println!("{} loops, {elements} elements, {wrong} wrong", seen.len());
    assert!(failures.is_empty(), "\n{failures}");
}
