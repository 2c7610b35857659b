//! Random draws: parameters, sizes and axes that only the Python module accepted.

use crate::on_lines;
use phalanx::prelude::*;
use phalanx::random::{ChoiceOptions, Generator, IntegerOptions, Size, seeded};
use phalanx::{Argument, sort};

fn numbers() -> Generator {
    seeded(7).unwrap()
}

fn code(array: &Array) -> &'static str {
    array.evaluate().unwrap_err().code()
}

type Draw = fn(&Generator, [Argument; 2], Size) -> Array;

/// Distributions of a location and a scale.
const LOCATED: [(&str, Draw); 6] = [
    ("normal", |of, [at, scale], size| of.normal(at, scale, size)),
    ("laplace", |of, [at, scale], size| of.laplace(at, scale, size)),
    ("logistic", |of, [at, scale], size| of.logistic(at, scale, size)),
    ("gumbel", |of, [at, scale], size| of.gumbel(at, scale, size)),
    ("exponential", |of, [_, scale], size| of.exponential(scale, size)),
    ("rayleigh", |of, [_, scale], size| of.rayleigh(scale, size)),
];

/// Locations and scales were numbers; only the Python module accepted arrays of them.
#[test]
fn locations_and_scales_were_numbers() {
    on_lines(|| {
        let shape = [4usize, 3];
        for (name, draw) in LOCATED {
            let of_numbers = draw(&numbers(), [2.0.into(), 0.5.into()], shape.into());
            let at = Argument::from(full([3], 2.0, DType::F64));
            let scale = Argument::from(full([4, 1], 0.5, DType::F64));
            let of_arrays = draw(&numbers(), [at, scale], shape.into());
            let bits = |array: &Array| array.to_vec::<f64>().unwrap();
            assert_eq!(bits(&of_numbers), bits(&of_arrays), "{name}");
        }
        let ends = [from_slice(&[-1.0, 0.0], [2]), from_slice(&[2.0, 5.0], [2])];
        let drawn = numbers().uniform(&ends[0], &ends[1], [50, 2]);
        assert!(drawn.greater_equal(&ends[0]).all(()).item::<bool>().unwrap());
        assert!(drawn.less(&ends[1]).all(()).item::<bool>().unwrap());
        assert_eq!(code(&numbers().uniform(&ends[1], &ends[0], [2])), "PX017");
        let turned = numbers().uniform_between(&ends[1], &ends[0], [50, 2]);
        assert!(turned.less_equal(&ends[1]).all(()).item::<bool>().unwrap());
        let endless = from_slice(&[1.0, f64::INFINITY], [2]);
        assert_eq!(code(&numbers().uniform(0, &endless, [2])), "PX013");
        let logarithms = numbers().lognormal(&ends[0], 0.5, [50, 2]).log();
        let normal = numbers().normal(&ends[0], 0.5, [50, 2]);
        assert!((logarithms - normal).abs().less(1e-13).all(()).item::<bool>().unwrap());
    });
}

/// Without a size, the drawn numbers have the shape of the parameters; a size must fit them.
#[test]
fn sizes_did_not_follow_parameters() {
    on_lines(|| {
        let numbers = numbers();
        let row = from_slice(&[0.25, 0.5, 0.75], [3]);
        let column = from_slice(&[2i64, 5], [2, 1]);
        let shapes = [
            (numbers.normal(0.0, 1.0, None), vec![]),
            (numbers.normal(&row, 1.0, None), vec![3]),
            (numbers.gamma(&row, &column, None), vec![2, 3]),
            (numbers.binomial(&column, &row, None), vec![2, 3]),
            (numbers.poisson(&row, (4, 3)), vec![4, 3]),
            (numbers.triangular(0.0, &row, &column, None), vec![2, 3]),
            (numbers.integers(0, &column, None), vec![2, 1]),
            (numbers.multinomial(&column, &from_slice(&[0.5, 0.5], [2]), None), vec![2, 1, 2]),
            (numbers.standard_t(1.0, None), vec![]),
        ];
        for (drawn, shape) in shapes {
            assert_eq!(drawn.ok().unwrap().shape(), shape);
        }
        let complex = full([3], num_complex::Complex64::new(1.0, 1.0), DType::C128);
        for (expected, drawn) in [
            ("PX002", numbers.normal(&row, 1.0, [2])),
            ("PX002", numbers.exponential(&row, ())),
            ("PX002", numbers.zipf(2.0 + &row, [3, 1])),
            ("PX001", numbers.normal(&row, from_slice(&[1.0, 2.0], [2]), None)),
            ("PX017", numbers.normal(0.0, -&row, None)),
            ("PX017", numbers.rayleigh(-&row, None)),
            ("PX012", numbers.normal(&complex, 1.0, None)),
            ("PX012", numbers.beta(&complex, 1.0, None)),
            ("PX012", numbers.binomial(&row, 0.5, None)),
            ("PX012", numbers.hypergeometric(&row, 3, 2, None)),
        ] {
            assert_eq!(code(&drawn), expected);
        }
    });
}

/// Bounds that are arrays, and inclusive upper bounds, existed only in the Python module.
#[test]
fn integers_had_open_ranges_alone() {
    on_lines(|| {
        let closed = |dtype: DType| IntegerOptions::from(dtype).closed(true);
        let low = from_slice(&[i64::MIN, 3, i64::MAX], [3]);
        let high = from_slice(&[i64::MAX, 3, i64::MAX], [3]);
        let drawn = numbers().integers_as(&low, &high, [20, 3], closed(DType::I64));
        assert!(drawn.slice(s![.., 1]).equal(3).all(()).item::<bool>().unwrap());
        assert!(drawn.slice(s![.., 2]).equal(i64::MAX).all(()).item::<bool>().unwrap());
        let bits = numbers().bits([20, 3]).slice(s![.., 0]).to_vec::<u64>().unwrap();
        let from_least = |bits: u64| (i64::MIN as u64).wrapping_add(bits) as i64;
        let whole: Vec<i64> = bits.into_iter().map(from_least).collect();
        assert_eq!(drawn.slice(s![.., 0]).to_vec::<i64>().unwrap(), whole);
        let of_numbers = numbers().integers_as(-3, 4, [30], closed(DType::I8));
        let of_arrays =
            numbers().integers_as(-3, from_slice(&[4i64], [1]), [30], closed(DType::I8));
        let open = numbers().integers(-3, 5, [30]);
        for drawn in [of_numbers, of_arrays] {
            assert_eq!(drawn.dtype(), DType::I8);
            assert_eq!(drawn.to_vec::<i64>().unwrap(), open.to_vec::<i64>().unwrap());
        }
        assert_eq!(code(&numbers().integers(0.5, 3, [2])), "PX012");
        assert_eq!(code(&numbers().integers_as(&high, &low, [3], closed(DType::I64))), "PX017");
    });
}

/// Slices are chosen along any axis, and integers without an array of them.
#[test]
fn choices_were_along_the_first_axis() {
    on_lines(|| {
        let table = arange(0, 24, 1).reshape([2, 3, 4]);
        let along = |axis| ChoiceOptions::default().axis(axis);
        let chosen = numbers().choice(&table, [5, 6], along(1));
        assert_eq!(chosen.shape(), [2, 5, 6, 4]);
        let positions = numbers().choice(3, [5, 6], ());
        let expected = table.take(&positions, 1);
        assert_eq!(chosen.to_vec::<i64>().unwrap(), expected.to_vec::<i64>().unwrap());
        let all = numbers().choice(&table, [4], along(-1).replace(false));
        assert_eq!(sort(&all, -1).to_vec::<i64>().unwrap(), table.to_vec::<i64>().unwrap());
        assert_eq!(code(&numbers().choice(-1, [0], ())), "PX017");
        assert_eq!(numbers().choice(0, [0], ()).ok().unwrap().shape(), [0]);
        assert_eq!(code(&numbers().choice(0, [1], ())), "PX017");
        assert_eq!(code(&numbers().choice(&table, [1], along(3))), "PX003");
        let none = full((), 1, DType::I64);
        assert_eq!(numbers().try_shuffle(&none, 0).unwrap_err().code(), "PX133");
        assert_eq!(none.item::<i64>().unwrap(), 1);
    });
}

/// Bytes are those of the words, cut off.
#[test]
fn bytes_were_cut_by_the_front() {
    on_lines(|| {
        let words = numbers().bits([2]).to_vec::<u64>().unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(numbers().bytes(13).to_vec::<u8>().unwrap(), bytes[..13]);
        assert_eq!(numbers().bytes(0).shape(), [0]);
    });
}

/// Counts that were floats were refused; NumPy truncates them.
#[test]
fn counts_were_integers() {
    on_lines(|| {
        let drawn = |count: f64| numbers().binomial(count, 0.5, [9]).to_vec::<i64>().unwrap();
        assert_eq!(drawn(10.9), drawn(10.0));
        assert_eq!(drawn(10.0), numbers().binomial(10, 0.5, [9]).to_vec::<i64>().unwrap());
        let sampled = numbers().hypergeometric(10.5, 5, 3.9, [9]).to_vec::<i64>().unwrap();
        let whole = numbers().hypergeometric(10, 5, 3, [9]).to_vec::<i64>().unwrap();
        assert_eq!(sampled, whole);
        assert_eq!(code(&numbers().binomial(f64::NAN, 0.5, [2])), "PX017");
        assert_eq!(code(&numbers().binomial(1e30, 0.5, [2])), "PX013");
        let counts = from_slice(&[10.0, 4.0], [2]);
        assert_eq!(code(&numbers().binomial(&counts, 0.5, [2])), "PX012");
    });
}
