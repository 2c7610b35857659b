//! The Python environment `.venv` with NumPy and other packages, and the demo's data.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Interpreters to try, the system's usual one first.
const CANDIDATES: [&str; 6] =
    ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"];

/// The interpreter of an environment.
const INTERPRETER: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };

/// Succeeds in an interpreter that can make an environment; else prints what it lacks.
const PROBE: &str = "\
import sys
if sys.version_info < (3, 11):
    sys.exit('is Python ' + sys.version.split()[0])
try:
    import ensurepip, venv
except ImportError as error:
    sys.exit('lacks ' + str(error.name))
";

/// MPICH, with a library of the binary interface of MPI 5. It has a separate environment, since its
/// programs have the names of Open MPI's.
const MPICH: &str = "mpich==5.0.2";

/// Makes the environment and fetches the data; quick if both exist.
pub fn setup(project: &Project) -> Result<(), Failure> {
    let python = environment(project)?;
    fetch_data(project, &python)?;
    println!("ready: {}", python.display());
    Ok(())
}

/// The interpreter of the environment. Makes the environment, or makes it anew, unless it matches
/// the requirements.
pub fn environment(project: &Project) -> Result<PathBuf, Failure> {
    let folder = project.path(".venv");
    let requirements = project.path("xtask/requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(Failure::file(&requirements))?;
    let python = folder.join(INTERPRETER);
    // Written last, so that an interrupted setup does not look finished.
    let stamp = folder.join("phalanx-requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && python.exists() {
        return Ok(python);
    }
    let packages = ["--requirement".as_ref(), requirements.as_os_str()];
    make(interpreter()?.as_ref(), &folder, &packages)?;
    fs::write(&stamp, wanted).map_err(Failure::file(&stamp))?;
    Ok(python)
}

/// The folder of MPICH's launcher; its libraries are beside it. It is in a separate environment,
/// made if absent. `None` on systems without the package.
pub fn mpich(project: &Project) -> Result<Option<PathBuf>, Failure> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let folder = project.path(".venv/mpich");
    let programs = folder.join("bin");
    if !programs.join("mpiexec.hydra").exists() {
        make(&project.path(".venv").join(INTERPRETER), &folder, &[MPICH.as_ref()])?;
    }
    Ok(Some(programs))
}

/// Makes an environment anew, with the packages that pip's arguments name.
fn make(interpreter: &Path, folder: &Path, packages: &[&OsStr]) -> Result<(), Failure> {
    Program::new(interpreter).arguments(["-m", "venv", "--clear"]).arguments([folder]).run()?;
    Program::new(folder.join(INTERPRETER))
        // Python compiles a module when a program imports it first; programs import few of them.
        .arguments(["-m", "pip", "install", "--no-compile"])
        .arguments(["--quiet", "--disable-pip-version-check"])
        .arguments(packages)
        .run()
}

/// Fetches the demo's data.
pub fn fetch_data(project: &Project, python: &Path) -> Result<(), Failure> {
    let script = project.path("python/phalanx/_fetch_demo_data.py");
    // `-P` keeps the script's folder out of the path: its `random` is not Python's.
    Program::new(python)
        .arguments(["-P"])
        .arguments([script.as_os_str(), "--output".as_ref(), project.path("data").as_os_str()])
        .run()
}

fn interpreter() -> Result<&'static str, Failure> {
    let mut candidates = Vec::new();
    for name in CANDIDATES {
        let probe = std::process::Command::new(name).args(["-c", PROBE]).output();
        match probe {
            Err(error) => candidates.push(format!("{name}: {error}")),
            Ok(output) if output.status.success() => return Ok(name),
            Ok(output) => {
                let lack = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                candidates.push(format!("{name} {lack}"));
            }
        }
    }
    Err(Failure::Python { candidates })
}

/// The folder of the libraries that compile GPU kernels, if the environment has them.
pub fn cuda_libraries(project: &Project) -> Option<PathBuf> {
    let versions = std::fs::read_dir(project.path(".venv/lib")).ok()?;
    let sites = versions.flatten().map(|version| version.path().join("site-packages/nvidia"));
    let packages = sites.filter_map(|site| std::fs::read_dir(site).ok()).flatten().flatten();
    let mut folders = packages.map(|package| package.path().join("lib"));
    folders.find(|folder| folder.is_dir())
}
