//! Operations that run when they are recorded.

use crate::{by_plans, on};
use phalanx::prelude::*;
use phalanx::{Limits, Op, dot, flush, select};
use phalanx_ops::Scalar;

/// The element of a value without axes stayed known after a write in memory.
#[test]
fn a_write_to_a_view_of_a_known_element_is_seen_by_other_views() {
    for at_once in [0, 1, 1024] {
        on(&[1], Limits { at_once, ..Limits::default() }, || {
            let b = from_slice(&[-3.5], [0usize; 0]);
            let g = b.add(&b);
            // As an operand of a plan the element becomes a value in memory.
            let joined = (full([2000], 1.0, DType::F64) * &g).sum(()).item::<f64>();
            assert_eq!(joined.unwrap(), -14_000.0);
            flush().unwrap();
            let (d, h) = (g.slice(s![]), g.slice(s![]));
            h.try_apply_in_place(Op::Multiply, &d).unwrap();
            assert_eq!([&d, &g, &h].map(|a| a.item::<f64>().unwrap()), [49.0; 3]);
        });
    }
}

/// Numbers of many magnitudes, with zeros, infinities and NaN.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let number = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match state >> 59 {
            0 => 0.0,
            1 => -0.0,
            2 if state & 64 == 0 => f64::INFINITY,
            3 if state & 64 == 0 => f64::NAN,
            _ => {
                ((state >> 11) as f64 / 2f64.powi(52) - 1.0) * 2f64.powi((state >> 40) as i32 % 12)
            }
        }
    };
    (0..count).map(number).collect()
}

/// The bytes of the results of small operations.
fn results() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut note = |name: String, array: Array| {
        let mut host = array.to_host().unwrap();
        // The sign and the payload of a NaN are not defined.
        match host.dtype {
            DType::F64 | DType::C128 => host.bytes.chunks_exact_mut(8).for_each(|number| {
                if f64::from_ne_bytes((*number).try_into().unwrap()).is_nan() {
                    number.fill(0xff);
                }
            }),
            DType::F32 => host.bytes.chunks_exact_mut(4).for_each(|number| {
                if f32::from_ne_bytes((*number).try_into().unwrap()).is_nan() {
                    number.fill(0xff);
                }
            }),
            _ => {}
        }
        all.push((format!("{name} {:?} {}", host.shape, host.dtype), host.bytes));
    };
    let dtypes =
        [DType::F64, DType::F32, DType::I32, DType::U8, DType::C128, DType::F16, DType::Bool];
    for (shape, number) in [([3, 7], 1), ([1, 33], 2), ([30, 34], 3), ([257, 3], 4), ([0, 4], 5)] {
        let count = shape[0] * shape[1];
        let base = from_slice(&numbers(count, number), shape);
        for dtype in dtypes {
            let a = base.astype(dtype);
            a.evaluate().unwrap();
            let views = [a.clone(), a.transpose([1, 0]), a.slice(s![..;-1, 1..;2])];
            for (at, a) in views.iter().enumerate() {
                let named = |op: &str| format!("{op} of view {at} of {shape:?}");
                note(named("sum"), a + a);
                note(named("less"), a.less(a.slice(s![..1])));
                note(named("select"), select(&a.greater(1), a, 3));
                note(named("cast"), a.astype(DType::I64));
                note(named("copy"), a.copy());
                note(named("reshape"), a.reshape([-1]));
                let written = a.copy();
                written.slice(s![.., ..;-1]).assign(a);
                written.slice(s![..1]).assign(2);
                note(named("write"), written);
                let changed = a.copy();
                changed.slice(s![.., ..;-1]).try_apply_in_place(Op::Multiply, a).unwrap();
                if dtype != DType::Bool {
                    changed.slice(s![..;-1]).try_apply_in_place(Op::Add, 3).unwrap();
                }
                note(named("change in place"), changed);
                let line = a.ravel();
                note(named("product of vectors"), dot(&line, &line.slice(s![..;-1])));
                for axes in [vec![0], vec![1], vec![0, 1]] {
                    note(named("total"), a.sum(axes.as_slice()));
                    note(named("product"), a.prod(axes.as_slice()));
                    let is_empty = axes.iter().any(|&axis| a.shape()[axis as usize] == 0);
                    if !is_empty {
                        note(named("least"), a.min(axes.as_slice()));
                        note(named("greatest"), a.max(axes.as_slice()));
                    }
                    note(named("any"), a.any(axes.as_slice()));
                }
                if a.size() > 0 && !dtype.is_complex() {
                    note(named("argmin"), a.argmin(0));
                    note(named("argmax"), a.argmax(1));
                }
                if dtype.is_inexact() {
                    note(named("sine"), a.sin());
                    note(named("variance"), a.var(1, 0.0));
                    note(named("product of matrices"), matmul(a, &a.transpose([1, 0])));
                }
                note(named("sorted"), sort(a, 0));
                if a.size() > 0 {
                    let positions = from_slice(&[0i64; 3], [3]);
                    note(named("taken"), take(a, &positions, Some(1), phalanx::Mode::Raise));
                    let (first, last) = (a.at([0, 0]), a.at([-1, -1]));
                    note(named("elements"), &first + &last);
                    note(named("element"), &first * a);
                    note(named("scalar"), (first + Scalar::new(1i8)).reshape([1, 1]));
                }
            }
        }
    }
    all
}

#[test]
fn small_operations_have_the_bits_of_plans() {
    let with = |limits| {
        let mut all = Vec::new();
        on(&[1], limits, || all = results());
        all
    };
    let (planned, at_once) = (with(by_plans()), with(Limits::default()));
    assert_eq!(planned.len(), at_once.len());
    for (planned, at_once) in planned.iter().zip(&at_once) {
        assert_eq!(planned, at_once);
    }
}

/// A loop over elements of an array that is pending at first.
#[test]
fn loops_over_elements_need_no_plan() {
    on(&[1], Limits::default(), || {
        let a = from_function([40, 40], |index| &index[0] * 40 + &index[1]);
        let mut most = 0;
        for i in 1..39 {
            for j in 1..39 {
                let mean = (a.at([i, j - 1]) + a.at([i - 1, j])) / 2;
                a.try_assign_at([i, j], mean.astype(DType::I64), false).unwrap();
                most = most.max(phalanx::MeshHandle::current().unwrap().pending());
            }
        }
        assert!(most <= 12, "{most} operations were pending");
        let mut plain: Vec<i64> = (0..1600).collect();
        for i in 1..39 {
            for j in 1..39 {
                plain[i * 40 + j] = (plain[i * 40 + j - 1] + plain[i * 40 + j - 40]) / 2;
            }
        }
        assert_eq!(a.to_vec::<i64>().unwrap(), plain);
    });
}
