//! The CUDA C of every operation, cast, reduction and routine, compiled to machine code for three
//! architectures by NVRTC, where that is installed; no GPU is needed.

use phalanx_device::DeviceError;
use phalanx_device::cuda::{Compiler, CudaOptions};
use phalanx_kernels::cuda::{Chunks, Geometry, Shape, Variant, source_of_many};
use phalanx_kernels::ir::{Kernel, parse, verify};
use phalanx_kernels::structured::cuda_sources;
use phalanx_ops::{DType, Monoid, Op};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Ampere, Hopper and Blackwell.
const CAPABILITIES: [u32; 3] = [80, 90, 100];
/// Only full tests compile each text for all capabilities and with the options of programs. Others
/// compile it for one of them, and one text in eight with these options: the compiler is much of
/// what tests take, and optimising two thirds of that.
fn is_full() -> bool {
    std::env::var_os("PHALANX_TEST_FULL").is_some_and(|full| full == "1")
}

/// A number that the commit decides, of the share of what only full tests do for all texts.
fn due(variable: &str) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Whether the text with a number is compiled with the options of programs.
pub fn is_optimised(number: usize) -> bool {
    is_full() || number % 8 == due("PHALANX_TEST_SHARE")
}

/// The folders in which the tests search for the libraries of CUDA.
pub fn options() -> CudaOptions {
    let folders = std::env::var_os("PHALANX_CUDA_PATH");
    let folders = folders.map(|paths| std::env::split_paths(&paths).collect());
    CudaOptions { folders: folders.unwrap_or_default(), ..CudaOptions::default() }
}

/// Compiles texts to machine code on all cores, if NVRTC is installed.
fn compile(what: &str, texts: &[(String, String)]) {
    let compilers = |capability| -> Result<[Compiler; 2], DeviceError> {
        let compiler = Compiler::new(capability, &options())?;
        Ok([compiler.clone(), compiler.quickly()])
    };
    let compilers: Result<Vec<[Compiler; 2]>, DeviceError> =
        CAPABILITIES.into_iter().map(compilers).collect();
    let compilers = match compilers {
        Ok(compilers) => compilers,
        Err(error) => return println!("nothing is compiled for GPUs: {error}"),
    };
    let mut turns: Vec<(&Compiler, &(String, String))> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        for (place, [optimising, quick]) in compilers.iter().enumerate() {
            // Each text has an architecture in three of twelve turns, and another one in each.
            let turn = number + due("PHALANX_TEST_TURN");
            if is_full() || turn % (4 * CAPABILITIES.len()) == place {
                turns.push((if is_optimised(number) { optimising } else { quick }, text));
            }
        }
    }
    // The longest first, so that no core is left with one of them at the end.
    turns.sort_by_key(|(_, (_, text))| Reverse(text.len()));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((compiler, (name, text))) = turns.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = compiler.compile(name, text) {
                panic!("{name}, {}: {error}", compiler.architecture());
            }
        }
    };
    let started = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    println!("{what}: {} texts in {:.1?}", turns.len(), started.elapsed());
}

/// A kernel with its variant for these extents and strides in elements.
fn launched(text: &str, extents: &[usize], strides: &[&[isize]]) -> (Kernel, Variant) {
    let kernel = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let in_bytes: Vec<Vec<isize>> = kernel
        .accesses
        .iter()
        .zip(strides)
        .map(|(access, strides)| {
            let size = kernel[access.param].dtype.size() as isize;
            strides.iter().map(|stride| stride * size).collect()
        })
        .collect();
    let geometry = Geometry {
        extents,
        origins: &vec![0; extents.len()],
        strides: &in_bytes.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        guards: &[],
        addresses: &vec![0; kernel.accesses.len()],
    };
    let variant = Shape::new(&kernel, &geometry).expect("there are points").variant;
    (kernel, variant)
}

/// A kernel that computes each element of its output by a call on one element of each input.
pub fn text_of_call(call: &str, inputs: &[DType], output: DType) -> String {
    let (mut parameters, mut loads) = (String::new(), String::new());
    for (at, dtype) in inputs.iter().enumerate() {
        parameters.push_str(&format!("p{at}: {dtype} in, "));
        loads.push_str(&format!("v{at}: {dtype} = load p{at}.{at}[i0]\n"));
    }
    let last = inputs.len();
    let values: Vec<String> = (0..last).map(|at| format!("v{at}")).collect();
    format!(
        "kernel({parameters}out: {output} out) {{ for i0 grid {{\n{loads}v{last}: {output} = \
         {call}({})\nstore out.{last}[i0] = v{last}\n}} }}",
        values.join(", ")
    )
}

/// Such a kernel, at a stride.
fn elementwise(call: &str, inputs: &[DType], output: DType, stride: isize) -> (Kernel, Variant) {
    let stride = [stride];
    let strides = vec![&stride[..]; inputs.len() + 1];
    launched(&text_of_call(call, inputs, output), &[1 << 24], &strides)
}

/// Every operation and cast whose first operand has a dtype, a kernel each.
fn operations_of(dtype: DType) -> String {
    let mut kernels = Vec::new();
    for &op in Op::ALL {
        for signature in op.signatures().iter().filter(|one| one.inputs()[0] == dtype) {
            // Elements at a stride: several points of a thread would only take more time.
            kernels.push(elementwise(op.name(), signature.inputs(), signature.output, 2));
        }
    }
    for &to in DType::ALL {
        kernels.push(elementwise("cast", &[dtype], to, 1));
        assert!(kernels.last().is_some_and(|(_, variant)| variant.lanes() > 1), "{dtype} to {to}");
    }
    source_of_many(&kernels)
}

/// Every reduction of a dtype: by the threads of a row, by blocks that share a row, by a thread for
/// each column, by threads that share columns, and by blocks that share columns.
fn reductions_of(dtype: DType) -> String {
    let mut kernels = Vec::new();
    for &monoid in Monoid::ALL {
        // Moments are lowered to two sums, and are compiled with the golden texts.
        if !monoid.accepts(dtype) || monoid == Monoid::Moments {
            continue;
        }
        let fold = match monoid.is_compound() {
            true if monoid == Monoid::Binned => {
                let parts = "v2: i64, v3: i64, v4: i64, v5: i64";
                format!("fold v1: {dtype}, {parts} = {monoid}(v0)")
            }
            true => format!("v1: i64 = index i1\nfold v2: {dtype}, v3: i64 = {monoid}(v0, v1)"),
            false => format!("fold v1: {dtype} = {monoid}(v0)"),
        };
        let (result, output) =
            if monoid.is_compound() { ("v3", DType::I64) } else { ("v1", dtype) };
        let text = format!(
            "kernel(a: {dtype} in, out: {output} out) {{ for i0 grid {{ for i1 loop {{\n\
             v0: {dtype} = load a.0[i0, i1]\n{fold}\n}}\nstore out.1[i0] = {result}\n}} }}"
        );
        let in_rows = |rows: usize, columns: usize| {
            launched(&text, &[rows, columns], &[&[columns as isize, 1], &[1]])
        };
        let in_columns = |rows: usize, columns: usize| {
            launched(&text, &[columns, rows], &[&[1, columns as isize], &[1]])
        };
        let of_monoid = [
            in_rows(10_000, 100),
            in_rows(1, 1 << 24),
            in_columns(100, 1 << 20),
            in_columns(100, 10_000),
            in_columns(1 << 20, 64),
        ];
        let ways = of_monoid.each_ref().map(|(_, variant)| {
            (variant.is_rows(), variant.is_shared(), variant.chunks != Chunks::One)
        });
        assert_eq!(
            ways,
            [
                (true, true, false),
                (true, true, true),
                (false, false, false),
                (false, true, false),
                (false, true, true)
            ],
            "{monoid} of {dtype}"
        );
        kernels.extend(of_monoid);
    }
    source_of_many(&kernels)
}

fn of_each(what: &str, text: fn(DType) -> String) -> Vec<(String, String)> {
    DType::ALL.iter().map(|&dtype| (format!("{what}_{dtype}"), text(dtype))).collect()
}

#[test]
fn every_operation_and_cast_compiles() {
    compile("operations and casts", &of_each("operations", operations_of));
}

/// Kernels of one point, each in its own text, like a program's kernels.
#[test]
fn every_cast_of_one_point_compiles() {
    let mut texts = Vec::new();
    for &from in DType::ALL {
        for &to in DType::ALL {
            let text = format!(
                "kernel(a: {from} in, b: {to} out) {{ for i0, i1 grid {{\nv0: {from} = load a.0[]\n\
                 v1: {to} = cast(v0)\nstore b.1[] = v1\n}} }}"
            );
            let (kernel, variant) = launched(&text, &[1, 1], &[&[], &[]]);
            let name = format!("point_{from}_{to}");
            texts.push((name, source_of_many(&[(kernel, variant)])));
        }
    }
    compile("casts of one point", &texts);
}

#[test]
fn every_reduction_compiles() {
    compile("reductions", &of_each("reductions", reductions_of));
}

#[test]
fn every_routine_compiles() {
    compile("routines", &cuda_sources());
}

/// A compiler's message is shown with the line that it refers to.
#[test]
fn a_refused_text_is_shown_with_its_line() {
    let Ok(compiler) = Compiler::new(CAPABILITIES[0], &options()) else { return };
    let text = "typedef int one;\n    typedef no_such_thing two;\n";
    let error = compiler.compile("wrong", text).expect_err("nobody knows the type");
    assert_eq!(error.code(), "PX054");
    let message = error.to_string();
    assert!(message.contains("wrong.cu(2): error"), "{message}");
    assert!(message.contains("\n    > typedef no_such_thing two;"), "{message}");
}

/// The files with an ending in a folder and its subfolders.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{folder:?}: {error}")).path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
}

#[test]
fn every_text_is_among_the_sources() {
    let mut found = Vec::new();
    for folder in ["src/structured", "../device/src"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "cu", &mut found);
    }
    assert!(found.len() >= 5, "{found:?}");
    let sources = cuda_sources();
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
        let is_there = sources.iter().any(|(_, source)| source.contains(&text));
        assert!(is_there, "{path:?} is not in structured::cuda_sources()");
    }
}
