//! The preparation of a load: a library may end the process that loads it, or that calls it without
//! another library.

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Loads the files in a process of the program `true`. Files that do not exist are ignored.
///
/// Errors: how the process ended. If the system cannot start the program, there is no error.
pub(super) fn load_apart(files: &[&Path]) -> Result<(), String> {
    let names: Vec<&OsStr> = files.iter().map(|file| file.as_os_str()).collect();
    // The loader separates names by these.
    if names.iter().any(|name| name.as_bytes().iter().any(|byte| b": ".contains(byte))) {
        return Err(String::from("its path has a space or a colon"));
    }
    let mut program = Command::new("true");
    program.env("LD_PRELOAD", names.join(&OsString::from(":")));
    let Ok(ended) = program.stdin(Stdio::null()).output() else { return Ok(()) };
    let said = String::from_utf8_lossy(&ended.stderr);
    let said = said.lines().last().unwrap_or_default();
    match (ended.status.success(), ended.status.signal()) {
        (true, _) => Ok(()),
        (false, Some(signal)) => Err(format!("signal {signal} ends a process that loads it")),
        // The loader's message ends with the file that is missing.
        (false, None) => match said.split_once("shared libraries: ") {
            Some((_, reason)) => Err(reason.to_owned()),
            None => Err(String::from("it ends a process that loads it")),
        },
    }
}

/// Loads the library of OpenMP that MKL needs in its first call, which otherwise ends the process.
/// It is beside MKL, or the system's loader finds it. Other libraries need none.
///
/// Errors: the reason why the library is not used.
pub(super) fn load_companion(path: &Path) -> Result<(), String> {
    const OPENMP: &str = "libiomp5.so";
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    if !file.contains("mkl_rt") {
        return Ok(());
    }
    for companion in [path.with_file_name(OPENMP), PathBuf::from(OPENMP)] {
        // SAFETY: Intel's library may be loaded at any time by any thread.
        let loaded = unsafe { Library::open(Some(companion), RTLD_NOW | RTLD_GLOBAL) };
        if let Ok(library) = loaded {
            // MKL uses it for the life of the process.
            std::mem::forget(library);
            return Ok(());
        }
    }
    Err(format!("it needs {OPENMP}, which is not beside it and not found by the system's loader"))
}
