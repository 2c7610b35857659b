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
    /// Where the coordinates along each axis are.
    pub coordinates: Vec<Coordinates>,
    /// For each coordinate, for each joined axis, the elements from one position to the next; 0 if
    /// the coordinate is the same there.
    pub strides: Vec<Vec<usize>>,
}

/// The coordinates along an axis of the coefficients: a part of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Coordinates {
    /// The number of the operand.
    pub operand: usize,
    /// The elements of the operand before them.
    pub first: usize,
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
        let coordinates: Vec<Coordinates> = (1..operands.len())
            .flat_map(|operand| {
                let [count, own @ ..] = operands[operand].shape else {
                    unreachable!("bug: coordinates without an axis of their own")
                };
                let length = own.iter().product::<usize>();
                (0..*count).map(move |axis| Coordinates { operand, first: axis * length })
            })
            .collect();
        assert_eq!(coordinates.len(), axes.len(), "bug: a coordinate along each axis");
        // For each joined axis its extent, and which coordinates differ along it.
        let mut joined: Vec<(usize, Vec<bool>)> = Vec::new();
        for (axis, &extent) in to.shape[leading..].iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let own = |of: &Coordinates| operands[of.operand].shape[1 + axis];
            let differ = coordinates.iter().map(|of| own(of) != 1).collect();
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
            coordinates,
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
        let axes = shapes[1..].iter().map(|shape| shape[0]).sum::<usize>() as u8;
        let op =
            Interpolate { axes, order: 1, outside: Outside::Mirror, number: 0, dtype: DType::F64 };
        Points::of(&op, &operands, &block(to))
    }

    #[test]
    fn axes_with_the_same_coordinates_are_one() {
        let points = of(&[&[3, 5, 7], &[1, 2, 4], &[1, 2, 4]], &[3, 2, 4]);
        assert_eq!((points.leading, points.image()), (3, 35));
        assert_eq!((points.extents, points.strides), (vec![8], vec![vec![1], vec![1]]));
        let grid = of(&[&[5, 7], &[1, 2, 1], &[1, 1, 4]], &[2, 4]);
        assert_eq!((grid.extents, grid.strides), (vec![2, 4], vec![vec![1, 0], vec![0, 1]]));
        assert_eq!(of(&[&[5], &[1, 1, 1]], &[1, 1]).extents, [1]);
    }

    #[test]
    fn an_operand_may_have_the_coordinates_along_several_axes() {
        let at = |operand, first| Coordinates { operand, first };
        let points = of(&[&[5, 7], &[2, 3, 4]], &[3, 4]);
        assert_eq!(points.coordinates, [at(1, 0), at(1, 12)]);
        assert_eq!((points.extents, points.strides), (vec![12], vec![vec![1], vec![1]]));
        let mixed = of(&[&[5, 7, 9], &[1, 3, 1], &[2, 3, 4]], &[3, 4]);
        assert_eq!(mixed.coordinates, [at(1, 0), at(2, 0), at(2, 12)]);
        assert_eq!(mixed.strides, [[1, 0], [4, 1], [4, 1]]);
    }
}
