//! Finds the MPI library: one that is loaded in the process already, else one of the system.

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// The file names of Open MPI, and of IBM's Spectrum MPI, which is derived from it.
const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi_ibm.so.3", "libmpi_ibm.so"];
/// The file names of MPICH and its family, and of the standard's interface.
const MPICH: &[&str] = &[
    "libmpi.so.12",
    "libmpich.so.12",
    "libmpi_cray.so.12",
    "libmpi_gnu.so.12",
    "libmpi_abi.so.1",
    "libmpi_abi.so.0",
    "libmpi_abi.so",
];
/// The generic file name, present if development files are installed.
const ANY: &[&str] = &["libmpi.so"];

/// The beginnings of the file names of MPI's C libraries.
const STEMS: &[&str] =
    &["libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi_cray.so", "libmpi_gnu", "libmpi_ibm.so"];

/// Opens only a library that is loaded already.
#[cfg(target_os = "linux")]
const ONLY_PRESENT: c_int = libc::RTLD_NOLOAD;
#[cfg(not(target_os = "linux"))]
const ONLY_PRESENT: c_int = 0;

/// An open library.
#[derive(Debug)]
pub(super) struct Symbols {
    library: Library,
    /// Where the library was found, for messages.
    pub(super) origin: String,
}

impl Symbols {
    /// The library in the process; else `named`; else the first that the system finds. If
    /// `mpich_first`, MPICH's family is tried before Open MPI.
    ///
    /// Errors: the names that were tried.
    pub(super) fn find(named: Option<&Path>, mpich_first: bool) -> Result<Symbols, String> {
        if let Some(present) = Symbols::present() {
            return Ok(present);
        }
        if let Some(path) = named {
            let opened = Symbols::open(path, RTLD_NOW);
            return opened.map_err(|error| format!("PHALANX_MPI_LIBRARY: {error}"));
        }
        let (first, second) = if mpich_first { (MPICH, OPEN_MPI) } else { (OPEN_MPI, MPICH) };
        let names: Vec<&str> = [first, second, ANY].concat();
        let found = names.iter().find_map(|name| Symbols::open(Path::new(name), RTLD_NOW).ok());
        found.ok_or_else(|| {
            format!("no MPI library was found (looked for {}); is one installed?", names.join(", "))
        })
    }

    /// The library that the program, or something it has loaded, brought along.
    pub(super) fn present() -> Option<Symbols> {
        let program = Symbols::of_program();
        if program.has("MPI_Init_thread") {
            return Some(program);
        }
        if ONLY_PRESENT == 0 {
            return None;
        }
        loaded_files().into_iter().find_map(|path| {
            let symbols = Symbols::open(&path, RTLD_NOW | ONLY_PRESENT).ok()?;
            symbols.has("MPI_Init_thread").then_some(symbols)
        })
    }

    /// The symbols of the program and the libraries it is linked with.
    pub(super) fn of_program() -> Symbols {
        Symbols { library: Library::this(), origin: String::from("the program") }
    }

    fn open(path: &Path, flags: c_int) -> Result<Symbols, String> {
        // Parts that an MPI library loads itself refer to its functions, which must be visible.
        // SAFETY: the initialisers of an MPI library have no conditions.
        let library = unsafe { Library::open(Some(path), flags | RTLD_GLOBAL) };
        // The system's error text is the source of the crate's error.
        let library = library.map_err(|error| match std::error::Error::source(&error) {
            Some(reason) => format!("{}: {reason}", path.display()),
            None => format!("{}: {error}", path.display()),
        })?;
        Ok(Symbols { library, origin: path.display().to_string() })
    }

    /// For tests: opens a library whose symbols stay separate from those of others.
    #[cfg(test)]
    pub(super) fn open_alone(path: &Path) -> Result<Symbols, String> {
        // SAFETY: as for `open`.
        let library = unsafe { Library::open(Some(path), RTLD_NOW) };
        let library = library.map_err(|error| error.to_string())?;
        Ok(Symbols { library, origin: path.display().to_string() })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.address(name).is_ok()
    }

    /// The address of a symbol.
    pub(super) fn address(&self, name: &str) -> Result<*mut c_void, String> {
        // SAFETY: only the address is taken.
        let symbol = unsafe { self.library.get::<*mut c_void>(name.as_bytes()) };
        let address = symbol.map_or(std::ptr::null_mut(), |symbol| symbol.as_raw_ptr());
        if address.is_null() { Err(format!("{} has no {name}", self.origin)) } else { Ok(address) }
    }

    /// A function, as a pointer of type `F`, which must be the function's type.
    pub(super) fn function<F: Copy>(&self, name: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let address = self.address(name).ok()?;
        // SAFETY: `F` is a function pointer, as large as an address, and the address is not null.
        Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }

    /// The library's version text; available at any time.
    pub(super) fn version(&self) -> Option<String> {
        type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        let question = self.function::<Version>("MPI_Get_library_version")?;
        // The longest text of any implementation is 8192 bytes.
        let mut text = vec![0u8; 16 << 10];
        let mut len = 0;
        // SAFETY: there is room for the longest text, and the length is written to `len`.
        let status = unsafe { question(text.as_mut_ptr().cast(), &mut len) };
        let text = text.get(..usize::try_from(len).ok()?)?;
        (status == 0).then(|| String::from_utf8_lossy(text).trim_matches('\0').trim().to_owned())
    }
}

/// The loaded files whose names are those of an MPI library.
fn loaded_files() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut files: Vec<PathBuf> = Vec::new();
    for line in maps.lines() {
        let Some(start) = line.find('/') else { continue };
        let path = Path::new(&line[start..]);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if STEMS.iter().any(|stem| name.starts_with(stem)) && files.iter().all(|file| file != path)
        {
            files.push(path.to_owned());
        }
    }
    files
}
