//! Halos of structured operations: the elements beyond a device's block, as reads that an exchange
//! serves.
//!
//! An exchange fetches a box, the smallest one around some reads. So the reads here are the ends of
//! what a device needs: its block moved towards each side, and single rows at the ends of an axis.
//! If elements from the other end of an axis stand for those outside of it, they are a box of their
//! own, with an exchange of their own.

use crate::fuse::{Context, GroupAxis, Load};
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::structured::Beyond;
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Split};
use smallvec::SmallVec;
use std::ops::Range;

/// A read along one axis: what the axis of the value follows, and the range of the result that
/// reads so.
#[derive(Clone)]
struct Reach {
    map: AxisMap,
    guard: Range<usize>,
}

/// A box of a value that a routine reads beyond its blocks.
pub(crate) struct HaloBox {
    pub source: Source,
    /// The space of the routine's result.
    pub axes: Vec<GroupAxis>,
    /// Reads of which the box is the smallest one around.
    pub loads: Vec<Load>,
}

/// The boxes that a routine reads beyond its blocks.
pub(crate) fn halo_boxes(context: &Context<'_>, node: NodeId) -> Vec<HaloBox> {
    let data = &context.graph[node];
    let NodeOp::Structured(op) = &data.op else { return Vec::new() };
    let shapes: SmallVec<[&[usize]; 3]> =
        data.inputs.iter().map(|input| context.graph.source(input.source).0).collect();
    let mut parts = Vec::new();
    for (operand, input) in data.inputs.iter().enumerate() {
        let Some(halo) = op.halo(operand, &shapes) else { continue };
        let Some(sharding) = context.sharding(input.source) else { continue };
        let axes: Vec<GroupAxis> = data
            .shape
            .iter()
            .zip(&sharding.axes)
            .map(|(&extent, split)| GroupAxis { extent, split: split.clone(), level: 0 })
            .collect();
        // For each axis, the boxes along it, each with its reads.
        let mut boxes: Vec<Vec<Vec<Reach>>> = Vec::new();
        for (axis, own) in axes.iter().enumerate() {
            boxes.push(match &own.split {
                Some(split) => reaches(axis as u8, split, halo.sides[axis], halo.beyond),
                None => vec![vec![whole(axis as u8, own.extent)]],
            });
        }
        let is_needed = boxes.iter().flatten().any(|reads| reads.len() > 1);
        let chosen = if is_needed { combinations(&boxes) } else { Vec::new() };
        for along in chosen {
            let loads = loads(input.source, &data.shape, &along);
            parts.push(HaloBox { source: input.source, axes: axes.clone(), loads });
        }
    }
    parts
}

/// The read of the elements at the same places.
fn whole(axis: u8, extent: usize) -> Reach {
    Reach { map: AxisMap { axis: Some(axis), start: 0, step: 1 }, guard: 0..extent }
}

/// The boxes along a split axis, each with the reads at its ends. The first box contains the
/// device's own block.
fn reaches(
    axis: u8,
    split: &Split,
    (before, after): (usize, usize),
    beyond: Beyond,
) -> Vec<Vec<Reach>> {
    let extent = split.bounds.extent();
    let shifted = |by: i64, guard: Range<usize>| Reach {
        map: AxisMap { axis: Some(axis), start: by, step: 1 },
        guard,
    };
    let row = |at: usize, guard: Range<usize>| Reach {
        map: AxisMap { axis: None, start: at as i64, step: 0 },
        guard,
    };
    let mut own = vec![whole(axis, extent)];
    if extent == 0 || before + after == 0 {
        return vec![own];
    }
    let (low, high) = (0..before.min(extent), extent - after.min(extent)..extent);
    // The ends are repeated more than once, or what is needed of both ends meets.
    if beyond != Beyond::Edge && before.max(after) >= extent
        || beyond == Beyond::Wrapped && before + after >= extent
    {
        own.extend([row(0, 0..extent), row(extent - 1, 0..extent)]);
        return vec![own];
    }
    if before < extent && before > 0 {
        own.push(shifted(-(before as i64), before..extent));
    }
    if after < extent && after > 0 {
        own.push(shifted(after as i64, 0..extent - after));
    }
    // The moved block says nothing of a device whose whole block is nearer to the end than that.
    let is_thin = |end: &Range<usize>| {
        let mut blocks =
            split.bounds.parts_meeting(end.clone()).map(|part| split.bounds.block(part));
        blocks.any(|block| !block.is_empty() && end.start <= block.start && block.end <= end.end)
    };
    let is_folded = beyond == Beyond::Folded;
    if before > 0 && is_thin(&low) {
        own.push(row(0, low.clone()));
        own.extend(is_folded.then(|| row(before.min(extent - 1), low.clone())));
    }
    if after > 0 && is_thin(&high) {
        own.push(row(extent - 1, high.clone()));
        own.extend(is_folded.then(|| row(extent - 1 - after.min(extent - 1), high.clone())));
    }
    let mut boxes = vec![own];
    if beyond == Beyond::Wrapped {
        let far = (extent - before) as i64;
        if before > 0 {
            boxes.push(vec![shifted(far, low.clone()), row(extent - 1, low)]);
        }
        if after > 0 {
            boxes.push(vec![shifted(-((extent - after) as i64), high.clone()), row(0, high)]);
        }
    }
    boxes
}

/// One box for each choice along the axes.
fn combinations(boxes: &[Vec<Vec<Reach>>]) -> Vec<Vec<Vec<Reach>>> {
    let mut chosen: Vec<Vec<Vec<Reach>>> = vec![Vec::new()];
    for along in boxes {
        chosen = chosen
            .iter()
            .flat_map(|before| {
                along.iter().map(move |reads| {
                    let mut all = before.clone();
                    all.push(reads.clone());
                    all
                })
            })
            .collect();
    }
    chosen
}

/// The reads whose smallest box is the product of the boxes along the axes: one with the first read
/// of each axis, and for every other read, one that has it along its axis.
fn loads(source: Source, shape: &[usize], along: &[Vec<Reach>]) -> Vec<Load> {
    let load = |other: Option<(usize, usize)>| {
        let reads = along.iter().enumerate().map(|(axis, reads)| match other {
            Some((at, number)) if at == axis => &reads[number],
            _ => &reads[0],
        });
        let guard: IndexBox = reads.clone().map(|reach| reach.guard.clone()).collect();
        let axes = reads.map(|reach| reach.map).collect();
        Load { source, map: AffineMap { shape: shape.into(), axes }, guard: Some(guard) }
    };
    let others = along
        .iter()
        .enumerate()
        .flat_map(|(axis, reads)| (1..reads.len()).map(move |number| Some((axis, number))));
    [None].into_iter().chain(others).map(load).collect()
}
