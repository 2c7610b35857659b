//! Finds the program that the ranks run.

use crate::arguments::program_and_arguments;
use crate::error::LauncherError;
use crate::own::Own;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program of the ranks.
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Program {
    /// The program of a command line.
    pub fn of(command: &[OsString], own: &Own) -> Result<Program, LauncherError> {
        let (program, arguments) = program_and_arguments(command);
        let (path, before) = find(program, own)?;
        Ok(Program { path, arguments: [before.as_slice(), arguments].concat() })
    }
}

/// The path of a program, and the arguments before the user's. `phalanx` is the launcher itself; a
/// Python script that is not executable runs with the interpreter; other programs are found as a
/// shell finds them.
fn find(program: &OsStr, own: &Own) -> Result<(PathBuf, Vec<OsString>), LauncherError> {
    if program == "phalanx" {
        return own.program_and_arguments();
    }
    let path = Path::new(program);
    if path.extension().is_some_and(|extension| extension == "py") && !is_executable(path) {
        if !path.is_file() {
            return Err(LauncherError::ProgramNotFound { program: program.to_owned() });
        }
        let (interpreter, mut before) = find(own.interpreter(), own)?;
        before.push(program.to_owned());
        return Ok((interpreter, before));
    }
    executable(program).map(|path| (path, Vec::new()))
}

fn executable(program: &OsStr) -> Result<PathBuf, LauncherError> {
    let path = Path::new(program);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = match path.components().count() {
        // A bare name is searched in PATH; a name with a folder is a path already.
        1 if !program.as_encoded_bytes().contains(&b'/') => std::env::split_paths(&folders)
            .map(|folder| folder.join(path))
            .find(|candidate| is_executable(candidate)),
        _ => Some(path.to_owned()).filter(|candidate| candidate.is_file()),
    };
    found.ok_or_else(|| LauncherError::ProgramNotFound { program: program.to_owned() })
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_the_launcher_itself_are_found() {
        let own = Own::this_program();
        let find = |name: &str| find(OsStr::new(name), &own).unwrap();
        assert!(find("sh").0.is_absolute());
        assert_eq!(find("/bin/sh"), (PathBuf::from("/bin/sh"), Vec::new()));
        assert_eq!(find("phalanx").0, std::env::current_exe().unwrap());
    }

    #[test]
    fn scripts_of_python_are_run_by_it() {
        let script = tempfile::Builder::new().suffix(".py").tempfile().unwrap();
        let own = Own::started_by(vec!["/bin/sh".into(), "-m".into(), "phalanx".into()]);
        let found = find(script.path().as_os_str(), &own).unwrap();
        assert_eq!(found, (PathBuf::from("/bin/sh"), vec![script.path().into()]));
        let found = find(OsStr::new("phalanx"), &own).unwrap();
        assert_eq!(found, (PathBuf::from("/bin/sh"), vec!["-m".into(), "phalanx".into()]));
        let error = find(OsStr::new("no-such-script.py"), &own).unwrap_err();
        assert_eq!(error.code(), "PX096");
    }

    #[test]
    fn an_absent_program_is_named() {
        for name in ["no-such-program-here", "./no-such-program-here", "/"] {
            let error = find(OsStr::new(name), &Own::this_program()).unwrap_err();
            assert_eq!(error.code(), "PX096");
            assert!(error.to_string().contains(name));
        }
    }
}
