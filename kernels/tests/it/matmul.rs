//! Matrix products whose sums are cut into blocks.

use num_complex::Complex64;
use phalanx_device::Buffer;
use phalanx_kernels::structured::{Block, run, run_on};
use phalanx_ops::structured::Matmul;
use phalanx_ops::{DType, Scalar, Structured, Weak};

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
    run(&Structured::Matmul(matmul), &operands, &block(to, &shapes[2]), None);
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
            multiply(Matmul { transposed }, &left, &right, &to, [m, k, n]);
            assert_product(&a, &b, &to, [m, k, n]);
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

/// Whole numbers of a dtype, so small that every sum of theirs here is exact in f32.
fn whole_numbers(dtype: DType, count: usize, factor: usize) -> Vec<u8> {
    let number = |at: usize| {
        let part = |factor: usize| ((at * factor) % 7) as f64 - 3.0;
        let imaginary = if dtype.is_complex() { part(factor + 2) } else { 0.0 };
        Complex64::new(part(factor), imaginary)
    };
    let scalar = |at| match dtype.is_complex() {
        true => Scalar::from_weak(dtype, Weak::Complex(number(at))),
        false => Scalar::from_weak(dtype, Weak::Float(number(at).re)),
    };
    (0..count).flat_map(|at| scalar(at).bytes().to_vec()).collect()
}

/// Of stacks, of sums computed in parts with and without a rest, transposed or not, alone or added
/// to what is there.
#[test]
fn products_on_a_gpu_are_those_of_the_cpu() {
    let Some(device) = crate::executor::device() else { return };
    let dtypes = [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128];
    let sizes = [[1, 3, 5, 4], [3, 65, 70, 33], [1, 8, 70_001, 5], [1, 2, 1 << 17, 3]];
    for (dtype, [count, m, k, n]) in dtypes.iter().flat_map(|&d| sizes.map(|sizes| (d, sizes))) {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            let swap = |transposed, [rows, columns]: [usize; 2]| match transposed {
                true => vec![count, columns, rows],
                false => vec![count, rows, columns],
            };
            let shapes = [
                swap(transposed[0], [m, k]),
                swap(transposed[1], [k, n]),
                vec![count, m, n],
                vec![count, m, n],
            ];
            let numbers: Vec<Vec<u8>> = shapes
                .iter()
                .zip([3, 5, 4, 4])
                .map(|(shape, factor)| whole_numbers(dtype, shape.iter().product(), factor))
                .collect();
            for terms in [2, 3] {
                let op = Structured::Matmul(Matmul { transposed });
                let result = |upload: &dyn Fn(&[u8]) -> Buffer,
                              run: &dyn Fn(&[Block<'_>], &Block<'_>)| {
                    let buffers: Vec<Buffer> = numbers.iter().map(|bytes| upload(bytes)).collect();
                    let blocks: Vec<Block<'_>> = buffers
                        .iter()
                        .zip(&shapes)
                        .map(|(buffer, shape)| Block { buffer, dtype, shape, origin: &[0, 0, 0] })
                        .collect();
                    run(&blocks[..terms], &blocks[3]);
                    let mut bytes = vec![0; numbers[3].len()];
                    buffers[3].read(0, &mut bytes);
                    bytes
                };
                let host = |bytes: &[u8]| {
                    let mut words = vec![0u128; bytes.len().div_ceil(16)];
                    for (word, bytes) in words.iter_mut().zip(bytes.chunks(16)) {
                        let mut whole = [0; 16];
                        whole[..bytes.len()].copy_from_slice(bytes);
                        *word = u128::from_ne_bytes(whole);
                    }
                    Buffer::from_vec(words)
                };
                let expected = result(&host, &|operands, to| run(&op, operands, to, None));
                let upload = |bytes: &[u8]| device.upload(bytes).expect("small buffers fit");
                let found = result(&upload, &|operands, to| {
                    run_on(&op, operands, to, &device).expect("the library multiplies")
                });
                // A product of complex numbers may be zero of either sign.
                let numbers = |bytes: &[u8]| -> Vec<Complex64> {
                    let elements = bytes.chunks_exact(dtype.size());
                    elements
                        .map(|bytes| Scalar::from_bytes(dtype, bytes).to_weak().to_complex())
                        .collect()
                };
                let what = format!("{dtype} {count} {m}x{k}x{n} {transposed:?} {terms}");
                assert_eq!(numbers(&found), numbers(&expected), "{what}");
            }
        }
    }
}
