//! Bounds: the first and last positions of an axis's blocks, as closed forms or as a vector.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The blocks of one axis. Blocks tile the axis and may be uneven or empty. A slice with a negative
/// step reverses their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bounds(Arc<Form>);

#[derive(PartialEq, Eq, Hash, Debug)]
enum Form {
    /// `extent` cut into `parts`; the first `extent % parts` of them are one longer, as in
    /// `array_split`.
    Even { extent: usize, parts: usize },
    /// Cut points, from 0 to the extent.
    Explicit { cuts: Vec<usize> },
    /// The positions `start + step * k` for `k` in `0..len`, with the blocks of the inner bounds.
    Clipped { inner: Bounds, start: i64, step: i64, len: usize },
    /// Each position of the inner bounds becomes `factor` consecutive ones.
    Scaled { inner: Bounds, factor: usize },
}

impl Bounds {
    /// `extent` cut as evenly as possible.
    pub fn even(extent: usize, parts: usize) -> Bounds {
        Bounds(Arc::new(Form::Even { extent, parts }))
    }

    /// Blocks of the given sizes, in order.
    pub fn explicit(sizes: &[usize]) -> Bounds {
        let mut cuts: Vec<usize> = vec![0];
        for size in sizes {
            cuts.push(cuts[cuts.len() - 1].saturating_add(*size));
        }
        Bounds(Arc::new(Form::Explicit { cuts }))
    }

    /// The bounds of the slice whose position `k` is `start + step * k`, with this axis's blocks.
    ///
    /// A position outside of the axis, or a step of 0, makes the bounds invalid (see
    /// [`is_valid`](Bounds::is_valid)).
    pub fn clipped(&self, start: i64, step: i64, len: usize) -> Bounds {
        if start == 0 && step == 1 && len == self.extent() {
            return self.clone();
        }
        let whole = i64::try_from(self.extent().max(1)).unwrap_or(i64::MAX);
        // With at most one position, the step does not matter.
        let step = if len <= 1 { step.clamp(-whole, whole) } else { step };
        if let Form::Clipped { inner, start: first, step: outer, .. } = &*self.0 {
            let composed = outer
                .checked_mul(start)
                .and_then(|moved| first.checked_add(moved))
                .zip(outer.checked_mul(step));
            if let Some((start, step)) = composed {
                return inner.clipped(start, step, len);
            }
        }
        Bounds(Arc::new(Form::Clipped { inner: self.clone(), start, step, len }))
    }

    /// The bounds with each position replaced by `factor` consecutive ones.
    pub fn scaled(&self, factor: usize) -> Bounds {
        match &*self.0 {
            _ if factor == 1 => self.clone(),
            Form::Scaled { inner, factor: first } => inner.scaled(first.saturating_mul(factor)),
            _ => Bounds(Arc::new(Form::Scaled { inner: self.clone(), factor })),
        }
    }

    /// The bounds with every `factor` consecutive positions merged into one; `None` if a block ends
    /// inside of such a run, or if that is not known.
    pub fn divided(&self, factor: usize) -> Option<Bounds> {
        match &*self.0 {
            _ if factor == 1 => Some(self.clone()),
            Form::Scaled { inner, factor: by } if by.is_multiple_of(factor) => {
                Some(inner.scaled(by / factor))
            }
            Form::Scaled { inner, factor: by } if factor.is_multiple_of(*by) => {
                inner.divided(factor / by)
            }
            Form::Even { extent, parts } if extent.is_multiple_of(factor * parts) => {
                Some(Bounds::even(extent / factor, *parts))
            }
            Form::Explicit { cuts } if cuts.iter().all(|cut| cut.is_multiple_of(factor)) => {
                let cuts = cuts.iter().map(|cut| cut / factor).collect();
                Some(Bounds(Arc::new(Form::Explicit { cuts })))
            }
            _ => None,
        }
    }

    /// The number of positions of the axis.
    pub fn extent(&self) -> usize {
        match &*self.0 {
            Form::Even { extent, .. } => *extent,
            Form::Explicit { cuts } => cuts[cuts.len() - 1],
            Form::Clipped { len, .. } => *len,
            Form::Scaled { inner, factor } => inner.extent().saturating_mul(*factor),
        }
    }

    /// Whether the blocks tile the axis. Methods that return blocks require it. Slices and reshapes
    /// of valid bounds are valid.
    pub fn is_valid(&self) -> bool {
        match &*self.0 {
            Form::Even { extent, parts } => *parts > 0 && *extent <= i64::MAX as usize,
            Form::Explicit { cuts } => cuts[cuts.len() - 1] <= i64::MAX as usize,
            Form::Clipped { inner, start, step, len } => {
                let steps = i128::from(*step) * (*len as i128 - 1);
                let is_inside = |at: i128| (0..inner.extent() as i128).contains(&at);
                let (first, last) = (i128::from(*start), i128::from(*start) + steps);
                let fits = *len == 0 || (is_inside(first) && is_inside(last));
                inner.is_valid() && *step != 0 && fits
            }
            Form::Scaled { inner, factor } => {
                inner.is_valid()
                    && inner.extent().checked_mul(*factor).is_some_and(|e| e <= i64::MAX as usize)
            }
        }
    }

    /// The number of blocks.
    pub fn parts(&self) -> usize {
        match &*self.0 {
            Form::Even { parts, .. } => *parts,
            Form::Explicit { cuts } => cuts.len() - 1,
            Form::Clipped { inner, .. } | Form::Scaled { inner, .. } => inner.parts(),
        }
    }

    /// The positions of block `part`; an empty block is an empty range inside the axis.
    pub fn block(&self, part: usize) -> Range<usize> {
        match &*self.0 {
            Form::Even { extent, parts } => {
                let (size, longer) = (extent / parts, extent % parts);
                let start = part * size + part.min(longer);
                start..start + size + usize::from(part < longer)
            }
            Form::Explicit { cuts } => cuts[part]..cuts[part + 1],
            Form::Clipped { inner, start, step, len } => {
                preimage(inner.block(part), *start, *step, *len)
            }
            Form::Scaled { inner, factor } => {
                let block = inner.block(part);
                block.start * factor..block.end * factor
            }
        }
    }

    /// The range of parts whose blocks meet `positions`; some parts in it may have empty blocks.
    pub fn parts_meeting(&self, positions: Range<usize>) -> Range<usize> {
        if positions.is_empty() || self.parts() == 0 {
            return 0..0;
        }
        match &*self.0 {
            Form::Even { extent, parts } => {
                let (size, longer) = (extent / parts, extent % parts);
                let part_of = |position: usize| {
                    let in_longer = longer * (size + 1);
                    if position < in_longer {
                        position / (size + 1)
                    } else {
                        longer + (position - in_longer) / size.max(1)
                    }
                };
                let last = (positions.end - 1).min(extent.saturating_sub(1));
                part_of(positions.start).min(parts - 1)..part_of(last).min(parts - 1) + 1
            }
            Form::Explicit { cuts } => {
                let first = cuts.partition_point(|&cut| cut <= positions.start).saturating_sub(1);
                let last = cuts.partition_point(|&cut| cut < positions.end);
                first..last.min(cuts.len() - 1)
            }
            Form::Clipped { inner, start, step, .. } => {
                let at = |position: usize| start + step * position as i64;
                let (a, b) = (at(positions.start), at(positions.end - 1));
                inner.parts_meeting(a.min(b).max(0) as usize..(a.max(b) + 1).max(0) as usize)
            }
            Form::Scaled { inner, factor } => {
                inner.parts_meeting(positions.start / factor..positions.end.div_ceil(*factor))
            }
        }
    }

    /// The size of the largest block (for a slice, an upper bound); closed forms do not visit all
    /// blocks.
    pub fn largest_block(&self) -> usize {
        match &*self.0 {
            Form::Even { extent, parts } => extent.div_ceil(*parts),
            Form::Explicit { cuts } => {
                cuts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
            }
            Form::Clipped { inner, step, len, .. } => {
                inner.largest_block().div_ceil(step.unsigned_abs().max(1) as usize).min(*len)
            }
            Form::Scaled { inner, factor } => inner.largest_block() * factor,
        }
    }

    /// Whether the blocks follow each other in ascending order.
    pub fn is_ascending(&self) -> bool {
        match &*self.0 {
            Form::Even { .. } | Form::Explicit { .. } => true,
            Form::Clipped { inner, step, .. } => (*step > 0) == inner.is_ascending(),
            Form::Scaled { inner, .. } => inner.is_ascending(),
        }
    }
}

/// The `k` in `0..len` for which `start + step * k` is in `block`.
fn preimage(block: Range<usize>, start: i64, step: i64, len: usize) -> Range<usize> {
    let (low, high) = (block.start as i64, block.end as i64);
    let (first, last) = if block.is_empty() {
        return 0..0;
    } else if step > 0 {
        ((low - start + step - 1).div_euclid(step), (high - start + step - 1).div_euclid(step))
    } else {
        let back = -step;
        ((start - high).div_euclid(back) + 1, (start - low).div_euclid(back) + 1)
    };
    let first = first.clamp(0, len as i64);
    first as usize..last.clamp(first, len as i64) as usize
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Form::Even { extent, parts } => write!(f, "{extent}/{parts}"),
            Form::Explicit { cuts } if cuts.len() <= 9 => {
                let sizes: Vec<String> =
                    cuts.windows(2).map(|pair| (pair[1] - pair[0]).to_string()).collect();
                write!(f, "{}", sizes.join("+"))
            }
            Form::Explicit { cuts } => write!(f, "{} explicit blocks", cuts.len() - 1),
            Form::Clipped { inner, start, step: 1, len } => {
                write!(f, "({inner})[{start}..{}]", i128::from(*start) + *len as i128)
            }
            Form::Clipped { inner, start, step, len } => {
                write!(f, "({inner})[{start};{step};{len}]")
            }
            Form::Scaled { inner, factor } => write!(f, "({inner})*{factor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bounds: &Bounds) {
        let mut seen = vec![None; bounds.extent()];
        for part in 0..bounds.parts() {
            let block = bounds.block(part);
            assert!(block.len() <= bounds.largest_block(), "{bounds} part {part}");
            for position in block {
                assert_eq!(seen[position].replace(part), None);
                assert!(
                    bounds.parts_meeting(position..position + 1).contains(&part),
                    "{bounds} {position} {part}"
                );
            }
        }
        assert!(seen.iter().all(Option::is_some), "{bounds}");
    }

    #[test]
    fn blocks_tile_the_axis() {
        for (extent, parts) in [(10, 3), (2, 5), (0, 4), (16, 4), (7, 1)] {
            let even = Bounds::even(extent, parts);
            check(&even);
            check(&even.scaled(3));
            for step in [-3, -2, -1, 1, 2, 3] {
                let (start, len) = crate::view::resolve_range(None, None, step, extent).unwrap();
                check(&even.clipped(start, step, len));
                if extent > 4 {
                    check(&even.clipped(1, 1, extent - 2).clipped(0, 1, extent - 3).scaled(2));
                }
            }
        }
        check(&Bounds::explicit(&[0, 3, 0, 5, 1]));
        check(&Bounds::explicit(&[0, 3, 0, 5, 1]).clipped(8, -2, 5));
    }

    #[test]
    fn bounds_that_do_not_tile_are_reported() {
        let even = Bounds::even(9, 2);
        assert!(even.is_valid() && even.clipped(8, -2, 5).scaled(3).is_valid());
        assert!(even.clipped(0, 1, 0).is_valid());
        for wrong in [
            Bounds::even(3, 0),
            even.clipped(0, 0, 3),
            even.clipped(100, 1, 3),
            even.clipped(0, -1, 2),
            even.clipped(1, i64::MAX, 2).clipped(i64::MAX, i64::MAX, 2),
            even.scaled(usize::MAX),
            Bounds::explicit(&[usize::MAX, 1]),
        ] {
            assert!(!wrong.is_valid(), "{wrong}");
        }
    }

    #[test]
    fn forms_compose() {
        let even = Bounds::even(10, 3);
        assert_eq!(even.clipped(1, 1, 8).clipped(-1, 1, 10), even.clipped(0, 1, 10));
        assert_eq!(even.scaled(6).divided(2), Some(even.scaled(3)));
        assert_eq!(even.divided(2), None);
    }
}
