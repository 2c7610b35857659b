//! Weak scaling without the machine: the plans of up to 4,096 GPUs, with the times that a measured
//! price table predicts. Each GPU has the same share of the data, whatever their number.
//!
//! `cargo xtask bench weak --prices FILE` prints one row per case and number of devices, as text
//! that `benches/weak.py` draws: the predicted milliseconds, their ratio to those of one device
//! (for the same work),
//! the bytes that a device sends, the least that the algorithm needs, and the seconds of planning.
//! The file is a table that `phalanx info --measure` wrote with one process for each of two GPUs.

use phalanx::fft::fftn;
use phalanx::planning::{gpus_apart, null_mesh};
use phalanx::prelude::*;
use phalanx::prices::Prices;
use phalanx::{Mesh, Policy, cumsum, matmul, sort};
use std::process::ExitCode;
use std::time::Instant;

/// The elements of a device: 1 GiB of `f64`.
const SHARE: usize = 1 << 27;

/// A program, and the least bytes that a device sends in it on so many devices.
struct Case {
    name: &'static str,
    program: fn(usize) -> Array,
    least: fn(usize) -> f64,
    /// Whether the devices stand in a square, if their number is one.
    is_square: bool,
    /// The work of a device, relative to that of a single one.
    work: fn(usize) -> f64,
}

fn vector(devices: usize, dtype: DType) -> Array {
    ready(ones([SHARE * devices], dtype))
}

/// A square matrix of the devices' shares.
fn matrix(devices: usize) -> Array {
    let side = (SHARE as f64 * devices as f64).sqrt() as usize;
    ready(ones([side, side], DType::F64))
}

fn ready(array: Array) -> Array {
    array.evaluate().expect("null devices compute nothing");
    array
}

/// A share of bytes that goes to all other devices.
fn to_others(bytes: usize, devices: usize) -> f64 {
    bytes as f64 * (devices - 1) as f64 / devices as f64
}

fn side(devices: usize) -> usize {
    // A product of 8,192 rows a device, on a square of devices.
    8192 * devices.isqrt().max(1)
}

fn product(devices: usize) -> Array {
    let side = side(devices);
    let [a, b] = [(), ()].map(|()| ready(ones([side, side], DType::F64)));
    matmul(&a, &b)
}

const CASES: [Case; 8] = [
    Case {
        name: "chain",
        program: |devices| {
            let a = vector(devices, DType::F64);
            (a.sin().square() + a.cos().square()).sqrt() * &a
        },
        least: |_| 0.0,
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "sum",
        program: |devices| vector(devices, DType::F64).sum(()),
        least: |devices| if devices > 1 { 8.0 } else { 0.0 },
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "stencil",
        program: |devices| {
            let rows = SHARE / 16384 * devices;
            let grid = ready(ones([rows, 16384], DType::F64));
            let inner = grid.slice(s![1..-1, 1..-1]);
            let next = (grid.slice(s![..-2, 1..-1])
                + grid.slice(s![2.., 1..-1])
                + grid.slice(s![1..-1, ..-2])
                + grid.slice(s![1..-1, 2..]))
                * 0.25;
            inner.assign(next);
            grid
        },
        // A row to each of two neighbours.
        least: |devices| if devices > 1 { 2.0 * 16384.0 * 8.0 } else { 0.0 },
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "cumsum",
        program: |devices| cumsum(&vector(devices, DType::F64), None),
        // One total to each of the others.
        least: |devices| 8.0 * (devices - 1) as f64,
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "sort",
        program: |devices| sort(&vector(devices, DType::F32), -1),
        least: |devices| to_others(4 * SHARE, devices),
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "a + a.T",
        program: |devices| {
            let a = matrix(devices);
            &a + a.t()
        },
        least: |devices| to_others(8 * SHARE, devices),
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "fftn",
        program: |devices| {
            let first = SHARE / 2 / (1024 * 1024) * devices;
            let grid = ready(ones([first, 1024, 1024], DType::C64));
            fftn(&grid, ())
        },
        // One transpose: the result stays where it is.
        least: |devices| to_others(8 * SHARE / 2, devices),
        is_square: false,
        work: |_| 1.0,
    },
    Case {
        name: "product",
        program: product,
        // A block row of one operand and a block column of the other (SUMMA).
        least: |devices| {
            let (side, root) = (side(devices) as f64, (devices as f64).sqrt());
            2.0 * 8.0 * side * side / root * (root - 1.0) / root
        },
        is_square: true,
        work: |devices| (side(devices) as f64 / 8192.0).powi(3) / devices as f64,
    },
];

/// The number before a unit in a line of a plan.
fn figure(line: &str, before: &str, units: &[(&str, f64)]) -> Option<f64> {
    let rest = &line[line.find(before)? + before.len()..];
    let mut words = rest.split([' ', ',', ';', '\n']).filter(|word| !word.is_empty());
    let number: f64 = words.next()?.parse().ok()?;
    let unit = words.next()?;
    units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| number * scale)
}

const BYTES: [(&str, f64); 5] = [
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];
const MILLISECONDS: [(&str, f64); 3] = [("µs", 1e-3), ("ms", 1.0), ("s", 1e3)];

fn main() -> ExitCode {
    let path = std::env::args().skip_while(|argument| argument != "--prices").nth(1);
    let table = path.as_ref().map(std::fs::read_to_string);
    let Some(Ok(Ok(prices))) = table.map(|text| text.map(|text| text.parse::<Prices>())) else {
        eprintln!("usage: --prices FILE, a table that `phalanx info --measure` wrote");
        return ExitCode::FAILURE;
    };
    println!("case\tdevices\tms\tratio\thidden\tsent\tleast\tplanning");
    for case in &CASES {
        let mut one = None;
        for devices in [1_usize, 8, 64, 512, 4096] {
            let root = devices.isqrt();
            let is_square = case.is_square && root * root == devices && root > 1;
            // A number of devices that is no square stands in two rows of squares.
            let mesh = match (case.is_square, is_square) {
                (true, true) => Mesh::new(&[("row", root), ("column", root)]),
                (true, false) if devices > 1 => {
                    let half = (devices / 2).isqrt();
                    Mesh::new(&[("row", half), ("column", devices / half)])
                }
                _ => Mesh::line(devices),
            };
            let handle = null_mesh(mesh, Policy::default(), Some(gpus_apart(prices.clone())));
            let (text, planning) = handle.enter(|| {
                let result = (case.program)(devices);
                let begun = Instant::now();
                let text = result.explain().unwrap_or_else(|error| error.to_string());
                (text, begun.elapsed().as_secs_f64())
            });
            let Some(ms) = figure(&text, "predicted time ", &MILLISECONDS) else {
                println!("{}\t{devices}\tno time: {}", case.name, text.replace('\n', " | "));
                continue;
            };
            let sent = figure(&text, "sent ", &BYTES).unwrap_or(f64::NAN);
            let hidden = text.split(" % of it").next().and_then(|text| text.split(' ').next_back());
            let hidden = hidden.filter(|word| word.parse::<f64>().is_ok()).unwrap_or("-");
            let first = *one.get_or_insert(ms);
            let ratio = ms / first / (case.work)(devices);
            let least = (case.least)(devices);
            print!("{}\t{devices}\t{ms:.3}\t{ratio:.2}\t{hidden}\t", case.name);
            println!("{sent:.0}\t{least:.0}\t{planning:.4}");
        }
    }
    ExitCode::SUCCESS
}
