//! Reductions whose bits do not depend on how the elements are split.
//!
//! Sums are binned (`phalanx_ops::Binned`): any order gives the same bits. Other combinations of
//! floating-point numbers are elementwise operations on the halves of an axis, over and over.

use super::axes::Axes;
use crate::array::{Array, is_reproducible};
use crate::manipulation::{along, concatenate, span};
use crate::math::complex;
use crate::recording::{memory_order, try_elementwise};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::{DType, Index, Monoid, Op};

/// The most terms of a binned sum.
const MOST_TERMS: usize = 1 << 33;

impl Array {
    /// As `reduce`, in reproducible mode. `None` outside of it, and for reductions whose bits do
    /// not depend on the order.
    pub(super) fn reduce_reproducibly(
        &self,
        given: &Array,
        monoid: Monoid,
        axes: &Axes,
        site: Site,
    ) -> Result<Option<Array>, Error> {
        let op = match monoid {
            Monoid::Add => Op::Add,
            Monoid::Multiply => Op::Multiply,
            Monoid::LogAddExp => Op::LogAddExp,
            _ => return Ok(None),
        };
        self.ok()?;
        if !self.dtype().is_inexact() || !is_reproducible(&self.mesh()?) {
            return Ok(None);
        }
        let removed = axes.resolve(self.ndim(), site)?;
        let count: usize = removed.iter().map(|&axis| self.shape()[usize::from(axis)]).product();
        if count == 0 || removed.is_empty() {
            return Ok(None);
        }
        Ok(Some(match op {
            // One term is the result, even a negative zero. Devices without terms would add zeros.
            _ if count == 1 => self.first_of((given, self.shape()), axes, &removed, site)?,
            Op::Add => self.binned_sum(given, axes, (&removed, count), site)?,
            _ => self.halved(op, given, axes, &removed, site)?,
        }))
    }

    fn binned_sum(
        &self,
        given: &Array,
        axes: &Axes,
        (removed, count): (&[u8], usize),
        site: Site,
    ) -> Result<Array, Error> {
        if count > MOST_TERMS {
            let longest = removed.iter().max_by_key(|&&axis| self.shape()[usize::from(axis)]);
            let axis = longest.map_or(0, |&axis| usize::from(axis));
            let (middle, end) = (self.shape()[axis] / 2, self.shape()[axis]);
            let half = |start, end| {
                let half = within(site, || self.slice(along(self.ndim(), axis, span(start, end))));
                half.reduce(&half, Monoid::Add, axes, site)
            };
            let halves = [half(0, middle)?.into(), half(middle, end)?.into()];
            return try_elementwise(Op::Add, &halves, site);
        }
        let dtype = self.dtype();
        let sum = |part: &Array| {
            let wide = part.converted(DType::F64, site);
            wide.reduce_in_any_order(given, Monoid::Binned, axes, site)
        };
        let sum = if dtype.is_complex() {
            // Both parts are sums of their own.
            let [real, imaginary] = within(site, || [self.real(), self.imag()]);
            complex(sum(&real)?, sum(&imaginary)?).into_result()?
        } else {
            sum(self)?
        };
        Ok(sum.converted(dtype, site))
    }

    /// Combines neighbours along each axis until one element is left.
    fn halved(
        &self,
        op: Op,
        given: &Array,
        axes: &Axes,
        removed: &[u8],
        site: Site,
    ) -> Result<Array, Error> {
        let dtype = self.dtype();
        // Halves are combined as `f32` and rounded once, as in other reductions.
        let wide = if dtype.size() == 2 { DType::F32 } else { dtype };
        let mut rest = self.converted(wide, site);
        for &axis in removed {
            let axis = usize::from(axis);
            let part = |array: &Array, part| {
                within(site, || array.slice(along(self.ndim(), axis, part)).into_result())
            };
            let every_second = |start: usize, stop: usize| Index::Range {
                start: Some(start as i64),
                stop: Some(stop as i64),
                step: 2,
            };
            while rest.shape()[axis] > 1 {
                let extent = rest.shape()[axis];
                let even = extent / 2 * 2;
                let left = part(&rest, every_second(0, even))?;
                let right = part(&rest, every_second(1, even))?;
                let pairs = try_elementwise(op, &[left.into(), right.into()], site)?;
                rest = match extent - even {
                    0 => pairs,
                    _ => {
                        let last = part(&rest, span(even, extent))?;
                        within(site, || concatenate(&[&pairs, &last], axis as i64).into_result())?
                    }
                };
            }
        }
        let first = rest.first_of((given, self.shape()), axes, removed, site)?;
        Ok(first.converted(dtype, site))
    }

    /// The first element along the removed axes. The result has the order of axes in memory that a
    /// reduction of `given` has, and its extents are those of an array of this shape.
    fn first_of(
        &self,
        (given, shape): (&Array, &[usize]),
        axes: &Axes,
        removed: &[u8],
        site: Site,
    ) -> Result<Array, Error> {
        let order = memory_order(&[given.into()], shape)?;
        let order = order.unwrap_or_else(|| (0..self.ndim()).collect());
        let is_removed = |axis: &usize| removed.contains(&(*axis as u8));
        let items: Vec<Index> = order
            .iter()
            .map(|axis| match is_removed(axis) {
                true => Index::At(0),
                false => Index::Range { start: None, stop: None, step: 1 },
            })
            .collect();
        let kept: Vec<usize> = order.iter().copied().filter(|axis| !is_removed(axis)).collect();
        // For each axis of the result, its place among the kept axes in memory.
        let mut places: Vec<i64> = (0..kept.len() as i64).collect();
        places.sort_by_key(|&place| kept[place as usize]);
        let order: Vec<i64> = order.iter().map(|&axis| axis as i64).collect();
        let first = within(site, || self.transpose(order).slice(items)).copy_at(site);
        let result = within(site, || first.transpose(places).into_result())?;
        result.with_kept_axes(shape, axes, site)
    }
}
