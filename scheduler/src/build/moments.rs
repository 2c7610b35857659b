//! Sums of squares about the mean: the first of two loops computes the mean.
//!
//! It is the mean of the points that the device visits, so the loops need no data of other devices:
//! the combination uses each device's count and mean.

use super::builder::{Builder, ScalarKey};
use crate::fuse::Member;
use phalanx_graph::{NodeId, NodeOp};
use phalanx_kernels::ir::{Expr, Fold, Value, ValueId};
use phalanx_ops::{DType, Monoid, Op};
use smallvec::SmallVec;
use std::collections::BTreeSet;

impl Builder<'_> {
    /// Emits the loops of a member of `moments`, shared with later such members if possible.
    pub(super) fn moments(&mut self, member: &Member) {
        if self.parts_of.contains_key(&member.node) {
            return;
        }
        self.prepare(member);
        let mut together: SmallVec<[(&Member, ValueId); 2]> = SmallVec::new();
        if let Some(sum) = self.known_sum(member) {
            together.push((member, sum));
        } else {
            together.push((member, self.sum(member)));
            let group = self.group;
            let later = group.members.iter().skip_while(|other| other.node != member.node);
            for other in later.skip(1) {
                if other.depth == member.depth && self.may_be_summed_early(other) {
                    together.push((other, self.sum(other)));
                }
            }
            self.close_to(member.depth);
            let sums = together.iter().map(|&(member, sum)| (member.node, sum));
            self.scopes[member.depth].sums.extend(sums);
        }
        let points = self.points(member.depth + 1);
        let mut counts: SmallVec<[(DType, ValueId); 2]> = SmallVec::new();
        for &(member, sum) in &together {
            let dtype = self.kernel[sum].dtype;
            let known = counts.iter().find(|count| count.0 == dtype).map(|count| count.1);
            let count = known.unwrap_or_else(|| self.pure(Expr::Cast(points), &[points], dtype));
            counts.push((dtype, count));
            let mean = self.operation(Op::Divide, vec![sum, count], dtype);
            self.parts_of.insert(member.node, SmallVec::from_slice(&[count, mean]));
        }
        for &(member, sum) in &together {
            let (dtype, mean) = (self.kernel[sum].dtype, self.parts_of[&member.node][1]);
            let value = self.summand(member);
            let difference = self.operation(Op::Subtract, vec![value, mean], dtype);
            if self.context.placements[member.node.index()].partial().is_some() {
                // The rounding error of the mean, as the sum of the differences.
                let rest = self.add(member, difference, dtype);
                self.parts_of.entry(member.node).or_default().push(rest);
            }
            let square = self.operation(Op::Multiply, vec![difference, difference], dtype);
            let squares = self.add(member, square, dtype);
            self.scopes[member.depth + 1].pending.push((member.node, squares, None));
        }
    }

    /// Adds a sum of a value over the points of a member's open loop.
    fn add(&mut self, member: &Member, value: ValueId, dtype: DType) -> ValueId {
        let result = self.define(Value { dtype, expr: Expr::Folded }, member.depth);
        let parts = Vec::new();
        let fold = Fold { monoid: Monoid::Add, value, index: None, result, parts };
        self.scopes[member.depth + 1].folds.push(fold);
        result
    }

    /// Adds a sum of the elements that a member combines.
    fn sum(&mut self, member: &Member) -> ValueId {
        let value = self.summand(member);
        self.add(member, value, self.kernel[value].dtype)
    }

    /// The element that a member combines, in a loop over its points.
    fn summand(&mut self, member: &Member) -> ValueId {
        self.open(member.depth + 1);
        let space = self.space_map(member);
        self.input_value(member.node, 0, space)
    }

    /// Whether a member is a needed `moments` that depends on no other reduction of the group.
    fn may_be_summed_early(&self, member: &Member) -> bool {
        let op = |node: NodeId| &self.context.graph[node].op;
        if !matches!(op(member.node), NodeOp::Reduce { monoid: Monoid::Moments, .. })
            || !self.needed.contains(&member.node)
            || self.known_sum(member).is_some()
            || self.sums_shared(member).is_some()
        {
            return false;
        }
        let mut used = BTreeSet::new();
        self.members_used(member, &mut used);
        for other in self.group.members.iter().rev() {
            if used.contains(&other.node) {
                self.members_used(other, &mut used);
            }
        }
        used.iter().all(|&node| matches!(op(node), NodeOp::Elementwise(_) | NodeOp::Cast))
    }

    /// The number of points of the loop at a level.
    fn points(&mut self, level: usize) -> ValueId {
        self.scalar_value(ScalarKey::Points(level), DType::I64)
    }

    /// The sum of a member's elements over the same points, if it is already computed.
    pub(super) fn known_sum(&self, member: &Member) -> Option<ValueId> {
        let scope = self.scopes.get(member.depth)?;
        let sums = scope.sums.iter();
        let mut alike = sums.filter(|sum| self.combines_alike(member, self.group.member(sum.0)));
        alike.next().map(|sum| sum.1)
    }

    /// An earlier needed sum over the same elements as a member of `moments`, which gives its mean.
    pub(super) fn sums_shared(&self, member: &Member) -> Option<NodeId> {
        let NodeOp::Reduce { monoid: Monoid::Moments, .. } = &self.context.graph[member.node].op
        else {
            return None;
        };
        let earlier = self.group.members.iter().take_while(|other| other.node != member.node);
        let mut shared = earlier.filter(|other| {
            self.needed.contains(&other.node)
                && self.context.is_sum(other.node)
                && self.combines_alike(member, other)
        });
        shared.next().map(|other| other.node)
    }

    /// Whether two reductions of a group combine the same elements.
    fn combines_alike(&self, one: &Member, other: &Member) -> bool {
        let [left, right] = [one, other].map(|member| &self.context.graph[member.node]);
        let (NodeOp::Reduce { axes, .. }, NodeOp::Reduce { axes: others, .. }) =
            (&left.op, &right.op)
        else {
            return false;
        };
        axes == others
            && left.inputs == right.inputs
            && one.depth == other.depth
            && one.from_group.axes == other.from_group.axes
    }
}
