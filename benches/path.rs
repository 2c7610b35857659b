//! The cost on the host of the path from an expression to running work, without the work itself.
//!
//! `cargo xtask bench path [--only NAME] [--json FILE]` prints one row per case;
//! `docs/benchmarks.md` holds results.

use phalanx::prelude::*;
use phalanx::{Bytes, Limits, Policy};
use std::process::ExitCode;
use std::time::Instant;

struct Row {
    case: &'static str,
    value: f64,
    unit: &'static str,
    limit: f64,
}

fn session(devices: usize, limits: Limits, split_from: usize) -> phalanx::Session {
    let config = Config::default().devices(devices).threads(devices);
    phalanx::Session::with_options(config, None, Policy { split_from }, limits).expect("a session")
}

fn never() -> Limits {
    let (most, bytes) = (usize::MAX, Bytes(usize::MAX));
    Limits { soft: most, hard: most, bytes, at_once: 0, ..Limits::default() }
}

/// The median of `count` measurements.
fn median(count: usize, mut measure: impl FnMut() -> f64) -> f64 {
    let mut values: Vec<f64> = (0..count).map(|_| measure()).collect();
    values.sort_by(f64::total_cmp);
    values[count / 2]
}

/// Microseconds to record one operation, with its handle dropped.
fn record() -> f64 {
    let session = session(1, never(), 1 << 16);
    let a = zeros([1000], DType::F64);
    a.evaluate().expect("zeros");
    let value = median(21, || {
        let mut x = a.copy();
        let start = Instant::now();
        for _ in 0..2000 {
            x = &x + 1.0;
        }
        let elapsed = start.elapsed();
        drop(x);
        phalanx::flush().expect("a window");
        elapsed.as_secs_f64() * 1e6 / 2000.0
    });
    drop(session);
    value
}

/// Microseconds of an operation that runs when it is recorded, on an array of this many elements.
fn at_once(elements: usize) -> f64 {
    let session = session(1, Limits::default(), 1 << 16);
    let mut x = zeros([elements], DType::F64);
    x.evaluate().expect("zeros");
    let value = median(21, || {
        let start = Instant::now();
        for _ in 0..2000 {
            x = &x + 1.0;
        }
        start.elapsed().as_secs_f64() * 1e6 / 2000.0
    });
    drop(x);
    drop(session);
    value
}

/// A window of `steps` kernels on tiny arrays: every operation reads the previous value at another
/// offset.
fn window(a: &Array, steps: usize) -> Array {
    let x = a.copy();
    for _ in 0..steps {
        let (left, right) = (x.slice(s![..-2]), x.slice(s![2..]));
        x.slice(s![1..-1]).assign(&((left + right) * 0.5));
    }
    x
}

/// Microseconds to close a window whose plan is cached: the fixed part, and the part for each step.
/// The work itself, on arrays of 16 elements, is included.
fn cached() -> (f64, f64) {
    let session = session(1, never(), 1 << 16);
    let a = zeros([16], DType::F64);
    a.evaluate().expect("zeros");
    let time = |steps: usize| {
        median(101, || {
            let x = window(&a, steps);
            let start = Instant::now();
            x.evaluate().expect("a window");
            start.elapsed().as_secs_f64() * 1e6
        })
    };
    let (short, long) = (time(1), time(21));
    drop(session);
    let step = (long - short) / 20.0;
    (short - step, step)
}

/// Microseconds per node for a window that is new to the session.
fn miss() -> f64 {
    let session = session(4, never(), 1);
    let mut length = 64;
    let value = median(15, || {
        let a = zeros([length], DType::F64);
        length += 1;
        let mut x = a.slice(s![1..]) + a.slice(s![..-1]);
        for _ in 0..20 {
            x = (&x * 2.0 + 1.0).sqrt();
            x.slice(s![1..]).add_assign(x.slice(s![..-1]));
        }
        let nodes = 20 * 5 + 3;
        let start = Instant::now();
        let text = x.evaluate();
        let elapsed = start.elapsed().as_secs_f64() * 1e6;
        text.expect("a window");
        elapsed / nodes as f64
    });
    drop(session);
    value
}

/// Microseconds for a new instance of a known structure, fixed and for each of its steps: the
/// extents grow every time.
fn instance() -> (f64, f64) {
    let session = session(1, never(), 1 << 16);
    let mut extent = 64;
    let mut time = |steps: usize| {
        median(31, || {
            extent += 1;
            let a = zeros([extent], DType::F64);
            a.evaluate().expect("zeros");
            let x = window(&a, steps);
            let start = Instant::now();
            x.evaluate().expect("a window");
            start.elapsed().as_secs_f64() * 1e6
        })
    };
    let (short, long) = (time(1), time(21));
    drop(session);
    let step = (long - short) / 20.0;
    (short - step, step)
}

/// Seconds to plan a diffusion step for `devices` devices.
fn plan_scale(devices: usize) -> f64 {
    median(5, || {
        let start = Instant::now();
        let text = phalanx::planning::diffusion_step(devices, [1 << 17, 1 << 12]);
        let elapsed = start.elapsed().as_secs_f64();
        assert!(text.contains("halo"), "{text}");
        elapsed
    })
}

fn rows(only: Option<&str>) -> Vec<Row> {
    let wanted = |case: &str| only.is_none_or(|only| case.contains(only));
    let mut rows = Vec::new();
    if wanted("record") {
        rows.push(Row { case: "record one operation", value: record(), unit: "us", limit: 0.3 });
    }
    if wanted("at once") {
        for (case, elements, limit) in [
            ("operation at once, 16 elements", 16, 0.3),
            ("operation at once, 1000 elements", 1000, 0.5),
        ] {
            rows.push(Row { case, value: at_once(elements), unit: "us", limit });
        }
    }
    if wanted("cached") {
        let (fixed, step) = cached();
        rows.push(Row { case: "cached plan", value: fixed, unit: "us", limit: 5.0 });
        rows.push(Row { case: "cached plan, each step", value: step, unit: "us", limit: 1.0 });
    }
    if wanted("miss") {
        rows.push(Row { case: "plan miss, each node", value: miss(), unit: "us", limit: 20.0 });
    }
    if wanted("instance") {
        let (fixed, step) = instance();
        rows.push(Row { case: "instance", value: fixed, unit: "us", limit: 20.0 });
        rows.push(Row { case: "instance, each step", value: step, unit: "us", limit: 2.0 });
    }
    if wanted("plan_scale") {
        rows.push(Row {
            case: "plan_scale 4096 devices",
            value: plan_scale(4096),
            unit: "s",
            limit: 1.0,
        });
        rows.push(Row {
            case: "plan_scale 64 devices",
            value: plan_scale(64),
            unit: "s",
            limit: 1.0,
        });
    }
    rows
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        arguments
            .iter()
            .position(|argument| argument == name)
            .and_then(|at| arguments.get(at + 1))
            .cloned()
    };
    let only = option("--only");
    let rows = rows(only.as_deref());
    if rows.is_empty() {
        eprintln!(
            "error: no case {}; there are record, cached, miss, instance and plan_scale",
            only.unwrap_or_default()
        );
        return ExitCode::FAILURE;
    }
    for Row { case, value, unit, limit } in &rows {
        println!("{case:<28} {value:>10.3} {unit:<3} limit {limit}");
    }
    if let Some(file) = option("--json") {
        let documents: Vec<serde_json::Value> = rows
            .iter()
            .map(|Row { case, value, unit, limit }| {
                serde_json::json!({"case": case, "value": value, "unit": unit, "limit": limit})
            })
            .collect();
        let text = serde_json::to_string_pretty(&documents).expect("numbers and text");
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    ExitCode::SUCCESS
}
