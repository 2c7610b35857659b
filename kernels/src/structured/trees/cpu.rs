//! The nearest points of a tree on the host: parts of the tree from the nearest one on, while they
//! are nearer than what has been found (Friedman, Bentley and Finkel, An Algorithm for Finding Best
//! Matches in Logarithmic Expected Time, ACM TOMS 3, 1977).

use crate::cpu::instructions::for_each_level;
use crate::structured::lines::Places;
use crate::structured::{Block, tasks};
use phalanx_ops::structured::TreeSearch;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The points that a thread searches for at a time.
const AT_ONCE: usize = 256;
/// The points to find that are kept in order; more are kept in a heap.
const FEW: usize = 32;
/// Boxes may be farther by this factor, where their distances are rounded otherwise than those of
/// their points.
const SLACK: f64 = 1.0 + 1e-12;

/// Computes the block `to` of the result.
pub fn run(
    op: &TreeSearch,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    let ([points, boxes, leaves, extents], members) = unsafe {
        let numbers = [0, 1, 2, 4].map(|operand| operands[operand].elements::<f64>());
        (numbers, operands[3].elements::<i64>())
    };
    let [_, dimensions, width] = operands[2].shape else { unreachable!("bug: leaves of a tree") };
    let tree = Tree {
        boxes,
        leaves,
        members,
        dimensions: *dimensions,
        width: *width,
        inner: operands[2].shape[0] - 1,
        absent: op.absent as i64,
        limit: f64::from_bits(op.limit),
        count: op.count as usize,
    };
    let found = Places::<i64>::of(to);
    let exponent = f64::from_bits(op.norm);
    let is_euclidean = exponent == 2.0 && extents.iter().all(|&extent| extent == 0.0);
    let not_periodic = vec![0.0; tree.dimensions];
    let extents = if extents.is_empty() { &not_periodic } else { extents };
    let any = AnyNorm { exponent, extents };
    let total = to.shape[0];
    tasks::each(pool, total.div_ceil(AT_ONCE), 1, &|piece| {
        let rows = piece * AT_ONCE..total.min((piece + 1) * AT_ONCE);
        match (is_euclidean, tree.dimensions) {
            (true, 2) => search_all::<Euclidean, 2>(&tree, &Euclidean, points, rows, found),
            (true, 3) => search_all::<Euclidean, 3>(&tree, &Euclidean, points, rows, found),
            (true, _) => search_all::<Euclidean, 0>(&tree, &Euclidean, points, rows, found),
            _ => search_all::<AnyNorm<'_>, 0>(&tree, &any, points, rows, found),
        }
    });
}

/// A binary tree of points, as `TreeSearch` describes it.
struct Tree<'a> {
    boxes: &'a [f64],
    leaves: &'a [f64],
    members: &'a [i64],
    dimensions: usize,
    /// The points of a leaf.
    width: usize,
    /// The nodes that are no leaves.
    inner: usize,
    absent: i64,
    limit: f64,
    count: usize,
}

/// Powers of distances: sums without the final root.
trait Norm: Sync {
    /// Whether rounding keeps the distance of a box at most that of its points.
    const IS_MONOTONIC: bool;

    /// A distance with one more coordinate.
    fn accumulated(&self, sum: f64, gap: f64) -> f64;

    /// The difference of two coordinates.
    fn point_gap(&self, axis: usize, x: f64, y: f64) -> f64;

    /// The difference of a coordinate and the nearest one of a box.
    fn box_gap(&self, axis: usize, x: f64, low: f64, high: f64) -> f64;
}

struct Euclidean;

impl Norm for Euclidean {
    const IS_MONOTONIC: bool = true;

    #[inline(always)]
    fn accumulated(&self, sum: f64, gap: f64) -> f64 {
        sum + gap * gap
    }

    #[inline(always)]
    fn point_gap(&self, _axis: usize, x: f64, y: f64) -> f64 {
        x - y
    }

    #[inline(always)]
    fn box_gap(&self, _axis: usize, x: f64, low: f64, high: f64) -> f64 {
        greater(greater(low - x, x - high), 0.0)
    }
}

/// Any norm, in a space that may be periodic.
struct AnyNorm<'a> {
    exponent: f64,
    extents: &'a [f64],
}

impl Norm for AnyNorm<'_> {
    const IS_MONOTONIC: bool = false;

    #[inline(always)]
    fn accumulated(&self, sum: f64, gap: f64) -> f64 {
        match self.exponent {
            1.0 => sum + gap,
            2.0 => sum + gap * gap,
            f64::INFINITY => greater(sum, gap),
            exponent => sum + gap.powf(exponent),
        }
    }

    #[inline(always)]
    fn point_gap(&self, axis: usize, x: f64, y: f64) -> f64 {
        let (gap, extent) = ((x - y).abs(), self.extents[axis]);
        if extent > 0.0 { gap.min((extent - gap).abs()) } else { gap }
    }

    #[inline(always)]
    fn box_gap(&self, axis: usize, x: f64, low: f64, high: f64) -> f64 {
        let (gap, extent) = ((low - x).max(x - high).max(0.0), self.extents[axis]);
        if extent > 0.0 {
            let around = (low - x + extent).max(0.0).min((x + extent - high).max(0.0));
            gap.min(around)
        } else {
            gap
        }
    }
}

/// The greater one of two numbers, by one instruction. NaN is not treated specially.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The nearest points so far, and the nodes still to visit.
struct Found {
    /// The nearest points in order, if few are wanted, else a heap of them.
    few: Vec<Neighbour>,
    many: BinaryHeap<Neighbour>,
    /// Nodes to visit, and how far they are.
    waiting: Vec<(f64, usize)>,
    of_leaf: Vec<f64>,
    /// Nothing farther is wanted.
    reach: f64,
}

/// A point at a distance that is not NaN. Equally far points are in the order of their numbers.
#[derive(Clone, Copy)]
struct Neighbour {
    distance: f64,
    number: i64,
}

impl Ord for Neighbour {
    #[inline(always)]
    fn cmp(&self, other: &Neighbour) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Neighbour {
    #[inline(always)]
    fn partial_cmp(&self, other: &Neighbour) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Neighbour {
    fn eq(&self, other: &Neighbour) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Neighbour {}

impl Found {
    fn new(tree: &Tree<'_>) -> Found {
        Found {
            few: Vec::with_capacity(tree.count.min(FEW)),
            many: BinaryHeap::new(),
            waiting: Vec::new(),
            of_leaf: vec![0.0; tree.width],
            reach: tree.limit,
        }
    }

    #[inline(always)]
    fn insert(&mut self, tree: &Tree<'_>, new: Neighbour) {
        if tree.count > FEW {
            return self.insert_into_heap(tree, new);
        }
        let mut place = self.few.len();
        if place < tree.count && new.distance >= tree.limit {
            return;
        }
        while place > 0 && new < self.few[place - 1] {
            place -= 1;
        }
        if place == tree.count {
            return;
        }
        self.few.truncate(tree.count - 1);
        self.few.insert(place, new);
        if self.few.len() == tree.count {
            self.reach = self.few[tree.count - 1].distance;
        }
    }

    fn insert_into_heap(&mut self, tree: &Tree<'_>, new: Neighbour) {
        if self.many.len() < tree.count {
            if new.distance >= tree.limit {
                return;
            }
            self.many.push(new);
        } else if let Some(mut farthest) = self.many.peek_mut()
            && new < *farthest
        {
            *farthest = new;
        }
        if self.many.len() == tree.count {
            self.reach = self.many.peek().map_or(tree.limit, |farthest| farthest.distance);
        }
    }

    /// Hands over the numbers in order, and starts anew.
    fn take(&mut self, tree: &Tree<'_>, mut put: impl FnMut(usize, i64)) {
        let many = std::mem::take(&mut self.many).into_sorted_vec();
        let found = if tree.count > FEW { &many } else { &self.few };
        for place in 0..tree.count {
            put(place, found.get(place).map_or(tree.absent, |it| it.number));
        }
        self.few.clear();
        self.reach = tree.limit;
    }
}

for_each_level! {
    /// Finds the nearest points for some rows of points with M coordinates, or if M is 0, with any
    /// number.
    fn search_all[D: Norm, const M: usize][D, M](
        tree: &Tree<'_>,
        norm: &D,
        points: &[f64],
        rows: Range<usize>,
        to: Places<i64>,
    ) {
        let dimensions = if M == 0 { tree.dimensions } else { M };
        let mut found = Found::new(tree);
        for row in rows {
            let x = &points[row * dimensions..(row + 1) * dimensions];
            search::<D, M>(tree, norm, x, &mut found);
            found.take(tree, |place, number| {
                // SAFETY: the row is in the block and of this thread alone (conditions 1 and 2 of
                // `Places`).
                unsafe { to.at(row * tree.count + place).write(number) };
            });
        }
    }
}

#[inline(always)]
fn search<D: Norm, const M: usize>(tree: &Tree<'_>, norm: &D, x: &[f64], found: &mut Found) {
    let dimensions = if M == 0 { tree.dimensions } else { M };
    let x = &x[..dimensions];
    let box_distance = |node: usize| {
        let bounds = &tree.boxes[2 * dimensions * node..2 * dimensions * (node + 1)];
        let mut sum = 0.0;
        for axis in 0..dimensions {
            let gap = norm.box_gap(axis, x[axis], bounds[axis], bounds[dimensions + axis]);
            sum = norm.accumulated(sum, gap);
        }
        sum
    };
    let slack = if D::IS_MONOTONIC { 1.0 } else { SLACK };
    found.waiting.push((box_distance(0), 0));
    while let Some((mut distance, mut node)) = found.waiting.pop() {
        while distance <= found.reach * slack {
            if node >= tree.inner {
                visit::<D, M>(tree, norm, x, node - tree.inner, found);
                break;
            }
            let (left, right) = (2 * node + 1, 2 * node + 2);
            let (of_left, of_right) = (box_distance(left), box_distance(right));
            let is_left = of_left <= of_right;
            let far = if is_left { (of_right, right) } else { (of_left, left) };
            (distance, node) = if is_left { (of_left, left) } else { (of_right, right) };
            if far.0 <= found.reach * slack {
                found.waiting.push(far);
            }
        }
    }
}

/// Compares the points of a leaf.
#[inline(always)]
fn visit<D: Norm, const M: usize>(
    tree: &Tree<'_>,
    norm: &D,
    x: &[f64],
    leaf: usize,
    found: &mut Found,
) {
    let (width, dimensions) = (tree.width, if M == 0 { tree.dimensions } else { M });
    let points = &tree.leaves[leaf * dimensions * width..(leaf + 1) * dimensions * width];
    let mut of_leaf = std::mem::take(&mut found.of_leaf);
    of_leaf.fill(0.0);
    for axis in 0..dimensions {
        let row = &points[axis * width..(axis + 1) * width];
        for (sum, &y) in of_leaf.iter_mut().zip(row) {
            *sum = norm.accumulated(*sum, norm.point_gap(axis, x[axis], y));
        }
    }
    for (place, &distance) in of_leaf.iter().enumerate() {
        if distance <= found.reach {
            let number = tree.members[leaf * width + place];
            if number < tree.absent {
                found.insert(tree, Neighbour { distance, number });
            }
        }
    }
    found.of_leaf = of_leaf;
}
