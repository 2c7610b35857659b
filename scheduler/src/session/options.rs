//! How a session is set up, and what it tells about itself.

use phalanx_array::Limits;
use phalanx_device::Device;
use phalanx_distributed::{Lowerings, Policy};
use phalanx_ops::Mesh;
use std::sync::Arc;

/// How a session is set up; equal on all ranks but for the number of threads.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The grid of the world's devices; a line if `None`.
    pub mesh: Option<Mesh>,
    /// Compute threads of the process, shared by its devices.
    pub threads: usize,
    /// The most bytes a device may hold.
    pub memory_limit: Option<usize>,
    /// When arrays are split.
    pub policy: Policy,
    /// How structured operations are distributed; the same ones on all ranks.
    pub lowerings: Lowerings,
    /// When windows close.
    pub limits: Limits,
    /// The devices of the process; CPU devices are made where there are none.
    pub devices: Vec<Arc<dyn Device>>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            mesh: None,
            threads: 1,
            memory_limit: None,
            policy: Policy::default(),
            lowerings: Lowerings::default(),
            limits: Limits::default(),
            devices: Vec::new(),
        }
    }
}

/// What a session has done so far, for tests and benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Windows evaluated.
    pub windows: usize,
    /// Plans made from nothing: windows of one pattern share one.
    pub plans: usize,
    /// Different kernels compiled.
    pub kernels: usize,
}
