//! The boxes of a base that boxes of a view read, and whether a device holds them in its own block.

use phalanx_ops::shape::size;
use phalanx_ops::sharding::{intersect, is_empty};
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Sharding};
use smallvec::SmallVec;
use std::ops::Range;

/// The smallest box of the base that contains the image of a box of the view.
pub fn image(map: &AffineMap, of: &[Range<usize>]) -> IndexBox {
    map.axes
        .iter()
        .map(|axis| {
            let Some(follows) = axis.axis else {
                return axis.start as usize..axis.start as usize + 1;
            };
            let range = &of[follows as usize];
            if range.is_empty() {
                return 0..0;
            }
            let (a, b) = (
                axis.start + axis.step * range.start as i64,
                axis.start + axis.step * (range.end as i64 - 1),
            );
            a.min(b) as usize..a.max(b) as usize + 1
        })
        .collect()
}

/// The view indices `k` with `start + step * k` inside `base`, not clipped to the view.
pub fn preimage_range(base: &Range<usize>, start: i64, step: i64) -> Range<i64> {
    let (low, high) = (base.start as i64, base.end as i64);
    match step {
        0 => i64::MIN..i64::MAX,
        step if step > 0 => {
            (low - start + step - 1).div_euclid(step)..(high - start + step - 1).div_euclid(step)
        }
        step => (start - high).div_euclid(-step) + 1..(start - low).div_euclid(-step) + 1,
    }
}

/// Whether two maps, each from a box of the same space, never reach the same index of a base. It is
/// a proof by boxes and steps: `false` may also mean "not known".
pub fn are_apart(a: (&AffineMap, &[Range<usize>]), b: (&AffineMap, &[Range<usize>])) -> bool {
    let interleaves = |(a, b): (&AxisMap, &AxisMap)| {
        let step = greatest_common_divisor(a.step.unsigned_abs(), b.step.unsigned_abs());
        step > 1 && (a.start - b.start).rem_euclid(step as i64) != 0
    };
    is_empty(&intersect(&image(a.0, a.1), &image(b.0, b.1)))
        || a.0.axes.iter().zip(&b.0.axes).any(interleaves)
}

/// Whether an update through `target` writes a small part of its base: storing the value elsewhere
/// first costs less than copying the base.
pub fn is_small_write(target: &AffineMap, base: &[usize]) -> bool {
    2 * size(&target.shape) < size(base)
}

/// Whether a read of a base may overlap a write to it at another index of the space. Each is a map
/// from the space and a box of the space.
pub fn may_clash(
    read: (&AffineMap, &[Range<usize>]),
    written: (&AffineMap, &[Range<usize>]),
) -> bool {
    read.0.axes != written.0.axes && !are_apart(read, written)
}

pub(crate) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether every device, in its block of a space with sharding `space`, reads through `map` only
/// its own block of the value. It is a proof by the form of the bounds: `false` may also mean "not
/// known".
pub fn is_aligned(value: &Sharding, map: &AffineMap, space: &Sharding) -> bool {
    (0..map.axes.len()).all(|axis| axis_is_aligned(value, map, space, axis))
}

/// The axes of the space along which a read through `map` may leave the device's own block.
pub fn misaligned_axes(value: &Sharding, map: &AffineMap, space: &Sharding) -> SmallVec<[u8; 4]> {
    (0..map.axes.len())
        .filter(|&axis| !axis_is_aligned(value, map, space, axis))
        .filter_map(|axis| map.axes[axis].axis)
        .collect()
}

fn axis_is_aligned(value: &Sharding, map: &AffineMap, space: &Sharding, axis: usize) -> bool {
    let Some(split) = &value.axes[axis] else {
        return true;
    };
    let map_axis = map.axes[axis];
    let Some(follows) = map_axis.axis else {
        return false;
    };
    let Some(there) = &space.axes[follows as usize] else {
        return false;
    };
    there.mesh_axes == split.mesh_axes
        && there.bounds
            == split.bounds.clipped(map_axis.start, map_axis.step, map.shape[follows as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SHAPES, block_of, contains, for_each_layout, indices, shardings, views};
    use phalanx_ops::{Index, Mesh};

    /// The whole of a view, its first position, and its second half along each axis.
    fn boxes(view: &AffineMap) -> [IndexBox; 3] {
        [
            view.shape.iter().map(|&extent| 0..extent).collect(),
            view.shape.iter().map(|&extent| 0..extent.min(1)).collect(),
            view.shape.iter().map(|&extent| extent / 2..extent).collect(),
        ]
    }

    /// The positions of the base that a box of a view reaches.
    fn reached(view: &AffineMap, of: &[Range<usize>]) -> Vec<Vec<usize>> {
        indices(of)
            .iter()
            .map(|index| view.apply(index).iter().map(|&at| at as usize).collect())
            .collect()
    }

    fn slice(base: &[usize], start: i64, stop: i64, step: i64) -> AffineMap {
        let range = Index::Range { start: Some(start), stop: Some(stop), step };
        AffineMap::identity(base).index(&[range]).expect("the base has an axis")
    }

    #[test]
    fn an_image_is_the_smallest_box_of_the_positions_reached() {
        for base in SHAPES {
            for view in views(&base) {
                for of in boxes(&view).iter().filter(|of| !is_empty(of)) {
                    let positions = reached(&view, of);
                    let expected: IndexBox = (0..base.len())
                        .map(|axis| {
                            let along = || positions.iter().map(|position| position[axis]);
                            along().fold(usize::MAX, usize::min)..along().fold(0, usize::max) + 1
                        })
                        .collect();
                    assert_eq!(image(&view, of), expected, "{of:?} of {view:?}");
                }
            }
        }
    }

    #[test]
    fn the_image_of_no_positions_along_an_axis_is_empty() {
        let view = AffineMap::identity(&[3, 5]).transpose(&[1, 0]);
        for of in [[0..0, 0..3], [5..5, 0..3], [0..5, 2..2]] {
            assert!(is_empty(&image(&view, &of)), "{of:?}");
        }
    }

    #[test]
    fn a_preimage_has_the_view_indices_inside_of_the_base_and_no_others() {
        for step in [-3, -2, -1, 1, 2, 3] {
            for start in [-4, 0, 5] {
                for base in [0..0, 0..1, 2..7, 5..5] {
                    let found = preimage_range(&base, start, step);
                    let inside = base.start as i64..base.end as i64;
                    for index in -30..30 {
                        let is_inside = inside.contains(&(start + step * index));
                        assert_eq!(
                            found.contains(&index),
                            is_inside,
                            "{start} + {step} * {index} of {base:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn maps_that_are_apart_reach_no_common_position() {
        for base in SHAPES {
            let views = views(&base);
            for (a, b) in views.iter().flat_map(|a| views.iter().map(move |b| (a, b))) {
                for of_a in &boxes(a) {
                    for of_b in &boxes(b) {
                        if are_apart((a, of_a), (b, of_b)) {
                            let others = reached(b, of_b);
                            let common =
                                reached(a, of_a).into_iter().find(|at| others.contains(at));
                            assert_eq!(common, None, "{of_a:?} of {a:?}, {of_b:?} of {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn disjoint_and_interleaved_slices_are_apart() {
        let (even, odd) = (slice(&[8], 0, 8, 2), slice(&[8], 1, 8, 2));
        let (low, high) = (slice(&[8], 0, 4, 1), slice(&[8], 4, 8, 1));
        let all = slice(&[4], 0, 4, 1);
        let whole = boxes(&all)[0].clone();
        assert!(are_apart((&even, &whole), (&odd, &whole)));
        assert!(are_apart((&low, &whole), (&high, &whole)));
        assert!(!are_apart((&even, &whole), (&high, &whole)));
        assert!(!are_apart((&even, &whole), (&even, &whole)));
    }

    #[test]
    fn a_read_clashes_with_a_write_at_other_indices_only() {
        let (before, after) = (slice(&[8], 0, 7, 1), slice(&[8], 1, 8, 1));
        let (even, odd) = (slice(&[8], 0, 8, 2), slice(&[8], 1, 8, 2));
        let [seven, _, _] = boxes(&before);
        let [four, _, _] = boxes(&even);
        assert!(may_clash((&before, &seven), (&after, &seven)));
        assert!(!may_clash((&before, &seven), (&before, &seven)));
        assert!(!may_clash((&even, &four), (&odd, &four)));
    }

    #[test]
    fn a_write_of_half_of_the_base_is_not_small() {
        assert!(is_small_write(&slice(&[8, 2], 0, 3, 1), &[8, 2]));
        assert!(!is_small_write(&slice(&[8, 2], 0, 4, 1), &[8, 2]));
        assert!(!is_small_write(&slice(&[0, 2], 0, 0, 1), &[0, 2]));
    }

    #[test]
    fn the_greatest_common_divisor_of_a_number_and_0_is_the_number() {
        for (a, b, divisor) in [(12, 18, 6), (7, 5, 1), (0, 5, 5), (5, 0, 5), (0, 0, 0)] {
            assert_eq!(greatest_common_divisor(a, b), divisor);
        }
    }

    #[test]
    fn an_aligned_read_stays_in_the_own_block() {
        for_each_layout(|value, base, mesh| {
            for view in views(base) {
                for space in shardings(&view.shape, mesh).iter().chain([&value.through(&view)]) {
                    if !is_aligned(value, &view, space) {
                        continue;
                    }
                    assert!(misaligned_axes(value, &view, space).is_empty());
                    for device in 0..mesh.devices() {
                        let own = block_of(value, base, mesh, device);
                        let reads = block_of(space, &view.shape, mesh, device);
                        for position in reached(&view, &reads) {
                            assert!(contains(&own, &position), "{value}, {view:?}, {space}");
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn a_view_that_keeps_the_split_axes_is_aligned_with_its_base() {
        for_each_layout(|value, base, _| {
            for view in views(base) {
                let follows: Vec<Option<u8>> = view.axes.iter().map(|axis| axis.axis).collect();
                let mut splits = value.axes.iter().zip(&follows);
                let are_kept = splits.all(|(split, axis)| split.is_none() || axis.is_some());
                if are_kept && follows[0] != follows[1] {
                    assert!(is_aligned(value, &view, &value.through(&view)), "{value}, {view:?}");
                }
            }
        });
    }

    #[test]
    fn misaligned_axes_are_those_of_the_space() {
        let mesh = Mesh::line(2);
        let [rows, columns] = [0, 1].map(|axis| Sharding::even(&[8, 4], axis, &mesh));
        let whole = AffineMap::identity(&[8, 4]);
        let replicated = Sharding::replicated(2);
        assert_eq!(misaligned_axes(&rows, &whole, &replicated).as_slice(), &[0]);
        assert_eq!(misaligned_axes(&rows, &whole, &columns).as_slice(), &[0]);
        assert_eq!(misaligned_axes(&columns, &whole, &rows).as_slice(), &[1]);
        let transposed = whole.transpose(&[1, 0]);
        assert_eq!(misaligned_axes(&rows, &transposed, &replicated).as_slice(), &[1]);
        // A fixed position leaves the block of most devices, but along no axis of the space.
        let row = whole.index(&[Index::At(5)]).expect("the base has a row 5");
        assert!(!is_aligned(&rows, &row, &Sharding::replicated(1)));
        assert!(misaligned_axes(&rows, &row, &Sharding::replicated(1)).is_empty());
    }
}
