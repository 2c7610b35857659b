//! PMIx: Open MPI's `mpirun`, SLURM's `srun --mpi=pmix`, LSF's `jsrun`, PRRTE's `prterun`.
//!
//! It is tried only if the environment names a server. The library is the one that this process has
//! loaded; else that of the launcher among its ancestors, because an MPI library that loads later
//! brings one of the same name and gets ours; else the system's.
//!
//! A process that ends without a goodbye counts as failed, and after its goodbye MPI cannot start
//! in it. Therefore the goodbye is sent when the process ends. The library counts its users, MPI
//! included. Nevertheless, Open MPI 5 must start before PMIx.

use super::way::{Exchange, ExchangeError, within};
use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

const WAY: &str = "PMIx";
/// The names of the library.
const LIBRARIES: [&str; 2] = ["libpmix.so.2", "libpmix.so"];

/// `PMIX_SUCCESS`.
const SUCCESS: c_int = 0;
/// `PMIX_STRING`.
const STRING: u16 = 3;
/// `PMIX_GLOBAL`: for processes of this and of other machines.
const GLOBAL: u8 = 3;
/// `PMIX_MAX_NSLEN + 1`.
const NAMESPACE_BYTES: usize = 256;
/// `PMIX_MAX_KEYLEN + 1`.
const KEY_BYTES: usize = 512;

/// `pmix_proc_t`.
#[repr(C)]
#[derive(Clone)]
struct Process {
    namespace: [c_char; NAMESPACE_BYTES],
    rank: u32,
}

/// `pmix_value_t`. Its union is at most as large as its largest member, `pmix_envar_t`: two
/// pointers and a character. Only texts are written and read.
#[repr(C)]
struct Value {
    kind: u16,
    text: *const c_char,
    rest: [u64; 4],
}

type Init = unsafe extern "C" fn(*mut Process, *const c_void, usize) -> c_int;
type Put = unsafe extern "C" fn(u8, *const c_char, *mut Value) -> c_int;
type Commit = unsafe extern "C" fn() -> c_int;
type Fence = unsafe extern "C" fn(*const Process, usize, *const c_void, usize) -> c_int;
type Get = unsafe extern "C" fn(
    *const Process,
    *const c_char,
    *const c_void,
    usize,
    *mut *mut Value,
) -> c_int;
type Finalize = unsafe extern "C" fn(*const c_void, usize) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The exchange by PMIx.
#[derive(Debug, Default)]
pub struct Pmix(());

/// The number of exchanges so far: each exchange uses another key.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Pmix {
    /// Whether this process has communicated with the server.
    pub fn has_spoken() -> bool {
        PROCESS.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The exchange, if the library is found.
    pub fn open() -> Result<Pmix, ExchangeError> {
        library().map(|_| Pmix(()))
    }
}

impl Exchange for Pmix {
    fn name(&self) -> &'static str {
        WAY
    }

    fn broadcast(&mut self, own: Option<&str>, timeout: Duration) -> Result<String, ExchangeError> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let own = own.map(str::to_owned);
        within(WAY, timeout, move || converse(own.as_deref(), number))
    }
}

/// How many ancestors of this process are searched for the launcher, shells included.
const ANCESTORS: usize = 4;

fn library() -> Result<Library, ExchangeError> {
    let mut reasons = Vec::new();
    let names = LIBRARIES.map(PathBuf::from);
    for name in mapped_by_this_or_its_ancestors().into_iter().chain(names) {
        // SAFETY: the initialisers of PMIx's library have no conditions: it is an ordinary system
        // library under its usual name, or the one that the launcher has loaded.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok(library),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(ExchangeError::new(WAY, reasons.join("; ")))
}

/// The library that this process, or its nearest ancestor, has loaded, if the system reports it.
fn mapped_by_this_or_its_ancestors() -> Option<PathBuf> {
    let mut process = std::process::id();
    for _ in 0..=ANCESTORS {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        if let Some(path) = mapped(&maps) {
            return Some(path);
        }
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The state and the parent's id follow the program's name, which may hold anything.
        process = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
    }
    None
}

/// The library among the mapped files of a process.
fn mapped(maps: &str) -> Option<PathBuf> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let mut paths = paths.filter(|path| {
        let name = path.rsplit_once('/').map_or(*path, |(_, name)| name);
        name.starts_with("libpmix.so") && !name.ends_with("(deleted)")
    });
    paths.next().map(PathBuf::from)
}

/// This process as the server knows it, after `PMIx_Init`.
static PROCESS: Mutex<Option<Process>> = Mutex::new(None);
/// The id of the process that sends the goodbye, and the function that sends it.
static GOODBYE: OnceLock<(u32, Finalize)> = OnceLock::new();

/// Reports to the server at exit that the process has not failed.
extern "C" fn goodbye() {
    if let Some((process, finalize)) = GOODBYE.get() {
        // Forks of this process must not send it.
        if *process == std::process::id() {
            // SAFETY: no infos are given; the library stays loaded.
            unsafe { finalize(std::ptr::null(), 0) };
        }
    }
}

/// Passes the text of rank 0 to all.
fn converse(own: Option<&str>, number: usize) -> Result<String, ExchangeError> {
    // The library's own threads may run after the end, so it stays loaded.
    let library = Box::leak(Box::new(library()?));
    // SAFETY: these are the functions' types in the headers of PMIx, versions 2 to 5; arrays of
    // `pmix_info_t`, whose layout has changed, are always given as none.
    let (init, put, commit, fence, get, finalize) = unsafe {
        (
            function::<Init>(library, "PMIx_Init")?,
            function::<Put>(library, "PMIx_Put")?,
            function::<Commit>(library, "PMIx_Commit")?,
            function::<Fence>(library, "PMIx_Fence")?,
            function::<Get>(library, "PMIx_Get")?,
            function::<Finalize>(library, "PMIx_Finalize")?,
        )
    };
    let mut known = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = match &*known {
        Some(process) => process.clone(),
        None => {
            let mut process = Process { namespace: [0; NAMESPACE_BYTES], rank: 0 };
            // SAFETY: `process` may be written, and no infos are given.
            let begun = unsafe { init(&raw mut process, std::ptr::null(), 0) };
            // Other processes may wait for this one, so no other way is possible now.
            checked(library, "PMIx_Init", begun).map_err(|error| {
                let why = "the launcher's PMIx server is not reached from here, as in a container, \
                           or is of another version than this libpmix";
                ExchangeError::new(WAY, format!("{}: {why}", error.reason))
            })?;
            known.insert(process).clone()
        }
    };
    // Some versions declare keys as arrays, so all of their bytes must exist.
    let mut key = [0u8; KEY_BYTES];
    let name = format!("phalanx-{number}");
    key[..name.len()].copy_from_slice(name.as_bytes());
    let talk = || -> Result<String, ExchangeError> {
        let text = own.map(|own| {
            let bytes: Vec<u8> = own.bytes().filter(|byte| *byte != 0).chain([0]).collect();
            bytes
        });
        if let Some(text) = &text {
            let mut value = Value { kind: STRING, text: text.as_ptr().cast(), rest: [0; 4] };
            // SAFETY: key and text end with a zero; the library copies both before it returns.
            let status = unsafe { put(GLOBAL, key.as_ptr().cast(), &raw mut value) };
            checked(library, "PMIx_Put", status)?;
            // SAFETY: takes nothing.
            checked(library, "PMIx_Commit", unsafe { commit() })?;
        }
        // SAFETY: null stands for all processes of the namespace; no infos are given.
        checked(library, "PMIx_Fence", unsafe { fence(std::ptr::null(), 0, std::ptr::null(), 0) })?;
        if let Some(own) = own {
            return Ok(own.to_owned());
        }
        let first = Process { rank: 0, ..process.clone() };
        let mut value: *mut Value = std::ptr::null_mut();
        let infos = std::ptr::null();
        // SAFETY: `first` and the key are read, and a pointer to a value of the library's is
        // written. The value is never freed: it is one short text.
        let status =
            unsafe { get(&raw const first, key.as_ptr().cast(), infos, 0, &raw mut value) };
        checked(library, "PMIx_Get", status)?;
        // SAFETY: after success the pointer, if any, is to a value that belongs to the caller.
        let value = unsafe { value.as_ref() };
        match value {
            Some(value) if value.kind == STRING && !value.text.is_null() => {
                // SAFETY: the text of a value of this kind ends with a zero.
                let text = unsafe { CStr::from_ptr(value.text) };
                Ok(text.to_string_lossy().into_owned())
            }
            _ => Err(ExchangeError::new(WAY, "PMIx_Get gave no text")),
        }
    };
    let outcome = talk();
    // Only now: a process that gives up while a call waits must not make another call.
    if GOODBYE.set((std::process::id(), *finalize)).is_ok() {
        // SAFETY: the function is an `extern "C" fn` without arguments that never unwinds.
        unsafe { libc::atexit(goodbye) };
    }
    outcome
}

/// A function of the library.
///
/// # Safety
///
/// `F` must be the type of the function of that name.
unsafe fn function<F>(
    library: &'static Library,
    name: &str,
) -> Result<Symbol<'static, F>, ExchangeError> {
    // SAFETY: the caller's condition.
    let symbol = unsafe { library.get(name.as_bytes()) };
    symbol.map_err(|error| ExchangeError::new(WAY, error.to_string()))
}

fn checked(library: &Library, call: &str, status: c_int) -> Result<(), ExchangeError> {
    match status {
        SUCCESS => Ok(()),
        status => {
            // SAFETY: this is the function's type in the headers of PMIx, versions 2 to 5.
            let named = unsafe { library.get::<ErrorString>(b"PMIx_Error_string") }.ok();
            // SAFETY: it takes any number, and gives a text that is never freed.
            let text = named.map(|named| unsafe { named(status) }).filter(|text| !text.is_null());
            // SAFETY: the text ends with a zero.
            let text = text.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
            let text = text.unwrap_or_default();
            Err(ExchangeError::new(WAY, format!("{call} returned {status} ({text})")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_a_process_is_found() {
        let maps = "55d0-55d1 r--p 0000 08:01 1 /usr/bin/prte
7f00-7f01 r--p 0000 08:01 2      /opt/my mpi/lib/libpmix.so.2.13.3
7f02-7f03 rw-p 0000 00:00 0
";
        assert_eq!(mapped(maps), Some(PathBuf::from("/opt/my mpi/lib/libpmix.so.2.13.3")));
        assert_eq!(mapped("7f00-7f01 r--p 0 08:01 2 /lib/libpmix.so.2 (deleted)\n"), None);
        assert_eq!(mapped(""), None);
    }
}
