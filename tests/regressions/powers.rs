//! Powers: integers to negative integer powers, which NumPy refuses, and scalar exponents that
//! NumPy replaces by other operations.

use crate::{by_plans, on, on_lines, on_lines_with};
use phalanx::prelude::*;
use phalanx::{Argument, Error, Limits, MeshHandle, Op, Scalar, deferred_errors, flush};
use phalanx_ops::Weak;

fn pending() -> usize {
    MeshHandle::current().expect("a mesh").pending()
}

/// Exponents of which only the dtype is known before evaluation; the last one is `last`.
fn exponents(extent: usize, last: i64) -> Array {
    let mut values = vec![2.0; extent];
    values[extent - 1] = last as f64;
    from_slice(&values, [extent]).astype(DType::I64)
}

fn refusal(array: &Array) -> Error {
    let error = array.ok().map(|_| ()).expect_err("a negative power of integers");
    assert_eq!(error.code(), "PX022");
    error
}

/// Negative powers of integers gave 0.
#[test]
fn negative_powers_of_integers_were_not_refused() {
    on_lines(|| {
        let base = arange(0, 1000, 1);
        let line = line!() + 1;
        let broken = base.power(exponents(1000, -1));
        // The array has the error at once, and so have arrays computed from it.
        assert_eq!(refusal(&broken).site().map(|site| site.line()), Some(line));
        assert_eq!((&broken + 1).sum(()).item::<i64>().unwrap_err().code(), "PX022");
        // Later work is not affected by the operation.
        assert_eq!(base.power(exponents(1000, 3)).at([999]).item::<i64>().unwrap(), 999i64.pow(3));
        refusal(&base.power(-1));
        refusal(&base.astype(DType::U8).power(Scalar::new(-1i8)));
        refusal(&base.astype(DType::Bool).power(-2));
        let two = [Argument::Weak(2.into()), exponents(3, -1).into()];
        refusal(&Array::apply(Op::Power, &two));
        refusal(&base.reshape([10, 100]).power(exponents(10, -1).reshape([10, 1])));
    });
}

/// Powers that NumPy does not refuse.
#[test]
fn powers_without_a_negative_integer_are_computed() {
    on_lines(|| {
        let negative = exponents(3, -1);
        let floats = arange(1, 4, 1).astype(DType::F64);
        assert_eq!(floats.power(&negative).to_vec::<f64>().unwrap(), [1.0, 4.0, 1.0 / 3.0]);
        let large = arange(1, 4, 1).astype(DType::U64);
        assert_eq!(large.power(&negative).dtype(), DType::F64);
        // A result without elements has no wrong ones.
        let none = zeros([0, 1], DType::I64);
        assert_eq!(none.power(&negative).shape(), [0, 3]);
        assert_eq!(none.power(-1).to_vec::<i64>().unwrap(), [0i64; 0]);
        // A number outside the range of the dtype is another mistake.
        let byte = zeros([2], DType::U8).power(-1);
        assert_eq!(byte.ok().map(|_| ()).unwrap_err().code(), "PX013");
    });
}

/// Exponents that cannot be negative need no check of the data.
#[test]
fn powers_with_exponents_known_to_be_fine_close_nothing() {
    on_lines_with(by_plans(), || {
        let base = arange(0, 6, 1).reshape([2, 3]);
        let index = from_function([2, 3], |i| (&i[0] * 3 + &i[1] - 7) % 4);
        let host = from_slice(&[1i32, 0, 3], [3]);
        let known = [
            base.clone(),
            base.t().reshape([2, 3]),
            base.slice(s![..;-1, ..]).astype(DType::I16),
            index,
            host.clone(),
            base.astype(DType::U16),
            base.greater(2),
            select(&base.greater(2), &base, 1),
            base.argmax(0),
            (-&base).abs(),
            zeros([2, 3], DType::I64),
            (&base - 5).maximum(0),
            base.min(0),
        ];
        for exponent in &known {
            let before = pending();
            base.power(exponent).ok().unwrap();
            assert!(pending() > before, "the window was closed");
        }
        base.power(2).ok().unwrap();
        flush().unwrap();
        assert_eq!(pending(), 0);
        // After a write, the exponents must be checked again.
        let written = host.copy();
        written.slice(s![0]).assign(-1);
        refusal(&base.power(&written));
        written.slice(s![0]).assign(4);
        let powers = base.power(&written);
        assert_eq!(powers.to_vec::<i64>().unwrap(), [0, 1, 8, 81, 1, 125]);
        // Exponents that were checked once are not checked again.
        assert_eq!(pending(), 0);
        let again = base.power(&written) + 1;
        assert!(pending() > 1, "the window was closed");
        assert_eq!(again.at([0, 0]).item::<i64>().unwrap(), 1);
    });
}

/// Inside of `deferred_errors` nothing waits, and the next observation raises the error.
#[test]
fn deferred_errors_are_raised_by_the_next_observation() {
    on_lines_with(by_plans(), || {
        let base = arange(0, 100, 1);
        let other = arange(0, 8, 1);
        other.evaluate().unwrap();
        let line = line!() + 3;
        let (fine, broken, second) = deferred_errors(|| {
            let fine = base.power(exponents(100, 1));
            let broken = base.power(exponents(100, -1));
            let second = base.power(exponents(100, -3));
            (fine, broken, second)
        });
        assert!(pending() > 0, "the window was closed");
        broken.ok().unwrap();
        // Values that are already computed are read as before, since other ranks may not read now.
        assert_eq!(other.to_vec::<i64>().unwrap().len(), 8);
        // An observation of another array raises the error, with the line of the power.
        let error = fine.sum(()).item::<i64>().unwrap_err();
        assert_eq!((error.code(), error.site().map(|site| site.line())), ("PX022", Some(line)));
        // Each error is raised once, in the order of the program.
        let error = second.to_vec::<i64>().unwrap_err();
        assert_eq!(error.site().map(|site| site.line()), Some(line + 1));
        assert_eq!(fine.to_vec::<i64>().unwrap()[98], 98 * 98);
        flush().unwrap();
        // Outside of the scope the call raises the error.
        refusal(&base.power(exponents(100, -1)));
    });
}

/// A value computed because its window reached its limit is not read without raising the error.
#[test]
fn deferred_errors_are_raised_by_reading_what_a_full_window_computed() {
    for devices in [1, 4] {
        on(&[devices], Limits { soft: 4, hard: 8, ..Limits::default() }, || {
            let base = arange(0, 100, 1);
            let broken = deferred_errors(|| base.power(exponents(100, -1)));
            let mut other = arange(0, 100, 1);
            for _ in 0..20 {
                other += 1;
            }
            assert_eq!(broken.to_vec::<i64>().unwrap_err().code(), "PX022");
            assert_eq!(other.at([0]).item::<i64>().unwrap(), 20);
        });
    }
}

/// The end of a session reports errors that were not observed.
#[test]
fn deferred_errors_are_raised_by_the_end_of_the_session() {
    let session = phalanx::init(Config::for_tests(2)).unwrap();
    session.handle().enter(|| {
        deferred_errors(|| drop(arange(0, 10, 1).power(exponents(10, -1))));
    });
    assert_eq!(session.finish().unwrap_err().code(), "PX022");
}

/// Powers that NumPy replaces by another operation were computed as powers.
#[test]
fn powers_that_numpy_computes_otherwise_were_powers() {
    on_lines(|| {
        let values = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -1.5, 3.0, 1e-3];
        let bits = |array: Array| -> Vec<u64> {
            array.to_vec::<f64>().unwrap().into_iter().map(f64::to_bits).collect()
        };
        let floats = [DType::F16, DType::BF16, DType::F32, DType::F64];
        for x in floats.map(|dtype| from_slice(&values, [8]).astype(dtype)) {
            assert_eq!(bits(x.power(2)), bits(x.square()));
            assert_eq!(bits(x.power(-1)), bits(x.reciprocal()));
            assert_eq!(bits(x.power(0.5)), bits(x.sqrt()));
            assert_eq!(bits(x.power(1)), bits(x.clone()));
            assert_eq!(bits(x.power(0)), vec![1f64.to_bits(); 8]);
            assert_eq!(x.power(2).dtype(), x.dtype());
            assert!(!x.power(1).shares_memory(&x));
        }
        // NumPy does not use the square root for f16, nor for an array as exponent.
        let half = from_slice(&values, [8]).astype(DType::F16);
        let roots =
            half.power(Scalar::from_weak(DType::F16, Weak::Float(0.5))).to_vec::<f64>().unwrap();
        assert_eq!((roots[1].to_bits(), roots[3]), (0, f64::INFINITY));
        let x = from_slice(&values, [8]);
        let roots = x.power(full([1], 0.5, DType::F64)).to_vec::<f64>().unwrap();
        assert_eq!((roots[1].to_bits(), roots[3]), (0, f64::INFINITY));
        // Integers to the power of a float.
        assert_eq!(arange(1, 4, 1).power(2.0).to_vec::<f64>().unwrap(), [1.0, 4.0, 9.0]);
        assert_eq!(arange(1, 4, 1).power(-1.0).to_vec::<f64>().unwrap(), [1.0, 0.5, 1.0 / 3.0]);
        // Powers of complex numbers are replaced only for exponents that are Python numbers.
        let complex = |values: &[f64]| from_slice(values, [values.len()]).astype(DType::C128);
        let z = complex(&[1.1, -4.0, 0.0]) + complex(&[-1.0]).sqrt() * complex(&[-0.7, 0.0, 3.0]);
        let parts = |array: Array| array.to_host().unwrap();
        assert_eq!(parts(z.power(2)), parts(z.square()));
        assert_eq!(parts(z.power(-1)), parts(z.reciprocal()));
        assert_eq!(parts(z.power(0.5)), parts(z.sqrt()));
    });
}

/// A square by the power operation took several times as long as a product.
#[test]
fn squares_of_floats_are_planned_as_products_are() {
    on(&[1], by_plans(), || {
        let a = from_slice(&[1.5, -2.0], [2]);
        let plan = a.power(2).explain().unwrap();
        assert!(plan.contains("square(") && !plan.contains("power("), "{plan}");
    });
}
