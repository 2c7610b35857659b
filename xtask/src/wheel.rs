//! The wheel: built, measured, installed into a fresh environment, and its demo compared with
//! NumPy.

use crate::comparison;
use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::tally::Tally;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of the wheel, and of the module in it.
const MOST_BYTES: u64 = 25_000_000;

/// Builds the wheel as `pip install .` does, and tests it. Builds for release, which takes minutes.
pub fn run(project: &Project, python: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let folder = project.target()?.join("wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file(&folder))?;
    }
    build(project, python, &folder)?;
    let wheel = only_file(&folder, "whl")?;
    measure(&wheel, tally)?;

    let environment = folder.join("environment");
    Program::new(python)
        .arguments(["-m", "venv", "--without-pip"])
        .arguments([&environment])
        .run()?;
    let programs = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    Program::new(python)
        .arguments(["-m", "pip", "--quiet", "--disable-pip-version-check", "--python"])
        .arguments([&programs.join("python")])
        // NumPy is the tests' own, so nothing is downloaded.
        .arguments(["install", "--no-index", "--no-deps"])
        .arguments([&wheel])
        .run()?;
    let packages = |of: &Path| Program::new(of).arguments(["-c", PACKAGES]).output();
    let site = PathBuf::from(packages(&programs.join("python"))?.trim());
    let link = site.join("tests.pth");
    fs::write(&link, packages(python)?).map_err(Failure::file(&link))?;
    measure(&only_file(&site.join("phalanx"), "so")?, tally)?;

    let found = folder.join("found.json");
    let demo = Program::new(programs.join("phalanx"))
        .named("phalanx")
        // Outside of the project's folder, where Python would find the module of the sources.
        .folder(&folder)
        .arguments(["demo", "--json", "--devices", "cpu:2", "--output"])
        .arguments([folder.join("demo")])
        .variable("PHALANX_DATA", project.path("data"))
        .output();
    let result = demo.and_then(|text| {
        fs::write(&found, text).map_err(Failure::file(&found))?;
        let expected = comparison::reference(project, python, &folder)?;
        comparison::compare(project, python, &expected, &found)
    });
    println!("test wheel::demo ... {}", if result.is_ok() { "ok" } else { "FAILED" });
    if let Err(failure) = &result {
        println!("{failure}");
    }
    tally.count(result.is_ok());
    Ok(())
}

/// Prints the folder of an environment's packages.
const PACKAGES: &str = "import sysconfig; print(sysconfig.get_path('platlib'))";

fn build(project: &Project, python: &Path, folder: &Path) -> Result<(), Failure> {
    // The builder is a program in the interpreter's folder.
    let beside = python.parent().map(Path::to_owned).into_iter();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(beside.chain(std::env::split_paths(&inherited)));
    Program::new(python)
        .folder(project.root())
        .arguments(["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index"])
        .arguments(["--no-deps", "--no-build-isolation", "--wheel-dir"])
        .arguments([folder, project.root()])
        .variable("PATH", paths.unwrap_or(inherited))
        .variable("CARGO_TARGET_DIR", project.target()?)
        .run()
}

fn measure(path: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let bytes = fs::metadata(path).map_err(Failure::file(path))?.len();
    let fits = bytes <= MOST_BYTES;
    let name = path.file_name().unwrap_or_default().display();
    println!("test wheel::size of {name} ... {}", if fits { "ok" } else { "FAILED" });
    println!("  {bytes} bytes of at most {MOST_BYTES}");
    tally.count(fits);
    Ok(())
}

/// The only file with this extension in a folder.
fn only_file(folder: &Path, extension: &str) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found = paths.filter(|path| path.extension().is_some_and(|end| end == extension));
    found.next().ok_or_else(|| Failure::File {
        path: folder.join(format!("*.{extension}")),
        source: std::io::ErrorKind::NotFound.into(),
    })
}
