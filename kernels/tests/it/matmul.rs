//! Matrix products whose sums are cut into blocks.

use phalanx_device::Buffer;
use phalanx_kernels::structured::{Block, run};
use phalanx_ops::structured::Matmul;
use phalanx_ops::{DType, Structured};

/// Multiplies matrices of `m × k` and `k × n` numbers, or of their transposes.
fn multiply(matmul: Matmul, a: &Buffer, b: &Buffer, to: &Buffer, [m, k, n]: [usize; 3]) {
    fn block<'a>(buffer: &'a Buffer, shape: &'a [usize; 2]) -> Block<'a> {
        Block { buffer, dtype: DType::F64, shape, origin: &[0, 0] }
    }
    let swap = |transposed, [rows, columns]: [usize; 2]| {
        if transposed { [columns, rows] } else { [rows, columns] }
    };
    let [left, right] = matmul.transposed;
    let shapes = [swap(left, [m, k]), swap(right, [k, n]), [m, n]];
    let operands = [block(a, &shapes[0]), block(b, &shapes[1])];
    run(&Structured::Matmul(matmul), &operands, &[], &block(to, &shapes[2]), None, None);
}

fn numbers(count: usize, factor: usize) -> Vec<f64> {
    (0..count).map(|at| ((at * factor) % 17) as f64 - 8.0).collect()
}

/// Products and sums of small whole numbers are exact, however they are cut.
#[test]
fn long_sums_are_whole() {
    for [m, k, n] in [[3, 511, 4], [70, 512, 70], [70, 513, 65], [2, 1024, 1], [66, 1300, 67]] {
        let (a, b) = (numbers(m * k, 7), numbers(k * n, 5));
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            let lie = |transposed, matrix: &[f64], columns: usize| match transposed {
                true => Buffer::from_vec(transpose(matrix, columns)),
                false => Buffer::from_vec(matrix.to_vec()),
            };
            let (left, right) = (lie(transposed[0], &a, k), lie(transposed[1], &b, n));
            let to = Buffer::from_vec(vec![f64::NAN; m * n]);
            multiply(Matmul { transposed, in_order: false }, &left, &right, &to, [m, k, n]);
            assert_product(&a, &b, &to, [m, k, n]);
        }
    }
}

/// Each element has the bits of a chain of fused multiply-adds, whatever block it is computed in.
#[test]
fn sums_in_order_have_the_same_bits_in_any_block() {
    let fractions = |count: usize, factor: usize| -> Vec<f64> {
        numbers(count, factor).iter().map(|number| number / 7.0 + 0.1).collect()
    };
    for [m, k, n] in [[1, 3, 1], [3, 511, 4], [70, 513, 65], [9, 1300, 1100], [200, 8, 17]] {
        let (a, b) = (fractions(m * k, 7), fractions(k * n, 5));
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            let lie = |transposed, matrix: &[f64], columns: usize| match transposed {
                true => Buffer::from_vec(transpose(matrix, columns)),
                false => Buffer::from_vec(matrix.to_vec()),
            };
            let right = lie(transposed[1], &b, n);
            // All rows, and a few.
            for rows in [0..m, m / 2..m.min(m / 2 + 2)] {
                let part = &a[rows.start * k..rows.end * k];
                let left = lie(transposed[0], part, k);
                let to = Buffer::from_vec(vec![f64::NAN; rows.len() * n]);
                let matmul = Matmul { transposed, in_order: true };
                multiply(matmul, &left, &right, &to, [rows.len(), k, n]);
                let mut bytes = vec![0; rows.len() * n * 8];
                to.read(0, &mut bytes);
                for (at, bytes) in bytes.chunks_exact(8).enumerate() {
                    let (row, column) = (at / n, at % n);
                    let add = |sum: f64, term: usize| {
                        part[row * k + term].mul_add(b[term * n + column], sum)
                    };
                    let value = f64::from_ne_bytes(bytes.try_into().unwrap());
                    assert_eq!(value, (0..k).fold(0.0, add), "{m}x{k}x{n} at {row}, {column}");
                }
            }
        }
    }
}

fn transpose(matrix: &[f64], columns: usize) -> Vec<f64> {
    let rows = matrix.len() / columns;
    (0..matrix.len()).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

fn assert_product(a: &[f64], b: &[f64], to: &Buffer, [m, k, n]: [usize; 3]) {
    let mut bytes = vec![0; m * n * 8];
    to.read(0, &mut bytes);
    for (at, bytes) in bytes.chunks_exact(8).enumerate() {
        let (row, column) = (at / n, at % n);
        let terms = (0..k).map(|term| a[row * k + term] * b[term * n + column]);
        let value = f64::from_ne_bytes(bytes.try_into().unwrap());
        assert_eq!(value, terms.sum::<f64>(), "{m}x{k}x{n} at {row}, {column}");
    }
}

#[test]
fn sums_without_terms_are_zero() {
    let to = Buffer::from_vec(vec![f64::NAN; 6]);
    let nothing = Buffer::from_vec(Vec::<f64>::new());
    multiply(Matmul::default(), &nothing, &nothing, &to, [2, 0, 3]);
    let mut bytes = vec![1; 48];
    to.read(0, &mut bytes);
    assert_eq!(bytes, [0; 48]);
}
