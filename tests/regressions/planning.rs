//! Planning: fusion, loops, slabs and memory.

use crate::{on, on_lines};
use phalanx::prelude::*;
use phalanx::{Bounds, Limits, Sharding, Split};

/// One axis split by mesh axes into even blocks or blocks of the given sizes.
fn split(ndim: usize, axes: &[(usize, u8, Bounds)]) -> Sharding {
    let mut sharding = Sharding::replicated(ndim);
    for (axis, mesh_axis, bounds) in axes {
        let mesh_axes = [*mesh_axis].into_iter().collect();
        sharding.axes[*axis] = Some(Split { mesh_axes, bounds: bounds.clone() });
    }
    sharding
}

/// A load outside of a device's empty loop was assumed not to run.
#[test]
fn blocks_without_elements_read_beyond_their_memory() {
    on_lines(|| {
        let a = arange(0, 81, 1).reshape([9, 9]);
        let part = a.slice(s![1..9, 3..8]).slice(s![6..2;-1, 1..3]).slice(s![1..;-1, 0..2]);
        assert_eq!(part.slice(s![0..1;2, 1..2]).sum(()).item::<i64>().unwrap(), 59);
        let b = arange(0, 2, 1).slice(s![-2..;-1, NewAxis]);
        assert_eq!(b.var((), 0.0).item::<f64>().unwrap(), 0.0);
        let c = arange(4, 5, 1);
        assert_eq!(c.less_equal(9).argmax(()).item::<i64>().unwrap(), 0);
    });
}

/// The fold of an empty block was 0 for every monoid.
#[test]
fn extremes_over_more_devices_than_elements_were_zero() {
    on_lines(|| {
        let a = full([2, 2], -1, DType::I64);
        assert_eq!(a.max(()).item::<i64>().unwrap(), -1);
        assert_eq!((&a * -3).min([1, 0]).item::<i64>().unwrap(), 3);
        assert_eq!(a.argmax(()).item::<i64>().unwrap(), 0);
        let b = from_slice(&[f64::NEG_INFINITY, f64::NEG_INFINITY], [2]);
        assert_eq!(b.argmax(()).item::<i64>().unwrap(), 0);
        assert_eq!(b.max(()).item::<f64>().unwrap(), f64::NEG_INFINITY);
        assert!(ones([2], DType::Bool).min(()).item::<bool>().unwrap());
    });
}

/// Axes of extent 1 were not distinguished, so an element of a reduction was read outside of the
/// loop into which the reduction of that reduction had moved it.
#[test]
fn reductions_of_one_element_were_read_before_their_loop() {
    on_lines(|| {
        for extents in [vec![1], vec![1, 1], vec![1, 5], vec![5, 1], vec![1, 1, 3], vec![2, 1]] {
            let size: usize = extents.iter().product();
            let last = extents.len() as i64 - 1;
            for keepdims in [false, true] {
                let values = arange(1, 1 + size as i64, 1).reshape(extents.clone());
                let reduced = match keepdims {
                    true => values.sum(last).reshape(&extents[..extents.len() - 1]),
                    false => values.sum(last),
                };
                let total = reduced.sum(());
                let largest = reduced.max(());
                let first = reduced.ravel().slice(s![0]);
                let doubled = &reduced * 2;
                let expected = (size * (size + 1) / 2) as i64;
                let row = *extents.last().unwrap() as i64;
                assert_eq!(first.item::<i64>().unwrap(), row * (row + 1) / 2);
                assert_eq!(total.item::<i64>().unwrap(), expected);
                assert_eq!(doubled.sum(()).item::<i64>().unwrap(), 2 * expected);
                assert!(largest.item::<i64>().unwrap() <= expected);
            }
        }
        // Like `v = ones((1, 5)).sum(axis=1); a = v.sum(); v[0]`, with and without `a`.
        let sums = ones([1, 5], DType::F64).sum(1);
        let total = sums.sum(());
        assert_eq!(sums.slice(s![0]).item::<f64>().unwrap(), 5.0);
        assert_eq!(total.item::<f64>().unwrap(), 5.0);
        let sums = ones([1, 5], DType::F64).sum(1);
        drop(sums.sum(()));
        assert_eq!(sums.slice(s![0]).item::<f64>().unwrap(), 5.0);
    });
}

/// The one position of a vector of one element was shifted like the positions of a longer one.
#[test]
fn a_fused_write_of_one_element_read_another_one() {
    on_lines(|| {
        let a = from_slice(&[-3.0, 7.5, 1.0, 4.5, -1.0, 4.0], [6]).maximum(-1);
        a.slice(s![1..2]).divide_assign(a.slice(s![5..6]));
        assert_eq!(a.to_vec::<f64>().unwrap(), [-1.0, 1.875, 1.0, 4.5, -1.0, 4.0]);
    });
}

/// All devices wrote to a position that only one of them holds.
#[test]
fn one_position_of_a_split_axis_was_written_by_all() {
    on_lines(|| {
        let a = arange(0, 16, 2);
        a.slice(s![-1]).multiply_assign(arange(0, 9, 1).max(()));
        assert_eq!(a.to_vec::<i64>().unwrap(), [0, 2, 4, 6, 8, 10, 12, 14 * 8]);
        let b = full([1, 7, 5], 3.0, DType::F64);
        let row = b.slice(s![0..1, 2..6, 0..5]).slice(s![1..;-2, -1]);
        row.subtract_assign(7.5);
        assert_eq!(b.sum(()).item::<f64>().unwrap(), 105.0 - 5.0 * 7.5);
    });
}

/// A guard named the axes of the loop in which it was first used, in the order of the array.
#[test]
fn guards_named_the_axes_of_another_loop() {
    on_lines(|| {
        let a = full([5, 5, 7], 6, DType::I64);
        let source = a.slice(s![4..5, 3..;-1, 1..4]);
        a.slice(s![2..3, 1..5, 2..;-1]).add_assign(&source);
        assert!(a.any([-1, -3]).all(()).item::<bool>().unwrap());
        assert_eq!(a.sum(()).item::<i64>().unwrap(), 6 * (175 + 12));

        let b = full([9, 9], 3.0, DType::F64);
        b.slice(s![0..9, 3..7]).assign(b.slice(s![8..;-1, 1..5]));
        assert!(b.all(()).item::<bool>().unwrap());
        let window = b.slice(s![0..9, 3..7]);
        let all = b.all(());
        window.assign(&window);
        assert_eq!((b.sum(()).item::<f64>().unwrap(), all.item::<bool>().unwrap()), (243.0, true));
    });
}

/// The result of a reduction inside of a loop was needed again in a second loop over its axes.
#[test]
fn a_reduction_used_in_two_loops_had_no_value_in_the_second() {
    on_lines(|| {
        let a = arange(0, 8, 1).reshape([4, 2]);
        let largest = a.max(0);
        assert_eq!(largest.var(0, 0.0).item::<f64>().unwrap(), 0.25);
        assert_eq!(largest.to_vec::<i64>().unwrap(), [6, 7]);
    });
}

/// A value stored by a finished loop was loaded inside of an inner loop and used outside of it.
#[test]
fn a_stored_value_was_loaded_on_too_deep_a_level() {
    on(&[1], Limits::default(), || {
        let a = full([31, 0], 6.5, DType::F64).t();
        a.evaluate().unwrap();
        let any = a.any(0);
        let mean = any.mean(());
        a.slice(s![0..0, 0..31]).assign(a.slice(s![0..0, 0..31]));
        let twice = &any + &any;
        assert_eq!(twice.to_vec::<bool>().unwrap(), [false; 31]);
        assert_eq!(mean.item::<f64>().unwrap(), 0.0);
    });
}

/// A value was written in place of another one with blocks of other sizes.
#[test]
fn a_kernel_overwrote_what_it_had_yet_to_load() {
    on_lines(|| {
        let a = arange(0, 39, 1);
        let b = a.slice(s![4..]) + 0;
        let table = b.reshape([7, 5]);
        table.slice(s![.., 1..3]).assign(table.slice(s![.., 3..5]));
        let expected: Vec<i64> =
            (0..35).map(|at| if [1, 2].contains(&(at % 5)) { at + 2 } else { at } + 4).collect();
        assert_eq!(table.to_vec::<i64>().unwrap(), expected);
    });
}

/// A value was loaded that a loop without points had not stored.
#[test]
fn a_device_without_a_block_loaded_what_it_had_not_stored() {
    on_lines(|| {
        let a = from_function([3, 3, 3], |i| &i[0] * 3 + &i[1] * 2 + &i[2]);
        let product = a.slice(s![0..;-2, 1..2, 1..3]).prod(2);
        let place = product.argmin(keepdims(()));
        assert_eq!(product.copy().to_vec::<i64>().unwrap(), [12]);
        assert_eq!(place.to_vec::<i64>().unwrap(), [0]);
    });
}

/// A cheap value was computed in a reduction's loop although its operand has another sharding.
#[test]
fn a_reduction_of_a_resharded_value_found_no_slab() {
    on(&[2, 2], Limits::default(), || {
        let a = (from_function([8, 7], |i| &i[0] * 2 + &i[1]) % 3).astype(DType::Bool);
        let even = |axis: usize, extent| (axis, axis as u8, Bounds::even(extent, 2));
        let b = a.with_sharding(split(2, &[even(0, 8), even(1, 7)])).invert();
        let count = b.count_nonzero(());
        a.assign(&b);
        assert_eq!(count.item::<i64>().unwrap(), a.count_nonzero(()).item::<i64>().unwrap());
    });
}

/// Two kernels were merged although the second one writes into the result of the first one.
#[test]
fn an_update_of_an_update_was_merged_with_it() {
    on(&[2, 2], Limits::default(), || {
        let a = from_function([8, 3, 8], |i| &i[0] * 3 + &i[1] * 2 + &i[2]) % 11;
        let any = a.any(keepdims(1));
        let bounds = [(1, 0, Bounds::even(1, 2)), (2, 1, Bounds::explicit(&[1, 7]))];
        let other = any.with_sharding(split(3, &bounds));
        let greater = any.greater(&any);
        any.add_assign(&greater);
        any.assign(&other);
        let differs = other.not_equal(&greater);
        assert!(any.equal(&other).all(()).item::<bool>().unwrap());
        assert!(differs.all(()).item::<bool>().unwrap());
    });
}

/// A selection from uneven blocks reused the memory of an input with even blocks.
#[test]
fn a_selection_from_uneven_blocks_had_too_little_memory() {
    on(&[3], Limits::default(), || {
        let a = from_slice(&[1.0, 8.0, 6.0, -1.0], [4]);
        let b = a.with_sharding(split(1, &[(0, 0, Bounds::explicit(&[2, 2, 0]))]));
        drop(a);
        let c = &b * &b;
        let all = c.equal(&c);
        drop(c);
        assert_eq!(b.compress(&all).to_vec::<f64>().unwrap(), [1.0, 8.0, 6.0, -1.0]);
    });
}

/// A write through a view without elements was computed at every position of its base.
#[test]
fn an_empty_write_changed_a_scalar() {
    on_lines(|| {
        let a = full([1, 4], 6.0, DType::F64).prod(keepdims(()));
        let nothing = a.slice(s![..0, ..]);
        nothing.slice(s![0..;-1, 0..;-2]).subtract_assign(nothing.slice(s![0..1, 0..;-2]));
        assert_eq!(a.to_vec::<f64>().unwrap(), [1296.0]);
    });
}

/// The blocks of a range ended within rows, and every plan moved the parts of these rows.
#[test]
fn each_plan_moved_the_rows_of_a_reshaped_range() {
    on_lines(|| {
        let ranges = [
            arange(0, 175, 1).reshape([35, 5]),
            (arange(0, 175, 1) * 2 - arange(0, 175, 1)).reshape([35, 5]),
            arange(0, 175, 1).reshape([1, 35, 5]).slice(s![0]),
            // Values of several sizes are recorded before the one with another shape.
            arange(0, 175, 1).astype(DType::I16).astype(DType::I64).reshape([35, 5]),
        ];
        for (number, range) in ranges.into_iter().enumerate() {
            range.evaluate().unwrap();
            let next = &range + 1;
            let plan = next.explain().unwrap();
            assert!(!plan.contains("exchange"), "{number}: {plan}");
            assert_eq!(next.to_vec::<i64>().unwrap(), (1..176).collect::<Vec<_>>());
        }
    });
}

/// With two rows, the third device got no elements.
#[test]
fn few_rows_leave_no_device_empty() {
    on(&[3], Limits::default(), || {
        let base = arange(0, 600, 1);
        let rows = base.reshape([2, 300]);
        base.evaluate().unwrap();
        let sharding = base.sharding().unwrap();
        let split = sharding.axes[0].as_ref().expect("the range is split");
        assert_eq!(split.bounds.largest_block(), 200);
        assert_eq!(rows.sum(()).item::<i64>().unwrap(), 179_700);
    });
}

/// Each copy of a chain was deferred to its use, so the recursion was as deep as the chain.
#[test]
fn long_chains_of_shardings_end() {
    on(&[3], Limits::default(), || {
        let sharding = |turn: usize| split(2, &[(turn % 2, 0, Bounds::even(6, 3))]);
        let mut a = arange(0, 36, 1).reshape([6, 6]).copy();
        for turn in 0..20_000 {
            a = a.with_sharding(sharding(turn));
        }
        assert_eq!(a.sum(()).item::<i64>().unwrap(), 630);
    });
}

/// Elements were moved to a sharding that was never used.
#[test]
fn a_sharding_that_nobody_used_moved_elements() {
    on(&[3], Limits::default(), || {
        let columns = || split(2, &[(1, 0, Bounds::even(6, 3))]);
        let a = arange(0, 24, 1).reshape([4, 6]).copy();
        a.evaluate().unwrap();
        let unused = a.with_sharding(columns());
        let next = &a + 1;
        assert!(!next.explain().unwrap().contains("exchange"));
        next.evaluate().unwrap();
        assert!(unused.is_pending() && unused.sharding().unwrap() == columns());
        // The array's own plan has the reshard, and so has the plan of an array that reads it.
        assert!(unused.explain().unwrap().contains("reshard of"));
        assert!((&unused + 1).explain().unwrap().contains("reshard of"));
        drop(unused);
        // It has the elements at the time of the request.
        let before = a.with_sharding(columns()).with_sharding(Sharding::replicated(2));
        a.add_assign(100);
        assert_eq!(a.slice(s![0, 0]).item::<i64>().unwrap(), 100);
        assert_eq!(before.sum(()).item::<i64>().unwrap(), 276);
        assert_eq!(before.to_vec::<i64>().unwrap(), (0..24).collect::<Vec<_>>());
    });
}

/// The blocks of a transformed vector are rows of one matrix, and the next transform reads rows of
/// another one. Both are the same for a square, and its plan was refilled for vectors of others.
#[test]
fn a_plan_that_needs_no_copy_was_refilled_where_one_is_needed() {
    for devices in [3, 4, 5] {
        on(&[devices], Limits::default(), || {
            for extent in [25, 30, 36, 42, 25, 49, 56] {
                let x = arange(0.0, extent as f64, 1.0);
                let again = fft::ifft(&fft::fft(&x, ()), ()).real();
                let wrong = (&again - &x).abs().max(()).item::<f64>().unwrap();
                assert!(wrong < 1e-12, "{extent} on {devices} devices: {wrong}");
            }
        });
    }
}
