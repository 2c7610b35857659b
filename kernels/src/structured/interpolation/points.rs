//! The points of a block of the result, with axes joined that their coordinates do not tell apart.

use crate::structured::Block;
use phalanx_ops::structured::Interpolate;

/// An axis of the coefficients along which points have coordinates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Along {
    pub extent: usize,
    /// The elements from one position to the next.
    pub stride: usize,
}

/// The points of a block: for each element of the leading axes, the same ones.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Points {
    /// The elements of the leading axes.
    pub leading: usize,
    /// The axes of the coefficients with coordinates.
    pub axes: Vec<Along>,
    /// The extents of the joined axes of the points, at least one.
    pub extents: Vec<usize>,
    /// For each coordinate, for each joined axis, the elements from one position to the next; 0 if
    /// the coordinate is the same there.
    pub strides: Vec<Vec<usize>>,
}

impl Points {
    /// The points of the block `to`.
    pub fn of(op: &Interpolate, operands: &[Block<'_>], to: &Block<'_>) -> Points {
        let leading = operands[0].shape.len() - usize::from(op.axes);
        let (first, extents) = operands[0].shape.split_at(leading);
        let mut axes: Vec<Along> = Vec::new();
        for &extent in extents.iter().rev() {
            let stride = axes.last().map_or(1, |inner: &Along| inner.stride * inner.extent);
            axes.push(Along { extent, stride });
        }
        axes.reverse();
        let coordinates = &operands[1..];
        // For each joined axis its extent, and which coordinates differ along it.
        let mut joined: Vec<(usize, Vec<bool>)> = Vec::new();
        for (axis, &extent) in to.shape[leading..].iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let differ = coordinates.iter().map(|block| block.shape[axis] != 1).collect();
            match joined.last_mut() {
                Some((last, same)) if *same == differ => *last *= extent,
                _ => joined.push((extent, differ)),
            }
        }
        if joined.is_empty() {
            joined.push((1, vec![false; coordinates.len()]));
        }
        let strides = (0..coordinates.len()).map(|coordinate| {
            let mut stride = 1;
            let along = joined.iter().rev().map(|(extent, differ)| {
                let own = if differ[coordinate] { stride } else { 0 };
                stride *= if differ[coordinate] { *extent } else { 1 };
                own
            });
            let mut strides: Vec<usize> = along.collect();
            strides.reverse();
            strides
        });
        Points {
            leading: first.iter().product(),
            axes,
            strides: strides.collect(),
            extents: joined.iter().map(|&(extent, _)| extent).collect(),
        }
    }

    /// The elements of the coefficients for each element of the leading axes.
    pub fn image(&self) -> usize {
        self.axes.iter().map(|axis| axis.extent).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_device::Buffer;
    use phalanx_ops::DType;
    use phalanx_ops::structured::Outside;

    fn of(shapes: &[&[usize]], to: &[usize]) -> Points {
        let nowhere = Buffer::without_memory(0);
        let block =
            |shape| Block { buffer: &nowhere, dtype: DType::F64, shape, origin: &[0; 8][..] };
        let operands: Vec<Block<'_>> = shapes.iter().map(|shape| block(shape)).collect();
        let axes = (shapes.len() - 1) as u8;
        let op =
            Interpolate { axes, order: 1, outside: Outside::Mirror, number: 0, dtype: DType::F64 };
        Points::of(&op, &operands, &block(to))
    }

    #[test]
    fn axes_with_the_same_coordinates_are_one() {
        let points = of(&[&[3, 5, 7], &[2, 4], &[2, 4]], &[3, 2, 4]);
        assert_eq!((points.leading, points.image()), (3, 35));
        assert_eq!((points.extents, points.strides), (vec![8], vec![vec![1], vec![1]]));
        let grid = of(&[&[5, 7], &[2, 1], &[1, 4]], &[2, 4]);
        assert_eq!((grid.extents, grid.strides), (vec![2, 4], vec![vec![1, 0], vec![0, 1]]));
        assert_eq!(of(&[&[5], &[1, 1]], &[1, 1]).extents, [1]);
    }
}
