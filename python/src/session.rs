//! The session of the program: begun by `init`, or by the first array.

use crate::errors::{configuration_error, not_begun, raised, refused, type_error, value_error};
use crate::errstate;
use crate::gpu::GPUS;
use crate::implicit_copy;
use crate::mistakes::Mistake;
use crate::site::at_line;
use crate::waiting::interruption;
use phalanx::config::cuda_packages;
use phalanx::waiting::lock;
use phalanx::{
    Config, ConfigError, Devices, Limits, MemoryLimit, Mesh, MeshHandle, Policy, Session,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The session, once it has begun.
static SESSION: Mutex<Option<Session>> = Mutex::new(None);
/// The mesh of this process's devices alone, once it was asked for.
static LOCAL: Mutex<Option<MeshHandle>> = Mutex::new(None);
/// Whether such a mesh has been made, to be asked without the lock.
static HAS_LOCAL: AtomicBool = AtomicBool::new(false);
/// Whether it has begun and not ended, to be asked without the lock.
static BEGUN: AtomicBool = AtomicBool::new(false);
/// Whether the program has ended it.
static ENDED: AtomicBool = AtomicBool::new(false);

/// In a world of several processes, the address on which this one accepts connections, and the
/// secret of all.
static MEETING: Mutex<Option<(IpAddr, Vec<u8>)>> = Mutex::new(None);

/// How many sessions have begun.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The number of the session: that of another one is another.
pub fn number() -> usize {
    COUNT.load(Ordering::Relaxed)
}

fn session() -> MutexGuard<'static, Option<Session>> {
    lock(&SESSION)
}

/// Begins the session of the environment's configuration, unless there is one.
pub fn ensure(py: Python<'_>) -> PyResult<()> {
    if BEGUN.load(Ordering::Relaxed) {
        return own(py);
    }
    if ENDED.load(Ordering::Relaxed) {
        return Err(refused::<PyRuntimeError>(
            Mistake::State,
            "the session has ended: phalanx.init() begins another",
        ));
    }
    let config = configuration(py)?;
    begin(py, config, None, Policy::default(), false)
}

/// Whether NumPy may compute what a function is not there for.
#[pyfunction(name = "_falls_back")]
pub fn falls_back() -> PyResult<bool> {
    phalanx::config::falls_back().map_err(|error| configuration_error(&error))
}

/// The folder of the demo's data.
#[pyfunction(name = "_data_folder")]
pub fn data_folder(py: Python<'_>) -> PyResult<PathBuf> {
    Ok(configuration(py)?.data)
}

/// Refuses what a process asks for that was forked from the one whose session it is.
fn own(py: Python<'_>) -> PyResult<()> {
    match phalanx::check_process() {
        Ok(()) => Ok(()),
        // Only what is refused needs its line.
        Err(_) => at_line(py, phalanx::check_process).map_err(|error| raised(py, &error)),
    }
}

/// Whether there is a session, and it is that of a process that has forked this one.
fn is_forked() -> bool {
    BEGUN.load(Ordering::Relaxed) && phalanx::check_process().is_err()
}

/// The configuration of the environment; CUDA's libraries are also looked for in the packages of
/// NVIDIA that this interpreter imports.
fn configuration(py: Python<'_>) -> PyResult<Config> {
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

/// The configuration of a process whose world talks by a communicator. Collective over it.
fn introduced(comm: &Bound<'_, PyAny>) -> PyResult<Config> {
    let number = |name: &str| -> PyResult<usize> {
        let number = comm.getattr(name).and_then(|number| number.extract());
        number.map_err(|_| {
            type_error(
                Mistake::Type,
                "phalanx.init: comm has no rank, size and allgather, as MPI.COMM_WORLD has",
            )
        })
    };
    let (rank, size) = (number("rank")?, number("size")?);
    let host: String = comm.py().import("socket")?.getattr("gethostname")?.call0()?.extract()?;
    let gather = |own: String| -> Result<Vec<String>, Unmet> {
        let all = comm.call_method1("allgather", (own,)).and_then(|all| all.extract());
        all.map_err(Unmet::Python)
    };
    Config::introduced(rank, size, &host, gather).map_err(|unmet| match unmet {
        Unmet::Python(error) => error,
        Unmet::Config(error) => configuration_error(&error),
    })
}

/// Why processes that talk by a communicator do not meet.
enum Unmet {
    Python(PyErr),
    Config(ConfigError),
}

impl From<ConfigError> for Unmet {
    fn from(error: ConfigError) -> Unmet {
        Unmet::Config(error)
    }
}

fn begin(
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
        // Perhaps another thread was faster.
        return if is_asked { Err(begun_before()) } else { Ok(()) };
    }
    let config = at_line(py, || config.meet());
    let config = config.map_err(|error| interruption().unwrap_or(configuration_error(&error)))?;
    let copies = config.implicit_copy;
    let meeting = config.startup.as_ref();
    let meeting = meeting.map(|startup| (startup.bind, startup.token.clone()));
    let begun = || Session::with_options(config, mesh, policy, Limits::default());
    let begun = at_line(py, begun).map_err(|error| not_begun(&error))?;
    GPUS.set(begun.gpus());
    implicit_copy::limit(copies);
    *session = Some(begun);
    *lock(&MEETING) = meeting;
    COUNT.fetch_add(1, Ordering::Relaxed);
    ENDED.store(false, Ordering::Relaxed);
    BEGUN.store(true, Ordering::Relaxed);
    Ok(())
}

fn begun_before() -> PyErr {
    value_error(
        Mistake::State,
        "phalanx.init: a session has begun already; call init before the first array is made",
    )
}

/// Begins the session.
///
/// Parameters
/// ----------
/// devices : int or str, optional
///     How many devices this process has, or a list such as ``"cpu:4"``; else ``PHALANX_DEVICES``.
/// mesh : dict, optional
///     The names and extents of the grid of all devices, such as ``{"x": 2, "y": 2}``; else a line.
/// threads : int, optional
///     Compute threads of the process; else ``PHALANX_THREADS``.
/// memory_limit : int or str, optional
///     The most bytes that a device may hold, or a text such as ``"4G"`` or ``"80%"``; else
///     ``PHALANX_MEMORY_LIMIT``.
/// split_from : int, optional
///     The number of elements from which arrays are split over the devices (65,536). The same on
///     all processes.
/// comm : optional
///     How the processes of the world talk to each other already, if `phalanx run` has not started
///     them: a communicator of mpi4py, such as ``MPI.COMM_WORLD`` or a part of it, or any object
///     with ``rank``, ``size`` and ``allgather``. They meet through it; arrays travel as always.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// ValueError
///     PX090: a setting has a wrong value. Or a session has begun already.
/// RuntimeError
///     The processes do not meet, or a device is not there.
///
/// Notes
/// -----
/// Collective: every process calls it. Without a call, the first operation begins the session.
#[pyfunction]
#[pyo3(signature = (devices=None, *, mesh=None, threads=None, memory_limit=None, split_from=None,
    comm=None))]
pub fn init(
    py: Python<'_>,
    devices: Option<&Bound<'_, PyAny>>,
    mesh: Option<&Bound<'_, PyDict>>,
    threads: Option<usize>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    split_from: Option<usize>,
    comm: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let mut config = match comm.filter(|comm| !comm.is_none()) {
        Some(comm) => introduced(comm)?,
        None => configuration(py)?,
    };
    if let Some(devices) = devices {
        config.devices = devices_of(devices)?;
    }
    if let Some(threads) = threads {
        if threads == 0 {
            return Err(value_error(
                Mistake::Value,
                "phalanx.init: threads are a number from 1 on",
            ));
        }
        config = config.threads(threads);
    }
    if let Some(limit) = memory_limit {
        config.memory_limit = Some(limit_of(limit)?);
    }
    let mut axes: Vec<(String, usize)> = Vec::new();
    for (name, extent) in mesh.into_iter().flat_map(|mesh| mesh.iter()) {
        let axis = name.extract().and_then(|name: String| Ok((name, extent.extract::<usize>()?)));
        let (name, extent) = axis.map_err(|_| {
            type_error(Mistake::Type, "phalanx.init: mesh gives names of axes their extents")
        })?;
        if extent == 0 {
            return Err(value_error(
                Mistake::Value,
                format!("phalanx.init: the axis {name} has no devices"),
            ));
        }
        axes.push((name, extent));
    }
    let axes: Vec<(&str, usize)> =
        axes.iter().map(|(name, extent)| (name.as_str(), *extent)).collect();
    let mut policy = Policy::default();
    if let Some(elements) = split_from {
        policy.split_from = elements;
    }
    begin(py, config, mesh.map(|_| Mesh::new(&axes)), policy, true)
}

/// A limit of memory in bytes, or as a text.
fn limit_of(limit: &Bound<'_, PyAny>) -> PyResult<MemoryLimit> {
    if let Ok(bytes) = limit.extract::<usize>() {
        return Ok(MemoryLimit::Bytes(bytes));
    }
    let text: Option<String> = limit.extract().ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        value_error(
            Mistake::Value,
            "phalanx.init: memory_limit is a number of bytes, or a text as 4G or 80%",
        )
    })
}

/// How many devices `4`, `"cpu"` or `"cpu:4"` are.
fn devices_of(devices: &Bound<'_, PyAny>) -> PyResult<Devices> {
    let refused = || {
        value_error(
            Mistake::Value,
            "phalanx.init: devices are a number from 1 on, cpu:N, cuda, cuda:0,2, null-cuda:N \
             or auto",
        )
    };
    if devices.is_instance_of::<pyo3::types::PyBool>() {
        return Err(refused());
    }
    if let Ok(count) = devices.extract::<usize>() {
        return if count > 0 { Ok(Devices::Cpu(count)) } else { Err(refused()) };
    }
    let text: String = devices.extract().map_err(|_| refused())?;
    text.parse().map_err(|()| refused())
}

/// Ends the session: waits for what has been started and for the other processes. Collective.
/// Without a session, nothing happens, nor in a process that was forked from the session's.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// Exception
///     What has failed of what was started.
#[pyfunction]
pub fn shutdown(py: Python<'_>) -> PyResult<()> {
    if is_forked() {
        return Ok(());
    }
    let mesh = session().as_ref().map(|session| session.handle().clone());
    if let Some(Err(error)) = mesh.map(|mesh| at_line(py, || mesh.engine().settle()))
        && error.is_interrupt()
    {
        // The user does not want to wait for what runs. The session goes on.
        return Err(raised(py, &error));
    }
    let ended = taken().map_or(Ok(()), |session| at_line(py, || session.finish()));
    errstate::observed(py, ended)
}

/// Ends the world because code of the program failed on this process alone.
pub fn abort(message: &str) {
    if is_forked() {
        return;
    }
    if let Some(session) = session().as_ref() {
        session.abort(message);
    }
}

/// Ends the session because the program has failed, so that the other processes hear of it.
#[pyfunction(name = "_fail")]
pub fn fail(message: &str) {
    if is_forked() {
        return;
    }
    if let Some(session) = taken() {
        session.fail(message);
    }
}

/// The session, which is the program's no longer.
fn taken() -> Option<Session> {
    BEGUN.store(false, Ordering::Relaxed);
    lock(&LOCAL).take();
    GPUS.set(Vec::new());
    ENDED.store(true, Ordering::Relaxed);
    session().take()
}

/// How many GPUs the session has, or one that began now would have.
pub fn gpu_count(py: Python<'_>) -> PyResult<usize> {
    if BEGUN.load(Ordering::Relaxed) {
        return Ok(GPUS.all().len());
    }
    Ok(configuration(py)?.own_gpus().map_or(0, |numbers| numbers.len()))
}

/// How many devices the session has, or one that began now would have.
pub fn device_count(py: Python<'_>) -> PyResult<usize> {
    if BEGUN.load(Ordering::Relaxed) {
        let session = session();
        return Ok(session.as_ref().map_or(0, |session| session.memory().len()));
    }
    Ok(match configuration(py)?.devices {
        Devices::Cpu(count) | Devices::NullCuda(count) => count,
        Devices::Cuda(_) | Devices::Auto => gpu_count(py)?.max(1),
    })
}

/// What a device holds: bytes, the most of them, the limit, those that are kept for later, and how
/// many blocks these are.
type Held = (usize, usize, Option<usize>, usize, usize);

/// For each device of this process what it holds.
#[pyfunction(name = "_device_memory")]
pub fn device_memory(py: Python<'_>) -> PyResult<Vec<Held>> {
    ensure(py)?;
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has begun"))?;
    let held = |device: phalanx::DeviceMemory| {
        let (cached, blocks) = device.cached;
        (device.in_use, device.peak, device.limit, cached, blocks)
    };
    Ok(session.memory().into_iter().map(held).collect())
}

/// Makes the present use of memory the peak.
#[pyfunction(name = "_reset_peak")]
pub fn reset_peak(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    if let Some(session) = &*session() {
        session.reset_peak();
    }
    Ok(())
}

/// The address on which this process accepts connections, and a secret that the processes of the
/// world share.
#[pyfunction(name = "_meeting")]
pub fn meeting<'py>(py: Python<'py>) -> PyResult<(String, Bound<'py, PyBytes>)> {
    ensure(py)?;
    let meeting = lock(&MEETING);
    let (bind, token) =
        meeting.as_ref().ok_or_else(|| value_error(Mistake::State, "there is one process"))?;
    Ok((bind.to_string(), PyBytes::new(py, token)))
}

/// Raises why the world has ended, if it has: for waits for other processes that are none of the
/// world's own.
#[pyfunction(name = "_check_world")]
pub fn check_world(py: Python<'_>) -> PyResult<()> {
    if is_forked() {
        return own(py);
    }
    match &*session() {
        Some(session) => at_line(py, || session.check()).map_err(|error| raised(py, &error)),
        None => Ok(()),
    }
}

/// The number of this process, from 0.
///
/// Returns
/// -------
/// int
///
/// Raises
/// ------
/// None
///     Nothing is raised.
///
/// Notes
/// -----
/// Local.
#[pyfunction]
pub fn rank(py: Python<'_>) -> PyResult<usize> {
    ensure(py)?;
    Ok(phalanx::rank())
}

/// The mesh of all devices.
pub fn world_mesh(py: Python<'_>) -> PyResult<MeshHandle> {
    ensure(py)?;
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has begun"))?;
    Ok(session.handle().clone())
}

/// The mesh of this process's devices alone.
pub fn local_mesh(py: Python<'_>) -> PyResult<MeshHandle> {
    ensure(py)?;
    let mut local = lock(&LOCAL);
    if let Some(mesh) = &*local {
        return Ok(mesh.clone());
    }
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has begun"))?;
    let mesh = at_line(py, || session.local()).map_err(|error| not_begun(&error))?;
    HAS_LOCAL.store(true, Ordering::Relaxed);
    Ok(local.insert(mesh).clone())
}

/// Whether arrays may lie on another mesh than that of all devices.
pub fn has_local_mesh() -> bool {
    HAS_LOCAL.load(Ordering::Relaxed)
}

/// Starts what is recorded. Collective.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// Exception
///     What has failed of what was recorded, with the line that recorded it.
#[pyfunction]
pub fn flush(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    let done = at_line(py, phalanx::flush);
    errstate::observed(py, done)
}

/// Waits until all that is recorded has been handed to the devices. Collective.
#[pyfunction(name = "_hand_over")]
pub fn hand_over(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    let done = at_line(py, phalanx::hand_over);
    errstate::observed(py, done)
}

/// Waits until all that is recorded has run. Collective.
#[pyfunction(name = "_synchronize")]
pub fn synchronize(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    let done = at_line(py, phalanx::synchronize);
    errstate::observed(py, done)
}
