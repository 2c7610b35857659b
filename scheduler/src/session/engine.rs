//! The methods of an engine, which a mesh calls to evaluate its windows.

use super::flights::MOST_FLYING;
use super::lane::guarded;
use super::state::Session;
use crate::digest::bytes_digest;
use crate::explain::{self, Setting};
use crate::moves::moves;
use crate::plan::Plan;
use crate::predict::Pricing;
use crate::shards::Shards;
use phalanx_distributed::propagate;
use phalanx_graph::{
    AtOnce, Cause, Engine, Error, Evaluated, Evaluation, Graph, HostArray, Limits, LocalShard,
    Node, NodeOp, Operand, ShardMemory, Site, call_site, room_on_host,
};
use phalanx_ops::{AffineMap, DType, IndexBox, Mesh, Monoid, Op, Scalar, Sharding};
use phalanx_waiting::copying;
use std::sync::Arc;

impl Engine for Session {
    fn evaluate(&self, graph: &Graph, cause: Cause, site: Site) -> Evaluation {
        let (rank, nodes) = (self.world.rank(), graph.nodes.len());
        let _span = tracing::debug_span!("flush", rank, nodes, %site).entered();
        if let Err(error) = self.own(Some(site)) {
            return self.lost(graph, error);
        }
        let _entered = self.world.enter();
        let mut state = self.state();
        // A panic of the planner fails only this window.
        let started = guarded(|| self.start(&mut state, graph, cause, site));
        let lost = |bug| self.lost(graph, Error::failure(self.fatal(bug), Some(site)));
        let Evaluation { pending, outcome } = started.unwrap_or_else(lost);
        // A window that no observation closes has no caller: its arrays carry the error.
        let has_caller = !matches!(cause, Cause::Limit | Cause::Small);
        let outcome = if has_caller { self.note_result(outcome) } else { outcome };
        Evaluation { pending, outcome }
    }

    fn has_gpus(&self) -> bool {
        self.devices.iter().all(|device| !device.is_host())
    }

    fn explain(&self, graph: &Graph) -> Result<String, Error> {
        let plan_of = |graph: &Graph| {
            let leaves = Session::leaf_shardings(graph)?;
            let placements = propagate(graph, &leaves, self.setup());
            Ok::<Plan, Error>(Plan::new(graph, placements, &leaves, self.setup()))
        };
        let plan = plan_of(graph)?;
        let moves = moves(&plan, &self.mesh, self.most_moved());
        let replaced = self.replaced(graph, &moves, call_site());
        let (none, wanted) = (vec![false; graph.leaves.len()], Session::wanted(graph));
        let (graph, kept, wanted, plan) = match &replaced {
            Some(replaced) => {
                let wanted = replaced.wanted(&wanted);
                (&replaced.graph, &replaced.kept, wanted, plan_of(&replaced.graph)?)
            }
            None => (graph, &none, wanted, plan),
        };
        let donated = Session::donated(graph, kept);
        let liveness = Session::liveness(&wanted, &plan, donated);
        let on_gpu = self.has_gpus();
        // Devices exchange data through the host unless they reach each other's memory.
        let communicators = self.world.communicators();
        let direct = communicators.first().filter(|first| first.takes_device_memory());
        let plane = direct.map(|first| first.plane());
        let price = self.world.message_price(on_gpu);
        let pricing = self.options.prices.as_deref().map(|prices| Pricing {
            prices,
            on_gpu,
            plane: price,
            sharing: if on_gpu { 1 } else { self.devices.len() },
        });
        Ok(explain::text(&plan, &liveness, &self.mesh, Setting { on_gpu, plane, pricing }))
    }

    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error> {
        let leaves = Session::leaf_shardings(graph)?;
        let placements = propagate(graph, &leaves, self.setup());
        Ok(placements.into_iter().map(|placement| placement.output).collect())
    }

    fn wait(&self, value: &Arc<dyn Evaluated>) -> Result<(), Error> {
        self.own(None)?;
        let _entered = self.world.enter();
        let verdict = || match Shards::of(value).ticket() {
            Some(ticket) => self.processes.await_ticket(ticket),
            None => Ok(()),
        };
        if Shards::of(value).is_late() {
            self.has_elements()?;
        }
        let awaited = self.waits(|| self.stopping(value.wait()).and_then(|()| verdict()));
        self.free_ended();
        self.note_result(awaited)
    }

    fn observes(&self, site: Site) {
        if self.world.is_own() {
            self.processes.observes(site);
        }
    }

    fn make_room(&self) -> Result<(), Error> {
        self.own(None)?;
        loop {
            let mut outcomes = self.state().flights.outcomes();
            outcomes.retain(|outcome| !outcome.is_done());
            if outcomes.len() < MOST_FLYING {
                return Ok(());
            }
            match self.waits(|| self.stopping(outcomes[0].wait())) {
                Err(error) if error.is_interrupt() => return Err(error),
                // The arrays of the failed plan carry the error.
                _ => {}
            }
        }
    }

    fn hand_over(&self) -> Result<(), Error> {
        self.own(None)?;
        let outcomes = self.state().flights.outcomes();
        let ended = outcomes.iter().try_for_each(|outcome| self.stopping(outcome.wait()));
        self.free_ended();
        self.note_result(ended)
    }

    fn settle(&self) -> Result<(), Error> {
        self.own(None)?;
        let outcomes = self.state().flights.outcomes();
        let settled = self.waits(|| {
            let settled = outcomes.iter().try_for_each(|outcome| self.stopping(outcome.wait()));
            // A plan on a GPU is done when its work is enqueued, so wait for the work too.
            self.devices.iter().for_each(|device| device.synchronize());
            settled
        });
        self.free_ended();
        self.note_result(settled.and_then(|()| self.intact()))
    }

    fn read(
        &self,
        value: &Arc<dyn Evaluated>,
        _shape: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error> {
        self.wait(value)?;
        self.call(|| {
            self.has_elements()?;
            let elements = phalanx_ops::shape::size(&map.shape);
            room_on_host(elements.saturating_mul(Shards::of(value).dtype.size()), None)?;
            let bytes = elements * size_of::<u64>();
            self.all_given()?;
            let read = || Shards::of(value).read(map, &self.mesh, self.first_device);
            let host = self.waits(|| copying(bytes, read));
            self.intact()?;
            Ok(host)
        })
    }

    fn upload(&self, data: &HostArray, site: Site) -> Result<Arc<dyn Evaluated>, Error> {
        self.call(|| self.upload_data(data.dtype, &data.shape, &data.bytes, site))
    }

    fn share(&self, data: &LocalShard, site: Site) -> Result<(Arc<dyn Evaluated>, bool), Error> {
        self.call(|| self.share_data(data, site))
    }

    fn element(&self, value: &Arc<dyn Evaluated>, index: &[i64]) -> Option<Scalar> {
        self.element_at(value, index)
    }

    fn set_element(&self, value: &Arc<dyn Evaluated>, index: &[i64], element: Scalar) -> bool {
        self.write_element(value, index, element)
    }

    fn at_once(
        &self,
        op: &NodeOp,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
    ) -> Option<AtOnce> {
        self.run_at_once(op, operands, shape, dtype)
    }

    fn store_at_once(
        &self,
        node: &Node,
        map: Option<&AffineMap>,
        op: Option<Op>,
        operand: &Operand,
    ) -> bool {
        self.store_now(node, map, op, operand)
    }

    fn folded_at_once(
        &self,
        op: Op,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Option<Scalar> {
        self.fold_now(op, operands, shape, dtype, monoid)
    }

    fn computed(&self, op: Op, operands: &[Scalar], result: DType) -> Option<Scalar> {
        self.compute(op, operands, result)
    }

    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        self.call(|| self.join_shards(shards, axis, site))
    }

    fn local_shards(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        self.call(|| self.shards_of(value))
    }

    fn shard_memory(
        &self,
        value: &Arc<dyn Evaluated>,
        on_host: bool,
    ) -> Result<Vec<ShardMemory>, Error> {
        self.call(|| self.memory_of(value, on_host))
    }

    fn placement(&self, shape: &[usize]) -> (Sharding, Vec<IndexBox>) {
        self.place(shape)
    }

    fn from_blocks(
        &self,
        dtype: DType,
        shape: &[usize],
        blocks: Vec<Vec<u8>>,
        site: Site,
    ) -> Result<Arc<dyn Evaluated>, Error> {
        self.call(|| self.join_blocks(dtype, shape, &blocks, site))
    }

    fn declare(&self, data: &[u8], site: Site) {
        self.processes.declare(|| bytes_digest(data), site);
    }

    fn exchange(&self, own: Vec<u8>, site: Site) -> Result<Vec<Vec<u8>>, Error> {
        self.call(|| self.exchange_words(own, site))
    }

    fn agree(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error> {
        self.call(|| self.agree_on(outcome, site))
    }

    fn extents(&self, value: &Arc<dyn Evaluated>) -> Vec<usize> {
        Shards::of(value).shape().to_vec()
    }

    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn process(&self) -> (usize, usize) {
        (self.world.rank(), self.world.size())
    }
}
