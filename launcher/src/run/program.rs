//! Finds the program that the ranks run.

use crate::error::{LauncherError, Need};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The path of a program: the launcher's own for `phalanx`, else as a shell would find it.
pub fn find(program: &OsStr) -> Result<PathBuf, LauncherError> {
    if program == "phalanx" {
        return std::env::current_exe()
            .map_err(|source| LauncherError::Preparation { need: Need::OwnPath, source });
    }
    let path = Path::new(program);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = match path.components().count() {
        // A bare name is looked up; anything with a folder in it is a path already.
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
        assert!(find(OsStr::new("sh")).unwrap().is_absolute());
        assert_eq!(find(OsStr::new("/bin/sh")).unwrap(), Path::new("/bin/sh"));
        assert_eq!(find(OsStr::new("phalanx")).unwrap(), std::env::current_exe().unwrap());
    }

    #[test]
    fn an_absent_program_is_named() {
        for name in ["no-such-program-here", "./no-such-program-here", "/"] {
            let error = find(OsStr::new(name)).unwrap_err();
            assert_eq!(error.code(), "PX096");
            assert!(error.to_string().contains(name));
        }
    }
}
