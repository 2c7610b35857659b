//! Runs typical kernels once each, for a count of their instructions: a test runs this program
//! under `valgrind --tool=callgrind` and compares the counts with `tests/golden/instructions.txt`.
//!
//! Without an argument it prints the names of the cases in the order in which they run; with `run`
//! it runs each of them inside of `counted`.

use phalanx_device::instructions::{Level, use_level};
use phalanx_kernels::cpu::compile;
use phalanx_kernels::ir::{AccessArgument, Launch, parse};
use phalanx_ops::DType;
use std::hint::black_box;

/// Elements of a case.
const COUNT: usize = 1 << 15;

/// A kernel over `extents` points; each access has strides in elements.
struct Case {
    name: &'static str,
    text: String,
    extents: Vec<usize>,
    strides: Vec<Vec<isize>>,
    launches: usize,
}

fn elementwise(name: &'static str, operation: &str, from: &str, to: &str, inputs: usize) -> Case {
    let names: Vec<String> = (0..inputs).map(|at| format!("a{at}")).collect();
    let parameters: String = names.iter().map(|name| format!("{name}: {from} in, ")).collect();
    let loads: String = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("v{at}: {from} = load {name}.{at}[i0]\n"))
        .collect();
    let values: Vec<String> = (0..inputs).map(|at| format!("v{at}")).collect();
    let values = values.join(", ");
    let text = format!(
        "kernel({parameters}out: {to} out) {{ for i0 grid {{\n{loads}\
         v{inputs}: {to} = {operation}({values})\nstore out.{inputs}[i0] = v{inputs} }} }}"
    );
    Case { name, text, extents: vec![COUNT], strides: vec![vec![1]; inputs + 1], launches: 1 }
}

/// A fold over the second axis; the strides are those of the operand.
fn fold(
    name: &'static str,
    monoid: &str,
    dtype: &str,
    shape: [usize; 2],
    strides: [isize; 2],
) -> Case {
    let text = format!(
        "kernel(a: {dtype} in, b: {dtype} out) {{ for i0 grid {{ for i1 loop {{\n\
         v0: {dtype} = load a.0[i0, i1]\nfold v1: {dtype} = {monoid}(v0) }}\n\
         store b.1[i0] = v1 }} }}"
    );
    Case {
        name,
        text,
        extents: shape.to_vec(),
        strides: vec![strides.to_vec(), vec![1]],
        launches: 1,
    }
}

fn cases() -> Vec<Case> {
    let rows = [256, COUNT / 256];
    let row = |length: usize| length as isize;
    let mut small = elementwise("1000 launches of add f64, 4 elements", "add", "f64", "f64", 2);
    (small.extents, small.launches) = (vec![4], 1000);
    vec![
        elementwise("add f64", "add", "f64", "f64", 2),
        elementwise("multiply i32", "multiply", "i32", "i32", 2),
        elementwise("greater f32", "greater", "f32", "bool", 2),
        elementwise("floor_divide i32", "floor_divide", "i32", "i32", 2),
        elementwise("exp f64", "exp", "f64", "f64", 1),
        elementwise("sin f32", "sin", "f32", "f32", 1),
        elementwise("log c128", "log", "c128", "c128", 1),
        elementwise("power f64", "power", "f64", "f64", 2),
        fold("sum f64", "add", "f64", [1, COUNT], [0, 1]),
        fold("max i64", "max", "i64", [1, COUNT], [0, 1]),
        fold("sum f32 of rows", "add", "f32", rows, [row(rows[1]), 1]),
        fold("sum f32 of columns", "add", "f32", [rows[1], rows[0]], [1, row(rows[1])]),
        fold("max f64 of columns", "max", "f64", [rows[1], rows[0]], [1, row(rows[1])]),
        small,
    ]
}

/// The function whose instructions are counted.
#[inline(never)]
fn counted(run: &mut dyn FnMut()) {
    run();
    black_box(());
}

fn main() {
    if std::env::args().nth(1).as_deref() != Some("run") {
        cases().iter().for_each(|case| println!("{}", case.name));
        return;
    }
    assert!(use_level(Some(Level::Avx2)), "the counts are those of AVX2");
    for case in cases() {
        let kernel = parse(&case.text).expect("the text is a kernel");
        let compiled = compile(&kernel).expect("the kernel compiles");
        let mut buffers: Vec<Vec<u128>> =
            kernel.params.iter().map(|parameter| filled(parameter.dtype)).collect();
        let accesses = case.strides.iter().enumerate().map(|(at, strides)| {
            let size = kernel[kernel.accesses[at].param].dtype.size() as isize;
            AccessArgument {
                pointer: buffers[at].as_mut_ptr().cast(),
                strides: strides.iter().map(|stride| stride * size).collect(),
            }
        });
        let launch = Launch {
            origins: vec![0; case.extents.len()],
            extents: case.extents.clone(),
            accesses: accesses.collect(),
            scalars: Vec::new(),
            guards: Vec::new(),
        };
        // SAFETY: each buffer has `COUNT` elements of 16 bytes, and no access reaches further.
        let once = || unsafe { compiled.run(&launch, None) };
        once();
        counted(&mut || (0..case.launches).for_each(|_| once()));
    }
}

/// Elements of a dtype from 1 to 3.
fn filled(dtype: DType) -> Vec<u128> {
    let mut words = vec![0_u128; COUNT];
    // SAFETY: any bits are numbers, and the words hold `2 * COUNT` numbers of 8 bytes.
    let bytes =
        unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<[u8; 8]>(), 2 * COUNT) };
    for (at, bytes) in bytes.iter_mut().enumerate() {
        let number = 1.0 + (at * 7 % 1000) as f64 * 0.002;
        let half = (number as f32).to_ne_bytes();
        *bytes = match dtype {
            DType::F64 | DType::C128 => number.to_ne_bytes(),
            DType::F32 | DType::C64 => [half, half].concat().try_into().expect("8 bytes"),
            DType::I32 => [number as i32, number as i32]
                .map(i32::to_ne_bytes)
                .concat()
                .try_into()
                .expect("8 bytes"),
            _ => (number as i64).to_ne_bytes(),
        };
    }
    words
}
