//! Jobs: plans in execution.

use crate::outcome::Outcome;
use crate::ready::Ready;
use crate::shards::Shards;
use phalanx_device::Buffer;
use phalanx_graph::{NodeId, Site};
use phalanx_ops::Scalar;
use std::sync::Arc;

/// Values whose shape depends on data, with the nodes that compute them.
pub(crate) type Late = Vec<(NodeId, Arc<Shards>)>;

/// A plan in execution, with all memory that its devices need.
pub(crate) struct Job {
    pub ready: Arc<Ready>,
    pub scalars: Vec<Scalar>,
    /// For each local device, its shards of the leaves, its slots and its other buffers.
    pub memory: Vec<JobMemory>,
    /// The nodes whose shape depends on data, with the values to which the devices give it.
    pub late: Late,
    pub outcome: Arc<Outcome>,
    pub site: Site,
    /// Whether routines may load code of libraries (`Ready::loads`).
    pub loads: bool,
    /// The number of the plan in the session, from 0.
    pub number: u32,
}

/// The buffers of a device.
pub(crate) struct JobMemory {
    pub leaves: Vec<Buffer>,
    pub slots: Vec<Buffer>,
    pub locals: Vec<Buffer>,
}
