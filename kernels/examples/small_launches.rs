//! Measures the cost of one launch of a small kernel, on one thread.
//!
//! Run with `cargo run --release -p phalanx-kernels --example small_launches [FILTER]`.

use phalanx_device::Buffer;
use phalanx_kernels::cpu::{BufferLaunch, compile, launch};
use phalanx_kernels::ir::parse;
use phalanx_ops::Scalar;
use std::time::Instant;

const CHAIN: &str = "kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64) { for i0 grid {
    v0: f64 = load a.0[i0]
    v1: f64 = load b.1[i0]
    v2: f64 = multiply(v0, v1)
    v3: f64 = s0
    v4: f64 = maximum(v2, v3)
    v5: f64 = subtract(v4, v0)
    store c.2[i0] = v5 } }";
const ADD: &str = "kernel(a: f64 in, b: f64 in, c: f64 out) { for i0 grid {
    v0: f64 = load a.0[i0]
    v1: f64 = load b.1[i0]
    v2: f64 = add(v0, v1)
    store c.2[i0] = v2 } }";
const SUM: &str = "kernel(a: f64 in, b: f64 out) { for grid { for i0 loop {
    v0: f64 = load a.0[i0]
    fold v1: f64 = add(v0) }
    store b.1[] = v1 } }";
const LARGEST: &str = "kernel(a: f64 in, b: i64 out) { for grid { for i0 loop {
    v0: f64 = load a.0[i0]
    v1: i64 = index i0
    fold v2: f64, v3: i64 = argmax(v0, v1) }
    store b.1[] = v3 } }";
const ROWS: &str = "kernel(a: f64 in, b: f64 out) { for i0 grid { for i1 loop {
    v0: f64 = load a.0[i0, i1]
    fold v1: f64 = add(v0) }
    store b.1[i0] = v1 } }";

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let buffers: Vec<Buffer> =
        (0..3).map(|_| Buffer::from_vec((0..4096).map(f64::from).collect::<Vec<_>>())).collect();
    let flat: &[isize] = &[8];
    let rows: &[isize] = &[64, 8];
    let benches = [
        ("chain", CHAIN, vec![flat, flat, flat], vec![Scalar::new(0.5)]),
        ("add", ADD, vec![flat, flat, flat], vec![]),
        ("sum", SUM, vec![flat, &[]], vec![]),
        ("argmax", LARGEST, vec![flat, &[]], vec![]),
        ("rows", ROWS, vec![rows, flat], vec![]),
    ];
    for (name, text, strides, scalars) in benches.iter().filter(|bench| bench.0.contains(&filter)) {
        let compiled = compile(&parse(text).expect("the text is a kernel")).expect("it compiles");
        print!("{name:<8}");
        for count in [1usize, 64, 250, 1000] {
            let extents = if *name == "rows" { vec![count.div_ceil(8), 8] } else { vec![count] };
            let origins = vec![0; extents.len()];
            let once = || {
                let arguments = BufferLaunch {
                    extents: &extents,
                    origins: &origins,
                    accesses: strides
                        .iter()
                        .zip(&buffers)
                        .map(|(strides, buffer)| (buffer, 0, *strides))
                        .collect(),
                    guards: &[],
                    scalars: scalars.iter().copied().collect(),
                };
                launch(&compiled, &arguments, None);
            };
            let mut best = f64::INFINITY;
            for _ in 0..7 {
                let start = Instant::now();
                (0..100_000).for_each(|_| once());
                best = best.min(start.elapsed().as_secs_f64() / 1e5);
            }
            print!("  {count:>5}: {:>6.0} ns", best * 1e9);
        }
        println!();
    }
}
