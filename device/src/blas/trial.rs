//! Loads libraries in another process first, because a library may end the process that loads it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
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
    program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(status) = program.status() else { return Ok(()) };
    match (status.success(), status.signal()) {
        (true, _) => Ok(()),
        (false, Some(signal)) => {
            Err(format!("a process that loads it is ended by signal {signal}"))
        }
        (false, None) => Err(String::from("a process that loads it is ended")),
    }
}
