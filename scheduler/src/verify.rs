//! The verifier of plans: rules that hold for every plan after fusion, lowering and refilling.
//! Debug builds and tests verify each plan.

use crate::fuse::{Context, Group, Load, Unit, loads_of, reads_of};
use crate::ids::{ExchangeId, UnitId};
use crate::plan::{Plan, Step};
use phalanx_distributed::is_aligned;
use phalanx_graph::{NodeId, Source};
use phalanx_ops::{Mesh, Sharding};
use rustc_hash::FxHashSet;

impl Plan {
    /// Panics (`bug:`) if the plan breaks a rule.
    pub fn assert_sound(&self, mesh: &Mesh) {
        if let Err(flaw) = self.verify(mesh) {
            panic!("bug: a plan that breaks a rule: {flaw}");
        }
    }

    /// Finds the first broken rule. The graph is sound; each sharding fits its value and the mesh;
    /// each unit runs once, after its inputs are computed, combined and, beyond its blocks,
    /// fetched; and a collective combines terms of one kind.
    pub fn verify(&self, mesh: &Mesh) -> Result<(), String> {
        self.graph.verify()?;
        self.verify_shardings(mesh)?;
        self.verify_steps()
    }

    fn verify_shardings(&self, mesh: &Mesh) -> Result<(), String> {
        let values = self.graph.nodes.iter().zip(&*self.placements);
        for (position, (node, placement)) in values.enumerate() {
            fits(&placement.output, &node.shape, mesh)
                .map_err(|flaw| format!("the value of node {position}: {flaw}"))?;
            let partial = placement.partial();
            let axes = partial.iter().flat_map(|partial| &partial.mesh_axes);
            let mut axes = axes.chain(placement.together().into_iter().flatten());
            if axes.any(|&axis| usize::from(axis) >= mesh.ndim()) {
                return Err(format!("node {position} communicates over no axis of {mesh}"));
            }
        }
        let leaves = self.graph.leaves.iter().zip(&self.leaves);
        for (leaf, (node, sharding)) in leaves.enumerate() {
            fits(sharding, node.shape(), mesh).map_err(|flaw| format!("leaf {leaf}: {flaw}"))?;
        }
        Ok(())
    }

    fn verify_steps(&self) -> Result<(), String> {
        let context = self.context();
        let mut seen = Seen::default();
        for (number, step) in self.steps.iter().enumerate() {
            let checked = match step {
                Step::Combine(nodes) => self.verify_combine(nodes, &mut seen),
                Step::Exchange(exchange) => {
                    let source = self.exchanges[exchange.index()].source;
                    seen.exchanges.insert(*exchange);
                    self.is_there(source, &seen)
                }
                Step::Unit(unit) => self.verify_unit(&context, *unit, &mut seen),
            };
            checked.map_err(|flaw| format!("step {number}, {step:?}: {flaw}"))?;
        }
        let missed = (0..self.units.len()).map(UnitId::new).find(|unit| !seen.units.contains(unit));
        if let Some(unit) = missed {
            return Err(format!("unit {unit} never runs"));
        }
        let is_partial = |node: &NodeId| self.placements[node.index()].partial().is_some();
        let left = seen.made.iter().find(|node| is_partial(node) && !seen.combined.contains(node));
        left.map_or(Ok(()), |node| Err(format!("the terms of node {node} are never combined")))
    }

    fn verify_combine(&self, nodes: &[NodeId], seen: &mut Seen) -> Result<(), String> {
        let Some(&first) = nodes.first() else { return Err(String::from("it combines nothing")) };
        let kind = |node: NodeId| {
            (self.combined_item(node), self.placements[node.index()].partial().cloned())
        };
        for &node in nodes {
            if !seen.made.contains(&node) || !seen.combined.insert(node) {
                return Err(format!("node {node} has no terms, or is combined twice"));
            }
            if kind(node) != kind(first) || kind(node).0.is_none() {
                return Err(format!("the combined nodes {first} and {node} have different terms"));
            }
        }
        Ok(())
    }

    fn verify_unit(
        &self,
        context: &Context<'_>,
        unit: UnitId,
        seen: &mut Seen,
    ) -> Result<(), String> {
        if !seen.units.insert(unit) {
            return Err(String::from("it runs twice"));
        }
        let node = match &self.units[unit.index()] {
            Unit::Group(group) => {
                let own: FxHashSet<NodeId> =
                    group.members.iter().map(|member| member.node).collect();
                let is_own = |source| matches!(source, Source::Node(node) if own.contains(&node));
                for read in reads_of(context, &self.units[unit.index()]) {
                    // Members read each other inside the kernel.
                    if !is_own(read.source) {
                        self.is_there(read.source, seen)?;
                    }
                }
                let loads = loads_of(context, group);
                for load in loads.iter().filter(|load| !is_own(load.source)) {
                    self.is_near(context, unit, group, load, seen)?;
                }
                seen.made.extend(own);
                return Ok(());
            }
            Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => *node,
        };
        for load in reads_of(context, &self.units[unit.index()]) {
            self.is_there(load.source, seen)?;
        }
        if !seen.made.insert(node) {
            return Err(format!("node {node} is made twice"));
        }
        Ok(())
    }

    /// Checks that a load is inside the device's block or fetched before.
    fn is_near(
        &self,
        context: &Context<'_>,
        unit: UnitId,
        group: &Group,
        load: &Load,
        seen: &Seen,
    ) -> Result<(), String> {
        let Some(sharding) = context.sharding(load.source) else { return Ok(()) };
        let is_fetched = || {
            seen.exchanges
                .iter()
                .any(|&number| self.exchanges[number.index()].serves(unit, load.source, &load.map))
        };
        if is_aligned(sharding, &load.map, &group.space()) || is_fetched() {
            Ok(())
        } else {
            Err(format!("{:?} is read beyond its blocks", load.source))
        }
    }

    /// Checks that a value is computed, and combined if it is partial.
    fn is_there(&self, source: Source, seen: &Seen) -> Result<(), String> {
        let Source::Node(node) = source else { return Ok(()) };
        let is_partial = self.placements[node.index()].partial().is_some();
        if seen.made.contains(&node) && (!is_partial || seen.combined.contains(&node)) {
            Ok(())
        } else {
            Err(format!("node {node} is read before it is computed"))
        }
    }
}

/// The effect of the steps so far.
#[derive(Default)]
struct Seen {
    units: FxHashSet<UnitId>,
    exchanges: FxHashSet<ExchangeId>,
    made: FxHashSet<NodeId>,
    combined: FxHashSet<NodeId>,
}

/// Checks that a sharding fits a shape and a mesh.
fn fits(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Result<(), String> {
    if sharding.axes.len() != shape.len() {
        return Err(format!("a sharding of {} axes for {shape:?}", sharding.axes.len()));
    }
    let mut used = FxHashSet::default();
    for (axis, (split, &extent)) in sharding.axes.iter().zip(shape).enumerate() {
        let Some(split) = split else { continue };
        let is_new =
            |&mesh_axis: &u8| usize::from(mesh_axis) < mesh.ndim() && used.insert(mesh_axis);
        if !split.mesh_axes.iter().all(is_new) {
            return Err(format!("axis {axis} is split over a wrong axis of {mesh}"));
        }
        let parts = split.mesh_axes.iter().map(|&axis| mesh.extent(axis.into())).product::<usize>();
        let bounds = &split.bounds;
        if bounds.parts() != parts || bounds.extent() != extent || !bounds.is_valid() {
            return Err(format!("{bounds:?} of axis {axis} are not {parts} blocks of {extent}"));
        }
    }
    Ok(())
}
