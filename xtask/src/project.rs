//! The project's folders and the programs built in it.

use crate::failure::Failure;
use crate::process::Program;
use std::fs;
use std::path::{Path, PathBuf};

/// The project's folders.
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project that this program was built in.
    pub fn find() -> Project {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.parent().expect("bug: xtask lies in a folder of the project");
        Project { root: root.to_owned() }
    }

    /// A project at another place, such as a checkout of another commit.
    pub fn at(root: PathBuf) -> Project {
        Project { root }
    }

    /// A path inside the project.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo, run in the project's folder.
    pub fn cargo(&self, arguments: &[&str]) -> Program {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Program::new(cargo).named("cargo").arguments(arguments).folder(&self.root)
    }

    /// Git, run in the project's folder.
    pub fn git(&self, arguments: &[&str]) -> Program {
        Program::new("git").arguments(arguments).folder(&self.root)
    }

    /// Copies the files that git tracks or would track; a worktree would lack uncommitted changes.
    pub fn copy_to(&self, to: &Path) -> Result<(), Failure> {
        let mut list = self.git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        for inside in list.output()?.split('\0').filter(|inside| !inside.is_empty()) {
            let (from, to) = (self.path(inside), to.join(inside));
            // A deleted file is listed until its deletion is committed.
            if !from.is_file() {
                continue;
            }
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(Failure::file(folder))?;
            }
            fs::copy(&from, &to).map_err(Failure::file(&from))?;
        }
        Ok(())
    }

    /// The folder where Cargo builds.
    pub fn target(&self) -> Result<PathBuf, Failure> {
        let mut program = self.cargo(&["metadata", "--no-deps", "--format-version=1"]);
        let metadata: serde_json::Value = serde_json::from_str(&program.output()?)
            .map_err(|_| Failure::Output { command: program.line(), missing: "JSON" })?;
        let folder = metadata["target_directory"].as_str();
        let folder = folder.ok_or_else(|| Failure::Output {
            command: program.line(),
            missing: "target_directory",
        })?;
        Ok(PathBuf::from(folder))
    }

    /// Builds a program of the project for release and returns its path.
    pub fn build_release(&self, package: &str) -> Result<PathBuf, Failure> {
        self.built(&["build", "--package", package, "--release"])
    }

    /// Builds tests of a package with options and returns the path of their program.
    pub fn test_program(
        &self,
        package: &str,
        tests: &str,
        options: &[&str],
    ) -> Result<PathBuf, Failure> {
        let arguments = ["test", "--no-run", "--package", package, "--test", tests];
        self.built(&[&arguments[..], options].concat())
    }

    /// The last program that a command of Cargo builds.
    fn built(&self, arguments: &[&str]) -> Result<PathBuf, Failure> {
        let messages = self.artifacts(arguments)?;
        let executables = messages.iter().rev().filter_map(|it| it["executable"].as_str());
        executables.map(PathBuf::from).next().ok_or_else(|| Failure::Output {
            command: self.cargo(arguments).line(),
            missing: "executable",
        })
    }

    /// Runs a command of Cargo that builds, and returns Cargo's messages about it. Prints how long
    /// that took.
    pub fn artifacts(&self, arguments: &[&str]) -> Result<Vec<serde_json::Value>, Failure> {
        let options = ["--message-format=json-render-diagnostics"];
        let program = self.cargo(&[arguments, &options[..]].concat());
        let command = program.line();
        let (output, has_succeeded) = program.collect()?;
        if !has_succeeded {
            return Err(Failure::Program { command, ending: "a failure to build".to_owned() });
        }
        Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}
