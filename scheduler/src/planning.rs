//! Planning without devices: plans for a mesh that this machine does not have.

use crate::explain::{self, Setting};
use crate::finalise::Liveness;
use crate::instance::instantiate;
use crate::plan::Plan;
use crate::predict::Pricing;
use phalanx_collectives::Prices;
use phalanx_distributed::{Lowerings, Policy, Setup, propagate};
use phalanx_graph::{
    Cause, Engine, Error, Evaluated, Evaluation, Graph, HostArray, Limits, LocalShard, MeshHandle,
    Site,
};
use phalanx_ops::{AffineMap, DType, Mesh, Sharding};
use std::any::Any;
use std::sync::Arc;

/// An engine over null devices: plans windows and computes nothing.
struct NullEngine {
    mesh: Mesh,
    policy: Policy,
    prices: Option<Priced>,
}

/// A value that has a sharding only.
#[derive(Debug)]
struct NullValue(Sharding);

impl Evaluated for NullValue {
    fn sharding(&self) -> &Sharding {
        &self.0
    }
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl NullEngine {
    fn setup(&self) -> Setup<'_> {
        Setup { mesh: &self.mesh, policy: &self.policy, lowerings: Lowerings::default() }
    }

    fn leaves(graph: &Graph) -> Vec<Sharding> {
        let sharding = |leaf: &Arc<phalanx_graph::Node>| match leaf.result() {
            Some(Ok(value)) => value.sharding().clone(),
            _ => Sharding::replicated(leaf.shape().len()),
        };
        graph.leaves.iter().map(sharding).collect()
    }

    /// Plans, finalises and instantiates a window for the first and the middle device.
    fn plan(&self, graph: &Graph) -> (Plan, Liveness) {
        let leaves = NullEngine::leaves(graph);
        let placements = propagate(graph, &leaves, self.setup());
        let plan = Plan::new(graph, placements, &leaves, self.setup());
        let mut nodes = vec![false; plan.graph.nodes.len()];
        for (node, &at) in graph.nodes.iter().zip(&*plan.moved) {
            nodes[at.index()] |= node.node.is_live();
        }
        let donated = graph.leaves.iter().map(|leaf| !leaf.is_live()).collect();
        let liveness = Liveness { nodes, donated };
        let finished = crate::finalise::finalise(&plan, &liveness);
        for device in [0, self.mesh.devices() / 2] {
            let _ = instantiate(&plan, &finished, &self.mesh, device);
        }
        (plan, liveness)
    }
}

impl Engine for NullEngine {
    fn evaluate(&self, graph: &Graph, _cause: Cause, _site: Site) -> Evaluation {
        let (plan, _) = self.plan(graph);
        for (node, &at) in graph.nodes.iter().zip(&*plan.moved) {
            node.node.finish(Ok(Arc::new(NullValue(plan.placements[at.index()].output.clone()))));
        }
        Evaluation::from(Ok(()))
    }

    fn explain(&self, graph: &Graph) -> Result<String, Error> {
        let (plan, liveness) = self.plan(graph);
        let pricing = self.prices.as_ref().map(|priced| Pricing {
            prices: &priced.prices,
            on_gpu: true,
            plane: &priced.plane,
            sharing: 1,
        });
        let setting = Setting { on_gpu: false, plane: None, pricing };
        Ok(explain::text(&plan, &liveness, &self.mesh, setting))
    }

    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error> {
        let placements = propagate(graph, &NullEngine::leaves(graph), self.setup());
        Ok(placements.into_iter().map(|placement| placement.output).collect())
    }

    fn upload(&self, data: &HostArray, _site: Site) -> Result<Arc<dyn Evaluated>, Error> {
        Ok(Arc::new(NullValue(self.policy.sharding(&data.shape, &self.mesh))))
    }

    fn read(
        &self,
        _: &Arc<dyn Evaluated>,
        _: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error> {
        let shape = map.shape.to_vec();
        let bytes = vec![0; shape.iter().product::<usize>() * DType::F64.size()];
        Ok(Some(HostArray { dtype: DType::F64, shape, bytes }))
    }

    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        _axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        let (value, _) = self.share(&shards[0], site)?;
        Ok((shards[0].shape.clone(), value))
    }

    fn local_shards(&self, _: &Arc<dyn Evaluated>) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        Ok(Vec::new())
    }

    fn extents(&self, _: &Arc<dyn Evaluated>) -> Vec<usize> {
        Vec::new()
    }

    fn agree(&self, _: Result<(), String>, _: Site) -> Result<(), Error> {
        Ok(())
    }

    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    fn limits(&self) -> Limits {
        Limits { at_once: 0, ..Limits::default() }
    }

    fn process(&self) -> (usize, usize) {
        (0, 1)
    }
}

/// The prices of null devices, which stand for GPUs.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The price table.
    pub prices: Prices,
    /// The name of the price of messages between devices.
    pub plane: String,
}

/// A mesh of null devices: programs are planned and nothing is computed. Values that are read back
/// are zeros. With prices, `explain` predicts times.
pub fn null_mesh(mesh: Mesh, policy: Policy, prices: Option<Priced>) -> MeshHandle {
    MeshHandle::new(Arc::new(NullEngine { mesh, policy, prices }))
}
