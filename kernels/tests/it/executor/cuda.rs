//! The same cases on a GPU. Without a GPU they are only compiled, if NVRTC is installed.

use super::case::Case;
use crate::absence;
use crate::device_functions::{is_optimised, options};
use phalanx_device::cuda::{Compiler, CudaDevice};
use phalanx_device::{Buffer, Device, contiguous};
use phalanx_kernels::cpu::BufferLaunch;
use phalanx_kernels::cuda::{CudaKernel, Geometry, Shape, source};
use phalanx_kernels::{Executable, loaded_late};
use phalanx_ops::{DType, Scalar, Weak};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The means of checking on this machine.
enum Gpu {
    Device(Arc<CudaDevice>),
    Compiler(Compiler),
    Nothing,
}

/// The number of cases that are compiled without a GPU; further cases add almost nothing new.
const COMPILED: usize = 200;
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| {
        if let Ok(device) = CudaDevice::new(0, None, &options()) {
            return Gpu::Device(device);
        }
        match Compiler::new(90, &options()) {
            Ok(compiler) => Gpu::Compiler(compiler),
            Err(error) => {
                println!("no kernel is compiled for GPUs: {error}");
                Gpu::Nothing
            }
        }
    })
}

/// The GPU, where there is one.
pub fn device() -> Option<Arc<dyn Device>> {
    match gpu() {
        Gpu::Device(device) => Some(device.clone()),
        Gpu::Compiler(_) | Gpu::Nothing => {
            absence::lacks("gpu", "GPU");
            None
        }
    }
}

/// Compares a GPU's result of a case with expected buffers: integers exactly, other numbers up to
/// the rounding of functions and of another order.
pub fn check(case: &Case, expected: &[Vec<Scalar>]) {
    match gpu() {
        Gpu::Nothing => {}
        Gpu::Compiler(compiler) => compile(case, compiler),
        Gpu::Device(device) => run(case, expected, device),
    }
}

/// The CUDA C of a case; `None` if it has no points.
pub fn text_of(case: &Case) -> Option<String> {
    let addresses: Vec<u64> = case
        .kernel
        .accesses
        .iter()
        .zip(&case.accesses)
        .map(|(access, (start, _))| {
            let size = case.kernel[access.param].dtype.size() as i64;
            (1u64 << 20).wrapping_add_signed(*start as i64 * size)
        })
        .collect();
    let strides: Vec<&[isize]> = case.accesses.iter().map(|access| access.1.as_slice()).collect();
    let geometry = Geometry {
        extents: &case.extents,
        origins: &case.origins,
        strides: &strides,
        guards: &case.guards,
        addresses: &addresses,
    };
    let shape = Shape::new(&case.kernel, &geometry)?;
    Some(source(&case.kernel, &shape.variant))
}

fn compile(case: &Case, compiler: &Compiler) {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    if number >= COMPILED {
        return;
    }
    let compiler =
        &if is_optimised(number) { compiler.clone() } else { compiler.clone().quickly() };
    let cases = [Some(case.clone()), ordered(case)];
    for (case, text) in cases.iter().flatten().filter_map(|case| Some((case, text_of(case)?))) {
        if let Err(error) = compiler.compile("test", &text) {
            panic!("{error}\n{}\n{text}", case.kernel);
        }
    }
}

/// The case of the kernel that replaces one whose tables depend on the order of combination.
fn ordered(case: &Case) -> Option<Case> {
    let kernel = CudaKernel::new(&case.kernel).expect("a kernel that runs");
    let mut own = Case { kernel: kernel.ordered()?.clone(), ..case.clone() };
    for (at, access) in own.kernel.accesses.iter().enumerate() {
        // Positions and numbers of the points.
        if access.param.index() >= case.kernel.params.len() {
            let extents: Vec<usize> =
                access.axes.iter().map(|axis| own.extents[axis.index()]).collect();
            let item = own.kernel[access.param].dtype.size();
            let place = (0, contiguous(&extents, item));
            match own.accesses.get_mut(at) {
                Some(known) => *known = place,
                None => own.accesses.push(place),
            }
        }
    }
    Some(own)
}

fn run(case: &Case, expected: &[Vec<Scalar>], device: &Arc<CudaDevice>) {
    let device_of: Arc<dyn Device> = device.clone();
    let kernel = match Executable::new(&case.kernel, Some(&*device_of)) {
        Ok(kernel) => kernel,
        Err(error) => panic!("{error}\n{}", case.kernel),
    };
    let memory = case.memory();
    let buffers: Vec<Buffer> = memory
        .iter()
        .map(|words| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            device_of.upload(&bytes).expect("a small buffer fits")
        })
        .collect();
    let launch = BufferLaunch {
        extents: &case.extents,
        origins: &case.origins,
        accesses: case
            .kernel
            .accesses
            .iter()
            .zip(&case.accesses)
            .map(|(access, (start, strides))| {
                let size = case.kernel[access.param].dtype.size() as isize;
                (&buffers[access.param.index()], start * size, strides.as_slice())
            })
            .collect(),
        guards: &case.guards,
        scalars: case.scalars.iter().copied().collect(),
    };
    // The launch runs nothing that was not loaded before the plan begins.
    let missing = || {
        let first = |of: &Buffer| {
            let mut others = launch.accesses.iter().map(|access| access.0.as_ptr());
            others.position(|other| other == of.as_ptr()).unwrap_or(0)
        };
        let places = launch.accesses.iter().map(|access| ((first(access.0), access.1), access.2));
        let scalars: Vec<Option<Scalar>> = case.scalars.iter().copied().map(Some).collect();
        kernel.missing(&case.extents, &case.origins, places, &case.guards, &scalars, &device_of)
    };
    let loaded = missing().iter().try_for_each(|needed| needed.load(&device_of));
    assert!(missing().is_empty(), "more is missing\n{}", case.kernel);
    let late = loaded_late();
    if let Err(error) = loaded.and_then(|()| kernel.launch(&launch, &device_of)) {
        panic!("{error}\n{}", case.kernel);
    }
    assert_eq!(loaded_late(), late, "something had not been loaded\n{}", case.kernel);
    let mut found = memory;
    for (buffer, words) in buffers.iter().zip(&mut found) {
        let mut bytes = vec![0; buffer.len()];
        buffer.read(0, &mut bytes);
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_ne_bytes(whole);
        }
    }
    if let Some(error) = device.failure() {
        panic!("{error}\n{}", case.kernel);
    }
    let found = case.results(&found);
    for (param, (expected, found)) in expected.iter().zip(&found).enumerate() {
        let largest = expected.iter().map(|scalar| magnitude(*scalar)).fold(0.0, f64::max);
        let wrong = (0..expected.len()).find(|&at| !near(expected[at], found[at], largest));
        if let Some(at) = wrong {
            panic!(
                "parameter {param}, element {at}: {:?} instead of {:?}, {:?}\n{}",
                found[at], expected[at], case.extents, case.kernel
            );
        }
    }
}

fn parts(scalar: Scalar) -> [f64; 2] {
    match scalar.to_weak() {
        Weak::Large(value) | Weak::Float(value) => [value, 0.0],
        Weak::Complex(value) => [value.re, value.im],
        Weak::Int(value) => [value as f64, 0.0],
        Weak::Bool(value) => [f64::from(u8::from(value)), 0.0],
    }
}

fn magnitude(scalar: Scalar) -> f64 {
    let size = parts(scalar).into_iter().map(f64::abs).fold(0.0, f64::max);
    if size.is_finite() { size } else { 0.0 }
}

/// Equal, or for inexact numbers equal up to the rounding of another order of combination.
fn near(expected: Scalar, found: Scalar, largest: f64) -> bool {
    if expected == found {
        return true;
    }
    let dtype = expected.dtype();
    if !dtype.is_inexact() {
        return false;
    }
    let relative = match dtype {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 | DType::C64 => 1e-5,
        _ => 1e-13,
    };
    parts(expected).into_iter().zip(parts(found)).all(|(expected, found)| {
        (expected.is_nan() && found.is_nan())
            || expected == found
            || (expected - found).abs() <= relative * (expected.abs() + largest * 1e-3)
    })
}
