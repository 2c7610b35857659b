//! The plane `mpi` of a build that is linked with the MPI library (cargo feature `mpi`): the table
//! of tests under the launcher of that library.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::tally::Tally;
use std::path::{Path, PathBuf};

/// Prints the folder of libclang in the Python environment.
const LIBCLANG: &str = "import clang, os; print(os.path.join(clang.__path__[0], 'native'))";

/// The program that builds and runs the tests with the `mpicc` in the path, or else that of the
/// environment; none if there is no such compiler.
pub fn program(
    project: &Project,
    python: &Path,
    tally: &mut Tally,
) -> Result<Option<Program>, Failure> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_there = |folder: &PathBuf| folder.join("mpicc").is_file();
    let own = project.path(".venv/bin");
    // Builds the whole workspace, so that the crates built for the other tests are reused.
    let features = "ndarray,phalanx-collectives/mpi";
    // Without optimisation: the tests wait more than they compute.
    let fast = "profile.dev.package.phalanx-collectives.opt-level=0";
    let arguments = ["--workspace", "--features", features, "--test", "mpi", "--config", fast];
    let mut program = project.cargo(&["test"]).arguments(arguments);
    if !folders.iter().any(is_there) {
        if !is_there(&own) {
            tally.lacks("mpicc", "mpicc");
            return Ok(None);
        }
        folders.insert(0, own);
        let folders = std::env::join_paths(folders).unwrap_or(path);
        // The library is beside its compiler, where the system does not search.
        let libraries = project.path(".venv/lib");
        program = program.variable("PATH", folders).variable("LD_LIBRARY_PATH", libraries);
    }
    let libclang = Program::new(python).arguments(["-c", LIBCLANG]).output()?;
    // The package of libclang lacks the compiler's own headers.
    let headers = Program::new("cc").arguments(["-print-file-name=include"]).output()?;
    program = program.variable("LIBCLANG_PATH", libclang.trim());
    program = program.variable("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{}", headers.trim()));
    // These tests skip launchers of other libraries. Such skips do not count as a lack.
    Ok(Some(program.without_lacks()))
}
