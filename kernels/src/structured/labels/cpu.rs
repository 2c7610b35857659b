//! Connected elements on the host, by trees of elements whose root is the first element of a part
//! (Galler and Fischer 1964).
//!
//! Threads connect the elements of bands of rows; then the bands are connected with each other.

use crate::structured::Block;
use crate::structured::lines::{Places, each};
use phalanx_ops::structured::Components;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};

/// The elements of a band, at least.
const BAND: usize = 1 << 16;

/// Computes the block `to` of the result from the blocks (mask, structure).
pub fn run(
    op: &Components,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    // SAFETY: nothing writes the operands meanwhile, and nothing else touches the result
    // (condition 2 of `Buffer`).
    let (mask, structure, parents) = unsafe {
        let (mask, structure) = (operands[0].elements::<u8>(), operands[1].elements::<u8>());
        (mask, structure, to.elements_mut::<i64>())
    };
    let mut steps = earlier_neighbours(to.shape, structure);
    let shape = if to.shape.is_empty() { &[1][..] } else { to.shape };
    let row: usize = shape[1..].iter().product();
    let columns = shape[shape.len() - 1];
    // Elements that follow each other in a row are connected at once.
    let joins_left = !to.shape.is_empty() && structure[structure.len() / 2 - 1] != 0;
    steps.retain(|step| !(joins_left && step.back == 1 && step.along[shape.len() - 1] == -1));
    // A band has whole lines of the last axis.
    let band_rows = if shape.len() == 1 { shape[0] } else { BAND.div_ceil(row.max(1)) };
    let bands: Vec<(usize, &mut [i64])> = {
        let starts = (0..shape[0]).step_by(band_rows).map(|first| first * row);
        starts.zip(parents.chunks_mut(band_rows * row)).collect()
    };
    let in_band = |(start, parents): (usize, &mut [i64])| {
        let own = start..start + parents.len();
        let trees = Trees { parents: Places::new(parents), start, joins_left };
        trees.plant(mask, own.clone(), columns);
        trees.connect(mask, shape, &steps, own.clone(), own);
    };
    match pool {
        Some(pool) if bands.len() > 1 => {
            pool.install(|| bands.into_par_iter().for_each(in_band));
        }
        _ => bands.into_iter().for_each(in_band),
    }
    let trees = Trees { parents: Places::new(parents), start: 0, joins_left };
    for first in (0..shape[0]).step_by(band_rows).skip(1) {
        let start = first * row;
        trees.connect(mask, shape, &steps, start..start + row, 0..start);
    }
    let is_whole = op.extents.iter().zip(to.shape).all(|(&whole, &own)| whole == own as u64);
    let whole = &op.extents[..to.shape.len()];
    each(pool, parents.len(), BAND, |part| {
        for at in part {
            let parent = trees.shared_parent(at);
            let mut root = parent.load(Ordering::Relaxed);
            if root < 0 {
                continue;
            }
            loop {
                let next = trees.shared_parent(root as usize).load(Ordering::Relaxed);
                if next == root {
                    break;
                }
                root = next;
            }
            parent.store(root, Ordering::Relaxed);
        }
    });
    if is_whole {
        return;
    }
    each(pool, parents.len(), BAND, |part| {
        for at in part {
            // SAFETY: the place is in the block and of this thread alone (conditions 1 and 2 of
            // `Places`).
            unsafe {
                let place = trees.parents.at(at);
                if *place >= 0 {
                    *place = in_whole(*place as usize, to, whole);
                }
            }
        }
    });
}

/// The position in the whole mask of a position in a block.
fn in_whole(mut at: usize, block: &Block<'_>, whole: &[u64]) -> i64 {
    let (mut place, mut stride) = (0, 1);
    for axis in (0..whole.len()).rev() {
        place += (at % block.shape[axis] + block.origin[axis]) as i64 * stride;
        at /= block.shape[axis];
        stride *= whole[axis] as i64;
    }
    place
}

/// A neighbour that comes earlier in C order: the step along each axis, and how far it is.
struct Step {
    along: Vec<i64>,
    back: usize,
}

fn earlier_neighbours(shape: &[usize], structure: &[u8]) -> Vec<Step> {
    let centre = structure.len() / 2;
    let steps = structure.iter().enumerate().take(centre).filter(|(_, holds)| **holds != 0);
    steps
        .map(|(mut at, _)| {
            let (mut along, mut back, mut stride) = (vec![0; shape.len()], 0, 1i64);
            for axis in (0..shape.len()).rev() {
                along[axis] = (at % 3) as i64 - 1;
                back -= along[axis] * stride;
                at /= 3;
                stride *= shape[axis] as i64;
            }
            Step { along, back: back as usize }
        })
        .collect()
}

/// Trees of the elements of a band.
struct Trees {
    /// For each element, its parent, as a position in the block; a root is its own.
    parents: Places<i64>,
    /// The position of the band in the block.
    start: usize,
    /// Whether neighbours in a row are connected.
    joins_left: bool,
}

impl Trees {
    fn parent(&self, at: usize) -> *mut i64 {
        self.parents.at(at - self.start)
    }

    /// The parent of an element while several threads look for roots: another one may read it while
    /// it becomes the root of the same part.
    fn shared_parent(&self, at: usize) -> &AtomicI64 {
        // SAFETY: the place is in the block (condition 1 of `Places`), and all threads touch it as
        // an atomic meanwhile.
        unsafe { AtomicI64::from_ptr(self.parent(at)) }
    }

    /// Makes each true element a root, or if neighbours in a row are connected, the first one of
    /// each stretch the parent of the others.
    fn plant(&self, mask: &[u8], own: Range<usize>, columns: usize) {
        for first in own.step_by(columns.max(1)) {
            let mut root = -1;
            for (at, &holds) in (first..).zip(&mask[first..first + columns]) {
                root = match holds {
                    0 => -1,
                    _ if self.joins_left && root >= 0 => root,
                    _ => at as i64,
                };
                // SAFETY: the element is of this thread alone (conditions 1 and 2 of `Places`).
                unsafe { *self.parent(at) = root };
            }
        }
    }

    fn root(&self, mut at: usize) -> usize {
        // SAFETY: parents are in the band or before it, which is of this thread alone (conditions 1
        // and 2 of `Places`).
        unsafe {
            loop {
                let parent = *self.parent(at) as usize;
                if parent == at {
                    return at;
                }
                // Halves the path for the next search.
                let above = *self.parent(parent);
                *self.parent(at) = above;
                at = above as usize;
            }
        }
    }

    /// Connects the elements at `own` with their earlier neighbours at `others`, both whole rows.
    /// If neighbours in a row are connected already, one of the pairs along two rows is enough in
    /// each stretch.
    fn connect(
        &self,
        mask: &[u8],
        shape: &[usize],
        steps: &[Step],
        own: Range<usize>,
        others: Range<usize>,
    ) {
        let last = shape.len() - 1;
        let columns = shape[last];
        let mut index = vec![0usize; shape.len()];
        for first in own.clone().step_by(columns.max(1)) {
            let mut rest = first / columns;
            for axis in (0..last).rev() {
                index[axis] = rest % shape[axis];
                rest /= shape[axis];
            }
            for step in steps {
                let is_inside = (0..last).all(|axis| {
                    let at = index[axis] as i64 + step.along[axis];
                    (0..shape[axis] as i64).contains(&at)
                });
                let along = step.along[last];
                let from = usize::from(along < 0);
                let to = columns - usize::from(along > 0);
                if !is_inside || from >= to || !others.contains(&(first + from - step.back)) {
                    continue;
                }
                let pairs = mask[first + from..first + to].iter();
                let pairs = pairs.zip(&mask[first + from - step.back..]);
                let mut before = false;
                for (at, (one, other)) in (first + from..).zip(pairs) {
                    let both = *one != 0 && *other != 0;
                    let is_known = before && self.joins_left;
                    before = both;
                    if !both || is_known {
                        continue;
                    }
                    let (a, b) = (self.root(at), self.root(at - step.back));
                    if a != b {
                        let (low, high) = (a.min(b), a.max(b));
                        // SAFETY: as in `root`.
                        unsafe { *self.parent(high) = low as i64 };
                    }
                }
            }
        }
    }
}
