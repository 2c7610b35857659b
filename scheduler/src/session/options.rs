//! The options and counters of a session.

use crate::routines::Routines;
use phalanx_collectives::Prices;
use phalanx_device::Device;
use phalanx_device::blas::Blas;
use phalanx_distributed::{Lowerings, Policy};
use phalanx_graph::Limits;
use phalanx_ops::Mesh;
use std::sync::Arc;

/// The options of a session; equal on all ranks, except for the number of threads.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The grid of the world's devices; `None` arranges them in a line.
    pub mesh: Option<Mesh>,
    /// Compute threads of the process, shared by its devices.
    pub threads: usize,
    /// The library that multiplies and factorises matrices of CPU devices, with the number of its
    /// threads; both equal on all ranks. `None` for our own routines.
    pub blas: Option<Blas>,
    /// The most bytes a device may hold.
    pub memory_limit: Option<usize>,
    /// When arrays are split.
    pub policy: Policy,
    /// The lowerings of structured operations.
    pub lowerings: Lowerings,
    /// The routines of structured operations that communicate while they run.
    pub routines: Routines,
    /// When windows close.
    pub limits: Limits,
    /// Whether the session records a timeline (`Session::take_timeline`).
    pub records: bool,
    /// The measured prices, by which `explain` predicts times.
    pub prices: Option<Arc<Prices>>,
    /// The devices of the process; if empty, CPU devices are made.
    pub devices: Vec<Arc<dyn Device>>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            mesh: None,
            threads: 1,
            blas: None,
            memory_limit: None,
            policy: Policy::default(),
            lowerings: Lowerings::default(),
            routines: Routines::default(),
            limits: Limits::default(),
            records: false,
            prices: None,
            devices: Vec::new(),
        }
    }
}

/// Counts of a session's work so far, for tests and benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Windows evaluated.
    pub windows: usize,
    /// Plans that were not refilled from another: windows of one pattern share one.
    pub plans: usize,
    /// Different kernels in the cache.
    pub kernels: usize,
}
