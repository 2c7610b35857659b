//! The demo's results, compared with NumPy's, on one and several devices and processes.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python_tests::mpirun;
use crate::tally::Tally;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs the program once in NumPy and on several worlds, and compares their output. Each comparison
/// is a test. The demo's data must exist.
pub fn run(project: &Project, python: &Path, full: bool, tally: &mut Tally) -> Result<(), Failure> {
    let target = project.target()?;
    // The launcher's own tests need it, so they have built it.
    let phalanx = target.join("debug/phalanx").with_extension(std::env::consts::EXE_EXTENSION);
    let folder = target.join("demo");
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let reference = reference(project, python, &folder)?;
    let (devices, processes): (&[usize], &[usize]) =
        if full { (&[1, 2, 3, 4, 7], &[1, 2, 3, 4]) } else { (&[1, 3, 4], &[1, 2, 4]) };
    let mut worlds: Vec<World> = devices
        .iter()
        .map(|devices| World { is_by_mpirun: false, processes: None, devices: *devices })
        .collect();
    worlds.extend(processes.iter().map(|count| World {
        is_by_mpirun: false,
        processes: Some(*count),
        devices: 1,
    }));
    match mpirun(1) {
        Some(_) => worlds.extend([(1, 4), (4, 1)].map(|(processes, devices)| World {
            is_by_mpirun: true,
            processes: Some(processes),
            devices,
        })),
        None => tally.lacks("openmpi", "mpirun"),
    }
    for world in worlds {
        let name = world.name();
        let result = world.output(project, &phalanx, &folder).and_then(|text| {
            let path = folder.join(format!("{name}.json"));
            fs::write(&path, text).map_err(Failure::file(&path))?;
            compare(project, python, &reference, &path)
        });
        println!("test demo::{name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        if let Err(failure) = &result {
            println!("{failure}");
        }
        tally.count(result.is_ok());
    }
    Ok(())
}

/// Writes the output of the program in NumPy to a file in a folder.
pub fn reference(project: &Project, python: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let reference = folder.join("numpy.json");
    let script = project.path("tests/demo/terrain_numpy.py");
    let expected = Program::new(python).arguments([script]).output()?;
    fs::write(&reference, expected).map_err(Failure::file(&reference))?;
    Ok(reference)
}

/// Whether two files hold the same results.
pub fn compare(
    project: &Project,
    python: &Path,
    expected: &Path,
    found: &Path,
) -> Result<(), Failure> {
    Program::new(python).arguments([&project.path("tests/demo/compare.py"), expected, found]).run()
}

/// The processes and devices on which the demo runs.
struct World {
    /// Whether `mpirun` starts the example in place of `phalanx run`.
    is_by_mpirun: bool,
    /// The number of processes; `None` runs the demo without a launcher.
    processes: Option<usize>,
    /// Devices of each process.
    devices: usize,
}

impl World {
    fn name(&self) -> String {
        match self.processes {
            Some(processes) if self.is_by_mpirun => format!("{processes}_processes_of_mpirun"),
            None => format!("{}_devices", self.devices),
            Some(processes) => format!("{processes}_processes"),
        }
    }

    fn output(&self, project: &Project, phalanx: &Path, folder: &Path) -> Result<String, Failure> {
        let devices = format!("cpu:{}", self.devices);
        let mut program = Program::new(phalanx).named("phalanx").folder(project.root());
        if let Some(processes) = self.processes {
            let processes = processes.to_string();
            program =
                program.arguments(["run", "-n", &processes, "--devices", &devices, "phalanx"]);
        }
        let results = folder.join(self.name());
        let mpirun = self.processes.filter(|_| self.is_by_mpirun).and_then(mpirun);
        if let Some(mpirun) = mpirun {
            let terrain = project.target()?.join("debug/examples/terrain");
            program = mpirun.folder(project.root()).arguments([terrain]);
        } else {
            program = program.arguments(["demo"]);
        }
        program
            .arguments(["--json", "--devices", &devices, "--output"])
            .arguments([results])
            .variable("PHALANX_DATA", project.path("data"))
            .output()
    }
}
