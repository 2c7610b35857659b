//! `cargo xtask gpu`: packs tests and benchmarks for a machine with a GPU and without Rust.

use crate::conformance;
use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python;
use crate::python_tests;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes that a package may have.
const MOST_BYTES: u64 = 60 << 20;
/// Files and folders that are copied unchanged, each with its place in the package.
const ALONG: [(&str, &str); 8] = [
    ("python/phalanx", "python/phalanx"),
    ("tests/python", "tests/python"),
    ("tests/conformance", "tests/conformance"),
    ("tests/array_api", "tests/array_api"),
    ("examples/python", "examples/python"),
    ("benches", "benches"),
    ("ops/src/elementwise/table.rs", "ops/src/elementwise/table.rs"),
    ("kernels/tests/golden", "kernels/tests/golden"),
];

/// The tests in Rust: package, name, and place in the package.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("phalanx-kernels", "it", "kernels/it"),
    ("phalanx-collectives", "it", "collectives/it"),
    ("phalanx", "property", "property"),
];

/// Builds the Python module, the tests of kernels and of collectives and the random programs, for
/// release unless `fast`, and packs them with the tests and benchmarks in Python, NumPy's results
/// and the script that runs all of it.
pub fn pack(project: &Project, fast: bool) -> Result<(), Failure> {
    let python = python::environment(project)?;
    let data = conformance::data(project, &python)?;
    let folder = project.target()?.join("gpu/phalanx-gpu");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file(&folder))?;
    }
    for (from, to) in ALONG {
        copy(&project.path(from), &folder.join(to))?;
    }
    copy(&data, &folder.join("data"))?;
    let profile: &[&str] = if fast { &[] } else { &["--release"] };
    let module = python_tests::build(project, !fast)?;
    copy(&module, &folder.join("python/phalanx/_phalanx.abi3.so"))?;
    for (package, tests, to) in PROGRAMS {
        copy(&project.test_program(package, tests, profile)?, &folder.join(to))?;
    }
    copy(&project.path("benches/gpu_machine.sh"), &folder.join("run.sh"))?;
    Program::new("strip")
        .arguments([folder.join("python/phalanx/_phalanx.abi3.so")])
        .arguments(PROGRAMS.map(|(_, _, to)| folder.join(to)))
        .run()?;
    let archive = folder.with_extension("tar.gz");
    Program::new("tar")
        .folder(folder.parent().unwrap_or(&folder))
        .arguments(["-czf", "phalanx-gpu.tar.gz", "phalanx-gpu"])
        .run()?;
    let bytes = fs::metadata(&archive).map_err(Failure::file(&archive))?.len();
    println!("{}: {:.1} MiB", archive.display(), bytes as f64 / f64::from(1 << 20));
    println!("there: tar -xzf phalanx-gpu.tar.gz && sh phalanx-gpu/run.sh result.txt");
    if bytes > MOST_BYTES {
        Err(Failure::Large { path: archive, bytes, most: MOST_BYTES })
    } else {
        Ok(())
    }
}

/// Copies a file, or a folder with all files except Python's caches.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if from.file_name().is_some_and(|name| name == "__pycache__") {
        return Ok(());
    }
    if from.is_dir() {
        for entry in fs::read_dir(from).map_err(Failure::file(from))? {
            let path = entry.map_err(Failure::file(from))?.path();
            let inside: PathBuf = path.file_name().map(PathBuf::from).unwrap_or_default();
            copy(&path, &to.join(inside))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    }
    fs::copy(from, to).map(drop).map_err(Failure::file(from))
}
