//! The search for a library.

use super::choice::BlasChoice;
use super::library::BlasLibrary;
use super::trial::load_apart;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The libraries that the system's loader is asked for, in order.
const SYSTEM: [&str; 11] = [
    "libmkl_rt.so.3",
    "libmkl_rt.so.2",
    "libmkl_rt.so",
    "libopenblas.so.0",
    "libopenblasp.so.0",
    "libopenblas64.so.0",
    "libopenblas64_.so.0",
    "libopenblas64_.so",
    "libopenblas.so",
    "libblis.so.4",
    "libblis.so",
];
/// The parts of file names by which a library of the process is recognised.
const KNOWN: [&str; 3] = ["openblas", "mkl_rt", "blis"];

/// A library that is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassedOver {
    /// The name or path.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// The outcome of a search.
#[derive(Debug, Default)]
pub struct BlasSearch {
    /// The first usable library.
    pub found: Option<&'static BlasLibrary>,
    /// The libraries that are not used.
    pub passed_over: Vec<PassedOver>,
}

/// The libraries in use, which stay for the life of the process.
static LOADED: Mutex<Vec<&'static BlasLibrary>> = Mutex::new(Vec::new());

/// The outcome of loading all of `SYSTEM` in another process.
static SYSTEM_TRIAL: OnceLock<Result<(), String>> = OnceLock::new();

/// Searches for a library: the one that the user names, MKL, OpenBLAS and BLIS of the system, then
/// one that the process has loaded already, such as NumPy's. A library with factorisations comes
/// before one with products alone.
pub fn find_blas(choice: &BlasChoice) -> BlasSearch {
    let mut search = BlasSearch::default();
    let named = match choice {
        BlasChoice::Own => return search,
        BlasChoice::Auto => None,
        BlasChoice::Path(path) => Some(path.as_path()),
    };
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut partial = None;
    if let Some(path) = named {
        search.examine(path, || load_apart(&[path]), &mut loaded, &mut partial);
        if search.found.is_none() {
            search.found = partial;
        }
    }
    let system = SYSTEM.map(Path::new);
    if search.found.is_none() {
        // Usually none of them ends the process, and one trial is enough.
        let all = SYSTEM_TRIAL.get_or_init(|| load_apart(&system));
        for path in system {
            if search.found.is_none() {
                let trial = || all.clone().or_else(|_| load_apart(&[path]));
                search.examine(path, trial, &mut loaded, &mut partial);
            }
        }
    }
    for path in mapped() {
        if search.found.is_none() {
            // The program uses it, so it works.
            search.examine(&path, || Ok(()), &mut loaded, &mut partial);
        }
    }
    search.found = search.found.or(partial);
    search
}

impl BlasSearch {
    /// Loads a library, unless it is loaded or its trial failed. `partial` is the first library
    /// with products alone.
    fn examine(
        &mut self,
        path: &Path,
        trial: impl FnOnce() -> Result<(), String>,
        loaded: &mut Vec<&'static BlasLibrary>,
        partial: &mut Option<&'static BlasLibrary>,
    ) {
        let known = loaded.iter().find(|library| library.path() == path).copied();
        let load = || {
            trial()?;
            let library: &'static BlasLibrary = Box::leak(Box::new(BlasLibrary::load(path)?));
            loaded.push(library);
            Ok(library)
        };
        let library: Result<_, String> = known.map_or_else(load, Ok);
        match library.map(|library| (library, library.lapack())) {
            Ok((library, Ok(_))) => self.found = Some(library),
            Ok((library, Err(reason))) => {
                partial.get_or_insert(library);
                let reason = format!("its factorisations are not used: {reason}");
                self.passed_over.push(PassedOver { path: path.to_owned(), reason });
            }
            Err(reason) => {
                self.passed_over.push(PassedOver { path: path.to_owned(), reason });
            }
        }
    }
}

/// The libraries that the process has loaded, by their file names.
fn mapped() -> Vec<PathBuf> {
    libraries_in(&std::fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

/// The libraries that a list of the process's memory names.
fn libraries_in(maps: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for line in maps.lines() {
        let Some(start) = line.find('/') else { continue };
        let path = Path::new(&line[start..]);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let is_known = KNOWN.iter().any(|part| file.contains(part)) && file.contains(".so");
        if is_known && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
        }
    }
    // Extensions of Python's packages bring libraries of their own.
    found.sort_by_key(|path| !path.to_string_lossy().contains("numpy"));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_the_process_are_recognised_by_their_names() {
        let maps = "\
7f00-7f01 r--p 00000000 fe:00 1    /a/numpy.libs/libscipy_openblas64_-32.so
7f01-7f02 r-xp 00000000 fe:00 1    /a/numpy.libs/libscipy_openblas64_-32.so
7f02-7f03 r-xp 00000000 fe:00 2    /lib/libc.so.6
7f03-7f04 r-xp 00000000 fe:00 3    /my openblas/notes.txt
7f04-7f05 rw-p 00000000 00:00 0";
        assert_eq!(libraries_in(maps), [Path::new("/a/numpy.libs/libscipy_openblas64_-32.so")]);
    }

    #[test]
    fn a_file_that_is_no_library_is_passed_over_with_its_reason() {
        let path = std::env::current_exe().expect("a test has a file");
        let search = find_blas(&BlasChoice::Path(path.clone()));
        assert_eq!(search.passed_over[0].path, path);
        assert!(!search.passed_over[0].reason.is_empty());
        let search = find_blas(&BlasChoice::Path(PathBuf::from("/no/such/library.so")));
        assert_eq!(search.passed_over[0].reason, "not found");
        assert!(find_blas(&BlasChoice::Own).found.is_none());
    }
}
