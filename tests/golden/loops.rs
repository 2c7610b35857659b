//! Loops: values that change in each iteration must not make new kernels, and a loop must need few
//! different windows.

use crate::inputs::{array, by_plans, numbers, on_devices};
use phalanx::prelude::*;
use phalanx::{Counters, Session};

/// The increase of the counters by `body`, after everything is computed.
fn counted(session: &Session, body: impl FnOnce()) -> Counters {
    let before = session.counters();
    body();
    phalanx::flush().expect("the rest is computed");
    let after = session.counters();
    Counters {
        windows: after.windows - before.windows,
        plans: after.plans - before.plans,
        kernels: after.kernels - before.kernels,
    }
}

const TURNS: usize = 10_000;

/// `for i in range(1, n): a[:i] += 1`
#[test]
fn growing_slices_make_few_kernels() {
    for devices in [1, 4] {
        on_devices(devices, by_plans(), |session| {
            let a = array(&[TURNS], 1);
            let counters = counted(session, || {
                for turn in 1..TURNS {
                    a.slice(s![..turn]).add_assign(1.0);
                }
            });
            assert!(counters.kernels <= 4, "{devices} devices: {counters:?}");
            // Each window has other slices, but a known pattern.
            assert!(counters.plans <= 4, "{devices} devices: {counters:?}");
            let expected: Vec<f64> = numbers(&[TURNS], 1)
                .iter()
                .enumerate()
                .map(|(index, value)| (index + 1..TURNS).fold(*value, |value, _| value + 1.0))
                .collect();
            assert_eq!(a.to_vec::<f64>().unwrap(), expected);
        });
    }
}

/// `for i in range(1, n): a[i] = a[:i].max() - a[i]`
#[test]
fn growing_reductions_make_few_kernels() {
    for devices in [1, 4] {
        on_devices(devices, by_plans(), |session| {
            let turns = TURNS / devices.pow(2);
            let a = array(&[turns], 1);
            let counters = counted(session, || {
                for turn in 1..turns {
                    let next = a.slice(s![..turn]).max(()) - a.slice(s![turn]);
                    a.slice(s![turn]).assign(&next);
                }
            });
            assert!(counters.kernels <= 4, "{devices} devices: {counters:?}");
            // Each window has other slices, but a known pattern.
            assert!(counters.plans <= 4, "{devices} devices: {counters:?}");
            let mut expected = numbers(&[turns], 1);
            let mut largest = expected[0];
            for value in &mut expected[1..] {
                *value = largest - *value;
                largest = largest.max(*value);
            }
            assert_eq!(a.to_vec::<f64>().unwrap(), expected);
        });
    }
}

/// Products of operands that are gathered in panels, with other sizes in each iteration.
#[test]
fn growing_products_in_panels_make_one_plan() {
    on_devices(4, by_plans(), |session| {
        let large = array(&[81, 280], 1);
        let counters = counted(session, || {
            for turn in 0..3 {
                let rows = large.slice(s![.., turn..turn + 265]);
                let product = matmul(&rows, &rows.t());
                if turn == 0 {
                    let plan = product.explain().expect("a plan");
                    assert!(plan.contains("2 library calls"), "{plan}");
                }
                // Quarters are exact.
                let expected = (&rows * &rows).sum(()) - product.trace(0, 0, 1);
                assert_eq!(expected.item::<f64>().unwrap(), 0.0);
            }
        });
        // The first iteration starts at 0, and patterns treat 0 as a constant.
        assert!(counters.plans <= 2, "{counters:?}");
    });
}

/// A window that reaches its length limit closes at the same point of every iteration, wherever the
/// loop began.
#[test]
fn a_loop_after_any_prologue_makes_few_windows() {
    for devices in [1, 4] {
        for prologue in [0, 1, 2, 7, 30, 100, 127, 128, 129, 255, 256, 1000] {
            on_devices(devices, by_plans(), |session| {
                let g = array(&[20, 20], 1);
                let mut sum = g.sum(());
                for number in 0..prologue {
                    sum += f64::from(number);
                }
                let counters = counted(session, || {
                    for turn in 0..1000 {
                        let centre = g.slice(s![1..-1, 1..-1]);
                        let sides = g.slice(s![1..-1, ..-2]) + g.slice(s![1..-1, 2..]);
                        centre.assign((&centre + sides) / (3.0 + f64::from(turn)));
                    }
                });
                assert!(counters.plans <= 4, "{prologue} additions before: {counters:?}");
            });
        }
    }
}

/// A loop with only writes of components: windows close at the first operation of a write.
#[test]
fn a_loop_of_writes_of_components_makes_few_windows() {
    for devices in [1, 4] {
        on_devices(devices, by_plans(), |session| {
            let z = zeros([20, 20], DType::C128);
            let counters = counted(session, || {
                for turn in 0..1000 {
                    z.imag().slice(s![1..-1]).assign(f64::from(turn));
                }
            });
            assert!(counters.plans <= 4 && counters.windows >= 10, "{devices}: {counters:?}");
        });
    }
}

/// The measured calls find their plan: the calls before them close windows in the same way.
#[test]
fn a_benchmark_closes_a_window_for_each_call() {
    on_devices(1, by_plans(), |session| {
        let a = array(&[20, 20], 1);
        let mut sums = Vec::new();
        let counters = counted(session, || {
            let work = || a.sum(()).ok().map(|sum| sums.push(sum.clone()));
            let timings = phalanx::cuda::benchmark(&session.gpus(), 3, 2, work).unwrap();
            assert_eq!(timings.host.len(), 2);
        });
        assert_eq!((counters.windows, counters.plans), (5, 1));
        // The user chooses the number, and no value of it may panic.
        let fails = || a.reshape([7]).ok().map(drop);
        assert!(phalanx::cuda::benchmark(&session.gpus(), 0, usize::MAX, fails).is_err());
    });
}

/// A conjugate-gradient loop that reads nothing also needs few different windows.
#[test]
fn a_loop_of_reductions_makes_few_windows() {
    for devices in [1, 4] {
        on_devices(devices, by_plans(), |session| {
            let b = array(&[20, 20], 1);
            let counters = counted(session, || {
                let mut x = zeros([20, 20], DType::F64);
                let (mut r, mut p) = (b.copy(), b.copy());
                let mut rr = (&r * &r).sum(());
                for _ in 0..1000 {
                    let q = 5.0 * &p - p.t();
                    let alpha = &rr / (&p * &q).sum(());
                    x += &alpha * &p;
                    r -= &alpha * &q;
                    // The residual becomes zero at last.
                    let next = (&r * &r).sum(()) + 1e-30;
                    p = &r + &next / &rr * &p;
                    rr = next;
                }
            });
            assert!(counters.plans <= 4, "{devices} devices: {counters:?}");
        });
    }
}
