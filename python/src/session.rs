//! The session of the program: begun by `init`, or by the first array.

use crate::errors::{not_begun, raised, value_error};
use crate::site::at_line;
use phalanx::{Config, Session};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The session, once it has begun.
static SESSION: Mutex<Option<Session>> = Mutex::new(None);
/// Whether it has begun and not ended, to be asked without the lock.
static BEGUN: AtomicBool = AtomicBool::new(false);
/// Whether the program has ended it.
static ENDED: AtomicBool = AtomicBool::new(false);

fn session() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins the session of the environment's configuration, unless there is one.
pub fn ensure(py: Python<'_>) -> PyResult<()> {
    if BEGUN.load(Ordering::Relaxed) || ENDED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let config = configuration()?;
    begin(py, config, false)
}

fn configuration() -> PyResult<Config> {
    Config::from_env().map_err(|error| {
        value_error(format!("{error} [{}]\n  hint    {}", error.code(), error.hint()))
    })
}

fn begin(py: Python<'_>, config: Config, is_asked: bool) -> PyResult<()> {
    let site = crate::site::here(py);
    py.detach(|| {
        let mut session = session();
        if session.is_some() {
            // Another thread was faster.
            return Ok(if is_asked { Begun::Before } else { Begun::Now });
        }
        let made = phalanx::within(site, || phalanx::init(config))?;
        *session = Some(made);
        ENDED.store(false, Ordering::Relaxed);
        BEGUN.store(true, Ordering::Relaxed);
        Ok(Begun::Now)
    })
    .map_err(|error| not_begun(&error))
    .and_then(|begun| match begun {
        Begun::Now => Ok(()),
        Begun::Before => Err(value_error(
            "phalanx.init: a session has begun already; call init before the first array is made",
        )),
    })
}

enum Begun {
    Now,
    Before,
}

/// Begins the session.
///
/// Parameters
/// ----------
/// devices : int or str, optional
///     How many devices this process has, or a list such as ``"cpu:4"``; else ``PHALANX_DEVICES``.
/// threads : int, optional
///     Compute threads of the process; else ``PHALANX_THREADS``.
/// memory_limit : int, optional
///     The most bytes that a device may hold; else ``PHALANX_MEMORY_LIMIT``.
#[pyfunction]
#[pyo3(signature = (devices=None, *, threads=None, memory_limit=None))]
pub fn init(
    py: Python<'_>,
    devices: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    memory_limit: Option<usize>,
) -> PyResult<()> {
    let mut config = configuration()?;
    if let Some(devices) = devices {
        config = config.devices(count_of(devices)?);
    }
    if let Some(threads) = threads {
        config = config.threads(threads);
    }
    if let Some(limit) = memory_limit {
        config = config.memory_limit(limit);
    }
    begin(py, config, true)
}

/// How many devices `4`, `"cpu"` or `"cpu:4"` are.
fn count_of(devices: &Bound<'_, PyAny>) -> PyResult<usize> {
    let refused = || value_error("phalanx.init: devices are a number from 1 on, or cpu:N");
    if let Ok(count) = devices.extract::<usize>() {
        return if count > 0 { Ok(count) } else { Err(refused()) };
    }
    let text: String = devices.extract().map_err(|_| refused())?;
    match text.strip_prefix("cpu") {
        Some("") => Ok(1),
        Some(rest) => {
            let count = rest.strip_prefix(':').and_then(|count| count.parse().ok());
            count.filter(|&count| count > 0).ok_or_else(refused)
        }
        None => Err(refused()),
    }
}

/// Ends the session: waits for what has been started and for the other processes. Collective.
/// Without a session, nothing happens.
#[pyfunction]
pub fn shutdown(py: Python<'_>) -> PyResult<()> {
    let site = crate::site::here(py);
    BEGUN.store(false, Ordering::Relaxed);
    ENDED.store(true, Ordering::Relaxed);
    let ended = py.detach(|| {
        let taken = session().take();
        taken.map_or(Ok(()), |session| phalanx::within(site, || session.finish()))
    });
    ended.map_err(|error| raised(py, &error))
}

/// The number of this process, from 0.
#[pyfunction]
pub fn rank(py: Python<'_>) -> PyResult<usize> {
    ensure(py)?;
    Ok(phalanx::rank())
}

/// The number of processes.
#[pyfunction]
pub fn world_size(py: Python<'_>) -> PyResult<usize> {
    ensure(py)?;
    Ok(phalanx::size())
}

/// The mesh of all devices, as text.
#[pyfunction]
pub fn mesh(py: Python<'_>) -> PyResult<String> {
    ensure(py)?;
    Ok(session().as_ref().map_or_else(String::new, |session| session.mesh().to_string()))
}

/// Starts what is recorded. Collective.
#[pyfunction]
pub fn flush(py: Python<'_>) -> PyResult<()> {
    ensure(py)?;
    at_line(py, phalanx::flush).map_err(|error| raised(py, &error))
}
