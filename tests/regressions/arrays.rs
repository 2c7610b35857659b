//! Arrays: views, copies and the operations that calls record.

use crate::{on, on_lines};
use num_complex::Complex64;
use phalanx::prelude::*;
use phalanx::{
    GridRange, Limits, Product, ProductOptions, Sharding, einsum_with, histogramdd, ix, product,
};

/// The count of a falling range was rounded in the wrong direction.
#[test]
fn falling_ranges_had_an_element_too_many() {
    on_lines(|| {
        assert_eq!(arange(-4, -16, -2).to_vec::<i64>().unwrap(), [-4, -6, -8, -10, -12, -14]);
        assert_eq!(arange(-4, -4, -2).shape(), [0]);
        assert_eq!(arange(0, -5, -2).to_vec::<i64>().unwrap(), [0, -2, -4]);
    });
}

/// A reduction over no axes gave a loop without axes, which is no valid kernel.
#[test]
fn reductions_over_no_axes_were_refused() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let none: [i64; 0] = [];
        assert_eq!(a.sum(none).to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(a.var(none, 0.0).to_vec::<f64>().unwrap(), [0.0; 6]);
        assert_eq!(a.argmax(none).to_vec::<i64>().unwrap(), [0; 6]);
        assert!(!a.sum(none).shares_memory(&a));
    });
}

/// When an operation of a call closed the window, no handle referred to the earlier operations of
/// the same call.
#[test]
fn windows_that_closed_inside_of_a_call_lost_its_operands() {
    for hard in 1..12 {
        on(&[2], Limits { hard, ..Limits::default() }, || {
            let a = arange(0, 12, 1);
            let pairs = a.reshape([3, 4]).slice(s![.., 1..3]).reshape([3, 2, 1]);
            pairs.slice(s![1.., .., 0]).assign(arange(0, 4, 1).reshape([2, 2]));
            let mixed = select(&a.greater(2), a.astype(DType::Bool), 1.5);
            assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 0, 1, 7, 8, 2, 3, 11]);
            assert_eq!(mixed.sum(()).item::<f64>().unwrap(), 6.0 + 6.0 * 1.5);
        });
    }
}

/// Results of reductions, copies and selections did not have NumPy's order of axes.
#[test]
fn orders_in_memory_were_not_those_of_numpy() {
    on_lines(|| {
        let a = arange(0, 24, 1).reshape([2, 3, 4]);
        assert_eq!(a.t().sum(0).strides(), [8, 24]);
        assert_eq!(a.t().argmax(0).strides(), [16, 8]);
        assert_eq!(a.t().copy().strides(), [48, 16, 8]);
        assert_eq!(a.t().astype(DType::F64).strides(), [8, 32, 96]);
        let rows = arange(0, 3, 1).broadcast_to([4, 3]);
        assert_eq!((&rows + 1).strides(), [24, 8]);
        assert_eq!(rows.astype(DType::F64).strides(), [8, 32]);
        assert_eq!(rows.any(0).shape(), [3]);
        let matrix = arange(0, 9, 1).reshape([3, 3]);
        assert_eq!(matmul(&matrix.t(), &matrix.t()).strides(), [24, 8]);
    });
}

/// A reversed view was returned unchanged.
#[test]
fn ravel_of_a_reversed_vector_was_no_copy() {
    on_lines(|| {
        let a = arange(0, 4, 1);
        let reversed = a.slice(s![..;-1]).ravel();
        assert!(!reversed.shares_memory(&a));
        assert!(a.reshape([2, 2]).ravel().shares_memory(&a));
        assert_eq!(reversed.to_vec::<i64>().unwrap(), [3, 2, 1, 0]);
    });
}

/// An element of a broadcast could be written through a view of that element only.
#[test]
fn views_of_broadcasts_could_be_written() {
    on_lines(|| {
        let a = arange(0, 3, 1);
        let row = a.broadcast_to([4, 3]).slice(s![0, ..]);
        assert_eq!(row.try_assign(1).unwrap_err().code(), "PX017");
        assert!(a.broadcast_to([3]).try_assign(1).is_err());
        assert_eq!(row.copy().try_assign(1).map_err(|error| error.to_string()), Ok(()));
        assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 2]);
    });
}

/// The shards were those of a copy with another order of axes.
#[test]
fn shards_of_a_transposed_view_were_those_of_its_base() {
    on(&[2], Limits::default(), || {
        let a = arange(0, 6, 1).reshape([2, 3]).with_sharding(Sharding::replicated(2));
        for (start, shard) in a.t().local_shards().unwrap() {
            let expected: Vec<i64> = a.t().to_vec::<i64>().unwrap();
            let from = start[0] * 2;
            assert_eq!(shard.shape[1], 2);
            let bytes: Vec<u8> = expected[from..from + shard.size()]
                .iter()
                .flat_map(|value| value.to_ne_bytes())
                .collect();
            assert_eq!(shard.bytes, bytes);
        }
    });
}

/// Counts used the same form as other reductions. If elements were converted first, the order of
/// axes in memory was that of a copy without elements.
#[test]
fn orders_in_memory_of_converted_elements_were_not_those_of_numpy() {
    on_lines(|| {
        let a = arange(0, 8, 1).reshape([4, 2]).broadcast_to([3, 4, 2]);
        assert_eq!(a.count_nonzero(2).strides(), [8, 24]);
        assert_eq!(a.count_nonzero(2).to_vec::<i64>().unwrap()[..3], [1, 2, 2]);
        let none = arange(0, 0, 1).reshape([4, 3, 0]).transpose([1, 0, 2]);
        assert_eq!(none.any(-1).strides(), [1, 3]);
        assert_eq!(none.all(-1).strides(), [1, 3]);
        assert_eq!(none.astype(DType::I8).sum(-1).shape(), [3, 4]);
        assert_eq!(none.mean(-1).strides(), [8, 24]);
        assert_eq!(none.var(-1, 0.0).strides(), [32, 8]);
        assert_eq!(none.count_nonzero(-1).strides(), [32, 8]);
    });
}

/// The sharding of a reshaped view was reported as replicated.
#[test]
fn reshaped_views_of_split_arrays_were_said_to_be_whole() {
    on(&[3], Limits::default(), || {
        let base = arange(0, 60, 1);
        for is_evaluated in [false, true] {
            if is_evaluated {
                base.evaluate().expect("the base");
            }
            let rows = base.reshape([6, 10]);
            let said = rows.sharding().expect("a sharding").to_string();
            let copy = rows.copy();
            assert_eq!(said, copy.sharding().expect("a sharding").to_string());
            assert_ne!(said, "[-, -]");
        }
    });
}

/// Conjugates used the elementwise functions, which convert bools to integers.
#[test]
fn conjugates_of_real_numbers_were_others() {
    on_lines(|| {
        let mask = from_slice(&[true, false, true], [3]);
        assert_eq!(mask.conj().dtype(), DType::Bool);
        assert_eq!(mask.conjugate().to_vec::<bool>().unwrap(), [true, false, true]);
        assert!(mask.conj().shares_memory(&mask));
    });
}

/// NumPy subtracts elements, which bools do not support, and reads the last of no elements.
#[test]
fn percentiles_of_bools_and_of_nothing_had_other_errors() {
    on_lines(|| {
        let class = |array: &Array| {
            percentile(array, &[50.0]).evaluate().expect_err("an error").numpy_class().to_owned()
        };
        assert_eq!(class(&zeros([3], DType::Bool)), "TypeError");
        assert_eq!(class(&zeros([0], DType::F64)), "IndexError");
        assert_eq!(class(&zeros([3], DType::C128)), "TypeError");
    });
}

/// The result of indexing by positions was always in C order.
#[test]
fn positions_of_fortran_ordered_arrays_lay_otherwise() {
    on_lines(|| {
        let array = arange(0, 24, 1).reshape([2, 3, 4]).t();
        let rows = from_slice(&[1i64, 0], [2]);
        assert_eq!(array.index(ix![&rows]).strides(), [48, 8, 24]);
        assert_eq!(array.index(ix![.., &rows]).strides(), [8, 64, 32]);
        assert_eq!(array.index(ix![&rows, .., &rows]).strides(), [24, 8]);
    });
}

/// An element of an evaluated array is a copy, whether it is recorded or kept.
#[test]
fn elements_follow_no_later_write() {
    on(&[1, 3], Limits::default(), || {
        let array = arange(0, 3, 1);
        for is_evaluated in [false, true] {
            if is_evaluated {
                array.evaluate().expect("the array");
            }
            let (first, last) = (array.at([0]), array.at([-1]));
            assert!(!first.shares_memory(&array));
            array.slice(s![0]).assign(&last);
            array.slice(s![-1]).assign(&first);
            let swapped = if is_evaluated { [0, 1, 2] } else { [2, 1, 0] };
            assert_eq!(array.to_vec::<i64>().unwrap(), swapped);
        }
    });
}

/// Any two views of one array were reported to share memory.
#[test]
fn views_between_each_other_share_nothing() {
    on_lines(|| {
        let array = arange(0, 12, 1);
        let [even, odd] = [0, 1].map(|first| array.slice(s![first..;2]));
        assert!(!even.shares_memory(&odd) && even.may_share_memory(&odd));
        assert!(even.shares_memory(&array.slice(s![4..7])));
        assert!(!array.slice(s![..5]).may_share_memory(&array.slice(s![5..])));
    });
}

/// An element that was written before it was claimed kept its first value.
#[test]
fn a_written_element_is_claimed_as_an_array() {
    on_lines(|| {
        let array = arange(0, 3, 1);
        array.evaluate().expect("the array");
        let element = array.at([1]);
        element.assign(7);
        assert!(!element.claim(true) && !element.is_element());
        assert_eq!(element.item::<i64>().unwrap(), 7);
    });
}

/// Writing through a view of an element taken from an array changed the element.
#[test]
fn elements_were_written_through_their_views() {
    on_lines(|| {
        let a = arange(0, 4, 1);
        let element = a.sum(());
        assert!(element.claim(true) && element.claim(true) && element.is_element());
        assert!(!element.is_writeable() && element.try_assign(5).is_err());
        // A view of the element is to be written, so the element must become a copy.
        let view = element.reshape([1]);
        assert!(!view.claim(false) && view.base().unwrap().is_none());
        let copy = view.copy();
        assert!(copy.claim(false) && copy.is_writeable());
        copy.assign(7);
        assert_eq!(element.item::<i64>().unwrap(), 6);
        // An array that is already in use as an array cannot become an element of another handle.
        let b = ones((), DType::F64);
        assert!(b.claim(false) && !b.sum(()).shares_memory(&b) && !b.reshape(()).claim(true));
    });
}

/// NumPy returns the element of a 0-d array; ours was a view that changed with later writes.
#[test]
fn a_0d_array_in_reverse_followed_writes() {
    on_lines(|| {
        let a = arange(3, 4, 1).reshape([0usize; 0]);
        let flipped = phalanx::flip(&a, ());
        a.assign(7);
        assert_eq!(flipped.item::<i64>().unwrap(), 3);
    });
}

/// Edges of bins were computed although samples were as close as neighbouring floats, and the first
/// of the bins without a width counted the samples.
#[test]
fn bins_without_a_width_counted_otherwise_than_those_of_numpy() {
    on_lines(|| {
        let near = from_slice(&[1.0, 1.0 + 2e-16, 1.0 + 4e-16], [3, 1]);
        let (counts, edges) = histogramdd(&near, &[10.into()], ()).unwrap();
        assert_eq!(edges[0].size(), 11);
        let line = edges[0].to_vec::<f64>().unwrap();
        for (place, count) in counts.to_vec::<f64>().unwrap().into_iter().enumerate() {
            let holds = |sample: f64| {
                let last = place == 9 && sample == line[10];
                (line[place] <= sample && sample < line[place + 1]) || last
            };
            let samples = near.to_vec::<f64>().unwrap();
            assert_eq!(count, samples.iter().filter(|&&sample| holds(sample)).count() as f64);
        }
    });
}

/// Products ignored the requested order and used that of the operands.
#[test]
fn products_had_no_order_of_their_own() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let lying = |order, a: &Array, b: &Array| {
            let options = ProductOptions { order, ..ProductOptions::default() };
            product(Product::Matmul, a, b, &options).strides()
        };
        assert_eq!(lying(MemoryOrder::F, &a, &a.t().copy()), [8, 16]);
        assert_eq!(lying(MemoryOrder::A, &a.t(), &a.t().t().copy()), [24, 8]);
        assert_eq!(lying(MemoryOrder::A, &a.t(), &a.copy_in(MemoryOrder::F)), [8, 24]);
        assert_eq!(lying(MemoryOrder::C, &a.t(), &a.copy_in(MemoryOrder::F)), [24, 8]);
        let options = ProductOptions { order: MemoryOrder::C, ..ProductOptions::default() };
        assert!(einsum_with("ij->ji", &[&a], &options).shares_memory(&a));
    });
}

/// Draws accepted only one count and one vector of chances.
#[test]
fn counts_of_draws_and_stacks_of_chances_were_refused() {
    on_lines(|| {
        let numbers = phalanx::random::seeded(7).unwrap();
        let chances = from_slice(&[0.2, 0.3, 0.5, 1.0, 0.0, 0.0], [2, 3]);
        let counts = from_slice(&[4i64, 0, 9], [3, 1]);
        let drawn = numbers.multinomial(&counts, &chances, [3, 2]);
        assert_eq!(drawn.shape(), [3, 2, 3]);
        assert_eq!(drawn.sum(-1).to_vec::<i64>().unwrap(), [4, 4, 0, 0, 9, 9]);
        let second = drawn.slice(s![.., 1, ..]).to_vec::<i64>().unwrap();
        assert_eq!(second, [4, 0, 0, 0, 0, 0, 9, 0, 0]);
        assert!(numbers.multinomial(from_slice(&[1i64, -1], [2]), &chances, [2]).ok().is_err());
        assert!(numbers.multinomial(3, &(&chances * 2.0), [2]).ok().is_err());
    });
}

/// Grids and ranges were computed in real numbers.
#[test]
fn complex_ends_of_grids_lost_their_imaginary_parts() {
    on_lines(|| {
        let ends = [Complex64::new(0.0, 2.0), Complex64::new(4.0, 0.0)];
        let grid = mgrid(&[GridRange::ComplexCount(ends[0], ends[1], 3)]);
        let middle = Complex64::new(2.0, 1.0);
        assert_eq!(grid.to_vec::<Complex64>().unwrap(), [ends[0], middle, ends[1]]);
        assert_eq!(mgrid(&[]).shape(), [0]);
        let range = arange(Complex64::new(1.0, 1.0), Complex64::new(3.0, 4.0), 1);
        assert_eq!(range.dtype(), DType::C128);
        assert_eq!(range.size(), 2);
        let spiral = geomspace(Complex64::new(0.0, 1.0), Complex64::new(0.0, 100.0), 3);
        let found = spiral.slice(s![1]).item::<Complex64>().unwrap();
        assert!((found - Complex64::new(0.0, 10.0)).norm() < 1e-12);
    });
}
