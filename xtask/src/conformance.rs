//! The results of NumPy and SciPy, the reference of the conformance tests.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The folder with the reference results. They are computed once for each version of NumPy
/// and SciPy, and each state of the scripts and of the descriptions that these read.
pub fn data(project: &Project, python: &Path) -> Result<PathBuf, Failure> {
    let scripts = scripts(&project.path("tests/conformance"))?;
    let key = key(&[scripts.clone(), descriptions(project)?].concat(), python)?;
    let folder = project.target()?.join("conformance").join(&key);
    if folder.is_dir() {
        return Ok(folder);
    }
    // Written under another name first, so that an interrupted run does not look finished.
    let unfinished = folder.with_file_name(format!("{key}.{}.tmp", std::process::id()));
    fs::create_dir_all(&unfinished).map_err(Failure::file(&unfinished))?;
    for script in &scripts {
        Program::new(python).arguments([script, &unfinished]).run()?;
    }
    fs::rename(&unfinished, &folder).map_err(Failure::file(&folder))?;
    Ok(folder)
}

fn scripts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    files(folder, "py")
}

/// The files that scripts read.
fn descriptions(project: &Project) -> Result<Vec<PathBuf>, Failure> {
    files(&project.path("tests/conformance/functions"), "json")
}

fn files(folder: &Path, wanted: &str) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == wanted))
        .collect();
    files.sort();
    Ok(files)
}

fn key(files: &[PathBuf], python: &Path) -> Result<String, Failure> {
    let question =
        "import numpy, scipy; print(numpy.__version__, scipy.__version__, sep='-scipy-')";
    let version = Program::new(python).arguments(["-c", question]).output()?.trim().to_owned();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.file_name().hash(&mut hasher);
        fs::read(file).map_err(Failure::file(file))?.hash(&mut hasher);
    }
    Ok(format!("numpy-{version}-{:016x}", hasher.finish()))
}
