//! Factorisations against their definitions.

use super::evaluate::{Numbers, Sample, assert_near, by_library, evaluate, operand, wide};
use num_complex::{Complex32, Complex64};
use phalanx_ops::Structured;
use phalanx_ops::structured::Decomposition;

const EXTENTS: [usize; 8] = [0, 1, 2, 3, 7, 8, 16, 100];

/// More, fewer and as many rows as columns, from empty to several panels of reflections.
const RECTANGLES: [[usize; 2]; 14] = [
    [0, 0],
    [0, 3],
    [3, 0],
    [1, 1],
    [1, 4],
    [4, 1],
    [2, 2],
    [3, 2],
    [7, 8],
    [16, 16],
    [40, 7],
    [7, 40],
    [100, 70],
    [130, 130],
];

type Numbers64 = Vec<Complex64>;

fn zero() -> Complex64 {
    Complex64::new(0.0, 0.0)
}

/// The product of matrices in C order.
fn product(a: &[Complex64], b: &[Complex64], [m, k, n]: [usize; 3]) -> Numbers64 {
    assert_eq!([a.len(), b.len()], [m * k, k * n]);
    let element = |row: usize, column: usize| {
        (0..k).map(|at| a[row * k + at] * b[at * n + column]).fold(zero(), |sum, term| sum + term)
    };
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// The conjugate transpose of a matrix of `m` rows.
fn adjoint(a: &[Complex64], [m, n]: [usize; 2]) -> Numbers64 {
    (0..m * n).map(|at| a[(at % m) * n + at / m].conj()).collect()
}

fn identity(n: usize) -> Numbers64 {
    let element = |at: usize| if at / n == at % n { 1.0 } else { 0.0 };
    (0..n * n).map(|at| Complex64::new(element(at), 0.0)).collect()
}

/// The first columns of rows.
fn columns(a: &[Complex64], width: usize, count: usize) -> Numbers64 {
    (0..a.len() / width.max(1) * count).map(|at| a[at / count * width + at % count]).collect()
}

fn compute<T: Sample>(op: Decomposition, values: &[T], shape: &[usize]) -> Vec<T> {
    evaluate::<T>(&Structured::Decomposition(op), &[&operand(values, shape)]).1
}

/// A stack of Hermitian matrices with eigenvalues of at least 1.
fn positive<T: Sample>(n: usize, count: usize) -> Vec<T> {
    let matrix = |seed: usize| {
        let factor = wide(&Numbers(seed as u64).take::<T>(n * n));
        let square = product(&factor, &adjoint(&factor, [n, n]), [n, n, n]);
        square.into_iter().zip(identity(n)).map(|(a, one)| T::of(a + one)).collect::<Vec<T>>()
    };
    (0..count).flat_map(matrix).collect()
}

/// `QᴴQ = I` for the columns.
#[track_caller]
fn assert_orthonormal(q: &[Complex64], extents: [usize; 2], bound: f64, what: &str) {
    let [m, n] = extents;
    let products = product(&adjoint(q, extents), q, [n, m, n]);
    assert_near(&products, &identity(n), bound, &format!("orthogonality, {what}"));
}

macro_rules! every_dtype {
    ($($(#[$meta:meta])* $name:ident = $test:ident;)*) => {
        $($(#[$meta])* #[test]
        fn $name() {
            $test::<f32>();
            $test::<f64>();
            $test::<Complex32>();
            $test::<Complex64>();
        })*
    };
}

every_dtype! {
    cholesky_factors_multiply_to_the_matrix = cholesky;
    solutions_and_inverses_solve = solutions;
    determinants_of_permuted_triangles = determinants;
    qr_is_orthogonal_and_triangular = qr;
    eigenvectors_are_kept = eigh;
    singular_vectors_make_the_matrix = svd;
    what_is_not_finite_ends = not_finite;
    extreme_sizes_are_scaled = extreme;
}

pub fn cholesky<T: Sample>() {
    for n in EXTENTS {
        let mut values = positive::<T>(n, 3);
        let expected = wide(&values);
        // Elements above the diagonal are not read.
        for (at, value) in values.iter_mut().enumerate() {
            if at / n % n < at % n {
                *value = T::of(Complex64::new(f64::NAN, f64::NAN));
            }
        }
        let result = wide(&compute(Decomposition::Cholesky, &values, &[3, n, n]));
        for (at, l) in result.chunks_exact((n * n).max(1)).enumerate() {
            let what = format!("cholesky {n}, {at}");
            assert!((0..n * n).all(|at| at / n >= at % n || l[at] == zero()), "{what}");
            let a = product(l, &adjoint(l, [n, n]), [n, n, n]);
            let bound = 64.0 * T::EPSILON * (n * n) as f64;
            assert_near(&a, &expected[at * n * n..][..n * n], bound, &what);
        }
    }
    let matrices = [4.0, 2.0, 2.0, 5.0, 1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let matrices = matrices.map(|number| T::of(Complex64::new(number, 0.0)));
    let result = wide(&compute(Decomposition::Cholesky, &matrices, &[3, 2, 2]));
    assert_eq!(result[..4].iter().map(|l| l.re).collect::<Vec<_>>(), [2.0, 0.0, 1.0, 2.0]);
    assert!(result[4..].iter().all(|element| element.re.is_nan()), "{result:?}");
}

pub fn solutions<T: Sample>() {
    for n in EXTENTS {
        let values: Vec<T> = Numbers(17).take(2 * n * n);
        let inverse = compute(Decomposition::Inverse, &values, &[2, n, n]);
        for right in [0, 1, 5] {
            let expected: Vec<T> = Numbers(19).take(2 * n * right);
            let stack = [[2, n, n], [2, n, right]];
            let op = Structured::Decomposition(Decomposition::Solve);
            let operands = [&operand(&values, &stack[0]), &operand(&expected, &stack[1])];
            let (shape, result) = evaluate::<T>(&op, &operands);
            assert_eq!(shape, stack[1]);
            for at in 0..2 {
                let a = wide(&values[at * n * n..][..n * n]);
                let x = wide(&result[at * n * right..][..n * right]);
                let largest = x.iter().fold(1.0, |largest: f64, x| largest.max(x.norm()));
                let bound = 32.0 * T::EPSILON * n as f64 * largest;
                let b = wide(&expected[at * n * right..][..n * right]);
                let what = format!("solve {n} x {right}");
                assert_near(&product(&a, &x, [n, n, right]), &b, bound, &what);
            }
        }
        for at in 0..2 {
            let a = wide(&values[at * n * n..][..n * n]);
            let inverse = wide(&inverse[at * n * n..][..n * n]);
            let largest = inverse.iter().fold(1.0, |largest: f64, x| largest.max(x.norm()));
            let bound = 32.0 * T::EPSILON * n as f64 * largest;
            assert_near(&product(&a, &inverse, [n; 3]), &identity(n), bound, "inverse");
        }
    }
    let matrices = [1.0, 2.0, 2.0, 4.0, 0.0, 2.0, 1.0, 0.0];
    let matrices = matrices.map(|number| T::of(Complex64::new(number, 0.0)));
    let result = wide(&compute(Decomposition::Inverse, &matrices, &[2, 2, 2]));
    assert!(result[..4].iter().all(|element| element.re.is_nan()), "{result:?}");
    assert_eq!(result[4..].iter().map(|x| x.re).collect::<Vec<_>>(), [0.0, 1.0, 0.5, 0.0]);
}

pub fn determinants<T: Sample>() {
    for n in EXTENTS {
        // The rows of a triangular matrix, rotated by one, so that the determinant is known.
        let size = |at: usize| {
            if n < 20 { 1.0 + at as f64 / 8.0 } else { 10.0_f64.powi(at as i32 % 7 - 3) }
        };
        let mut phase = Complex64::new(if n % 2 == 0 && n > 0 { -1.0 } else { 1.0 }, 0.0);
        let mut values = vec![T::of(zero()); n * n];
        for row in 0..n {
            let turn = T::of(Complex64::new(0.0, 1.0)).wide();
            let turn = if turn == zero() { Complex64::new(-1.0, 0.0) } else { turn };
            phase *= turn;
            let place = (row + 1) % n * n;
            values[place + row] = T::of(turn * size(row));
            (row + 1..n).for_each(|at| values[place + at] = T::of(Complex64::new(0.5, 0.5)));
        }
        let logarithm = (0..n).map(|at| size(at).ln()).sum::<f64>();
        let result = wide(&compute(Decomposition::Determinant, &values, &[n, n]));
        let bound = 16.0 * T::EPSILON * (1 + n) as f64;
        let value = phase * logarithm.exp();
        assert!((result[0] - value).norm() <= bound * value.norm(), "{n}: {result:?}, {value}");
        assert_near(&result[1..2], &[phase], bound, &format!("sign {n}"));
        assert!((result[2].re - logarithm).abs() <= bound * 8.0, "{n}: {result:?}");
    }
    let number = |number: f64| T::of(Complex64::new(number, 0.0));
    let singular = [1.0, 2.0, 2.0, 4.0].map(number);
    let result = wide(&compute(Decomposition::Determinant, &singular, &[2, 2]));
    assert_eq!(result[..2], [zero(), zero()]);
    assert_eq!(result[2].re, f64::NEG_INFINITY);
    // The products of the two large and of the two small elements overflow and underflow.
    let large = if T::EPSILON > 1e-10 { 1e30 } else { 1e200 };
    let mut diagonal = [zero(); 16].map(T::of);
    for (at, size) in [large, large, 1.0 / large, 1.0 / large].into_iter().enumerate() {
        diagonal[at * 5] = number(size);
    }
    let result = wide(&compute(Decomposition::Determinant, &diagonal, &[4, 4]));
    assert!((result[0].re - 1.0).abs() < 16.0 * T::EPSILON, "{result:?}");
}

pub fn qr<T: Sample>() {
    for [m, n] in RECTANGLES {
        for complete in [false, true] {
            let width = if complete { m } else { m.min(n) };
            let values: Vec<T> = Numbers(23).take(2 * m * n);
            let result = wide(&compute(Decomposition::Qr { complete }, &values, &[2, m, n]));
            for at in 0..2 {
                let what = format!("qr {m} x {n}, {complete}, {at}");
                let packed = &result[at * (m + n) * width..][..(m + n) * width];
                let (q, transposed) = packed.split_at(m * width);
                let bound = 16.0 * T::EPSILON * (1 + m.max(n)) as f64;
                assert_orthonormal(q, [m, width], bound, &what);
                let r = adjoint(transposed, [n, width]).into_iter().map(|r| r.conj());
                let r = r.collect::<Vec<_>>();
                let triangular = |at: usize| at / n <= at % n || r[at] == zero();
                assert!((0..width * n).all(triangular), "{what}");
                assert!((0..width.min(n)).all(|at| r[at * n + at].im == 0.0), "{what}");
                let a = wide(&values[at * m * n..][..m * n]);
                assert_near(&product(q, &r, [m, width, n]), &a, bound, &what);
            }
        }
    }
    // Columns that depend on each other, or are 0.
    let values = [1.0, 0.0, 2.0, 1.0, 0.0, 2.0, 1.0, 0.0, 2.0].map(|number| T::of(number.into()));
    let result = wide(&compute(Decomposition::Qr { complete: false }, &values, &[3, 3]));
    let (q, transposed) = result.split_at(9);
    assert_orthonormal(q, [3, 3], 8.0 * T::EPSILON, "dependent");
    let r = adjoint(transposed, [3, 3]);
    assert_near(&product(q, &r, [3; 3]), &wide(&values), 16.0 * T::EPSILON, "dependent");
}

/// All of the above, by the library of the machine.
#[test]
fn the_library_of_the_machine_factorises_alike() {
    fn all<T: Sample>() {
        for test in [
            cholesky::<T>,
            solutions::<T>,
            determinants::<T>,
            qr::<T>,
            eigh::<T>,
            svd::<T>,
            not_finite::<T>,
            extreme::<T>,
        ] {
            by_library(test);
        }
    }
    all::<f32>();
    all::<f64>();
    all::<Complex32>();
    all::<Complex64>();
}

#[test]
fn qr_has_the_signs_of_lapack() {
    signs_of_lapack();
}

/// The signs that LAPACK gives.
pub fn signs_of_lapack() {
    let qr = Decomposition::Qr { complete: false };
    let result = compute(qr, &[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let expected = [
        -0.316_227_766_016_837_94,
        -0.948_683_298_050_513_8,
        -0.948_683_298_050_513_8,
        0.316_227_766_016_837_94,
        -3.162_277_660_168_379_5,
        0.0,
        -4.427_188_724_235_731,
        -0.632_455_532_033_675_8,
    ];
    assert_near(&wide(&result), &expected.map(Complex64::from), 1e-14, "real");
    let values = [(1.0, 1.0), (2.0, 0.0), (0.0, 3.0), (4.0, -1.0)];
    let result = compute(qr, &values.map(|(re, im)| Complex64::new(re, im)), &[2, 2]);
    assert_near(&result, &LAPACK.map(|(re, im)| Complex64::new(re, im)), 1e-14, "complex");
}

/// NumPy's result for the complex matrix.
const LAPACK: [(f64, f64); 8] = [
    (-0.301_511_344_577_763_5, -0.301_511_344_577_763_6),
    (-0.465_378_920_995_517_03, -0.775_631_534_992_528_7),
    (0.0, -0.904_534_033_733_290_8),
    (-0.103_417_537_999_004, 0.413_670_151_996_015_3),
    (-3.316_624_790_355_400_3, 0.0),
    (0.0, 0.0),
    (0.301_511_344_577_763_74, 4.221_158_824_088_69),
    (-1.758_098_145_983_065_6, 0.0),
];

pub fn eigh<T: Sample>() {
    for n in EXTENTS.into_iter().chain([150]) {
        for lower in [false, true] {
            let factor = wide(&Numbers(29).take::<T>(n * n));
            let hermitian = factor.iter().zip(adjoint(&factor, [n, n]));
            let hermitian = hermitian.map(|(a, b)| T::of((a + b) / 2.0)).collect::<Vec<T>>();
            let a = wide(&hermitian);
            let mut values = hermitian.clone();
            for (at, value) in values.iter_mut().enumerate() {
                if at / n != at % n && (at / n < at % n) == lower {
                    *value = T::of(Complex64::new(f64::NAN, f64::NAN));
                }
            }
            let values = [values, hermitian].concat();
            let result = wide(&compute(Decomposition::Eigh { lower }, &values, &[2, n, n]));
            for result in result.chunks_exact((n * n + n).max(1)) {
                let what = format!("eigh {n}, {lower}");
                let (vectors, eigenvalues) = result.split_at(n * n);
                let bound = 32.0 * T::EPSILON * (1 + n) as f64;
                assert_orthonormal(vectors, [n, n], bound, &what);
                assert!(eigenvalues.iter().all(|value| value.im == 0.0), "{what}");
                assert!(eigenvalues.is_sorted_by(|a, b| a.re <= b.re), "{what}");
                let scaled = vectors.iter().enumerate().map(|(at, v)| v * eigenvalues[at % n]);
                let scaled = scaled.collect::<Vec<_>>();
                assert_near(&product(&a, vectors, [n; 3]), &scaled, bound, &what);
            }
        }
    }
}

pub fn svd<T: Sample>() {
    for [m, n] in RECTANGLES.into_iter().chain([[150, 140], [140, 150]]) {
        for full in [false, true] {
            let smaller = m.min(n);
            let width = if full { m.max(n) } else { smaller };
            let counts = if full { [m, n] } else { [smaller; 2] };
            let values: Vec<T> = Numbers(31).take(2 * m * n);
            let result = wide(&compute(Decomposition::Svd { full }, &values, &[2, m, n]));
            for at in 0..2 {
                let what = format!("svd {m} x {n}, {full}, {at}");
                let size = (m + n + 1) * width;
                let packed = &result[at * size..][..size];
                let (u, rest) = packed.split_at(m * width);
                let (v, singular) = rest.split_at(n * width);
                let padding = |part: &[Complex64], count: usize| {
                    part.iter().enumerate().all(|(at, &e)| at % width < count || e == zero())
                };
                assert!(padding(u, counts[0]) && padding(v, counts[1]), "{what}");
                assert!(padding(singular, smaller), "{what}");
                let bound = 32.0 * T::EPSILON * (1 + m.max(n)) as f64;
                let u = columns(u, width, counts[0]);
                // The transpose of `Vᴴ` is the conjugate of `V`.
                let v = columns(v, width, counts[1]);
                let v = v.into_iter().map(|v| v.conj()).collect::<Vec<_>>();
                assert_orthonormal(&u, [m, counts[0]], bound, &what);
                assert_orthonormal(&v, [n, counts[1]], bound, &what);
                let singular = &singular[..smaller];
                assert!(singular.iter().all(|value| value.im == 0.0 && value.re >= 0.0), "{what}");
                assert!(singular.is_sorted_by(|a, b| a.re >= b.re), "{what}");
                let u = columns(&u, counts[0], smaller);
                let scaled = u.iter().enumerate().map(|(at, u)| u * singular[at % smaller]);
                let v = adjoint(&columns(&v, counts[1], smaller), [n, smaller]);
                let made = product(&scaled.collect::<Vec<_>>(), &v, [m, smaller, n]);
                assert_near(&made, &wide(&values[at * m * n..][..m * n]), bound, &what);
            }
        }
    }
}

/// NaN and infinities give a result without delay; factorisations of the whole matrix give NaN.
pub fn not_finite<T: Sample>() {
    for n in [1, 2, 3, 8, 40] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in [0, n * n / 2, n * n - 1] {
                let mut values = positive::<T>(n, 1);
                values[place] = T::of(Complex64::new(bad, 0.0));
                for op in [
                    Decomposition::Cholesky,
                    Decomposition::Inverse,
                    Decomposition::Determinant,
                    Decomposition::Qr { complete: true },
                ] {
                    let result = wide(&compute(op, &values, &[n, n]));
                    let spoiled = result.iter().any(|element| element.re.is_nan());
                    let read = op != Decomposition::Cholesky || place / n >= place % n;
                    let shows = spoiled || !bad.is_nan() || !read;
                    assert!(shows, "{op:?} of {bad} at {place} of {n}");
                }
                let b: Vec<T> = Numbers(1).take(n);
                let op = Structured::Decomposition(Decomposition::Solve);
                evaluate::<T>(&op, &[&operand(&values, &[n, n]), &operand(&b, &[n, 1])]);
                let result = compute(Decomposition::Svd { full: true }, &values, &[n, n]);
                assert!(wide(&result).iter().all(|element| element.re.is_nan()));
                let triangle = place / n >= place % n;
                let result = compute(Decomposition::Eigh { lower: triangle }, &values, &[n, n]);
                assert!(wide(&result).iter().all(|element| element.re.is_nan()));
            }
        }
    }
    let values = vec![T::of(Complex64::new(f64::NAN, f64::NAN)); 100];
    let result = wide(&compute(Decomposition::Determinant, &values, &[10, 10]));
    assert!(result.iter().all(|element| element.re.is_nan()));
}

/// Matrices of elements whose squares overflow or underflow in the dtype.
fn extreme<T: Sample>() {
    let largest = if T::EPSILON > 1e-10 { 110 } else { 1000 };
    let n = 9;
    let common: Vec<T> = positive::<T>(n, 1);
    for power in [-largest, largest] {
        let scale = 2.0_f64.powi(power);
        let values = common.iter().map(|value| T::of(value.wide() * scale)).collect::<Vec<_>>();
        for op in [
            Decomposition::Eigh { lower: true },
            Decomposition::Svd { full: false },
            Decomposition::Qr { complete: false },
        ] {
            let vectors = if matches!(op, Decomposition::Svd { .. }) { 2 * n * n } else { n * n };
            let mut expected = wide(&compute(op, &common, &[n, n]));
            expected[vectors..].iter_mut().for_each(|value| *value *= scale);
            let result = wide(&compute(op, &values, &[n, n]));
            let bound = 256.0 * T::EPSILON;
            // The parts of eigenvectors depend on the gaps between eigenvalues.
            assert_near(&result[..vectors], &expected[..vectors], bound * 64.0, "vectors");
            for (value, expected) in result[vectors..].iter().zip(&expected[vectors..]) {
                let bound = bound * scale * 64.0;
                assert!((value - expected).norm() <= bound, "{op:?} of 2^{power}");
            }
        }
    }
}
