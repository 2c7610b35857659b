//! The order in which contributions are combined. It depends only on byte counts and the number of
//! members, and is the same on every plane, so results have the same bits on all planes.

use crate::chunks::RING_BYTES;
use crate::combine::{reduce_into, reduce_onto};
use crate::{CollectiveError, chunks};
use phalanx_ops::{DType, Monoid};
use std::ops::Range;

/// The items to combine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    pub(crate) dtype: DType,
    pub(crate) monoid: Monoid,
}

/// The order of combination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Members beyond a power of two are paired at the front; then a balanced tree in rank order.
    Tree,
    /// Part `i` is combined along the ring from member `i + 1` to member `i`.
    Ring,
}

/// The shape of a tree: the number of pairs at its front, and the number of its leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    pub(crate) pairs: usize,
    pub(crate) leaves: usize,
}

impl Items {
    pub(crate) fn size(self) -> usize {
        self.monoid.item_size(self.dtype)
    }

    /// `accumulator = accumulator ∘ incoming`
    pub(crate) fn into(self, accumulator: &mut [u8], incoming: &[u8]) {
        reduce_into(self.dtype, self.monoid, accumulator, incoming)
            .expect("bug: items were checked");
    }

    /// `accumulator = incoming ∘ accumulator`
    pub(crate) fn onto(self, accumulator: &mut [u8], incoming: &[u8]) {
        reduce_onto(self.dtype, self.monoid, accumulator, incoming)
            .expect("bug: items were checked");
    }

    /// Checks that a byte count is one of whole items, which the monoid combines.
    pub(crate) fn check(self, operation: &str, bytes: usize) -> Result<(), CollectiveError> {
        crate::combine::check_items(operation, self.dtype, self.monoid, bytes)
    }
}

impl Order {
    /// The order for contributions of this many bytes each.
    pub(crate) fn of(bytes: usize) -> Order {
        if bytes < RING_BYTES { Order::Tree } else { Order::Ring }
    }
}

impl Tree {
    pub(crate) fn of(members: usize) -> Tree {
        let leaves = 1 << members.ilog2();
        Tree { pairs: members - leaves, leaves }
    }

    /// The member at a leaf, and the second member if the leaf is a pair.
    pub(crate) fn members(self, leaf: usize) -> (usize, Option<usize>) {
        if leaf < self.pairs { (2 * leaf, Some(2 * leaf + 1)) } else { (leaf + self.pairs, None) }
    }
}

/// Bytes combined at a time: small enough to keep accumulators in the first-level cache.
const BLOCK_BYTES: usize = 16 << 10;

/// Combines the contributions of all members to the bytes `range` of part `part`, one cache block
/// at a time.
///
/// `read` returns a member's bytes of a cache block; `write` receives the combined bytes.
pub(crate) fn evaluate<'a>(
    items: Items,
    order: Order,
    members: usize,
    part: usize,
    range: Range<usize>,
    read: impl Fn(usize, Range<usize>) -> &'a [u8],
    mut write: impl FnMut(Range<usize>, &[u8]),
) {
    let (mut result, mut scratch) = (Vec::new(), Vec::new());
    for block in blocks(items, range) {
        result.resize(block.len(), 0);
        let contribution = |member| read(member, block.clone());
        combine(items, order, (members, part), &contribution, &mut result, &mut scratch);
        write(block.clone(), &result);
    }
}

/// As `evaluate` for all bytes of a part, into memory that holds no contribution.
pub(crate) fn evaluate_into<'a>(
    items: Items,
    order: Order,
    members: usize,
    part: usize,
    read: impl Fn(usize, Range<usize>) -> &'a [u8],
    result: &mut [u8],
) {
    let mut scratch = Vec::new();
    for block in blocks(items, 0..result.len()) {
        let contribution = |member| read(member, block.clone());
        let place = &mut result[block.clone()];
        combine(items, order, (members, part), &contribution, place, &mut scratch);
    }
}

/// Cuts a range into cache blocks of whole items.
fn blocks(items: Items, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let len = BLOCK_BYTES / items.size() * items.size();
    let (start, end) = (range.start, range.end);
    (start..end).step_by(len).map(move |start| start..end.min(start.saturating_add(len)))
}

/// Combines the contributions to one cache block into `result`.
fn combine<'a>(
    items: Items,
    order: Order,
    (members, part): (usize, usize),
    contribution: &impl Fn(usize) -> &'a [u8],
    result: &mut [u8],
    scratch: &mut Vec<Vec<u8>>,
) {
    match order {
        Order::Ring => {
            result.copy_from_slice(contribution((part + 1) % members));
            for step in 2..=members {
                items.into(result, contribution((part + step) % members));
            }
        }
        Order::Tree => {
            let tree = Tree::of(members);
            scratch.resize_with(members.ilog2() as usize, Vec::new);
            up_tree(items, tree, 0..tree.leaves, contribution, result, scratch);
        }
    }
}

/// Combines the leaves into `result`; `scratch` has a buffer for each level below.
fn up_tree<'a>(
    items: Items,
    tree: Tree,
    leaves: Range<usize>,
    contribution: &impl Fn(usize) -> &'a [u8],
    result: &mut [u8],
    scratch: &mut [Vec<u8>],
) {
    if leaves.len() == 1 {
        let (member, second) = tree.members(leaves.start);
        result.copy_from_slice(contribution(member));
        if let Some(second) = second {
            items.into(result, contribution(second));
        }
        return;
    }
    let middle = leaves.start + leaves.len() / 2;
    up_tree(items, tree, leaves.start..middle, contribution, result, scratch);
    let [higher, below @ ..] = scratch else { unreachable!("bug: a tree deeper than its scratch") };
    if middle + 1 == leaves.end && tree.members(middle).1.is_none() {
        items.into(result, contribution(tree.members(middle).0));
        return;
    }
    higher.resize(result.len(), 0);
    up_tree(items, tree, middle..leaves.end, contribution, higher, below);
    items.into(result, higher);
}

/// The part of an all-reduce that one member combines.
pub(crate) fn own_part(items: Items, total: usize, members: usize, member: usize) -> Range<usize> {
    chunks::part(total, items.size(), members, member)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_pairs_the_front_and_keeps_rank_order() {
        let tree = Tree::of(6);
        let members: Vec<_> = (0..tree.leaves).map(|leaf| tree.members(leaf)).collect();
        assert_eq!(members, [(0, Some(1)), (2, Some(3)), (4, None), (5, None)]);
        for count in 1..40 {
            let tree = Tree::of(count);
            let all: Vec<usize> = (0..tree.leaves)
                .flat_map(|leaf| [Some(tree.members(leaf).0), tree.members(leaf).1])
                .flatten()
                .collect();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn orders_have_the_bits_that_they_promise() {
        let values: Vec<[u8; 8]> = [1e16, 1.0, -1e16, 1.0, 3.0].map(f64::to_ne_bytes).to_vec();
        let items = Items { dtype: DType::F64, monoid: Monoid::Add };
        let result = |order, part| {
            let mut result = 0.0;
            let write = |_, bytes: &[u8]| result = f64::from_ne_bytes(bytes.try_into().unwrap());
            evaluate(items, order, 5, part, 0..8, |member, _| &values[member], write);
            result
        };
        assert_eq!(result(Order::Tree, 0), ((1e16 + 1.0) + -1e16) + (1.0 + 3.0));
        assert_eq!(result(Order::Ring, 1), -1e16 + 1.0 + 3.0 + 1e16 + 1.0);
        assert_eq!(result(Order::Ring, 4), 1e16 + 1.0 + -1e16 + 1.0 + 3.0);
    }
}
