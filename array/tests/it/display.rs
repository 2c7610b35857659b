//! The text of arrays compared with NumPy's, case by case.
//!
//! `tests/conformance/display.py` writes the table in `tests/data`, and longer ones into the folder
//! that `PHALANX_CONFORMANCE_DATA` names.

use half::bf16;
use phalanx_array::{HostArray, host_array_str};
use phalanx_ops::DType;
use std::path::Path;

#[test]
fn arrays_print_as_in_numpy() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/display.tsv"), 400);
}

#[test]
fn more_arrays_print_as_in_numpy() {
    let Some(folder) = std::env::var_os("PHALANX_CONFORMANCE_DATA") else {
        println!("skipped: PHALANX_CONFORMANCE_DATA names no folder with NumPy's results");
        return;
    };
    check(&Path::new(&folder).join("display.tsv"), 1000);
}

/// NumPy has no bfloat16: its digits are its own, the rest follows float16.
#[test]
fn bfloat16_prints_the_digits_that_distinguish_its_values() {
    let text = |values: &[f32], shape: &[usize]| {
        let values: Vec<bf16> = values.iter().map(|&value| bf16::from_f32(value)).collect();
        host_array_str(&HostArray::from_slice(&values, shape))
    };
    assert_eq!(text(&[0.1, 1.0, -2.5], &[3]), "[ 0.1  1.  -2.5]");
    assert_eq!(text(&[1.0 / 3.0], &[]), "0.334");
    assert_eq!(text(&[1e20, 1.0], &[2]), "[1.e+20 1.e+00]");
    assert_eq!(text(&[0.0; 0], &[2, 0]), "[]");
}

/// Compares every case of a table of at least `least`.
fn check(path: &Path, least: usize) {
    let table = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    let cases: Vec<&str> = table.lines().skip(1).collect();
    assert!(cases.len() >= least, "{} holds too few cases", path.display());
    let faults: Vec<String> = cases.iter().filter_map(|case| fault(case)).collect();
    let shown = faults.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    let (count, of) = (faults.len(), cases.len());
    assert!(faults.is_empty(), "{count} of {of} texts differ from NumPy's:\n{shown}");
}

/// The difference in a case, if there is one.
fn fault(case: &str) -> Option<String> {
    let fields: Vec<&str> = case.split('\t').collect();
    let &[name, extents, elements, expected] = fields.as_slice() else {
        panic!("a line of {} fields: {case}", fields.len());
    };
    let dtype = *DType::ALL.iter().find(|dtype| dtype.name() == name).unwrap();
    let shape: Vec<usize> =
        extents.split(',').filter(|e| !e.is_empty()).map(|e| e.parse().unwrap()).collect();
    let given: Vec<u8> = (0..elements.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&elements[at..at + 2], 16).unwrap())
        .collect();
    let length = shape.iter().product::<usize>() * dtype.size();
    let bytes = given.iter().copied().cycle().take(length).collect();
    let found = host_array_str(&HostArray { dtype, shape, bytes });
    let expected = expected.replace("\\n", "\n");
    (found != expected).then(|| format!("{name} ({extents})\n{expected}\nis printed as\n{found}"))
}

#[test]
fn data_of_another_length_than_the_shape_says_have_no_text() {
    let short = HostArray { dtype: DType::F64, shape: vec![3], bytes: vec![0; 16] };
    let text = host_array_str(&short);
    assert!(!text.contains("0."), "{text}");
}
