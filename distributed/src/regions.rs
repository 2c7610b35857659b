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
