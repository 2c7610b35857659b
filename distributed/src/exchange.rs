//! Exchanges: the boxes that devices send and receive when a device needs a box beyond its block.
//!
//! A halo, a gather and a reshard differ only in the needed box. The missing part is fetched into
//! slabs beside the block, from its owners. Both sides compute the same pieces from the same plan,
//! so messages carry no description.

use phalanx_ops::sharding::{intersect, is_empty, subtract};
use phalanx_ops::{IndexBox, Mesh, Sharding};
use smallvec::SmallVec;
use std::ops::Range;

/// A box that one device sends to another, and the receiver's slab that contains it.
#[derive(Clone, PartialEq, Debug)]
pub struct Transfer {
    /// The device at the other end.
    pub peer: usize,
    /// The number of the receiver's slab.
    pub slab: usize,
    /// The box, in indices of the value.
    pub region: IndexBox,
}

/// The slabs that a device with `block` must fetch to have all of `need`.
pub fn slabs(need: &[Range<usize>], block: &[Range<usize>]) -> Vec<IndexBox> {
    if is_empty(block) {
        return if is_empty(need) { Vec::new() } else { vec![need.iter().cloned().collect()] };
    }
    subtract(need, block)
}

/// The slabs that `device` needs, and the boxes that it receives for them, slab by slab.
pub fn pieces_to(
    sharding: &Sharding,
    shape: &[usize],
    mesh: &Mesh,
    device: usize,
    need: &[Range<usize>],
) -> (Vec<IndexBox>, Vec<Transfer>) {
    let own = mesh.coordinates(device);
    let missing = slabs(need, &sharding.block(shape, mesh, &own));
    let mut transfers = Vec::new();
    for (slab, region) in missing.iter().enumerate() {
        // The parts that meet the slab on each split axis; each combination of parts has one owner.
        let mut owners: Vec<SmallVec<[usize; 4]>> = vec![own.clone()];
        for (axis, split) in sharding.axes.iter().enumerate() {
            let Some(split) = split else { continue };
            let parts = split.bounds.parts_meeting(region[axis].clone());
            owners = owners
                .iter()
                .flat_map(|owner| {
                    parts.clone().map(move |part| with_part(owner, part, &split.mesh_axes, mesh))
                })
                .collect();
        }
        for owner in owners {
            let piece = intersect(region, &sharding.block(shape, mesh, &owner));
            if !is_empty(&piece) {
                transfers.push(Transfer { peer: mesh.device(&owner), slab, region: piece });
            }
        }
    }
    (missing, transfers)
}

/// The boxes that `device` sends to `peers`, in ascending order of peers; `need_of` returns the box
/// that a device needs.
pub fn pieces_from(
    sharding: &Sharding,
    shape: &[usize],
    mesh: &Mesh,
    device: usize,
    peers: Range<usize>,
    need_of: &dyn Fn(usize) -> IndexBox,
) -> Vec<Transfer> {
    let own = mesh.coordinates(device);
    let block = sharding.block(shape, mesh, &own);
    if is_empty(&block) {
        return Vec::new();
    }
    let mut used = vec![false; mesh.ndim()];
    for split in sharding.axes.iter().flatten() {
        split.mesh_axes.iter().for_each(|&axis| used[axis as usize] = true);
    }
    let mut transfers = Vec::new();
    for peer in peers.filter(|&peer| peer != device) {
        let there = mesh.coordinates(peer);
        // If several devices hold a block, the one in the receiver's own group sends it.
        if (0..mesh.ndim()).any(|axis| !used[axis] && own[axis] != there[axis]) {
            continue;
        }
        let need = need_of(peer);
        if is_empty(&intersect(&need, &block)) {
            continue;
        }
        let missing = slabs(&need, &sharding.block(shape, mesh, &there));
        for (slab, region) in missing.iter().enumerate() {
            let piece = intersect(region, &block);
            if !is_empty(&piece) {
                transfers.push(Transfer { peer, slab, region: piece });
            }
        }
    }
    transfers
}

/// The coordinates of `owner`, changed to those of block `part` of an axis split by `mesh_axes`.
fn with_part(owner: &[usize], part: usize, mesh_axes: &[u8], mesh: &Mesh) -> SmallVec<[usize; 4]> {
    let mut coordinates: SmallVec<[usize; 4]> = owner.into();
    let mut rest = part;
    for &axis in mesh_axes.iter().rev() {
        coordinates[axis as usize] = rest % mesh.extent(axis as usize);
        rest /= mesh.extent(axis as usize);
    }
    coordinates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{block_of, contains, for_each_layout, indices};
    use phalanx_ops::sharding::volume;
    use phalanx_ops::{Bounds, Split};

    /// Checks that every box to receive is sent by exactly one device.
    fn check(
        sharding: &Sharding,
        shape: &[usize],
        mesh: &Mesh,
        need_of: &dyn Fn(usize) -> IndexBox,
    ) {
        let mut sent: Vec<(usize, usize, usize, IndexBox)> = Vec::new();
        let mut received = Vec::new();
        for device in 0..mesh.devices() {
            for t in pieces_from(sharding, shape, mesh, device, 0..mesh.devices(), need_of) {
                sent.push((device, t.peer, t.slab, t.region));
            }
            let need = need_of(device);
            let (missing, transfers) = pieces_to(sharding, shape, mesh, device, &need);
            let total: usize = transfers.iter().map(|t| volume(&t.region)).sum();
            assert_eq!(total, missing.iter().map(|slab| volume(slab)).sum::<usize>());
            for t in transfers {
                received.push((t.peer, device, t.slab, t.region));
            }
        }
        let key = |t: &(usize, usize, usize, IndexBox)| format!("{t:?}");
        sent.sort_by_key(key);
        received.sort_by_key(key);
        assert_eq!(sent, received);
    }

    #[test]
    fn senders_and_receivers_agree() {
        let mesh = Mesh::line(5);
        for bounds in [
            Bounds::even(11, 5),
            Bounds::explicit(&[0, 4, 0, 6, 1]),
            Bounds::even(13, 5).clipped(12, -1, 11),
        ] {
            let mut sharding = Sharding::replicated(2);
            sharding.axes[0] =
                Some(Split { mesh_axes: [0].into_iter().collect(), bounds: bounds.clone() });
            let halo = |device: usize| -> IndexBox {
                let block = bounds.block(device);
                if block.is_empty() {
                    return [0..0, 0..0].into_iter().collect();
                }
                [block.start.saturating_sub(3)..(block.end + 2).min(11), 0..4].into_iter().collect()
            };
            check(&sharding, &[11, 4], &mesh, &halo);
            let everything = |_: usize| -> IndexBox { [0..11, 1..3].into_iter().collect() };
            check(&sharding, &[11, 4], &mesh, &everything);
        }
        let mesh = Mesh::new(&[("row", 2), ("col", 3)]);
        let mut sharding = Sharding::replicated(2);
        sharding.axes[1] =
            Some(Split { mesh_axes: [1].into_iter().collect(), bounds: Bounds::even(7, 3) });
        check(&sharding, &[4, 7], &mesh, &|device| [device % 4..4, 1..6].into_iter().collect());
        sharding.axes[0] =
            Some(Split { mesh_axes: [0].into_iter().collect(), bounds: Bounds::even(4, 2) });
        check(&sharding, &[4, 7], &mesh, &|device| [0..4, device % 3..6].into_iter().collect());
    }

    /// Boxes that a device may need: nothing, all, the middle, and its block with a halo.
    fn needs(block: &[Range<usize>], shape: &[usize]) -> [IndexBox; 4] {
        let halo = |(range, &extent): (&Range<usize>, &usize)| {
            if range.is_empty() {
                0..0
            } else {
                range.start.saturating_sub(1)..(range.end + 2).min(extent)
            }
        };
        [
            shape.iter().map(|_| 0..0).collect(),
            shape.iter().map(|&extent| 0..extent).collect(),
            shape.iter().map(|&extent| extent / 4..extent - extent / 4).collect(),
            block.iter().zip(shape).map(halo).collect(),
        ]
    }

    /// Checks that each index of a box is in exactly one of the boxes, which contain no other.
    fn assert_tiled(of: &[Range<usize>], boxes: &[IndexBox]) {
        assert_eq!(boxes.iter().map(|piece| volume(piece)).sum::<usize>(), volume(of), "{boxes:?}");
        for index in indices(of) {
            let holders = boxes.iter().filter(|piece| contains(piece, &index)).count();
            assert_eq!(holders, 1, "{index:?} of {of:?} in {boxes:?}");
        }
    }

    #[test]
    fn senders_and_receivers_agree_on_every_layout() {
        for_each_layout(|sharding, shape, mesh| {
            for number in 0..4 {
                check(sharding, shape, mesh, &|device| {
                    needs(&block_of(sharding, shape, mesh, device), shape)[number].clone()
                });
            }
        });
    }

    #[test]
    fn slabs_and_the_own_block_tile_the_need() {
        for_each_layout(|sharding, shape, mesh| {
            for device in 0..mesh.devices() {
                let block = block_of(sharding, shape, mesh, device);
                for need in needs(&block, shape) {
                    let mut boxes = slabs(&need, &block);
                    boxes.push(intersect(&need, &block));
                    assert_tiled(&need, &boxes);
                }
            }
        });
    }

    #[test]
    fn received_boxes_tile_their_slabs_and_belong_to_their_senders() {
        for_each_layout(|sharding, shape, mesh| {
            for device in 0..mesh.devices() {
                let block = block_of(sharding, shape, mesh, device);
                for need in needs(&block, shape) {
                    let (missing, transfers) = pieces_to(sharding, shape, mesh, device, &need);
                    assert_eq!(missing, slabs(&need, &block));
                    for transfer in &transfers {
                        let Transfer { peer, region, .. } = transfer;
                        let held = block_of(sharding, shape, mesh, *peer);
                        assert!(*peer != device && !is_empty(region), "{transfer:?}");
                        assert_eq!(intersect(region, &held), *region, "{transfer:?}");
                    }
                    for (number, slab) in missing.iter().enumerate() {
                        let into_slab = transfers.iter().filter(|transfer| transfer.slab == number);
                        let pieces: Vec<IndexBox> =
                            into_slab.map(|transfer| transfer.region.clone()).collect();
                        assert_tiled(slab, &pieces);
                    }
                }
            }
        });
    }

    #[test]
    fn a_range_of_peers_selects_among_all_boxes_to_send() {
        for_each_layout(|sharding, shape, mesh| {
            let devices = mesh.devices();
            let everything = |_: usize| -> IndexBox { shape.iter().map(|&e| 0..e).collect() };
            let sent = |device: usize, peers: Range<usize>| {
                pieces_from(sharding, shape, mesh, device, peers, &everything)
            };
            for device in 0..devices {
                let all = sent(device, 0..devices);
                assert!(all.is_sorted_by_key(|transfer| transfer.peer), "{all:?}");
                for peers in [0..devices / 2, devices / 2..devices, 1..1] {
                    let is_selected = |transfer: &Transfer| peers.contains(&transfer.peer);
                    let expected: Vec<Transfer> =
                        all.iter().filter(|transfer| is_selected(transfer)).cloned().collect();
                    assert_eq!(sent(device, peers.clone()), expected);
                }
            }
        });
    }
}
