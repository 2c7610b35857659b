//! The start of a session.

use super::{Session, registry};
use crate::config::{Config, Devices};
use crate::logging;
use crate::startup::{
    InitError, InitFailure, bind, blas_facts, common_blas, common_limit, gpu, memory_limit,
    open_gpus, own_blas, records, world,
};
use crate::timeline;
use phalanx_collectives::{Prices, World, host_name};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::instructions::use_level;
use phalanx_distributed::Policy;
use phalanx_graph::{Engine, Limits, MeshHandle, call_site};
use phalanx_ops::Mesh;
use phalanx_scheduler::{RunError, Session as Scheduler, SessionOptions};
use std::sync::Arc;

/// Meets the other processes, sets up this process's devices, and makes their mesh the default.
///
/// Collective over all processes. Errors: those of the rendezvous (a wrong token, a port in use, a
/// rank that never arrives, a configuration that differs between ranks) and of devices; `PX153`
/// while another session of `init` is running.
#[track_caller]
pub fn init(config: Config) -> Result<Session, InitError> {
    let site = call_site();
    registry::claim(site).map_err(|begun| InitError::new(InitFailure::Begun { begun }, site))?;
    let session = Session::with_options(config, None, Policy::default(), Limits::default());
    match session {
        Ok(mut session) => {
            session.is_initial = true;
            Ok(session)
        }
        Err(error) => {
            registry::release();
            Err(error)
        }
    }
}

/// The prices by which plans predict times: those on which the processes agreed, or the table of a
/// single process.
fn prices(world: &World, config: &Config) -> Option<Prices> {
    match world.size() {
        1 => config.prices.clone().filter(|prices| prices.are_of([host_name().as_str()])),
        _ => world.prices(),
    }
}

impl Session {
    /// As [`init`], with another mesh than a line of all devices, and with other sizes at which
    /// arrays are split and windows close. These must be equal on all ranks.
    #[track_caller]
    pub fn with_options(
        config: Config,
        mesh: Option<Mesh>,
        policy: Policy,
        limits: Limits,
    ) -> Result<Session, InitError> {
        logging::start(config.log);
        let site = call_site();
        let mut config = config.meet().map_err(|error| InitError::new(error, site))?;
        // The program may change its folder before the end.
        config.trace = config.trace.map(|trace| std::path::absolute(&trace).unwrap_or(trace));
        if let Some(trace) = config.trace.as_deref().filter(|_| config.rank() == 0) {
            timeline::check(trace).map_err(|error| InitError::new(error, site))?;
        }
        let devices = open_gpus(&config);
        let devices = devices.map_err(|error| InitError::new(RunError::from(error), site))?;
        let own: Vec<Arc<CudaDevice>> = devices.iter().filter_map(gpu).collect();
        if devices.is_empty()
            && let Some(reason) = config.passed_over()
        {
            tracing::warn!(%reason, "the CPU is used, although GPUs exist");
        }
        if let Some(level) = config.instructions.filter(|level| !level.is_available()) {
            tracing::warn!("the processor lacks {}; loops use the best that it has", level.name());
        }
        if !use_level(config.instructions) {
            use_level(None);
        }
        // The threads of devices, which are started below, inherit this from the calling thread.
        tracing::info!("{}", bind(&config, &own));
        let count = match &config.devices {
            Devices::Cpu(count) => *count,
            // All kinds of GPUs have been opened by now.
            _ => devices.len().max(1),
        };
        let reproducible = limits.reproducible || config.reproducible;
        let limits = Limits { reproducible, ..limits };
        let own_limit = memory_limit(&config, count, &devices);
        let own_blas = if devices.is_empty() { own_blas(&config) } else { None };
        let facts = blas_facts(&config, count, own_blas);
        let world =
            world(&config, own_limit, count, &devices, mesh.as_ref(), &policy, &limits, facts);
        let world = world.map_err(|failure| InitError::new(failure, site))?;
        registry::become_rank(world.rank(), world.size());
        let records = records(&world, &config);
        let (blas, blas_line) = common_blas(&config, count, own_blas, &world);
        tracing::info!("products of matrices by {blas_line}");
        let memory_limit = common_limit(&world, own_limit);
        devices.iter().filter_map(gpu).for_each(|gpu| gpu.set_memory_limit(memory_limit));
        let options = SessionOptions {
            mesh,
            threads: config.threads,
            blas,
            memory_limit,
            policy,
            limits,
            devices,
            records,
            prices: prices(&world, &config).map(Arc::new),
            ..SessionOptions::default()
        };
        let scheduler = Scheduler::new(world, options);
        let scheduler = scheduler.map_err(|failure| {
            registry::restore_rank();
            InitError::new(failure, site)
        })?;
        let engine: Arc<dyn Engine> = scheduler.clone();
        let mesh = MeshHandle::new(engine);
        registry::begin(&mesh);
        let trace = config.trace;
        Ok(Session { scheduler, mesh, site, blas: blas_line, trace, is_initial: false })
    }
}
