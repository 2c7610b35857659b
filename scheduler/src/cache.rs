//! The plans of a session: a *skeleton* for each pattern of windows, and an *instance* of it for
//! each set of numbers.
//!
//! A window with a known pattern and known numbers runs a cached plan unchanged. A window with a
//! known pattern and new numbers refills the skeleton's plan with them: operations are not grouped
//! again, and no kernel is built. The cached plans are a function of the windows closed so far, so
//! they are the same on every rank.

use crate::error::RunError;
use crate::finalise::Liveness;
use crate::identity::{Identifier, Identity, Numbers};
use crate::plan::Plan;
use crate::ready::{Case, Ready, Target};
use phalanx_distributed::{Placement, propagate};
use phalanx_graph::Graph;
use phalanx_ops::Sharding;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most instances that are kept; beyond, the least recently used are dropped.
const MOST_INSTANCES: usize = 1024;
/// The number of instances that remain when some are dropped.
const KEPT_INSTANCES: usize = 512;
/// The most sets of live values for which an instance or a skeleton stays ready; beyond, all are
/// dropped. A loop that keeps values at random makes new sets without end.
const MOST_LIVE_SETS: usize = 64;

/// The plans of a session.
#[derive(Default)]
pub(crate) struct PlanCache {
    identifier: Identifier,
    /// By hash; patterns with equal hashes share an entry.
    patterns: FxHashMap<u64, Vec<Pattern>>,
    windows: u64,
    plans: usize,
    instances: usize,
}

struct Pattern {
    words: Vec<u64>,
    instances: FxHashMap<Numbers, Instance>,
    skeletons: Vec<Skeleton>,
}

/// A plan with its numbers, ready to run for several sets of live values.
struct Instance {
    skeleton: usize,
    ready: FxHashMap<Liveness, Arc<Ready>>,
    /// The number of the last window that used it.
    used: u64,
}

/// A plan of a pattern; there are several if numbers change placements or exchanges.
struct Skeleton {
    placements: Vec<u64>,
    plan: Plan,
    cases: FxHashMap<Liveness, Case>,
}

impl PlanCache {
    /// The number of plans that were not refilled from another.
    pub fn plans(&self) -> usize {
        self.plans
    }

    /// The identity of a window whose leaves have these shardings.
    pub fn identify(&mut self, graph: &Graph, leaves: &[Sharding]) -> &Identity {
        self.identifier.window(graph, leaves)
    }

    /// The plan of the window last identified, ready to run. `liveness` returns the values that are
    /// live after a plan.
    pub fn ready(
        &mut self,
        graph: &Graph,
        leaves: &[Sharding],
        target: &Target<'_>,
        liveness: impl FnOnce(&Plan) -> Liveness,
    ) -> Result<Arc<Ready>, RunError> {
        tracing::trace!(target: "phalanx::path", file = file!());
        self.windows += 1;
        if self.instances > MOST_INSTANCES {
            self.forget();
        }
        let identity = self.identifier.identity();
        let hash = identity.pattern_hash();
        let alike = self.patterns.entry(hash).or_default();
        let known = alike.iter().position(|pattern| pattern.words == identity.pattern);
        let position = known.unwrap_or_else(|| {
            let words = identity.pattern.clone();
            alike.push(Pattern { words, instances: FxHashMap::default(), skeletons: Vec::new() });
            alike.len() - 1
        });
        let pattern = &mut alike[position];
        let mut plan = None;
        if !pattern.instances.contains_key(&identity.numbers) {
            let numbers = identity.numbers.clone();
            let _span = tracing::debug_span!("plan", nodes = graph.nodes.len()).entered();
            let (skeleton, refilled) =
                Self::plan(&mut pattern.skeletons, &mut self.identifier, graph, leaves, target);
            self.plans += usize::from(refilled.is_none());
            let instance = Instance { skeleton, ready: FxHashMap::default(), used: self.windows };
            pattern.instances.insert(numbers, instance);
            self.instances += 1;
            plan = Some(refilled);
        }
        let Some(instance) = pattern.instances.get_mut(&self.identifier.identity().numbers) else {
            unreachable!("bug: an instance that was just made")
        };
        instance.used = self.windows;
        let skeleton = &mut pattern.skeletons[instance.skeleton];
        let liveness = liveness(&skeleton.plan);
        if let Some(ready) = instance.ready.get(&liveness) {
            return Ok(ready.clone());
        }
        // The plan with this window's numbers; `None` if it is the skeleton's own plan.
        let refilled = plan.unwrap_or_else(|| {
            let placements = placements_of(graph, leaves, target);
            let plan = skeleton.plan.refilled(graph, &placements, leaves, target.setup);
            debug_assert!(plan.is_some(), "bug: a plan was refilled once and not again");
            plan
        });
        let plan = refilled.as_ref().unwrap_or(&skeleton.plan);
        let known = skeleton.cases.get(&liveness).and_then(|case| case.refilled(plan, &liveness));
        let ready = Arc::new(match known {
            Some(case) => case.ready(plan, target),
            None => {
                let case = Case::new(plan, &liveness, target.kernels)?;
                let ready = case.ready(plan, target);
                if skeleton.cases.len() >= MOST_LIVE_SETS {
                    skeleton.cases.clear();
                }
                skeleton.cases.entry(liveness.clone()).or_insert(case);
                ready
            }
        });
        if instance.ready.len() >= MOST_LIVE_SETS {
            instance.ready.clear();
        }
        instance.ready.insert(liveness, ready.clone());
        Ok(ready)
    }

    /// Finds or makes the skeleton of a window of this pattern. Also returns the plan with the
    /// window's numbers, or `None` if it is the skeleton's own plan.
    fn plan(
        skeletons: &mut Vec<Skeleton>,
        identifier: &mut Identifier,
        graph: &Graph,
        leaves: &[Sharding],
        target: &Target<'_>,
    ) -> (usize, Option<Plan>) {
        let placements = placements_of(graph, leaves, target);
        let placed = identifier.placements(&placements);
        let alike = skeletons.iter().enumerate().filter(|(_, known)| known.placements == placed);
        for (position, skeleton) in alike {
            let plan = skeleton.plan.refilled(graph, &placements, leaves, target.setup);
            if plan.is_some() {
                return (position, plan);
            }
        }
        let placements = match target.setup.mesh.devices() {
            1 => propagate(graph, leaves, target.setup),
            _ => placements,
        };
        let plan = Plan::new(graph, placements, leaves, target.setup);
        skeletons.push(Skeleton { placements: placed, plan, cases: FxHashMap::default() });
        (skeletons.len() - 1, None)
    }

    /// Drops the least recently used instances, and patterns without instances.
    fn forget(&mut self) {
        let mut used: Vec<u64> = self
            .patterns
            .values()
            .flatten()
            .flat_map(|pattern| pattern.instances.values().map(|instance| instance.used))
            .collect();
        used.sort_unstable_by(|a, b| b.cmp(a));
        let oldest = used[KEPT_INSTANCES];
        for alike in self.patterns.values_mut() {
            for pattern in alike.iter_mut() {
                pattern.instances.retain(|_, instance| instance.used > oldest);
            }
            alike.retain(|pattern| !pattern.instances.is_empty());
        }
        self.patterns.retain(|_, alike| !alike.is_empty());
        self.instances =
            self.patterns.values().flatten().map(|pattern| pattern.instances.len()).sum();
    }
}

/// The placements of a window's operations; empty on one device, where a skeleton is found without.
fn placements_of(graph: &Graph, leaves: &[Sharding], target: &Target<'_>) -> Vec<Placement> {
    match target.setup.mesh.devices() {
        1 => Vec::new(),
        _ => propagate(graph, leaves, target.setup),
    }
}
