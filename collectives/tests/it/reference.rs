//! Contributions of members, and their combination computed with plain numbers.

use num_complex::Complex64;
use phalanx_ops::{Binned, DType, Kind, Monoid, Scalar, Weak};

/// The number that a member contributes at a position: small, so that sums and products are exact.
fn number(member: usize, position: usize, dtype: DType) -> Weak {
    let small = ((member * 7 + position * 3) % 5) as i128 - 2;
    let weak = match dtype.kind() {
        Kind::Bool => Weak::Bool((member + position).is_multiple_of(3)),
        Kind::Unsigned | Kind::Signed => Weak::Int(small),
        Kind::Float => Weak::Float(small as f64),
        Kind::Complex => {
            Weak::Complex(Complex64::new(small as f64, ((member + position) % 3) as f64))
        }
    };
    // As stored: unsigned numbers wrap.
    Scalar::from_weak(dtype, weak).to_weak()
}

/// The index that a member contributes at a position, not in the order of members.
fn index(member: usize, position: usize) -> i64 {
    ((member * 5 + 3) % 16) as i64 + 100 * (position % 7) as i64
}

/// The item that a member contributes at a position.
pub fn item(member: usize, position: usize, dtype: DType, monoid: Monoid) -> Vec<u8> {
    let number = number(member, position, dtype);
    let element = Scalar::from_weak(dtype, number).bytes().to_vec();
    match monoid {
        Monoid::ArgMin | Monoid::ArgMax => pair(&element, index(member, position), dtype),
        Monoid::Moments => {
            let (count, mean, m2) = moments(member, position);
            // Part of the mean is the rest.
            [count, mean - 0.5, count * 0.5, m2 + count * 0.25]
                .iter()
                .flat_map(|part| Scalar::from_weak(dtype, Weak::Float(*part)).bytes().to_vec())
                .collect()
        }
        Monoid::Binned => binned(binned_term(member, position)),
        _ => element,
    }
}

/// A sum of numbers of many magnitudes.
fn binned_term(member: usize, position: usize) -> Binned {
    let mut sum = Binned::default();
    for step in 0..position % 4 {
        let power = ((member * 37 + position * 11 + step * 5) % 130) as i32 - 65;
        sum.add((member as f64 - 2.3) * 2f64.powi(power));
    }
    sum
}

/// The item of a sum.
fn binned(sum: Binned) -> Vec<u8> {
    let mut item: Vec<u8> = sum.parts().iter().flat_map(|part| part.to_ne_bytes()).collect();
    item.extend_from_slice(&sum.value().to_ne_bytes());
    item
}

fn pair(element: &[u8], index: i64, dtype: DType) -> Vec<u8> {
    let offset = Monoid::index_offset(dtype);
    let mut item = element.to_vec();
    item.resize(offset, 0);
    item.extend_from_slice(&index.to_ne_bytes());
    item
}

/// Count, mean and M2; some members contribute nothing.
fn moments(member: usize, position: usize) -> (f64, f64, f64) {
    let count = ((member + position) % 4) as f64;
    let mean = member as f64 - position as f64 % 11.0;
    if count == 0.0 { (0.0, 0.0, 0.0) } else { (count, mean, count - 1.0) }
}

/// Checks that an item is the combination of all members' contributions at a position.
pub fn check(actual: &[u8], members: usize, position: usize, dtype: DType, monoid: Monoid) {
    let numbers: Vec<Weak> = (0..members).map(|member| number(member, position, dtype)).collect();
    let context = format!("{monoid} {dtype}, {members} members, position {position}");
    // Compared as numbers, so the sign of a zero, which depends on the order, does not matter.
    let exact = |expected: Weak| {
        let actual = Scalar::from_bytes(dtype, actual).to_weak();
        assert_eq!(actual, Scalar::from_weak(dtype, expected).to_weak(), "{context}");
    };
    match monoid {
        Monoid::Add => {
            exact(fold(&numbers, dtype, |a, b| a.wrapping_add(b), |a, b| a + b, |a, b| a | b))
        }
        Monoid::Multiply => {
            exact(fold(&numbers, dtype, |a, b| a.wrapping_mul(b), |a, b| a * b, |a, b| a & b));
        }
        Monoid::Min => exact(*numbers.iter().min_by(|a, b| order(a, b)).unwrap()),
        Monoid::Max => exact(*numbers.iter().max_by(|a, b| order(a, b)).unwrap()),
        Monoid::Any => exact(Weak::Bool(numbers.contains(&Weak::Bool(true)))),
        Monoid::All => exact(Weak::Bool(!numbers.contains(&Weak::Bool(false)))),
        Monoid::BitAnd => exact(bits(&numbers, |a, b| a & b)),
        Monoid::BitOr => exact(bits(&numbers, |a, b| a | b)),
        Monoid::BitXor => exact(bits(&numbers, |a, b| a ^ b)),
        Monoid::ArgMin | Monoid::ArgMax => {
            let best = (0..members)
                .min_by(|a, b| {
                    let by_number = order(&numbers[*a], &numbers[*b]);
                    let by_number =
                        if monoid == Monoid::ArgMin { by_number } else { by_number.reverse() };
                    by_number.then(index(*a, position).cmp(&index(*b, position)))
                })
                .unwrap();
            let element = Scalar::from_weak(dtype, numbers[best]);
            assert_eq!(actual, pair(element.bytes(), index(best, position), dtype), "{context}");
        }
        Monoid::LogAddExp => {
            let sum: f64 = numbers.iter().map(|number| real(number).exp()).sum();
            let error = (real(&Scalar::from_bytes(dtype, actual).to_weak()) - sum.ln()).abs();
            let bound = if dtype.size() == 2 { 0.05 } else { 1e-5 };
            assert!(error < bound, "{context}: off by {error}");
        }
        Monoid::Binned => {
            let mut sum = Binned::default();
            (0..members).for_each(|member| sum.merge(binned_term(member, position)));
            assert_eq!(actual, binned(sum), "{context}");
        }
        Monoid::Moments => {
            let parts: Vec<_> = (0..members).map(|member| moments(member, position)).collect();
            let count: f64 = parts.iter().map(|part| part.0).sum();
            let sum: f64 = parts.iter().map(|part| part.0 * part.1).sum();
            let mean = if count == 0.0 { 0.0 } else { sum / count };
            let m2: f64 = parts.iter().map(|part| part.2 + part.0 * (part.1 - mean).powi(2)).sum();
            let element = |bytes| real(&Scalar::from_bytes(dtype, bytes).to_weak());
            let parts: Vec<f64> = actual.chunks_exact(dtype.size()).map(element).collect();
            let [found, about, rest, squares] = parts[..] else { panic!("{context}: no item") };
            let step = if found == 0.0 { 0.0 } else { rest / found };
            for (found, expected) in
                [(found, count), (about + step, mean), (squares - step * rest, m2)]
            {
                let error = (found - expected).abs();
                assert!(
                    count == 0.0 || error < 1e-4 * (1.0 + expected.abs()),
                    "{context}: off by {error}"
                );
            }
        }
    }
}

fn real(number: &Weak) -> f64 {
    number.to_complex().re
}

fn fold(
    numbers: &[Weak],
    dtype: DType,
    int: fn(i128, i128) -> i128,
    complex: fn(Complex64, Complex64) -> Complex64,
    bool: fn(bool, bool) -> bool,
) -> Weak {
    let combine = |a: Weak, b: &Weak| match (a, *b) {
        (Weak::Bool(a), Weak::Bool(b)) => Weak::Bool(bool(a, b)),
        (Weak::Int(a), Weak::Int(b)) => Weak::Int(int(a, b)),
        (a, b) => {
            let result = complex(a.to_complex(), b.to_complex());
            if dtype.is_complex() { Weak::Complex(result) } else { Weak::Float(result.re) }
        }
    };
    numbers[1..].iter().fold(numbers[0], combine)
}

fn bits(numbers: &[Weak], combine: fn(i128, i128) -> i128) -> Weak {
    let integer = |number: &Weak| match number {
        Weak::Bool(value) => i128::from(*value),
        Weak::Int(value) => *value,
        other => panic!("{other:?} has no bits"),
    };
    let result = numbers[1..].iter().fold(integer(&numbers[0]), |a, b| combine(a, integer(b)));
    Weak::Int(result)
}

fn order(a: &Weak, b: &Weak) -> std::cmp::Ordering {
    let (a, b) = match (a, b) {
        (Weak::Int(a), Weak::Int(b)) => return a.cmp(b),
        (a, b) => (a.to_complex(), b.to_complex()),
    };
    a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im))
}
