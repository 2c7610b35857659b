//! Every cast, element by element, and the half types bit by bit.

use super::data::{Array, Data, dtype};
use super::distance::{Distance, distance};
use super::loops::cast;
use half::{bf16, f16};
use phalanx_ops::DType;
use rayon::prelude::*;

/// Compares the result of `cast` with each row of the table.
pub fn check(data: &Data, cast: impl Fn(&Array, DType) -> Array + Sync) {
    let rows = data.table("casts");
    let failure = |row: &Vec<String>| {
        let [from, to, _, operand, numpy] = row.as_slice() else {
            panic!("casts.tsv has five columns, not {row:?}")
        };
        let operand = data.array(operand, dtype(from));
        let numpy = data.array(numpy, dtype(to));
        assert_eq!(operand.count(), numpy.count(), "{from} to {to}");
        let computed = cast(&operand, dtype(to));
        let of = |position: usize| (computed.element(position), numpy.element(position));
        let differs = |at: &usize| {
            let (ours, theirs) = of(*at);
            distance(dtype(to), ours, theirs) != Distance::Ulp(0.0)
        };
        let (ours, theirs) = of((0..operand.count()).find(differs)?);
        Some(format!("{from} to {to}: {ours:?}, NumPy {theirs:?}"))
    };
    let failures: Vec<String> = rows.par_iter().filter_map(failure).collect();
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn every_cast_converts_as_astype_does() {
    if let Some(data) = Data::find("every_cast_converts_as_astype_does") {
        check(&data, cast);
    }
}

fn filled<const N: usize>(dtype: DType, elements: impl Iterator<Item = [u8; N]>) -> Array {
    let bytes: Vec<u8> = elements.flatten().collect();
    let mut array = Array::zeroed(dtype, bytes.len() / N);
    array.bytes_mut().copy_from_slice(&bytes);
    array
}

fn f32s(array: &Array) -> Vec<f32> {
    let elements = array.bytes().as_chunks::<4>().0.iter();
    elements.map(|&bytes| f32::from_ne_bytes(bytes)).collect()
}

#[test]
fn every_half_widens_exactly_and_comes_back() {
    let bits = || (0..=u16::MAX).map(u16::to_ne_bytes);
    for dtype in [DType::F16, DType::BF16] {
        let halves = filled(dtype, bits());
        let wide = cast(&halves, DType::F32);
        for (bits, value) in (0..=u16::MAX).zip(f32s(&wide)) {
            let expected = match dtype {
                DType::F16 => f16::from_bits(bits).to_f32(),
                _ => bf16::from_bits(bits).to_f32(),
            };
            let equal = value.to_bits() == expected.to_bits();
            assert!(equal || (value.is_nan() && expected.is_nan()), "{dtype} {bits:#06x}");
        }
        for wide in [wide, cast(&halves, DType::F64), cast(&halves, DType::C64)] {
            let back = cast(&wide, dtype);
            for (bits, value) in (0..=u16::MAX).zip(f32s(&cast(&back, DType::F32))) {
                let narrowed = back.element(bits.into());
                assert!(narrowed == bits.to_ne_bytes() || value.is_nan(), "{dtype} {bits:#06x}");
            }
        }
    }
}

#[test]
fn halves_round_to_the_nearest_with_ties_to_even() {
    // For each pair of neighbours: their midpoint and the numbers next to it, in f32 and in f64.
    for (dtype, finite) in [(DType::F16, 0x7c00u16), (DType::BF16, 0x7f80)] {
        let value = |bits: u16| match dtype {
            DType::F16 => f16::from_bits(bits).to_f64(),
            _ => bf16::from_bits(bits).to_f64(),
        };
        let middle = |bits: u16| (value(bits) + value(bits + 1)) / 2.0;
        let lower: Vec<u16> = (0..finite - 1).collect();
        let even = |bits: u16| bits + (bits & 1);
        type Move = fn(f64) -> f64;
        type Expected = fn(u16, fn(u16) -> u16) -> u16;
        let cases: [(Move, Expected); 3] = [
            (|middle| middle.next_down(), |bits, _| bits),
            (|middle| middle, |bits, even| even(bits)),
            (|middle| middle.next_up(), |bits, _| bits + 1),
        ];
        for (move_by, expected) in cases {
            let wide =
                filled(DType::F64, lower.iter().map(|&bits| move_by(middle(bits)).to_ne_bytes()));
            let narrow = cast(&wide, dtype);
            for (position, &bits) in lower.iter().enumerate() {
                let expected = expected(bits, even);
                assert_eq!(narrow.element(position), expected.to_ne_bytes(), "{dtype} {bits:#06x}");
            }
        }
        let wide =
            filled(DType::F32, lower.iter().map(|&bits| (middle(bits) as f32).to_ne_bytes()));
        let narrow = cast(&wide, dtype);
        for (position, &bits) in lower.iter().enumerate() {
            assert_eq!(narrow.element(position), even(bits).to_ne_bytes(), "{dtype} {bits:#06x}");
        }
    }
}

#[test]
fn large_integers_round_once_to_bfloat16() {
    // One above the midpoint of two neighbours; a cast through f32 or f64 would lose that one.
    let values = [(1u64 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54), (1 << 62) + (1 << 54) - 1];
    let wide = filled(DType::U64, values.iter().map(|value| value.to_ne_bytes()));
    let narrow = cast(&wide, DType::BF16);
    let bits = |position: usize| {
        u16::from_ne_bytes([narrow.element(position)[0], narrow.element(position)[1]])
    };
    let below = bf16::from_f64((1u64 << 62) as f64).to_bits();
    assert_eq!([bits(0), bits(1), bits(2)], [below + 1, below, below]);
}

#[test]
fn conversions_out_of_range_cut_what_x86_64_gives() {
    let values = [-1.0, 300.0, -129.0, 4e9, -3e9, 1e30, f64::NAN, f64::INFINITY];
    let wide = filled(DType::F64, values.iter().map(|value: &f64| value.to_ne_bytes()));
    let narrow = |to| cast(&wide, to).bytes().to_vec();
    assert_eq!(narrow(DType::U8), [255, 44, 127, 0, 0, 0, 0, 0]);
    assert_eq!(narrow(DType::I8), narrow(DType::U8));
    let words = |to: DType| -> Vec<u32> {
        let bytes = narrow(to);
        bytes.as_chunks::<4>().0.iter().map(|&bytes| u32::from_ne_bytes(bytes)).collect()
    };
    assert_eq!(words(DType::U32)[..4], [u32::MAX, 300, u32::MAX - 128, 4_000_000_000]);
    assert_eq!(words(DType::I32)[3..], [1 << 31; 5]);
    assert_eq!(narrow(DType::Bool), [1; 8]);
}
