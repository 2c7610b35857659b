//! Running one operation on whole values.

use crate::device_functions::options;
use num_complex::{Complex32, Complex64};
use phalanx_device::blas::{Blas, BlasChoice, find_blas};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device};
use phalanx_kernels::structured::{Block, Plain, run, run_on};
use phalanx_ops::dtype::Element;
use phalanx_ops::{DType, Structured};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// A value in C order.
pub struct Operand {
    buffer: Buffer,
    dtype: DType,
    shape: Vec<usize>,
}

pub fn operand<T: Element>(elements: &[T], shape: &[usize]) -> Operand {
    assert_eq!(elements.len(), shape.iter().product::<usize>());
    let buffer = Buffer::from_vec(elements.to_vec());
    Operand { buffer, dtype: T::DTYPE, shape: shape.to_vec() }
}

/// The first GPU, if there is one.
pub fn gpu() -> Option<&'static Arc<dyn Device>> {
    static GPU: OnceLock<Option<Arc<dyn Device>>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| match CudaDevice::new(0, None, &options()) {
        Ok(device) => Some(device),
        Err(error) => {
            println!("nothing is run on a GPU: {error}");
            None
        }
    });
    gpu.as_ref()
}

thread_local! {
    static ON_GPU: Cell<bool> = const { Cell::new(false) };
    static BY_LIBRARY: Cell<bool> = const { Cell::new(false) };
}

/// The library of matrices of this machine, if there is one: that of the system, or the one that
/// `PHALANX_BLAS` names. It uses two threads for large matrices.
pub fn library() -> Option<Blas> {
    static LIBRARY: OnceLock<Option<Blas>> = OnceLock::new();
    *LIBRARY.get_or_init(|| {
        let named = std::env::var_os("PHALANX_BLAS");
        let choice = named.map_or(BlasChoice::Auto, |path| BlasChoice::Path(path.into()));
        let search = find_blas(&choice);
        match search.found {
            Some(library) => Some(Blas::new(library, 2)),
            None => {
                println!("nothing is run by a library: {:?}", search.passed_over);
                None
            }
        }
    })
}

fn library_in_use() -> Option<Blas> {
    if BY_LIBRARY.get() { library() } else { None }
}

/// Runs a test whose matrices the machine's library multiplies and factorises, if there is one.
pub fn by_library(test: impl FnOnce()) {
    if library().is_some() {
        BY_LIBRARY.set(true);
        test();
        BY_LIBRARY.set(false);
    }
}

fn gpu_in_use() -> Option<&'static Arc<dyn Device>> {
    if ON_GPU.get() { gpu() } else { None }
}

/// Runs a test whose operations the first GPU computes, if there is one.
pub fn on_gpu(test: impl FnOnce()) {
    if gpu().is_some() {
        ON_GPU.set(true);
        test();
        ON_GPU.set(false);
    }
}

/// The elements of the result on a device.
pub fn evaluate_on<R: Element + Plain>(
    op: &Structured,
    operands: &[&Operand],
    device: &Arc<dyn Device>,
) -> Vec<R> {
    elements(&evaluate_bytes_on(op, operands, device))
}

fn evaluate_bytes_on(op: &Structured, operands: &[&Operand], device: &Arc<dyn Device>) -> Vec<u8> {
    let (shape, dtype) = result(op, operands);
    let origin = [0; 8];
    let held = operands.iter().map(|operand| {
        let len = operand.shape.iter().product::<usize>() * operand.dtype.size();
        let mut bytes = vec![0; len];
        operand.buffer.read(0, &mut bytes);
        let buffer = device.clone().allocate(len).expect("memory");
        buffer.write(0, &bytes);
        buffer
    });
    let held = held.collect::<Vec<_>>();
    let blocks = held.iter().zip(operands).map(|(buffer, operand)| Block {
        buffer,
        dtype: operand.dtype,
        shape: &operand.shape,
        origin: &origin[..operand.shape.len()],
    });
    let blocks = blocks.collect::<Vec<_>>();
    let mut bytes = vec![0xa5; shape.iter().product::<usize>() * dtype.size()];
    let buffer = device.clone().allocate(bytes.len()).expect("memory");
    buffer.write(0, &bytes);
    let to = Block { buffer: &buffer, dtype, shape: &shape, origin: &origin[..shape.len()] };
    run_on(op, &blocks, &[], &to, device)
        .unwrap_or_else(|error| panic!("{op:?} {shape:?}: {error}"));
    buffer.read(0, &mut bytes);
    assert_eq!(device.failure(), None, "{op:?} {shape:?}");
    bytes
}

/// The bytes of the result, which must be the same for every number of threads.
pub fn evaluate_bytes(op: &Structured, operands: &[&Operand]) -> Vec<u8> {
    if let Some(device) = gpu_in_use() {
        return evaluate_bytes_on(op, operands, device);
    }
    let (shape, dtype) = result(op, operands);
    let len = shape.iter().product::<usize>();
    let origin = [0; 8];
    let block = |operand: &&'_ Operand| (operand.buffer.clone(), operand.shape.clone());
    let held = operands.iter().map(block).collect::<Vec<_>>();
    let blocks = held.iter().zip(operands).map(|((buffer, shape), operand)| Block {
        buffer,
        dtype: operand.dtype,
        shape,
        origin: &origin[..shape.len()],
    });
    let blocks = blocks.collect::<Vec<_>>();
    let library = library_in_use();
    let [serial, one, three] = [0, 1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.stack_size(Blas::STACK).build().unwrap();
        // A test's own thread has too small a stack for a library.
        let is_pooled = threads > 0 || library.is_some();
        // Old contents must not show in the result, and the memory must be aligned for every dtype.
        let stale = vec![Complex64::new(9.5, f64::NAN); (len * dtype.size()).div_ceil(16)];
        let buffer = Buffer::from_vec(stale);
        let to = Block { buffer: &buffer, dtype, shape: &shape, origin: &origin[..shape.len()] };
        run(op, &blocks, &[], &to, is_pooled.then_some(&pool), library);
        let mut bytes = vec![0; len * dtype.size()];
        buffer.read(0, &mut bytes);
        bytes
    });
    assert!(serial == one && one == three, "threads show in {op:?} of {shape:?}");
    serial
}

fn result(op: &Structured, operands: &[&Operand]) -> (Vec<usize>, DType) {
    let described = operands.iter().map(|operand| (&operand.shape[..], operand.dtype));
    let (shape, dtype) = op.result(&described.collect::<Vec<_>>());
    (shape.to_vec(), dtype)
}

/// The shape and the elements of the result.
pub fn evaluate<R: Element + Plain>(
    op: &Structured,
    operands: &[&Operand],
) -> (Vec<usize>, Vec<R>) {
    let (shape, dtype) = result(op, operands);
    assert_eq!(dtype, R::DTYPE);
    (shape, elements(&evaluate_bytes(op, operands)))
}

fn elements<R: Plain>(bytes: &[u8]) -> Vec<R> {
    let element = |bytes: &[u8]| {
        // SAFETY: as many bytes as the element has, any of which are a value of it (`Plain`).
        unsafe { bytes.as_ptr().cast::<R>().read_unaligned() }
    };
    bytes.chunks_exact(size_of::<R>()).map(element).collect()
}

/// Numbers between -1 and 1.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn real(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn take<T: Sample>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| T::of(Complex64::new(self.real(), self.real()))).collect()
    }
}

/// Floating-point and complex elements.
pub trait Sample: Element + Plain {
    const EPSILON: f64;

    fn of(number: Complex64) -> Self;

    fn wide(self) -> Complex64;
}

macro_rules! samples {
    ($($type:ty, $epsilon:expr, $of:expr, $wide:expr;)*) => {
        $(impl Sample for $type {
            const EPSILON: f64 = $epsilon as f64;

            fn of(number: Complex64) -> Self {
                $of(number)
            }

            fn wide(self) -> Complex64 {
                $wide(self)
            }
        })*
    };
}
samples! {
    f32, f32::EPSILON, |number: Complex64| number.re as f32,
        |number| Complex64::new(f64::from(number), 0.0);
    f64, f64::EPSILON, |number: Complex64| number.re, |number| Complex64::new(number, 0.0);
    Complex32, f32::EPSILON,
        |number: Complex64| Complex32::new(number.re as f32, number.im as f32),
        |number: Complex32| Complex64::new(f64::from(number.re), f64::from(number.im));
    Complex64, f64::EPSILON, |number| number, |number| number;
}

pub fn wide<T: Sample>(elements: &[T]) -> Vec<Complex64> {
    elements.iter().map(|&element| element.wide()).collect()
}

/// Elements differ by less than a bound.
#[track_caller]
pub fn assert_near(values: &[Complex64], expected: &[Complex64], bound: f64, what: &str) {
    assert_eq!(values.len(), expected.len(), "{what}");
    for (at, (value, expected)) in values.iter().zip(expected).enumerate() {
        assert!((value - expected).norm() <= bound, "{what} at {at}: {value} for {expected}");
    }
}
