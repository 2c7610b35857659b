//! The boxes that a kernel runs on, and the copies of elements that it leaves unwritten.

use super::boxes::{Stored, copy_box};
use super::builder::Builder;
use super::steps::LocalStep;
use crate::build::{Buffer, Built};
use crate::finalise::FinalCopy;
use crate::fuse::Group;
use crate::ids::ExchangeId;
use phalanx_distributed::{image, preimage_range};
use phalanx_graph::{NodeOp, Source};
use phalanx_ops::sharding::{is_empty, subtract};
use phalanx_ops::{AffineMap, IndexBox};
use smallvec::SmallVec;

impl Builder<'_> {
    /// Whether this device's block contains the position that a group's update fixes on split axes.
    pub fn owns_what_is_written(&self, group: &Group) -> bool {
        group.members.iter().all(|member| {
            let NodeOp::Update(target) = &self.plan.node(member.node).op else { return true };
            let block = self.block_of_node(member.node);
            let fixed = target.axes.iter().zip(&block).filter(|(axis, _)| axis.axis.is_none());
            fixed.into_iter().all(|(axis, own)| own.contains(&(axis.start as usize)))
        })
    }

    /// The boxes of a launch, cut so that every read in a box is from one buffer. All cuts go
    /// through the whole space.
    pub fn cut(
        &self,
        group: &Group,
        space: &IndexBox,
        built: &Built,
        served: &[Option<ExchangeId>],
    ) -> SmallVec<[IndexBox; 1]> {
        if space.iter().zip(&group.axes).any(|(range, axis)| axis.level == 0 && range.is_empty()) {
            return SmallVec::new();
        }
        if served.iter().all(Option::is_none) {
            return SmallVec::from_elem(space.clone(), 1);
        }
        let mut cuts: Vec<Vec<usize>> =
            space.iter().map(|range| vec![range.start, range.end]).collect();
        for (access, served) in built.accesses.iter().zip(served) {
            let (Some(_), Buffer::Input(source)) = (served, &access.buffer) else { continue };
            let block = self.block(*source);
            for (map, own) in access.map.axes.iter().zip(&block) {
                let Some(axis) = map.axis else { continue };
                if map.step == 0 || (group.axes[axis as usize].level > 0 && !group.is_in_parts) {
                    continue;
                }
                let inside = preimage_range(own, map.start, map.step);
                // Nothing is loaded outside of the guard, so no cut is needed there.
                let range = match access.guard {
                    Some(guard) => {
                        let guard = &built.guards[guard.index()][axis as usize];
                        let range = &space[axis as usize];
                        range.start.max(guard.start)..range.end.min(guard.end)
                    }
                    None => space[axis as usize].clone(),
                };
                for cut in [inside.start, inside.end] {
                    if cut > range.start as i64 && cut < range.end as i64 {
                        cuts[axis as usize].push(cut as usize);
                    }
                }
            }
        }
        let mut boxes: SmallVec<[IndexBox; 1]> = SmallVec::from_elem(IndexBox::new(), 1);
        for positions in &mut cuts {
            positions.sort_unstable();
            let is_whole = positions.len() == 2;
            if !is_whole {
                positions.dedup();
            }
            boxes = boxes
                .iter()
                .flat_map(|part| {
                    positions.windows(2).map(move |pair| {
                        let mut part = part.clone();
                        part.push(pair[0]..pair[1]);
                        part
                    })
                })
                .collect();
        }
        boxes
    }

    /// Copies the elements of this device's block that an update leaves unwritten.
    pub fn copy_unwritten(&mut self, group: &Group, space: &IndexBox, copy: &FinalCopy) {
        let data = self.plan.node(copy.node);
        let NodeOp::Update(target) = &data.op else {
            unreachable!("bug: only updates leave something unwritten")
        };
        let map: AffineMap = target.then(&group.member(copy.node).from_group);
        let block = self.block_of_node(copy.node);
        let mut followed = 0u64;
        let is_box = map.axes.iter().all(|axis| {
            let twice = axis.axis.is_some_and(|a| followed >> a & 1 == 1);
            if let Some(a) = axis.axis {
                followed |= 1 << a;
            }
            axis.step.abs() <= 1 && !twice
        });
        let is_owner = !group.is_for_owners || self.owns_what_is_written(group);
        let regions = if is_box && is_owner && !is_empty(space) {
            subtract(&block, &image(&map, space))
        } else {
            vec![block.clone()]
        };
        let item = data.dtype.size();
        let old = Stored::whole(self.memory(copy.from), &block, item);
        let new = Stored::whole(self.memory_of(Source::Node(copy.node)), &block, item);
        let copies = regions.iter().map(|region| copy_box(&old, &new, region));
        self.instance.steps.extend(copies.map(LocalStep::Copy));
    }
}
