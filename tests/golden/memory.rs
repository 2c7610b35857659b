//! Memory: the peak of plans, measured by the devices.

use crate::inputs::{array, by_plans, numbers, on_devices};
use phalanx::prelude::*;

const SHAPE: [usize; 2] = [256, 128];
/// Bytes of an array of `f64` of that shape.
const BASE: usize = SHAPE[0] * SHAPE[1] * size_of::<f64>();

/// The most bytes that a device holds while `program` runs; the inputs are made before.
fn peak<I>(devices: usize, inputs: impl FnOnce() -> I, program: impl FnOnce(&I) -> Array) -> usize {
    on_devices(devices, by_plans(), |session| {
        let inputs = inputs();
        phalanx::flush().expect("the inputs are made");
        session.reset_peak();
        let result = program(&inputs);
        result.evaluate().expect("the result is computed");
        session.peak_bytes()
    })
}

#[test]
fn a_wait_for_a_result_finds_other_memory_returned() {
    on_devices(4, by_plans(), |session| {
        let a = array(&SHAPE, 1);
        phalanx::flush().expect("the input is made");
        for round in 0..300 {
            let sorted = &a - a.mean(0);
            sorted.sort(0);
            sorted.sum(()).item::<f64>().expect("a value");
            drop(sorted);
            session.reset_peak();
            assert_eq!(session.peak_bytes(), BASE / 4, "in round {round}");
        }
    });
}

#[test]
fn a_fused_expression_needs_its_inputs_and_outputs() {
    for devices in [1, 4] {
        let two = || (array(&SHAPE, 1), array(&SHAPE, 2));
        let chain =
            peak(devices, two, |(a, b)| ((a * a + b * b).sqrt() / (1.0 + a.abs()) - b).exp());
        assert_eq!(chain, 3 * BASE / devices, "a chain on {devices}");
        let one = || array(&SHAPE, 1);
        let centred = peak(devices, one, |a| a - a.mean(keepdims(1)));
        assert_eq!(centred, 2 * BASE / devices, "centred rows on {devices}");
        let softmax = peak(devices, one, |a| {
            let e = (a - a.max(keepdims(1))).exp();
            &e / e.sum(keepdims(1))
        });
        assert_eq!(softmax, 2 * BASE / devices, "softmax on {devices}");
        let temporaries = peak(devices, one, |a| {
            let mut total = a.copy();
            for k in 1..40 {
                total += (a * f64::from(k)).sin();
            }
            total
        });
        assert_eq!(temporaries, 2 * BASE / devices, "a sum of temporaries on {devices}");
    }
}

#[test]
fn a_reduction_needs_its_inputs() {
    for devices in [1, 4] {
        // Results of one element and messages take a cache line each.
        let small = 8 * 64;
        let one = || array(&SHAPE, 1);
        for (name, program) in [
            ("sum", (|a| a.sum(())) as fn(&Array) -> Array),
            ("variance", |a| a.var((), 0.0)),
            ("masked sum", |a| select(&a.greater(0.0), a, 0.0).sum(())),
            // The sums of longer rows would be stored.
            ("argmin of a sum", |a| a.slice(s![.., ..32]).sum(1).argmin(())),
        ] {
            let most = peak(devices, one, program);
            assert!(most <= BASE / devices + small, "{name} on {devices}: {most} bytes");
        }
    }
}

#[test]
fn an_in_place_loop_owns_at_most_two_buffers() {
    const TURNS: usize = 1000;
    // Of two plans in flight, the second starts from the buffer in which the first ends, and
    // reuses the memory that the first no longer needs. In addition there are slabs, messages and
    // copies of a few rows.
    let rows = 16 * SHAPE[1] * size_of::<f64>();
    for devices in [1, 4] {
        let one = || array(&SHAPE, 1);
        for (name, buffers, step) in [
            ("a += 1", 1, (|a| a.add_assign(1.0)) as fn(&Array)),
            ("a[:100] *= 2", 1, |a| a.slice(s![..100]).multiply_assign(2.0)),
            ("a[0] = a[1]", 1, |a| a.slice(s![0]).assign(a.slice(s![1]))),
            ("a[::2] = a[1::2]", 1, |a| a.slice(s![..;2]).assign(2.0 * a.slice(s![1..;2]))),
            ("a[1:3] = a[:2]", 1, |a| a.slice(s![1..3]).assign(a.slice(s![..2]))),
            ("a[1:3] = sin(a[:2]) + 1", 1, |a| {
                a.slice(s![1..3]).assign(a.slice(s![..2]).sin() + 1.0);
            }),
            ("a[1:] = a[:-1]", 2, |a| a.slice(s![1..]).assign(a.slice(s![..-1]))),
            ("the mean of neighbours", 2, |a| {
                let sides = a.slice(s![..-2, ..]) + a.slice(s![2.., ..]);
                a.slice(s![1..-1, ..]).assign(0.5 * sides);
            }),
        ] {
            let most = peak(devices, one, |a| {
                for _ in 0..TURNS {
                    step(a);
                }
                a.clone()
            });
            let allowed = buffers * BASE / devices + rows;
            assert!(most <= allowed, "{name} on {devices}: {most} bytes, not {allowed}");
        }
    }
}

/// Writes through views of components and bytes are in place, and reads of components make no
/// copies.
#[test]
fn views_of_components_and_bytes_need_no_copies() {
    let rows = 16 * SHAPE[1] * size_of::<f64>();
    for devices in [1, 4] {
        let one = || {
            let z = zeros(SHAPE, DType::C128);
            z.evaluate().expect("an input is made");
            z
        };
        for (name, buffers, program) in [
            ("z.real**2 + z.imag**2", 1.5, (|z| z.real().square() + z.imag().square()) as Program),
            ("-(z * z).imag", 1.5, |z| -(z * z).imag()),
            ("z.real += 1", 1.5, |z| in_place(z, |z| z.real().add_assign(1.0))),
            ("z.imag[1:-1] = z.real[1:-1]", 1.0, |z| {
                in_place(z, |z| z.imag().slice(s![1..-1]).assign(z.real().slice(s![1..-1])))
            }),
            ("z.view(f64)[:, ::2] = 0", 1.0, |z| {
                in_place(z, |z| z.view(DType::F64).slice(s![.., ..;2]).assign(0))
            }),
            ("z.view(f64)[1:-1] += 1", 2.0, |z| {
                in_place(z, |z| z.view(DType::F64).slice(s![1..-1]).add_assign(1.0))
            }),
            ("z.view(f64) += 1", 2.0, |z| in_place(z, |z| z.view(DType::F64).add_assign(1.0))),
            ("z.reshape(-1)[1:-1] += 1", 2.0, |z| {
                in_place(z, |z| z.reshape([-1]).slice(s![1..-1]).add_assign(1.0))
            }),
        ] {
            let most = peak(devices, one, program);
            let allowed = (buffers * (2 * BASE) as f64) as usize / devices + rows;
            assert!(most <= allowed, "{name} on {devices}: {most} bytes, not {allowed}");
        }
    }
}

type Program = fn(&Array) -> Array;

fn in_place(array: &Array, step: fn(&Array)) -> Array {
    for _ in 0..300 {
        step(array);
    }
    array.clone()
}

#[test]
fn a_refusal_names_the_largest_arrays() {
    let config = Config::default().devices(2).memory_limit(1 << 20);
    let policy = phalanx::Policy { split_from: 1 };
    let session = phalanx::Session::with_options(config, None, policy, by_plans());
    let session = session.expect("a session");
    session.handle().enter(|| {
        let small = array(&[64], 1);
        let large = array(&[100, 1000], 2);
        let product = (&large * &large).evaluate();
        product.expect("what is there fits");
        let larger = full([1000, 1000], 1.0, DType::F64);
        let error = larger.evaluate().expect_err("what does not fit is refused").to_string();
        let lines: Vec<&str> = error.lines().collect();
        let table = lines.iter().position(|line| *line == "the largest arrays in memory:");
        let first = lines[table.unwrap_or_else(|| panic!("no table: {error}")) + 1];
        assert!(first.contains("781.2 KiB  f64[100, 1000], made at "), "{error}");
        small.sum(()).evaluate().expect("the program may go on");
    });
}

#[test]
fn a_refusal_names_an_array_that_was_updated_in_place_once() {
    let config = Config::default().devices(1).memory_limit(1 << 20);
    let session =
        phalanx::Session::with_options(config, None, phalanx::Policy::default(), by_plans());
    session.expect("a session").handle().enter(|| {
        let updated = array(&[1000], 1);
        for _ in 0..20 {
            updated.add_assign(1.0);
            updated.evaluate().expect("what is small fits");
        }
        let error = full([1000, 1000], 1.0, DType::F64).evaluate();
        let error = error.expect_err("what does not fit is refused").to_string();
        let named = error.lines().filter(|line| line.contains("f64[1000], made at ")).count();
        assert_eq!(named, 1, "{error}");
    });
}

#[test]
fn a_refusal_leaves_the_rest_as_it_was() {
    for devices in [1, 2] {
        let config = Config::default().devices(devices).memory_limit(1 << 20);
        let policy = phalanx::Policy { split_from: 1 };
        let session = phalanx::Session::with_options(config, None, policy, by_plans());
        session.expect("a session").handle().enter(|| {
            let kept = array(&[64], 1);
            kept.evaluate().expect("what is small fits");
            kept.add_assign(1.0);
            let unrelated = arange(0, 5, 1) * 2;
            let large = full([1000, 1000], 1.0, DType::F64);
            let error = large.evaluate().expect_err("what does not fit is refused");
            assert_eq!(error.code(), "PX050");
            let expected: Vec<f64> = numbers(&[64], 1).iter().map(|value| value + 1.0).collect();
            assert_eq!(kept.to_vec::<f64>().expect("the write is not lost"), expected);
            assert_eq!(
                unrelated.to_vec::<i64>().expect("nor is what was pending"),
                [0, 2, 4, 6, 8]
            );
            assert_eq!(large.evaluate().expect_err("this one is").code(), "PX050");
            assert_eq!((&large + 1.0).evaluate().expect_err("and what uses it").code(), "PX050");
        });
    }
}

/// The bytes of values that are fused away do not count for closing a window.
#[test]
fn chains_on_large_arrays_stay_whole() {
    let text = phalanx::planning::diffusion_step(4, [1 << 17, 1 << 12]);
    assert!(text.starts_with("plan on mesh(device=4): 1 launch, 1 exchange\n"), "{text}");
}

#[test]
fn an_array_updated_in_place_is_listed_once() {
    for devices in [1, 2] {
        let config = Config::default().devices(devices).memory_limit(1 << 20);
        let policy = phalanx::Policy { split_from: 1 };
        let session = phalanx::Session::with_options(config, None, policy, by_plans());
        session.expect("a session").handle().enter(|| {
            let mut updated = ones([64], DType::F64);
            for _ in 0..20 {
                updated += 1;
                updated.evaluate().expect("what is small fits");
            }
            let other = ones([32], DType::F64);
            other.evaluate().expect("what is small fits");
            let larger = ones([1 << 20], DType::F64) * 2.0;
            let text = larger.evaluate().expect_err("what does not fit is refused").to_string();
            let lines: Vec<&str> = text.lines().filter(|line| line.contains("made at")).collect();
            assert_eq!(lines.len(), 2, "{text}");
            assert!(lines[0].contains("f64[64]") && lines[1].contains("f64[32]"), "{text}");
        });
    }
}
