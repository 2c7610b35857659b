//! Functions of Python that start, end, wait for and describe the session.

use super::lifetime::{MEETING, begin, configuration, ensure, is_forked, own, session, taken};
use super::memory::is_allocating;
use super::notices::observed;
use crate::interpreter::errors::{configuration_error, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use phalanx::waiting::lock;
use phalanx::{Config, ConfigError, Devices, MemoryLimit, Mesh, Policy};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// Whether NumPy may compute functions that are missing here.
#[pyfunction(name = "_falls_back")]
pub fn falls_back() -> PyResult<bool> {
    phalanx::config::falls_back().map_err(|error| configuration_error(&error))
}

/// The folder of the demo's data.
#[pyfunction(name = "_data_folder")]
pub fn data_folder(py: Python<'_>) -> PyResult<PathBuf> {
    Ok(configuration(py)?.data)
}

/// The configuration of a process that connects to its world through a communicator. Collective
/// over the communicator.
fn introduced(comm: &Bound<'_, PyAny>) -> PyResult<Config> {
    let number = |name: &str| -> PyResult<usize> {
        let number = comm.getattr(name).and_then(|number| number.extract());
        number.map_err(|_| {
            type_error(
                Mistake::Type,
                "phalanx.init: comm must have rank, size and allgather, like MPI.COMM_WORLD",
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

/// The reason why the processes of a communicator fail to connect.
enum Unmet {
    Python(PyErr),
    Config(ConfigError),
}

impl From<ConfigError> for Unmet {
    fn from(error: ConfigError) -> Unmet {
        Unmet::Config(error)
    }
}

/// Starts the session.
///
/// Parameters
/// ----------
/// devices : int or str, optional
///     The number of devices of this process, or a list such as ``"cpu:4"``. Default:
///     ``PHALANX_DEVICES``.
/// mesh : dict, optional
///     The names and extents of the axes of the mesh of all devices, such as ``{"x": 2, "y": 2}``.
///     Default: one axis.
/// threads : int, optional
///     The number of compute threads of the process. Default: ``PHALANX_THREADS``.
/// memory_limit : int or str, optional
///     The memory limit of a device in bytes, or a string such as ``"4G"`` or ``"80%"``. Default:
///     ``PHALANX_MEMORY_LIMIT``.
/// split_from : int, optional
///     The number of elements from which arrays are split over the devices (65,536). It must be the
///     same on all processes.
/// comm : optional
///     A communicator through which the processes of the world connect, if `phalanx run` has not
///     started them: one of mpi4py, such as ``MPI.COMM_WORLD`` or a part of it, or any object with
///     ``rank``, ``size`` and ``allgather``. Data of arrays does not pass through it.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// ValueError
///     PX090: a setting has an invalid value. PX153: a session has already started.
/// RuntimeError
///     The processes cannot connect, or a device is missing.
///
/// Notes
/// -----
/// Collective: every process calls it. Without a call, the first operation starts the session.
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
                "phalanx.init: threads must be a number from 1",
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
            type_error(Mistake::Type, "phalanx.init: mesh must map names of axes to extents")
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

/// A memory limit in bytes, or as a string.
fn limit_of(limit: &Bound<'_, PyAny>) -> PyResult<MemoryLimit> {
    if let Ok(bytes) = limit.extract::<usize>() {
        return Ok(MemoryLimit::Bytes(bytes));
    }
    let text: Option<String> = limit.extract().ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        value_error(
            Mistake::Value,
            "phalanx.init: memory_limit must be a number of bytes, or a text such as 4G or 80%",
        )
    })
}

/// The devices that `4`, `"cpu"` or `"cpu:4"` stand for.
fn devices_of(devices: &Bound<'_, PyAny>) -> PyResult<Devices> {
    let refused = || {
        value_error(
            Mistake::Value,
            "phalanx.init: devices must be a number from 1, cpu:N, cuda, cuda:0,2, null-cuda:N \
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

/// Ends the session: waits for the work that has been started and for the other processes.
/// Collective. Does nothing without a session, or in a process that was forked from the session's
/// process.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// Exception
///     Work that has been started has failed.
#[pyfunction]
pub fn shutdown(py: Python<'_>) -> PyResult<()> {
    if is_forked() {
        return Ok(());
    }
    let mesh = session().as_ref().map(|session| session.handle().clone());
    if let Some(Err(error)) = mesh.map(|mesh| at_line(py, || mesh.engine().settle()))
        && error.is_interrupt()
    {
        // The user interrupted the wait for running work. The session continues.
        return Err(raised(py, &error));
    }
    let ended = taken().map_or(Ok(()), |session| at_line(py, || session.finish()));
    observed(py, ended)
}

/// Ends the session because the program has failed, and reports the failure to the other processes.
#[pyfunction(name = "_fail")]
pub fn fail(message: &str) {
    if is_forked() {
        return;
    }
    if let Some(session) = taken() {
        session.fail(message);
    }
}

/// The memory of a device: the bytes in use, their peak, the limit, the cached bytes, and the
/// number of cached blocks.
type Held = (usize, usize, Option<usize>, usize, usize);

/// The memory use of each device of this process.
#[pyfunction(name = "_device_memory")]
pub fn device_memory(py: Python<'_>) -> PyResult<Vec<Held>> {
    ensure(py)?;
    let session = session();
    let session =
        session.as_ref().ok_or_else(|| value_error(Mistake::State, "no session has started"))?;
    let held = |device: phalanx::DeviceMemory| {
        let (cached, blocks) = device.cached;
        (device.in_use, device.peak, device.limit, cached, blocks)
    };
    Ok(session.memory().into_iter().map(held).collect())
}

/// Sets the peak of memory use to the present use.
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
        meeting.as_ref().ok_or_else(|| value_error(Mistake::State, "the world has one process"))?;
    Ok((bind.to_string(), PyBytes::new(py, token)))
}

/// Raises the reason if the world has ended. Called while the process waits for other processes by
/// other means than the world's.
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

/// Starts the recorded operations. Collective.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// Exception
///     A recorded operation has failed; the error names the line that recorded it.
#[pyfunction]
pub fn flush(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    let done = at_line(py, phalanx::flush);
    observed(py, done)
}

/// Waits until all recorded operations have been handed to the devices. Collective.
#[pyfunction(name = "_hand_over")]
pub fn hand_over(py: Python<'_>) -> PyResult<()> {
    if is_allocating() {
        return Ok(());
    }
    ensure(py)?;
    let done = at_line(py, phalanx::hand_over);
    observed(py, done)
}

/// Waits until all recorded operations have run. Collective. Does nothing in a function that
/// allocates for an operation, which cannot wait for operations.
#[pyfunction(name = "_synchronize")]
pub fn synchronize(py: Python<'_>) -> PyResult<()> {
    if is_allocating() {
        return Ok(());
    }
    ensure(py)?;
    let done = at_line(py, phalanx::synchronize);
    observed(py, done)
}
