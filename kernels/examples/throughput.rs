//! Measures the CPU executor: bytes moved per second for typical kernels, on 1 and on 2 threads.
//!
//! Run with `cargo run --release -p phalanx-kernels --example throughput [FILTER [WIDTH]]`: only
//! kernels whose name contains the filter, with blocks of `WIDTH` lanes.

use phalanx_kernels::cpu::{Compiled, LaneChoice, Tuning, compile};
use phalanx_kernels::ir::{AccessArgument, GuardArgument, Launch, parse};
use phalanx_ops::{DType, Scalar};
use rayon::ThreadPool;
use std::sync::LazyLock;
use std::time::Instant;

/// A kernel with its arguments.
struct Bench {
    name: &'static str,
    text: &'static str,
    extents: Vec<usize>,
    /// For each access the buffer, the first element and the strides in elements.
    accesses: Vec<(usize, isize, Vec<isize>)>,
    scalars: Vec<Scalar>,
    guards: Vec<(i64, i64)>,
    /// Bytes read and written.
    bytes: usize,
}

const ADD: &str = "kernel(a: f64 in, b: f64 in, c: f64 out) { for i0 grid {
    v0: f64 = load a.0[i0]
    v1: f64 = load b.1[i0]
    v2: f64 = add(v0, v1)
    store c.2[i0] = v2 } }";

const COPY: &str = "kernel(a: f64 in, b: f64 out) { for i0 grid {
    v0: f64 = load a.0[i0]
    store b.1[i0] = v0 } }";

const SUM: &str = "kernel(a: f64 in, b: f64 out) { for grid { for i0 loop {
    v0: f64 = load a.0[i0]
    fold v1: f64 = add(v0) }
    store b.1[] = v1 } }";

const SUM_AXIS: &str = "kernel(a: f64 in, b: f64 out) { for i0 grid { for i1 loop {
    v0: f64 = load a.0[i0, i1]
    fold v1: f64 = add(v0) }
    store b.1[i0] = v1 } }";

const SUM_F32: &str = "kernel(a: f32 in, b: f32 out) { for grid { for i0 loop {
    v0: f32 = load a.0[i0]
    fold v1: f32 = add(v0) }
    store b.1[] = v1 } }";

const ADD_TRANSPOSE: &str = "kernel(a: f64 in, c: f64 out) { for i0, i1 grid {
    v0: f64 = load a.0[i0, i1]
    v1: f64 = load a.1[i0, i1]
    v2: f64 = add(v0, v1)
    store c.2[i0, i1] = v2 } }";

const STENCIL: &str = include_str!("../tests/golden/stencil/input.kir");
const INTERIOR: &str = "kernel(a: f64 in, b: f64 out; s0: f64) { for i0, i1 grid {
    v0: f64 = load a.0[i0, i1]
    v1: f64 = load a.1[i0, i1]
    v2: f64 = add(v0, v1)
    v3: f64 = load a.2[i0, i1]
    v4: f64 = add(v2, v3)
    v5: f64 = load a.3[i0, i1]
    v6: f64 = add(v4, v5)
    v7: f64 = load a.4[i0, i1]
    v8: f64 = s0
    v9: f64 = multiply(v7, v8)
    v10: f64 = subtract(v6, v9)
    store b.5[i0, i1] = v10 } }";
/// Five points in equal parts.
const POINTS: &str = "kernel(a: f64 in, b: f64 out; s0: f64) { for i0, i1 grid {
    v0: f64 = load a.0[i0, i1]
    v1: f64 = load a.1[i0, i1]
    v2: f64 = add(v0, v1)
    v3: f64 = load a.2[i0, i1]
    v4: f64 = add(v2, v3)
    v5: f64 = load a.3[i0, i1]
    v6: f64 = add(v4, v5)
    v7: f64 = load a.4[i0, i1]
    v8: f64 = add(v6, v7)
    v9: f64 = s0
    v10: f64 = multiply(v9, v8)
    store b.5[i0, i1] = v10 } }";
/// Arithmetic and functions in about the proportions of an option-pricing formula.
const OPTIONS: &str = "kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64) { for i0 grid {
    v0: f64 = load a.0[i0]
    v1: f64 = load b.1[i0]
    v2: f64 = divide(v0, v1)
    v3: f64 = log(v2)
    v4: f64 = s0
    v5: f64 = multiply(v4, v1)
    v6: f64 = add(v3, v5)
    v7: f64 = sqrt(v1)
    v8: f64 = divide(v6, v7)
    v9: f64 = subtract(v8, v7)
    v10: f64 = tanh(v8)
    v11: f64 = tanh(v9)
    v12: f64 = multiply(v0, v10)
    v13: f64 = negative(v5)
    v14: f64 = exp(v13)
    v15: f64 = multiply(v14, v11)
    v16: f64 = subtract(v12, v15)
    store c.2[i0] = v16 } }";
const ARITHMETIC: &str = "kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64) { for i0 grid {
    v0: f64 = load a.0[i0]
    v1: f64 = load b.1[i0]
    v2: f64 = multiply(v0, v1)
    v3: f64 = s0
    v4: f64 = divide(v2, v3)
    v5: f64 = sqrt(v4)
    v6: f64 = maximum(v5, v0)
    v7: f64 = subtract(v6, v1)
    v8: f64 = absolute(v7)
    store c.2[i0] = v8 } }";
const CHAIN: &str = include_str!("../tests/golden/chain/input.kir");
const VARIANCE: &str = include_str!("../tests/golden/variance/input.kir");
const CENTRE: &str = include_str!("../tests/golden/centre/input.kir");

static CHAIN_F32: LazyLock<String> = LazyLock::new(|| CHAIN.replace("f64", "f32"));

fn benches() -> Vec<Bench> {
    const N: usize = 1 << 24;
    const SIDE: usize = 4096;
    const ROW: isize = SIDE as isize;
    let flat = |buffer: usize| (buffer, 0, vec![1]);
    let bench =
        |name, text, extents: &[usize], accesses: Vec<(usize, isize, Vec<isize>)>, bytes| Bench {
            name,
            text,
            extents: extents.to_vec(),
            accesses,
            scalars: Vec::new(),
            guards: Vec::new(),
            bytes,
        };
    let stencil = |first: isize| -> Vec<(usize, isize, Vec<isize>)> {
        let starts = [first - ROW, first + ROW, first - 1, first + 1, first];
        let loads = starts.into_iter().map(|start| (0, start, vec![ROW, 1]));
        loads.chain([(2, first, vec![ROW, 1])]).collect()
    };
    let all = (i64::MIN, i64::MAX);
    vec![
        bench("copy f64 2^24", COPY, &[N], vec![flat(0), flat(2)], 16 * N),
        bench("add f64 2^24", ADD, &[N], vec![flat(0), flat(1), flat(2)], 24 * N),
        bench("add f64 2^10", ADD, &[1 << 10], vec![flat(0), flat(1), flat(2)], 24 << 10),
        bench("add f64 1", ADD, &[1], vec![flat(0), flat(1), flat(2)], 24),
        Bench {
            scalars: vec![Scalar::new(1.5)],
            ..bench("chain f64 2^24", CHAIN, &[N], vec![flat(0), flat(1), flat(2)], 24 * N)
        },
        Bench {
            scalars: vec![Scalar::new(1.5f32)],
            ..bench("chain f32 2^24", &CHAIN_F32, &[N], vec![flat(0), flat(1), flat(2)], 12 * N)
        },
        Bench {
            scalars: vec![Scalar::new(1.5)],
            ..bench("options f64 2^24", OPTIONS, &[N], vec![flat(0), flat(1), flat(2)], 24 * N)
        },
        Bench {
            scalars: vec![Scalar::new(1.5)],
            ..bench(
                "arithmetic f64 2^24",
                ARITHMETIC,
                &[N],
                vec![flat(0), flat(1), flat(2)],
                24 * N,
            )
        },
        bench("sum f64 2^24", SUM, &[N], vec![flat(0), (2, 0, vec![])], 8 * N),
        bench("sum f32 2^25", SUM_F32, &[2 * N], vec![flat(0), (2, 0, vec![])], 8 * N),
        bench("sum f64 2^15", SUM, &[1 << 15], vec![flat(0), (2, 0, vec![])], 8 << 15),
        bench("sum f64 2^10", SUM, &[1 << 10], vec![flat(0), (2, 0, vec![])], 8 << 10),
        bench(
            "sum axis 0 4096^2",
            SUM_AXIS,
            &[SIDE, SIDE],
            vec![(0, 0, vec![1, ROW]), flat(2)],
            8 * N,
        ),
        bench(
            "sum axis 1 4096^2",
            SUM_AXIS,
            &[SIDE, SIDE],
            vec![(0, 0, vec![ROW, 1]), flat(2)],
            8 * N,
        ),
        bench("sum axis 0 2^21x8", SUM_AXIS, &[8, N / 8], vec![(0, 0, vec![1, 8]), flat(2)], 8 * N),
        bench("sum axis 1 2^21x8", SUM_AXIS, &[N / 8, 8], vec![(0, 0, vec![8, 1]), flat(2)], 9 * N),
        bench(
            "sum axis 1 2^16x256",
            SUM_AXIS,
            &[N / 256, 256],
            vec![(0, 0, vec![256, 1]), flat(2)],
            8 * N,
        ),
        bench(
            "sum axis 1 2^18x64",
            SUM_AXIS,
            &[N / 64, 64],
            vec![(0, 0, vec![64, 1]), flat(2)],
            8 * N,
        ),
        Bench {
            scalars: vec![Scalar::new(4096.0)],
            ..bench(
                "var axis 1 4096^2",
                VARIANCE,
                &[SIDE, SIDE, SIDE],
                vec![(0, 0, vec![ROW, 1]), (0, 0, vec![ROW, 1]), flat(2)],
                16 * N,
            )
        },
        Bench {
            scalars: vec![Scalar::new(4096.0)],
            ..bench(
                "a - mean(0) 4096^2",
                CENTRE,
                &[SIDE, SIDE, SIDE],
                vec![(0, 0, vec![1, ROW]), (0, 0, vec![1, ROW]), (2, 0, vec![1, ROW])],
                24 * N,
            )
        },
        Bench {
            scalars: vec![Scalar::new(0.2)],
            ..bench("stencil 5 points", POINTS, &[SIDE - 2, SIDE - 2], stencil(ROW + 1), 16 * N)
        },
        Bench {
            scalars: vec![Scalar::new(0.2)],
            ..bench("stencil 10 rows", POINTS, &[10, SIDE - 2], stencil(ROW + 1), 160 * SIDE)
        },
        Bench {
            scalars: vec![Scalar::new(4.0)],
            ..bench("stencil interior", INTERIOR, &[SIDE - 2, SIDE - 2], stencil(ROW + 1), 16 * N)
        },
        Bench {
            scalars: vec![Scalar::new(4.0)],
            guards: vec![(1, all.1), (all.0, ROW as i64 - 1), (1, all.1), (all.0, ROW as i64 - 1)],
            ..bench("stencil guarded", STENCIL, &[SIDE, SIDE], stencil(0), 16 * N)
        },
        bench(
            "a + a.T 4096^2",
            ADD_TRANSPOSE,
            &[SIDE, SIDE],
            vec![(0, 0, vec![ROW, 1]), (0, 0, vec![1, ROW]), (2, 0, vec![ROW, 1])],
            24 * N,
        ),
    ]
}

fn measure(
    bench: &Bench,
    compiled: &Compiled,
    launch: &Launch,
    pool: Option<&ThreadPool>,
    tuning: &Tuning,
) {
    // SAFETY: the benches stay inside the buffers of `main`.
    let once = || unsafe { compiled.run_tuned(launch, pool, tuning) };
    once();
    let start = Instant::now();
    once();
    let first = start.elapsed().as_secs_f64();
    let repeat = ((0.05 / first) as usize).clamp(1, 100_000);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..repeat {
            once();
        }
        best = best.min(start.elapsed().as_secs_f64() / repeat as f64);
    }
    let gigabytes = bench.bytes as f64 / best / 1e9;
    print!("  {:>9.3} ms {:>7.2} GB/s", best * 1e3, gigabytes);
}

/// Numbers from 0 to 1 of the dtype that the kernel reads.
fn fill(buffer: &mut [f64], at: usize, is_single: bool) {
    let number = |k: usize| ((k * 7 + at) % 1000) as f64 * 1e-3;
    for (k, element) in buffer.iter_mut().enumerate() {
        let halves = [number(2 * k) as f32, number(2 * k + 1) as f32].map(f32::to_bits);
        let single = f64::from_bits(u64::from(halves[0]) | u64::from(halves[1]) << 32);
        *element = if is_single { single } else { number(k) };
    }
}

/// Copies as many bytes as the first bench, by the library's copy, on 1 and on 2 threads.
fn copy_memory(buffers: &mut [Vec<f64>], pool: &ThreadPool) {
    let (from, to) = buffers.split_at_mut(1);
    let (from, to) = (&from[0][..1 << 24], &mut to[0][..1 << 24]);
    print!("{:<20}", "memcpy 2^24");
    for parts in [1, 2] {
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let start = Instant::now();
            let part = from.len() / parts;
            pool.scope(|scope| {
                for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
                    scope.spawn(|_| to.copy_from_slice(from));
                }
            });
            best = best.min(start.elapsed().as_secs_f64());
        }
        let gigabytes = (16 * from.len()) as f64 / best / 1e9;
        print!("  {:>9.3} ms {gigabytes:>7.2} GB/s", best * 1e3);
    }
    println!();
}

fn main() {
    let elements = (1 << 24) + 2 * 4096;
    let mut buffers = vec![vec![0.0; elements]; 3];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads start");
    let filter = std::env::args().nth(1).unwrap_or_default();
    let width = std::env::args().nth(2).and_then(|width| width.parse().ok());
    let lanes = match std::env::args().nth(3).as_deref() {
        Some("grid") => Some(LaneChoice::Grid),
        Some("loops") => Some(LaneChoice::Loops),
        _ => None,
    };
    let tuning = Tuning { lanes, width, ..Tuning::default() };
    copy_memory(&mut buffers, &pool);
    for bench in benches().iter().filter(|bench| bench.name.contains(&filter)) {
        let kernel = parse(bench.text).expect("the text is a kernel");
        let compiled = compile(&kernel).expect("the kernel compiles");
        let is_single = kernel.params[0].dtype == DType::F32;
        buffers.iter_mut().enumerate().for_each(|(at, buffer)| fill(buffer, at, is_single));
        let accesses =
            bench.accesses.iter().enumerate().map(|(access, (buffer, start, strides))| {
                let size = kernel[kernel.accesses[access].param].dtype.size() as isize;
                let base = buffers[*buffer].as_mut_ptr().cast::<u8>();
                AccessArgument {
                    pointer: base.wrapping_offset(start * size),
                    strides: strides.iter().map(|stride| stride * size).collect(),
                }
            });
        let launch = Launch {
            origins: vec![0; bench.extents.len()],
            extents: bench.extents.clone(),
            accesses: accesses.collect(),
            scalars: bench.scalars.clone(),
            guards: bench
                .guards
                .iter()
                .map(|&bounds| GuardArgument { bounds: vec![bounds] })
                .collect(),
        };
        print!("{:<20}", bench.name);
        measure(bench, &compiled, &launch, None, &tuning);
        measure(bench, &compiled, &launch, Some(&pool), &tuning);
        println!();
    }
}
