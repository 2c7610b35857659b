//! The bytes of a base that the elements of a view occupy, and the overlap of two views.

use phalanx_graph::{Lens, View};
use std::cmp::Reverse;

/// The bytes of its base that the elements of a view occupy.
pub(super) struct Places {
    /// The first byte.
    start: i128,
    /// For each axis that moves: the distance of neighbours in bytes, and the number of steps.
    steps: Vec<(i128, i128)>,
    /// The size of an element in bytes.
    item: i128,
}

impl Places {
    /// The places of a view that has elements, of a base of shape `base` with elements of `item`
    /// bytes.
    pub(super) fn of(view: &View, base: &[usize], item: usize) -> Places {
        let mut start = first_byte(view, base, item) as i128;
        let mut steps = Vec::new();
        for (&extent, &stride) in view.shape.iter().zip(&view.strides) {
            if extent < 2 || stride == 0 {
                continue;
            }
            let (stride, count) = (i128::from(stride), extent as i128 - 1);
            start += (stride * count).min(0);
            steps.push((stride.abs(), count));
        }
        Places { start, steps, item: view.dtype.size() as i128 }
    }

    /// Whether the ranges from the first to the last byte overlap.
    pub(super) fn are_near(&self, other: &Places) -> bool {
        self.start < other.start + other.length() && other.start < self.start + self.length()
    }

    /// The number of bytes from the first to the end of the last element.
    fn length(&self) -> i128 {
        self.item + self.steps.iter().map(|(step, count)| step * count).sum::<i128>()
    }

    /// Whether a byte is in both. `start + Σ step·i` must be equal for both: the equation
    /// `Σ step·i + Σ step·(count - j) = distance` has only non-negative terms.
    pub(super) fn meets(&self, other: &Places) -> bool {
        let mut target = other.start - self.start;
        target += other.length() - 1;
        let mut terms: Vec<(i128, i128)> = Vec::new();
        let bytes = [(1, self.item - 1), (1, other.item - 1)];
        for &(step, count) in self.steps.iter().chain(&other.steps).chain(&bytes) {
            match terms.iter_mut().find(|(known, _)| *known == step) {
                Some((_, counts)) => *counts += count,
                None => terms.push((step, count)),
            }
        }
        terms.sort_by_key(|&(step, _)| Reverse(step));
        has_solution(&terms, target)
    }
}

/// Whether `Σ step·i = target` for some `i` from 0 to the count of each step. The steps descend.
fn has_solution(terms: &[(i128, i128)], target: i128) -> bool {
    let Some((&(step, count), rest)) = terms.split_first() else { return target == 0 };
    let reach: i128 = rest.iter().map(|(step, count)| step * count).sum();
    let divisor = rest.iter().fold(step, |divisor, &(step, _)| gcd(divisor, step));
    if target < 0 || target > reach + step * count || target % divisor != 0 {
        return false;
    }
    let least = ((target - reach).max(0) + step - 1) / step;
    (least..=count.min(target / step)).any(|taken| has_solution(rest, target - step * taken))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The byte of the base at which the first element of a view starts.
pub(super) fn first_byte(view: &View, base: &[usize], item: usize) -> usize {
    // The size of the elements that each stage reads, before its lens.
    let mut sizes = vec![item];
    for stage in &view.stages {
        let size = stage.form.as_ref().map_or(sizes[sizes.len() - 1], |form| form.dtype.size());
        sizes.push(if stage.lens.is_some() { size / 2 } else { size });
    }
    let mut index = vec![0; view.shape.len()];
    // The offset in bytes within the element.
    let mut byte = 0;
    for (place, stage) in view.stages.iter().enumerate().rev() {
        if stage.lens == Some(Lens::Imaginary) {
            byte += sizes[place + 1];
        }
        index = stage.map.apply(&index).into_iter().map(|at| at as usize).collect();
        let before = match place {
            0 => base,
            _ => view.stages[place - 1].map.shape.as_slice(),
        };
        if let Some(form) = &stage.form {
            let at = linear(&index, &form.shape) * form.dtype.size() + byte;
            byte = at % sizes[place];
            index = unravelled(at / sizes[place], before);
        }
    }
    linear(&index, base) * item + byte
}

/// The number of an index in C order.
fn linear(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |place, (at, extent)| place * extent + at)
}

/// The index with a number in C order.
pub(super) fn unravelled(mut place: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, &extent) in index.iter_mut().zip(shape).rev() {
        *at = place % extent;
        place /= extent;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_steps() {
        // Every second of four elements of 8 bytes, against those between them, and against
        // themselves.
        assert!(!has_solution(&[(16, 2), (1, 14)], 8 + 24 - 1));
        assert!(has_solution(&[(16, 2), (1, 14)], 24 - 1));
        assert!(!has_solution(&[(16, 3)], 8));
        assert!(has_solution(&[(9, 4), (6, 3), (4, 2)], 19));
        assert!(!has_solution(&[(9, 4), (6, 3)], 7));
        assert!(has_solution(&[], 0));
    }
}
