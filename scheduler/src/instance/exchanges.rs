//! Exchanges: the boxes that a device sends from its block of a value, and the slabs that it
//! receives.

use super::boxes::{Stored, contiguous, copy_box};
use super::builder::{Builder, Slabs};
use super::steps::{LocalStep, Memory, Packet};
use crate::build::Buffer;
use crate::finalise::FinalLaunch;
use crate::ids::{ExchangeId, LocalId};
use phalanx_distributed::{pieces_from, pieces_to};
use phalanx_ops::sharding::volume;
use phalanx_ops::{Bytes, IndexBox};

/// On a mesh of at most this many devices, debug checks examine all of them.
pub(super) const FEW_DEVICES: usize = 64;

impl Builder<'_> {
    pub fn exchange(&mut self, id: ExchangeId, consumer: Option<&FinalLaunch>) {
        let exchange = &self.plan.exchanges[id.index()];
        let source = exchange.source;
        let (shape, _) = self.plan.graph.source(source);
        let sharding = self.sharding(source);
        let item = self.item(source);
        let block = self.block(source);
        let from = self.memory_of(source);
        let own_need = exchange.need(self.mesh, &self.coordinates);
        let (missing, incoming) = pieces_to(sharding, shape, self.mesh, self.device, &own_need);
        let need_of = |peer: usize| exchange.need(self.mesh, &self.mesh.coordinates(peer));
        let peers = exchange.peers(self.mesh, &block);
        let outgoing = pieces_from(sharding, shape, self.mesh, self.device, peers, &need_of);
        let all = 0..self.mesh.devices();
        debug_assert!(
            all.end > FEW_DEVICES
                || outgoing
                    == pieces_from(sharding, shape, self.mesh, self.device, all.clone(), &need_of),
            "bug: a device needs something of another and is not among its peers"
        );

        // A message sent directly from the block must not be overwritten by the consumer before it
        // is sent.
        let is_overwritten = consumer.is_some_and(|launch| {
            launch.built.accesses.iter().any(|access| match access.buffer {
                Buffer::Output(node) => {
                    self.finished.places[node.index()].map(|p| self.memory(p)) == Some(from)
                }
                _ => false,
            })
        });
        let mut staging = Vec::new();
        let (mut pack, mut sends) = (Vec::new(), Vec::new());
        for transfer in &outgoing {
            let bytes = Bytes::of(volume(&transfer.region), item);
            let direct = contiguous(&transfer.region, &block, item).filter(|_| !is_overwritten);
            let (memory, offset) = match direct {
                Some(offset) => (from, offset),
                None => {
                    staging.push(self.local(bytes));
                    let staging = Memory::Local(staging[staging.len() - 1]);
                    let message = Stored::whole(staging, &transfer.region, item);
                    let own = Stored::whole(from, &block, item);
                    pack.push(copy_box(&own, &message, &transfer.region));
                    (staging, Bytes(0))
                }
            };
            sends.push(Packet { peer: transfer.peer, memory, offset, bytes });
        }
        let regions: Vec<(IndexBox, LocalId)> = missing
            .into_iter()
            .map(|region| (region.clone(), self.local(Bytes::of(volume(&region), item))))
            .collect();
        let (mut unpack, mut receives) = (Vec::new(), Vec::new());
        for transfer in &incoming {
            let (slab, buffer) = &regions[transfer.slab];
            let bytes = Bytes::of(volume(&transfer.region), item);
            let (memory, offset) = match contiguous(&transfer.region, slab, item) {
                Some(offset) => (Memory::Local(*buffer), offset),
                None => {
                    staging.push(self.local(bytes));
                    let staging = Memory::Local(staging[staging.len() - 1]);
                    let message = Stored::whole(staging, &transfer.region, item);
                    let slab = Stored::whole(Memory::Local(*buffer), slab, item);
                    unpack.push(copy_box(&message, &slab, &transfer.region));
                    (staging, Bytes(0))
                }
            };
            receives.push(Packet { peer: transfer.peer, memory, offset, bytes });
        }
        self.instance.steps.push(LocalStep::Start { exchange: id, pack, sends, receives });
        if consumer.is_none() {
            self.instance.steps.push(LocalStep::Wait { exchange: id, unpack: Vec::new() });
            self.free.append(&mut staging);
            self.free.extend(regions.iter().map(|(_, buffer)| *buffer));
        }
        let has_arrived = consumer.is_none();
        self.slabs[id.index()] = Some(Slabs { regions, unpack, staging, has_arrived });
    }
}
