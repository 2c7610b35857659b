//! The session of the program, which `init` or the first array starts.

use super::gpus::GPUS;
use super::host_calls::forget_calls;
use crate::interpreter::errors::{configuration_error, not_started, raised, refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::interpreter::waiting::interruption;
use phalanx::config::cuda_packages;
use phalanx::waiting::lock;
use phalanx::{Config, Devices, Limits, Mesh, MeshHandle, Policy, Session};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The session, while there is one.
static SESSION: Mutex<Option<Session>> = Mutex::new(None);
/// The mesh of this process's devices only, once it has been requested.
static LOCAL: Mutex<Option<MeshHandle>> = Mutex::new(None);
/// Whether such a mesh has been made; readable without the lock.
static HAS_LOCAL: AtomicBool = AtomicBool::new(false);
/// Whether the session has started and not ended; readable without the lock.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);
/// Whether the program has ended the session.
static ENDED: AtomicBool = AtomicBool::new(false);

/// In a world of several processes, the address on which this one accepts connections, and the
/// secret of all.
pub(super) static MEETING: Mutex<Option<(IpAddr, Vec<u8>)>> = Mutex::new(None);

/// The number of sessions that have started.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// See [`warned_from`].
static WARNED_FROM: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The number of bytes from which the session warns of a copy for another library.
pub(super) fn warned_from() -> usize {
    WARNED_FROM.load(Ordering::Relaxed)
}

/// The number of the current session; each session has another number.
pub fn number() -> usize {
    COUNT.load(Ordering::Relaxed)
}

pub(super) fn session() -> MutexGuard<'static, Option<Session>> {
    lock(&SESSION)
}

/// Starts a session with the environment's configuration, unless there is one.
pub fn ensure(py: Python<'_>) -> PyResult<()> {
    if IS_RUNNING.load(Ordering::Relaxed) {
        return own(py);
    }
    if ENDED.load(Ordering::Relaxed) {
        return Err(refused::<PyRuntimeError>(
            Mistake::State,
            "the session has ended: phalanx.init() starts another",
        ));
    }
    let config = configuration(py)?;
    begin(py, config, None, Policy::default(), false)
}

/// Refuses calls of a process that was forked from the session's process.
pub(super) fn own(py: Python<'_>) -> PyResult<()> {
    match phalanx::check_process() {
        Ok(()) => Ok(()),
        // Only a refusal needs the calling line.
        Err(_) => at_line(py, phalanx::check_process).map_err(|error| raised(py, &error)),
    }
}

/// Whether there is a session of another process, from which this one was forked.
pub(super) fn is_forked() -> bool {
    IS_RUNNING.load(Ordering::Relaxed) && phalanx::check_process().is_err()
}

/// The configuration of the environment. CUDA's libraries are also searched in NVIDIA's packages on
/// the path of this interpreter.
pub(super) fn configuration(py: Python<'_>) -> PyResult<Config> {
    let mut config = Config::from_env().map_err(|error| configuration_error(&error))?;
    let folders: Vec<String> = py.import("sys")?.getattr("path")?.extract().unwrap_or_default();
    let packages = folders.iter().flat_map(|folder| cuda_packages(Path::new(folder)));
    for package in packages {
        if !config.cuda.folders.contains(&package) {
            config.cuda.folders.push(package);
        }
    }
    Ok(config)
}

/// The options of CUDA with which a session starts.
pub fn cuda_options(py: Python<'_>) -> PyResult<phalanx::CudaOptions> {
    Ok(configuration(py)?.cuda)
}

pub(super) fn begin(
    py: Python<'_>,
    config: Config,
    mesh: Option<Mesh>,
    policy: Policy,
    is_asked: bool,
) -> PyResult<()> {
    if is_forked() {
        return own(py);
    }
    let mut session = session();
    if session.is_some() {
        // Another thread may have started one meanwhile.
        return if is_asked { Err(already_started()) } else { Ok(()) };
    }
    let config = at_line(py, || config.meet());
    let config = config.map_err(|error| interruption().unwrap_or(configuration_error(&error)))?;
    let copies = config.implicit_copy;
    let meeting = config.startup.as_ref();
    let meeting = meeting.map(|startup| (startup.bind, startup.token.clone()));
    let started = || Session::with_options(config, mesh, policy, Limits::default());
    let started = at_line(py, started).map_err(|error| not_started(&error))?;
    GPUS.set(started.gpus());
    WARNED_FROM.store(copies.unwrap_or(usize::MAX), Ordering::Relaxed);
    *session = Some(started);
    *lock(&MEETING) = meeting;
    COUNT.fetch_add(1, Ordering::Relaxed);
    ENDED.store(false, Ordering::Relaxed);
    IS_RUNNING.store(true, Ordering::Relaxed);
    Ok(())
}

fn already_started() -> PyErr {
    value_error(
        Mistake::State,
        "phalanx.init: a session has already started; call init before the first array is made",
    )
}

/// Ends the world because code of the program failed on this process alone.
pub(super) fn abort(message: &str) {
    if is_forked() {
        return;
    }
    if let Some(session) = session().as_ref() {
        session.abort(message);
    }
}

/// Takes the session away from the program.
pub(super) fn taken() -> Option<Session> {
    IS_RUNNING.store(false, Ordering::Relaxed);
    lock(&LOCAL).take();
    GPUS.set(Vec::new());
    forget_calls();
    ENDED.store(true, Ordering::Relaxed);
    session().take()
}

/// The number of GPUs of the session, or of a session that started now.
pub fn gpu_count(py: Python<'_>) -> PyResult<usize> {
    if IS_RUNNING.load(Ordering::Relaxed) {
        return Ok(GPUS.all().len());
    }
    Ok(configuration(py)?.own_gpus().map_or(0, |numbers| numbers.len()))
}

/// The name that the devices of arrays have in programs of the array API standard: `cuda` if the
/// session, or one that started now, has GPUs, else `cpu`.
pub fn device_name(py: Python<'_>) -> PyResult<&'static str> {
    Ok(if gpu_count(py)? > 0 { "cuda" } else { "cpu" })
}

/// The number of devices of the session, or of a session that started now.
pub fn device_count(py: Python<'_>) -> PyResult<usize> {
    if IS_RUNNING.load(Ordering::Relaxed) {
        let session = session();
        return Ok(session.as_ref().map_or(0, |session| session.memory().len()));
    }
    Ok(match configuration(py)?.devices {
        Devices::Cpu(count) | Devices::NullCuda(count) => count,
        Devices::Cuda(_) | Devices::Auto => gpu_count(py)?.max(1),
    })
}

/// The mesh of all devices.
pub fn world_mesh(py: Python<'_>) -> PyResult<MeshHandle> {
    ensure(py)?;
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has started"))?;
    Ok(session.handle().clone())
}

/// The mesh of this process's devices only.
pub fn local_mesh(py: Python<'_>) -> PyResult<MeshHandle> {
    ensure(py)?;
    let mut local = lock(&LOCAL);
    if let Some(mesh) = &*local {
        return Ok(mesh.clone());
    }
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has started"))?;
    let mesh = at_line(py, || session.local()).map_err(|error| not_started(&error))?;
    HAS_LOCAL.store(true, Ordering::Relaxed);
    Ok(local.insert(mesh).clone())
}

/// Whether arrays may be on another mesh than that of all devices.
pub fn has_local_mesh() -> bool {
    HAS_LOCAL.load(Ordering::Relaxed)
}
