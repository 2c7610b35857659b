//! The axes of a neighbourhood, with those joined that have no window, and the boxes of the value.

use crate::structured::Block;
use phalanx_ops::structured::{Border, Neighbourhood};
use std::ops::Range;

/// An axis of the value and of the result.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// The extent of the whole axis.
    pub extent: usize,
    /// The positions of the device's block of the result.
    pub range: Range<usize>,
    /// The extent of the window.
    pub window: usize,
    /// The elements of the window before the one at the place of the result.
    pub before: usize,
}

impl Axis {
    fn without_window(extent: usize) -> Axis {
        Axis { extent, range: 0..extent, window: 1, before: 0 }
    }
}

/// A box of the value, in C order in memory.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ValueBox {
    /// For each axis, the positions that the box has.
    pub ranges: Vec<Range<usize>>,
    pub address: *const u8,
}

// SAFETY: the address is only read, and condition 2 of `Buffer` holds while a routine runs.
unsafe impl Send for ValueBox {}
// SAFETY: as for `Send`.
unsafe impl Sync for ValueBox {}

/// What a routine needs to know of a neighbourhood on a device.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    /// At least two axes.
    pub axes: Vec<Axis>,
    pub boxes: Vec<ValueBox>,
    pub border: Border,
}

impl Geometry {
    /// The geometry of the block `to` of the result. The operands are the device's block of the
    /// value, the window, the heights if there are any, and the boxes of the halo.
    pub fn of(op: &Neighbourhood, operands: &[Block<'_>], to: &Block<'_>) -> Geometry {
        let window = operands[1].shape;
        let halo = operands[2 + usize::from(op.has_heights)..].iter();
        let boxes: Vec<&Block<'_>> = [&operands[0]].into_iter().chain(halo).collect();
        let ranges = |block: &Block<'_>| -> Vec<Range<usize>> {
            let pairs = block.origin.iter().zip(block.shape);
            pairs.map(|(&start, &extent)| start..start + extent).collect()
        };
        let (own, of_boxes) = (ranges(to), boxes.iter().map(|block| ranges(block)));
        let of_boxes: Vec<Vec<Range<usize>>> = of_boxes.collect();
        let mut axes: Vec<Axis> = Vec::new();
        let mut joined: Vec<Vec<Range<usize>>> = vec![Vec::new(); boxes.len()];
        let mut follows_plain = false;
        for (axis, range) in own.iter().enumerate() {
            let is_plain = window[axis] == 1;
            match axes.last_mut() {
                Some(last) if is_plain && follows_plain => {
                    // All boxes have the whole range of an axis without a window.
                    *last = Axis::without_window(last.extent * range.len());
                    for ranges in &mut joined {
                        if let Some(last_range) = ranges.last_mut() {
                            *last_range = 0..last.extent;
                        }
                    }
                }
                _ if is_plain => {
                    axes.push(Axis::without_window(range.len()));
                    joined.iter_mut().for_each(|ranges| ranges.push(0..range.len()));
                }
                _ => {
                    let (extent, before) = (op.extents[axis] as usize, op.before[axis] as usize);
                    axes.push(Axis { extent, range: range.clone(), window: window[axis], before });
                    let pairs = joined.iter_mut().zip(&of_boxes);
                    pairs.for_each(|(ranges, of_box)| ranges.push(of_box[axis].clone()));
                }
            }
            follows_plain = is_plain;
        }
        while axes.len() < 2 {
            axes.insert(0, Axis::without_window(1));
            joined.iter_mut().for_each(|ranges| ranges.insert(0, 0..1));
        }
        let addresses = boxes.iter().map(|block| block.buffer.as_ptr().cast_const());
        let boxes = joined
            .into_iter()
            .zip(addresses)
            .map(|(ranges, address)| ValueBox { ranges, address })
            .filter(|of_box| of_box.ranges.iter().all(|range| !range.is_empty()))
            .collect();
        Geometry { axes, boxes, border: op.border }
    }

    /// The axes before the last two.
    pub fn outer(&self) -> &[Axis] {
        &self.axes[..self.axes.len() - 2]
    }

    /// The last two axes: rows and the elements of a row.
    pub fn inner(&self) -> [&Axis; 2] {
        let [.., rows, columns] = &self.axes[..] else { unreachable!("bug: fewer than two axes") };
        [rows, columns]
    }

    /// The number of positions of the window along the outer axes.
    pub fn planes(&self) -> usize {
        self.outer().iter().map(|axis| axis.window).product()
    }
}
