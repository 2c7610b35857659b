//! Plans with predicted times, by prices in round numbers.

use crate::files;
use phalanx::fft::fft;
use phalanx::planning::{gpus_apart, null_mesh};
use phalanx::prices::Prices;
use phalanx::{Array, DType, Mesh, Policy, cumsum, matmul, ones, s, sort, zeros};

/// A table for GPUs whose messages take 10 µs and 100 GB/s.
const PRICES: &str = "phalanx prices 2
nccl-gpus 10000 100000000000
gpu-read 2000 4000000000000
gpu-write 2000 4000000000000
gpu-arithmetic-f32 2000 40000000000000
gpu-arithmetic-f64 2000 20000000000000
gpu-product-f64 2000 50000000000000
gpu-sort 2000 200000000000
gpu-scan 2000 3000000000000
";

/// The text of the plan of a program on null devices.
fn plan(devices: usize, prices: &str, program: fn() -> Array) -> String {
    plan_on(Mesh::line(devices), prices, program)
}

fn plan_on(mesh: Mesh, prices: &str, program: fn() -> Array) -> String {
    let prices: Prices = prices.parse().expect("a table of prices");
    let mesh = null_mesh(mesh, Policy::default(), Some(gpus_apart(prices)));
    mesh.enter(|| program().explain().expect("a plan is explained"))
}

/// The microseconds of the line about the whole plan.
fn predicted(text: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix("predicted time "));
    let mut words = line.unwrap_or_else(|| panic!("no predicted time: {text}")).split([' ', ';']);
    let number: f64 = words.next().and_then(|word| word.parse().ok()).expect("a number");
    match words.next() {
        Some("µs") => number,
        Some("ms") => number * 1e3,
        unit => panic!("a time in {unit:?}"),
    }
}

fn stencil() -> Array {
    let grid = ones([8192, 8192], DType::F64);
    grid.evaluate().expect("null devices compute nothing");
    let inner = grid.slice(s![1..-1, 1..-1]);
    let next = (grid.slice(s![..-2, 1..-1]) + grid.slice(s![2.., 1..-1])) * 0.5;
    inner.assign(next);
    grid
}

fn product() -> Array {
    let [a, b] = [(), ()].map(|()| ones([4096, 4096], DType::F64));
    a.evaluate().expect("null devices compute nothing");
    b.evaluate().expect("null devices compute nothing");
    matmul(&a, &b)
}

fn sums() -> Array {
    let a = ones([1 << 26], DType::F64);
    a.evaluate().expect("null devices compute nothing");
    cumsum(&(&a * 2.0), None) / a.sum(())
}

fn sorted() -> Array {
    let a = ones([1 << 26], DType::F32);
    a.evaluate().expect("null devices compute nothing");
    sort(&a, -1)
}

#[test]
fn predicted_times_are_golden() {
    for (name, program) in [
        ("stencil", stencil as fn() -> Array),
        ("product", product),
        ("sums", sums),
        ("sort", sorted),
    ] {
        for devices in [1, 4] {
            files::check(
                &format!("predicted/{name}_on_{devices}"),
                &plan(devices, PRICES, program),
            );
        }
    }
}

/// Panels of both operands, of which each device sends a part, while the product of the panels
/// before them runs.
#[test]
fn a_product_on_a_grid_is_golden() {
    let grid = |rows, columns| Mesh::new(&[("row", rows), ("column", columns)]);
    let text = plan_on(grid(2, 2), PRICES, product);
    files::check("predicted/product_on_a_grid", &text);
    // Eight rows and eight columns of devices: a device receives a row and a column of blocks, and
    // its own blocks of the operands, which are split by rows.
    let text = plan_on(grid(8, 8), PRICES, product);
    let sent = text.split("sent ").nth(1).and_then(|text| text.split(' ').next());
    let sent: f64 = sent.and_then(|number| number.parse().ok()).expect("megabytes");
    let bound = 2.0 * 128.0 / 8.0 * 7.0 / 8.0;
    assert!(sent < 1.2 * bound, "{sent} of {bound} MiB: {text}");
}

#[test]
fn a_launch_takes_the_time_of_its_bytes() {
    let text = plan(1, PRICES, || {
        let a = zeros([1 << 26], DType::F64);
        a.evaluate().expect("null devices compute nothing");
        a + 1.0
    });
    // 2 µs, and 512 MiB read and written at 4 TB/s each.
    let expected = 2.0 + 2.0 * f64::from(1 << 29) / 4e6;
    assert!((predicted(&text) / expected - 1.0).abs() < 0.01, "{expected} µs: {text}");
}

#[test]
fn messages_cost_time_only_where_no_work_hides_them() {
    let text = plan(4, PRICES, stencil);
    assert!(text.contains("100 % of it beside work"), "{text}");
    let slow = PRICES.replace("nccl-gpus 10000 100000000000", "nccl-gpus 10000 1000000");
    let slower = plan(4, &slow, stencil);
    assert!(predicted(&slower) > 2.0 * predicted(&text), "{slower}");
    assert!(!slower.contains("100 % of it"), "{slower}");
    // With four devices each has a quarter of the work.
    let one = predicted(&plan(1, PRICES, stencil));
    assert!(
        predicted(&text) < 0.3 * one && predicted(&text) > 0.2 * one,
        "{one} µs on one: {text}"
    );
}

#[test]
fn a_missing_price_is_named() {
    let text = plan(1, PRICES, || {
        let a = ones([512, 512], DType::C128);
        a.evaluate().expect("null devices compute nothing");
        fft(&a, ())
    });
    let line = "no predicted time: `phalanx info --measure` has not measured gpu-transform";
    assert!(text.contains(line), "{text}");
    assert!(!text.lines().any(|line| line.ends_with(" time")), "{text}");
}
