//! Exchanges: the boxes that a device sends from its block of a value, and the slabs that it
//! receives.

use super::boxes::{Stored, contiguous, copy_box};
use super::builder::{Builder, Slab, Slabs};
use super::chunks::{Divided, are_separable, chunk, chunks_of, routines_before};
use super::steps::{InPlace, LocalStep, Memory, Packet};
use crate::build::Buffer;
use crate::finalise::FinalStep;
use crate::ids::{ExchangeId, LocalId};
use phalanx_distributed::{Transfer, image, pieces_from, pieces_to};
use phalanx_graph::{NodeId, Source};
use phalanx_ops::sharding::{is_empty, volume};
use phalanx_ops::{Bytes, IndexBox};
use smallvec::SmallVec;

/// On a mesh of at most this many devices, debug checks examine all of them.
pub(super) const FEW_DEVICES: usize = 64;

impl Builder<'_> {
    /// Adds an exchange after the steps of `before`, whose routines are divided into its chunks.
    pub fn exchange(&mut self, id: ExchangeId, before: &[FinalStep], consumer: Option<&FinalStep>) {
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
        let is_source =
            |node: NodeId| self.finished.places[node.index()].map(|p| self.memory(p)) == Some(from);
        let is_overwritten = match consumer {
            Some(FinalStep::Launch(launch)) => launch
                .built
                .accesses
                .iter()
                .any(|access| matches!(access.buffer, Buffer::Output(node) if is_source(node))),
            Some(FinalStep::Routine(node)) => is_source(*node),
            _ => false,
        };
        let landing = self.finished.landings[id.index()];
        let slab = |region: IndexBox| match landing {
            Some(node) => {
                let map = self.plan.graph.map_of(&self.plan.node(node).inputs[0]);
                let block = image(&map, &self.block_of_node(node));
                Slab { region, memory: self.memory_of(Source::Node(node)), block }
            }
            None => {
                let buffer = self.local(Bytes::of(volume(&region), item));
                Slab { memory: Memory::Local(buffer), block: region.clone(), region }
            }
        };
        let regions: Vec<Slab> = missing.into_iter().map(slab).collect();
        let chunks = chunks_of(self.plan, id, self.mesh);
        let divided = if chunks > 1 { self.divided(before, source) } else { SmallVec::new() };
        let (mut staging, mut unpack) = (Vec::new(), Vec::new());
        for number in 0..chunks {
            let of_chunk = |transfer: &Transfer, sender: usize| {
                let mut region = transfer.region.clone();
                if chunks > 1 {
                    let there = self.mesh.coordinates(sender);
                    let there = sharding.block(shape, self.mesh, &there);
                    let rows = chunk(&there[0], number, chunks);
                    region[0] = region[0].start.max(rows.start)..region[0].end.min(rows.end);
                }
                (!is_empty(&region)).then_some(region)
            };
            let steps = divided.iter().filter_map(|routine| routine.step(number, chunks));
            self.instance.steps.extend(steps);
            let (mut sends, mut receives) = (Vec::new(), Vec::new());
            for transfer in &outgoing {
                let Some(region) = of_chunk(transfer, self.device) else { continue };
                let bytes = Bytes::of(volume(&region), item);
                let direct = contiguous(&region, &block, item).filter(|_| !is_overwritten);
                let (memory, offset, copy) = match direct {
                    Some(offset) => (from, offset, None),
                    None => {
                        let own = Stored::whole(from, &block, item);
                        let message = self.staged(&region, item, &mut staging);
                        (message.memory, Bytes(0), Some(copy_box(&own, &message, &region)))
                    }
                };
                let in_place = copy.as_ref().filter(|_| !is_overwritten);
                let in_place =
                    in_place.and_then(|copy| InPlace::of(&copy.from, &copy.extents, item));
                let peer = transfer.peer;
                sends.push(Packet { peer, memory, offset, bytes, copy, in_place });
            }
            for transfer in &incoming {
                let Some(region) = of_chunk(transfer, transfer.peer) else { continue };
                let Slab { memory, block, .. } = &regions[transfer.slab];
                let bytes = Bytes::of(volume(&region), item);
                let (memory, offset, copy) = match contiguous(&region, block, item) {
                    Some(offset) => (*memory, offset, None),
                    None => {
                        let slab = Stored::whole(*memory, block, item);
                        let message = self.staged(&region, item, &mut staging);
                        (message.memory, Bytes(0), Some(copy_box(&message, &slab, &region)))
                    }
                };
                let in_place =
                    copy.as_ref().and_then(|copy| InPlace::of(&copy.to, &copy.extents, item));
                let peer = transfer.peer;
                let packet = Packet { peer, memory, offset, bytes, copy, in_place };
                unpack.extend(packet.copy.is_some().then(|| packet.clone()));
                receives.push(packet);
            }
            self.instance.steps.push(LocalStep::Start { exchange: id, sends, receives });
        }
        if consumer.is_none() {
            self.instance.steps.push(LocalStep::Wait { exchange: id, unpack: Vec::new() });
            self.free.append(&mut staging);
            self.free.extend(regions.iter().filter_map(Slab::buffer));
        }
        let has_arrived = consumer.is_none();
        self.slabs[id.index()] = Some(Slabs { regions, unpack, staging, has_arrived });
    }

    /// A buffer for the message of a region.
    fn staged<'b>(
        &mut self,
        region: &'b IndexBox,
        item: usize,
        staging: &mut Vec<LocalId>,
    ) -> Stored<'b> {
        let buffer = self.local(Bytes::of(volume(region), item));
        staging.push(buffer);
        Stored::whole(Memory::Local(buffer), region, item)
    }

    /// Takes away the steps of the routines that compute the source of an exchange and that can run
    /// chunk by chunk.
    fn divided(&mut self, before: &[FinalStep], source: Source) -> SmallVec<[Divided; 4]> {
        let nodes = routines_before(self.plan, before, source);
        let steps = self.instance.steps.split_off(self.instance.steps.len() - nodes.len());
        let pairs = nodes.iter().zip(steps);
        let mut divided: SmallVec<[Divided; 4]> =
            pairs.map(|(&node, step)| Divided::new(self.plan, node, step)).collect();
        while !are_separable(&divided) {
            self.instance.steps.push(divided.remove(0).into_step());
        }
        divided
    }
}
