//! Values of any dtype, and routines run on them.

use phalanx_device::Buffer;
use phalanx_kernels::cpu::loops::{cast, elementwise};
use phalanx_kernels::structured::{Block, run};
use phalanx_ops::{DType, Op, Scalar, Structured, Weak};
use std::cmp::Ordering;

/// A value in C order.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

impl Value {
    pub fn new(shape: &[usize], elements: impl Iterator<Item = Scalar>, dtype: DType) -> Value {
        let mut bytes = Vec::new();
        elements.for_each(|element| bytes.extend_from_slice(element.cast(dtype).bytes()));
        let value = Value { dtype, shape: shape.to_vec(), bytes };
        assert_eq!(value.bytes.len(), value.len() * dtype.size());
        value
    }

    pub fn positions(shape: &[usize], positions: impl Iterator<Item = i64>) -> Value {
        Value::new(shape, positions.map(Scalar::new), DType::I64)
    }

    /// Elements with many equal ones and all special values.
    pub fn mixed(dtype: DType, shape: &[usize], seed: u64) -> Value {
        let mut random = Random(seed);
        let count: usize = shape.iter().product();
        let parts = if dtype.is_complex() { 2 } else { 1 };
        let real = if dtype.is_complex() { dtype.real() } else { dtype };
        let mut bytes = Vec::new();
        for _ in 0..parts * count {
            bytes.extend_from_slice(&element(real, &mut random));
        }
        Value { dtype, shape: shape.to_vec(), bytes }
    }

    /// Numbers with which sums stay finite: half types round at each step, other dtypes never.
    pub fn finite(dtype: DType, shape: &[usize], seed: u64) -> Value {
        let mut value = Value::mixed(dtype, shape, seed);
        if dtype.is_inexact() {
            let (real, mut random) = (dtype.real(), Random(seed));
            let part = if is_half(dtype) { 3.0 } else { 4.0 };
            for bytes in value.bytes.chunks_exact_mut(real.size()) {
                let number = (random.below(41) as f64 - 20.0) / part;
                bytes.copy_from_slice(Scalar::from_weak(real, Weak::Float(number)).bytes());
            }
        }
        value
    }

    pub fn zeros(dtype: DType, shape: &[usize]) -> Value {
        let bytes = vec![0; shape.iter().product::<usize>() * dtype.size()];
        Value { dtype, shape: shape.to_vec(), bytes }
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bytes of an element.
    pub fn element(&self, at: usize) -> &[u8] {
        let size = self.dtype.size();
        &self.bytes[at * size..][..size]
    }

    pub fn set(&mut self, at: usize, element: &[u8]) {
        let size = self.dtype.size();
        self.bytes[at * size..][..size].copy_from_slice(element);
    }

    pub fn integer(&self, at: usize) -> i64 {
        i64::from_ne_bytes(self.element(at).try_into().expect("positions"))
    }

    /// An element that is no complex number.
    pub fn number(&self, at: usize) -> f64 {
        number(self.dtype, self.element(at))
    }

    /// The product of the extents before an axis, its extent, and the product of those after it.
    pub fn lines(&self, axis: usize) -> [usize; 3] {
        [
            self.shape[..axis].iter().product(),
            self.shape[axis],
            self.shape[axis + 1..].iter().product(),
        ]
    }

    fn buffer(&self) -> Buffer {
        let mut words = vec![0u128; self.bytes.len().div_ceil(16)];
        for (word, bytes) in words.iter_mut().zip(self.bytes.chunks(16)) {
            let mut whole = [0; 16];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u128::from_ne_bytes(whole);
        }
        Buffer::from_vec(words)
    }
}

/// The value of an operation; it must be the same on one, on three and on the calling thread.
pub fn evaluate(op: Structured, operands: &[&Value]) -> Value {
    let alone = evaluate_part(op, operands, None, None);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let value = evaluate_part(op, operands, None, Some(&pool));
        assert!(value == alone, "{op:?} of {:?} on {threads} threads", operands[0].shape);
    }
    alone
}

/// The result's block at `origin` if given (then of the first operand's shape), else all of it.
pub fn evaluate_part(
    op: Structured,
    operands: &[&Value],
    origin: Option<&[usize]>,
    pool: Option<&rayon::ThreadPool>,
) -> Value {
    let pairs: Vec<_> = operands.iter().map(|value| (&value.shape[..], value.dtype)).collect();
    let (shape, dtype) = op.result(&pairs);
    let start = [0; 8];
    let shapes: Vec<&[usize]> = operands.iter().map(|value| &value.shape[..]).collect();
    let origin = origin.unwrap_or(&start[..shape.len()]);
    let buffers: Vec<_> = operands.iter().map(|value| value.buffer()).collect();
    let blocks: Vec<_> = operands
        .iter()
        .zip(&buffers)
        .enumerate()
        .map(|(operand, (value, buffer))| Block {
            buffer,
            dtype: value.dtype,
            shape: &value.shape,
            // The place of a block matters if its neighbours are read, too.
            origin: match operand < shapes.len().min(2) && op.halo(operand, &shapes).is_some() {
                true => origin,
                false => &start[..value.shape.len()],
            },
        })
        .collect();
    // Bytes that the routine fails to write must not look like results.
    let mut to = Value::zeros(dtype, &shape);
    to.bytes.fill(0xa5);
    let buffer = to.buffer();
    run(&op, &blocks, &[], &Block { buffer: &buffer, dtype, shape: &shape, origin }, pool, None);
    if !to.bytes.is_empty() {
        buffer.read(0, &mut to.bytes);
    }
    to
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % end
    }
}

fn element(dtype: DType, random: &mut Random) -> Vec<u8> {
    let kind = random.below(24);
    let number = random.below(41) as i32 - 20;
    if dtype.is_inexact() {
        let special = match kind {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 | 4 => -0.0,
            5 | 6 => 0.0,
            7 => 1e-7,
            _ => f64::from(number) / 4.0,
        };
        let mut bytes = Scalar::from_weak(dtype, Weak::Float(special)).bytes().to_vec();
        if kind == 0 {
            // NaNs of several bits and both signs.
            bytes[0] = number as u8;
            *bytes.last_mut().expect("a byte") ^= (number as u8 & 1) << 7;
        }
        bytes
    } else if dtype == DType::Bool {
        vec![u8::from(kind < 12)]
    } else {
        let mut bytes = i128::from(number).to_ne_bytes()[..dtype.size()].to_vec();
        if kind < 4 {
            bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
        }
        bytes
    }
}

/// The order of sorting, from NumPy's definition of `<`.
pub fn order(dtype: DType, a: &[u8], b: &[u8]) -> Ordering {
    let scalar = |bytes| Scalar::from_bytes(dtype, bytes).to_weak();
    let less = |a: Weak, b: Weak| match (a, b) {
        (Weak::Bool(a), Weak::Bool(b)) => !a & b,
        (Weak::Int(a), Weak::Int(b)) => a < b,
        (Weak::Float(a), Weak::Float(b)) => a < b || (b.is_nan() && !a.is_nan()),
        (Weak::Complex(a), Weak::Complex(b)) => {
            if a.re < b.re {
                !a.im.is_nan() || b.im.is_nan()
            } else if a.re > b.re {
                b.im.is_nan() && !a.im.is_nan()
            } else if a.re == b.re || (a.re.is_nan() && b.re.is_nan()) {
                a.im < b.im || (b.im.is_nan() && !a.im.is_nan())
            } else {
                b.re.is_nan()
            }
        }
        _ => panic!("one dtype has one kind of number"),
    };
    let (a, b) = (scalar(a), scalar(b));
    match (less(a, b), less(b, a)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// Whether an operation maps two elements of a dtype to one of the same dtype.
pub fn combines(op: Op, dtype: DType) -> bool {
    op.signatures()
        .iter()
        .any(|signature| signature.inputs() == [dtype; 2] && signature.output == dtype)
}

/// An operation on two elements.
pub fn combine(op: Op, dtype: DType, a: &[u8], b: &[u8]) -> Vec<u8> {
    let room = |bytes: &[u8]| {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        u128::from_ne_bytes(word)
    };
    let pointer = |word: &u128| std::ptr::from_ref(word).cast::<u8>();
    let (a, b, mut to) = (room(a), room(b), 0u128);
    let to_pointer = std::ptr::from_mut(&mut to).cast::<u8>();
    // SAFETY: each word holds one element of any dtype and is aligned to it; all are different.
    unsafe {
        if let Some(own) = elementwise(op, &[dtype; 2]) {
            own(&[pointer(&a), pointer(&b)], to_pointer, 1);
        } else {
            let (mut wide_a, mut wide_b, mut wide) = (0u128, 0u128, 0u128);
            let widen = cast(dtype, DType::F32);
            widen(&[pointer(&a)], std::ptr::from_mut(&mut wide_a).cast(), 1);
            widen(&[pointer(&b)], std::ptr::from_mut(&mut wide_b).cast(), 1);
            let inner = elementwise(op, &[DType::F32; 2]).expect("a loop of f32");
            let wide_pointer = std::ptr::from_mut(&mut wide).cast();
            inner(&[pointer(&wide_a), pointer(&wide_b)], wide_pointer, 1);
            cast(DType::F32, dtype)(&[pointer(&wide)], to_pointer, 1);
        }
    }
    to.to_ne_bytes()[..dtype.size()].to_vec()
}

pub fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

fn number(real: DType, bytes: &[u8]) -> f64 {
    match Scalar::from_bytes(real, bytes).to_weak() {
        Weak::Large(number) | Weak::Float(number) => number,
        Weak::Int(number) => number as f64,
        Weak::Bool(number) => f64::from(u8::from(number)),
        Weak::Complex(_) => unreachable!("the parts are real"),
    }
}

/// The parts of each element.
pub fn numbers(value: &Value) -> Vec<f64> {
    let real = value.dtype.real();
    value.bytes.chunks_exact(real.size()).map(|bytes| number(real, bytes)).collect()
}

/// Compares exactly, but inexact numbers up to the rounding of another order.
pub fn assert_near(is: &Value, should: &Value, what: &str) {
    assert_eq!((is.dtype, &is.shape), (should.dtype, &should.shape), "{what}");
    let tolerance = match is.dtype.real() {
        _ if !is.dtype.is_inexact() => return assert!(is == should, "{what}"),
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 => 1e-5,
        _ => 1e-13,
    };
    let is_complex = is.dtype.is_complex();
    let (is, should) = (numbers(is), numbers(should));
    // The order decides which components of a complex result are NaN.
    let is_nan = |all: &[f64], at: usize| match is_complex {
        true => all[at & !1].is_nan() || all[at | 1].is_nan(),
        false => all[at].is_nan(),
    };
    let finite = should.iter().filter(|number| number.is_finite());
    let largest = finite.fold(0.0, |largest, number| f64::max(largest, number.abs()));
    for (at, (&one, &other)) in is.iter().zip(&should).enumerate() {
        let is_near = one == other
            || (is_nan(&is, at) && is_nan(&should, at))
            || (one - other).abs() <= tolerance * (other.abs() + largest);
        assert!(is_near, "{what}: {one} instead of {other} at {at}");
    }
}

/// Asserts that two values have the same bits, except those of NaN.
pub fn assert_same(is: &Value, should: &Value, what: &str) {
    assert_eq!((is.dtype, &is.shape), (should.dtype, &should.shape), "{what}");
    let real = is.dtype.real();
    let size = real.size();
    for (at, (a, b)) in is.bytes.chunks(size).zip(should.bytes.chunks(size)).enumerate() {
        let is_nan = |bytes| match Scalar::from_bytes(real, bytes).to_weak() {
            Weak::Float(number) => number.is_nan(),
            _ => false,
        };
        let number = |bytes| Scalar::from_bytes(real, bytes);
        assert!(
            a == b || (is_nan(a) && is_nan(b)),
            "{what}: {:?} is {:?}, not {:?} at {at}",
            is.shape,
            number(a),
            number(b)
        );
    }
}

/// Shapes with the given extent at the axis, and the axis.
pub fn shapes(extent: usize) -> [(Vec<usize>, u8); 5] {
    [
        (vec![extent], 0),
        (vec![extent, 3], 0),
        (vec![3, extent], 1),
        (vec![2, extent, 35], 1),
        (vec![2, extent, 0], 1),
    ]
}
