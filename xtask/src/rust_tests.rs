//! The test programs of the workspace.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::path::{Path, PathBuf};

/// The features with which everything is built, so that Cargo builds each crate once.
pub const FEATURES: [&str; 2] = ["--features", "ndarray"];

/// The slowest programs, as folder and name, slowest first. They start first, so that none of them
/// runs alone at the end.
const SLOW: [(&str, &str); 7] = [
    ("kernels", "it"),
    ("collectives", "it"),
    ("launcher", "multi_process"),
    ("collectives", "phalanx_collectives"),
    ("collectives", "mpi"),
    ("", "functions"),
    ("launcher", "it"),
];

/// A test program that Cargo has built.
pub struct TestProgram {
    /// The folder of its crate, in which it runs.
    folder: PathBuf,
    /// The name of its target.
    name: String,
    path: PathBuf,
}

impl TestProgram {
    /// The folder of the crate and the name of the target, for messages.
    pub fn name(&self, project: &Project) -> String {
        let folder = self.folder.strip_prefix(project.root()).unwrap_or(&self.folder);
        format!("{} {}", folder.display(), self.name).trim().to_owned()
    }

    /// The program to run.
    pub fn program(&self, project: &Project) -> Program {
        // As `cargo test` does.
        let program = Program::new(&self.path).named(&self.name(project)).folder(&self.folder);
        let program = program.variable("CARGO_MANIFEST_DIR", &self.folder);
        // Each of these tests starts processes and mostly waits for them.
        if self.name == "multi_process" { program.arguments(["--test-threads=6"]) } else { program }
    }

    /// Whether the program mostly waits: for messages, processes and time limits.
    pub fn waits(&self) -> bool {
        ["collectives", "launcher"].iter().any(|folder| self.folder.ends_with(folder))
    }

    fn rank(&self, root: &Path) -> usize {
        let is_same = |(folder, name): &(&str, &str)| {
            self.name == *name && self.folder == root.join(folder).components().collect::<PathBuf>()
        };
        SLOW.iter().position(is_same).unwrap_or(SLOW.len())
    }
}

/// Builds all libraries, programs, examples and tests. Returns the test programs, the slow ones
/// first.
pub fn build(project: &Project) -> Result<Vec<TestProgram>, Failure> {
    let targets = ["--lib", "--bins", "--examples", "--tests"];
    let arguments = [&["build", "--workspace"], &FEATURES[..], &targets].concat();
    let mut programs: Vec<TestProgram> =
        project.artifacts(&arguments)?.iter().filter_map(test_program).collect();
    programs.sort_by_key(|program| program.rank(project.root()));
    Ok(programs)
}

/// The test program that a message of Cargo is about, if any.
fn test_program(message: &serde_json::Value) -> Option<TestProgram> {
    let is_test = message["profile"]["test"].as_bool()?;
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let name = message["target"]["name"].as_str()?.to_owned();
    Some(TestProgram { folder, name, path: path.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn test_programs_are_found_in_the_messages_of_cargo() {
        let message = |is_test: bool| {
            json!({
                "reason": "compiler-artifact", "manifest_path": "/p/kernels/Cargo.toml",
                "target": {"name": "it"}, "profile": {"test": is_test}, "executable": "/p/t/it-1",
            })
        };
        let found = test_program(&message(true)).unwrap();
        assert_eq!(found.program(&Project::at("/p".into())).line(), "kernels it");
        assert_eq!((found.rank(Path::new("/p")), found.rank(Path::new("/q"))), (0, SLOW.len()));
        assert!(test_program(&message(false)).is_none());
        assert!(test_program(&json!({"reason": "build-finished"})).is_none());
    }
}
