//! The device functions of GPU kernels, each with every signature, and the kernels that are written
//! by hand, compiled by NVRTC where it is installed.

use phalanx_device::cuda::{Compiler, CudaOptions};
use phalanx_kernels::cuda::prelude::{Uses, text};
use phalanx_kernels::structured;
use phalanx_ops::{DType, Monoid, Op};
use std::fmt::Write as _;

/// Where the tests look for the libraries of CUDA.
pub fn options() -> CudaOptions {
    let folders = std::env::var_os("PHALANX_CUDA_PATH");
    let folders = folders.map(|paths| std::env::split_paths(&paths).collect());
    CudaOptions { folders: folders.unwrap_or_default(), ..CudaOptions::default() }
}

/// A kernel that calls every function whose first operand has a dtype, so that each is compiled.
fn kernel_of(dtype: DType) -> String {
    let mut uses = Uses { dtypes: DType::ALL.iter().copied().collect(), ..Uses::default() };
    let mut body = String::new();
    let mut number = 0;
    let mut call = |operands: &[DType], output: DType, call: &str| {
        let _ = write!(body, "    {{ ");
        for (name, operand) in ["a", "b"].iter().zip(operands) {
            let _ = write!(body, "{operand} {name} = ((const {operand}*)in)[at + {number}]; ");
        }
        let _ = writeln!(body, "(({output}*)out)[at + 4096 * {number}] = {call}; }}");
        number += 1;
    };
    for &op in Op::ALL {
        for signature in op.signatures().iter().filter(|one| one.inputs()[0] == dtype) {
            uses.ops.insert((op, signature.inputs().to_vec()));
            let operands = if signature.inputs().len() == 1 { "a" } else { "a, b" };
            call(signature.inputs(), signature.output, &format!("op_{op}({operands})"));
        }
    }
    for &to in DType::ALL {
        uses.casts.insert((dtype, to));
        call(&[dtype], to, &format!("cast_{to}(a)"));
    }
    for &monoid in Monoid::ALL.iter().filter(|monoid| monoid.accepts(dtype)) {
        uses.monoids.insert((monoid, dtype));
        if !monoid.is_compound() {
            call(&[dtype, dtype], dtype, &format!("combine_{monoid}(a, b)"));
        }
    }
    let functions = text(&uses);
    format!(
        "{functions}extern \"C\" __global__ void all(const char* in, char* out) {{\n    \
         int at = threadIdx.x;\n{body}}}\n"
    )
}

fn is_full() -> bool {
    std::env::var_os("PHALANX_TEST_FULL").is_some_and(|full| full == "1")
}

/// Compiles texts for an architecture, for all three where everything is tested, if that can be
/// done here.
fn compile(texts: impl Fn() -> Vec<(String, String)>) {
    let capabilities: &[u32] = if is_full() { &[80, 90, 100] } else { &[90] };
    for &capability in capabilities {
        let compiler = match Compiler::new(capability, &options()) {
            Ok(compiler) => compiler,
            Err(error) => return println!("nothing is compiled for GPUs: {error}"),
        };
        for (name, text) in texts() {
            if let Err(error) = compiler.compile(&name, &text) {
                panic!("{name}, sm_{capability}: {error}");
            }
        }
    }
}

#[test]
fn every_device_function_compiles() {
    compile(|| DType::ALL.iter().map(|&dtype| (dtype.to_string(), kernel_of(dtype))).collect());
}

#[test]
fn every_routine_compiles() {
    let sources = [
        ("scan", structured::scan::cuda::sources()),
        ("sort", structured::sort::cuda::sources()),
        ("spectrum", structured::fft::cuda::sources()),
        ("linalg", structured::linalg::cuda::sources()),
        ("spmv", structured::sparse::cuda::sources()),
        ("transpose", structured::transpose::sources()),
        ("search", structured::search::cuda::sources()),
        ("gather", structured::gather::cuda::sources()),
        ("grouped", structured::grouped::cuda::sources()),
        ("sum_parts", structured::matmul::cuda::sources()),
        ("copy", vec![phalanx_device::cuda::COPY_SOURCE.to_owned()]),
    ];
    let named = |(name, sources): &(&str, Vec<String>)| {
        let one = |(at, source): (usize, &String)| (format!("{name}_{at}"), source.clone());
        sources.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    // A dtype in three, where not everything is tested: they differ in little.
    let step = if is_full() { 1 } else { 3 };
    compile(|| sources.iter().flat_map(|kind| named(kind).into_iter().step_by(step)).collect());
}
