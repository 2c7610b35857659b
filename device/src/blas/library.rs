//! A library that has been found, and its use by a device.

use super::names::Names;
use super::probe;
use super::routines::{Lapack, Products};
use super::threads::{Calls, Control, Entered};
use super::trial::load_companion;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::path::{Path, PathBuf};

/// A library whose functions exist and gave the right results. It stays loaded for the life of the
/// process.
pub struct BlasLibrary {
    path: PathBuf,
    version: String,
    kernel: String,
    /// Whether integers have 64 bits, if known.
    wide: Option<bool>,
    products: Products,
    lapack: Result<Lapack, String>,
    calls: Calls,
}

impl BlasLibrary {
    /// Loads a file and checks its functions.
    ///
    /// Errors: the reason why it is not used.
    pub(super) fn load(path: &Path) -> Result<BlasLibrary, String> {
        if cfg!(not(all(target_endian = "little", target_pointer_width = "64"))) {
            return Err(String::from("libraries are used on little-endian 64-bit machines only"));
        }
        // SAFETY: BLAS libraries may be loaded at any time by any thread. `trial` has loaded it in
        // another process.
        let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let library = opened.map_err(|error| reason(path, &error))?;
        load_companion(path)?;
        let loaded = BlasLibrary::of(path, &library);
        // Its threads may still run, so it is not unloaded.
        std::mem::forget(library);
        loaded
    }

    fn of(path: &Path, library: &Library) -> Result<BlasLibrary, String> {
        let names = Names::new(library)?;
        let products = Products::find(&names)?;
        let control = Control::find(&names).ok_or("its number of threads cannot be set")?;
        probe::products(&products)?;
        probe::warm(&products);
        let lapack = Lapack::find(&names).and_then(|lapack| {
            let wide = probe::has_wide_integers(&lapack)?;
            Ok((lapack, wide))
        });
        let (lapack, wide) = match lapack {
            Ok((lapack, wide)) => (Ok(lapack), Some(wide)),
            Err(reason) => (Err(reason), None),
        };
        let [version, kernel] = description(&names);
        let path = path.to_owned();
        let calls = Calls::new(control);
        Ok(BlasLibrary { path, version, kernel, wide, products, lapack, calls })
    }

    /// The path; only the name if the system's loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The products.
    pub fn products(&self) -> &Products {
        &self.products
    }

    /// The factorisations, or why they are not used.
    pub fn lapack(&self) -> Result<&Lapack, &str> {
        self.lapack.as_ref().map_err(String::as_str)
    }

    /// Whether integers have 64 bits. If that is not known, they may have 32.
    pub fn has_wide_integers(&self) -> bool {
        self.wide == Some(true)
    }

    /// The properties that bits of results depend on: file, version and kernel.
    pub fn identity(&self) -> String {
        let file = self.path.file_name().unwrap_or(self.path.as_os_str());
        format!("{}, {}, kernel {}", file.display(), self.version, self.kernel)
    }

    /// Whether equal operands give equal bits in every call and process. MKL does not promise it:
    /// bits may depend on addresses, and it may use fewer threads than it is asked for.
    pub fn is_reproducible(&self) -> bool {
        self.calls.has_common_threads()
    }

    /// The number of threads that it uses if this number is asked for.
    pub fn granted(&self, threads: usize) -> usize {
        self.calls.granted(threads.max(1))
    }
}

impl fmt::Display for BlasLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = match self.wide {
            Some(true) => "64-bit integers",
            Some(false) => "32-bit integers",
            None => "products alone",
        };
        let (path, version, kernel) = (self.path.display(), &self.version, &self.kernel);
        write!(f, "{path}, {version}, kernel {kernel}, {bits}")
    }
}

impl fmt::Debug for BlasLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A library as a device uses it.
#[derive(Clone, Copy, Debug)]
pub struct Blas {
    library: &'static BlasLibrary,
    threads: usize,
}

impl Blas {
    /// The stack in bytes of a thread that calls a library with several threads. OpenBLAS keeps
    /// half a mebibyte there for each level of its recursion.
    pub const STACK: usize = 16 << 20;

    /// The use of a library with a number of threads.
    pub fn new(library: &'static BlasLibrary, threads: usize) -> Blas {
        Blas { library, threads: threads.max(1) }
    }

    /// The library.
    pub fn library(self) -> &'static BlasLibrary {
        self.library
    }

    /// The number of threads for one large matrix.
    pub fn threads(self) -> usize {
        self.threads
    }

    /// Whether several threads can call the library at a time.
    pub fn calls_run_together(self) -> bool {
        self.library.calls.run_together()
    }

    /// Lets this thread call the library, which uses `threads` threads until the result is
    /// dropped. Waits for calls with another number. A thread that has entered does not enter
    /// again. For several threads, the stack of the calling one has `STACK` bytes.
    pub fn enter(self, threads: usize) -> Entered<'static> {
        self.library.calls.enter(threads)
    }
}

/// The part of a loader's message that names the cause.
fn reason(path: &Path, error: &libloading::Error) -> String {
    let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    // The message names the file, or another one that it needs.
    let missing = format!("{}: cannot open shared object file: No such file", path.display());
    if message.starts_with(&missing) { String::from("not found") } else { message }
}

/// The version and the kernel of a library, as it reports them.
fn description(names: &Names<'_>) -> [String; 2] {
    let unknown = || String::from("unknown");
    // SAFETY: these are the types of the functions of these names. The texts that they return are
    // constants.
    unsafe {
        type Text = unsafe extern "C" fn() -> *const c_char;
        let text = |call: Text| {
            let start = call();
            let text = (!start.is_null()).then(|| CStr::from_ptr(start).to_string_lossy());
            text.map_or_else(unknown, |text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        if let Some(config) = names.c::<Text>("openblas_get_config") {
            let kernel = names.c::<Text>("openblas_get_corename");
            return [text(config), kernel.map_or_else(unknown, text)];
        }
        type Filled = unsafe extern "C" fn(*mut c_char, c_int);
        if let Some(version) = names.plain::<Filled>("MKL_Get_Version_String") {
            let mut bytes = [0_u8; 256];
            version(bytes.as_mut_ptr().cast(), 255);
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end_matches('\0').split_whitespace().collect::<Vec<_>>().join(" ");
            let branch = names.plain::<unsafe extern "C" fn() -> c_int>("MKL_CBWR_Get_Auto_Branch");
            return [text, branch.map_or_else(unknown, |branch| branch().to_string())];
        }
        type Query = unsafe extern "C" fn() -> c_int;
        type Named = unsafe extern "C" fn(c_int) -> *const c_char;
        let version = names.plain::<Text>("bli_info_get_version_str").map_or_else(unknown, text);
        let query = names.plain::<Query>("bli_arch_query_id");
        let named = names.plain::<Named>("bli_arch_string");
        let kernel = query.zip(named).map(|(query, named)| {
            let start = named(query());
            CStr::from_ptr(start).to_string_lossy().into_owned()
        });
        [format!("BLIS {version}"), kernel.unwrap_or_else(unknown)]
    }
}
