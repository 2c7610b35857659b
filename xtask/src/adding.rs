//! The examples of `docs/adding.md` that change tables, each kept as a patch.
//!
//! A patch of `tests/adding/` starts with what the example is, and with lines `run: COMMAND` that
//! prove it. That it applies shows that the page still names the right places.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python;
use crate::tally::Tally;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the patches.
const FOLDER: &str = "tests/adding";

/// The folder in a copy of the project that is kept from run to run: what Cargo has built.
const BUILT: &str = "target";

/// A patch.
struct Example {
    /// The name of its file, without the extension.
    name: String,
    path: PathBuf,
    /// The command lines that prove it, for a shell.
    commands: Vec<String>,
}

/// Runs the commands of an example, or of all without a name. Prints `N passed, N failed` last.
pub fn command(project: &Project, name: Option<&str>) -> Result<(), Failure> {
    let mut tally = Tally::default();
    run(project, name, &mut tally)?;
    tally.finish()
}

/// Applies patches, each to its own copy of the project in `target/adding`, and runs the commands
/// there. Each command is a test, and so is a patch that does not apply.
pub fn run(project: &Project, name: Option<&str>, tally: &mut Tally) -> Result<(), Failure> {
    let python = python::environment(project)?;
    let examples = examples(project)?;
    let chosen: Vec<&Example> =
        examples.iter().filter(|one| name.is_none_or(|name| one.name == name)).collect();
    if let (Some(name), []) = (name, &chosen[..]) {
        return Err(Failure::usage([String::from("adding"), name.to_owned()].iter()));
    }
    for example in chosen {
        example.run(project, &python, tally)?;
    }
    Ok(())
}

/// Checks that each patch applies to the project's files and names its commands; each is a test.
pub fn check(project: &Project, tally: &mut Tally) -> Result<(), Failure> {
    for example in examples(project)? {
        let applies = apply(project.root(), &["--check"], &example.path).output();
        let is_whole = !example.commands.is_empty();
        count(&format!("{}::applies", example.name), applies.is_ok() && is_whole, tally);
        if let Err(failure) = applies {
            println!("{failure}: follow docs/adding.md again, and write the new differences");
        } else if !is_whole {
            println!("{} has no line `run: COMMAND`", example.path.display());
        }
    }
    Ok(())
}

/// The examples, by name.
fn examples(project: &Project) -> Result<Vec<Example>, Failure> {
    let folder = project.path(FOLDER);
    let entries = fs::read_dir(&folder).map_err(Failure::file(&folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "patch"))
        .collect();
    paths.sort();
    let example = |path: PathBuf| {
        let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Example { name, path, commands: commands(&text) })
    };
    paths.into_iter().map(example).collect()
}

/// The commands in the text before the first difference.
fn commands(patch: &str) -> Vec<String> {
    let head = patch.lines().take_while(|line| !line.starts_with("diff --git "));
    head.filter_map(|line| line.strip_prefix("run: ")).map(str::to_owned).collect()
}

/// `git apply` in a folder, as if that were in no repository: git would skip files outside of it.
fn apply(folder: &Path, options: &[&str], patch: &Path) -> Program {
    let ceiling = folder.parent().unwrap_or(folder);
    Program::new("git")
        .folder(folder)
        .variable("GIT_CEILING_DIRECTORIES", ceiling)
        .arguments(["apply"])
        .arguments(options)
        .arguments([patch])
}

impl Example {
    fn run(&self, project: &Project, python: &Path, tally: &mut Tally) -> Result<(), Failure> {
        let copy = project.target()?.join("adding").join(&self.name);
        clear(&copy)?;
        project.copy_to(&copy)?;
        let applied = apply(&copy, &[], &self.path).output();
        if let Err(failure) = applied {
            count(&format!("{}::applies", self.name), false, tally);
            println!("{failure}");
            return Ok(());
        }
        // The commands find the environment's `python`, as if it were activated.
        let beside = python.parent().map(Path::to_owned).into_iter();
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::join_paths(beside.chain(std::env::split_paths(&inherited)));
        let paths = paths.unwrap_or(inherited);
        for (at, command) in self.commands.iter().enumerate() {
            let program = Program::new("sh")
                .arguments(["-c", command])
                .folder(&copy)
                .variable("PATH", &paths)
                .variable("CARGO_TARGET_DIR", copy.join(BUILT));
            // A filter that no longer names a test would prove nothing.
            let mut own: Option<Tally> = None;
            let ended_well = program.watch(|line| {
                if let Some(found) = Tally::of_summary(line) {
                    own.get_or_insert_default().passed += found.passed;
                }
            })?;
            let has_run = own.is_none_or(|own| own.passed > 0);
            count(&format!("{}::{}", self.name, at + 1), ended_well && has_run, tally);
            if !has_run {
                println!("no test has run: {command}");
            }
        }
        Ok(())
    }
}

fn count(name: &str, passed: bool, tally: &mut Tally) {
    println!("test adding::{name} ... {}", if passed { "ok" } else { "FAILED" });
    tally.count(passed);
}

/// Removes the files of an earlier copy, except what was built there.
fn clear(copy: &Path) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(copy) else { return Ok(()) };
    let paths = entries.flatten().map(|entry| entry.path());
    for path in paths.filter(|path| !path.ends_with(BUILT)) {
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(Failure::file(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_before_the_differences() {
        let patch = "An example.\n\nrun: cargo test -p a\nrun: b\ndiff --git a/a b/a\nrun: c\n";
        assert_eq!(commands(patch), ["cargo test -p a", "b"]);
    }

    #[cfg(unix)]
    #[test]
    fn commands_that_fail_or_run_no_test_are_failed_tests() {
        let folder = std::env::temp_dir().join(format!("phalanx-adding-{}", std::process::id()));
        let repository = folder.join("project");
        fs::create_dir_all(&repository).unwrap();
        let write = |name: &str, text: &str| fs::write(repository.join(name), text).unwrap();
        write("Cargo.toml", "[package]\nname = \"example\"\n[lib]\npath = \"word\"\n");
        write("word", "old\n");
        write(".gitignore", "target/\n");
        let project = Project::at(repository.clone());
        Program::new("git").folder(&repository).arguments(["init", "--quiet"]).output().unwrap();
        let difference =
            "diff --git a/word b/word\n--- a/word\n+++ b/word\n@@ -1 +1 @@\n-old\n+new\n";
        let result = |line: &str, tail: &str| {
            let path = folder.join("example.patch");
            fs::write(&path, format!("{line}\n{tail}")).unwrap();
            let example = Example {
                name: String::from("example"),
                commands: commands(&fs::read_to_string(&path).unwrap()),
                path,
            };
            let mut tally = Tally::default();
            example.run(&project, Path::new("/nowhere/python"), &mut tally).unwrap();
            (tally.passed, tally.failed)
        };
        assert_eq!(result("run: grep new word", difference), (1, 0));
        assert_eq!(result("run: grep old word", difference), (0, 1));
        let ran = |count: usize| format!("run: echo 'test result: ok. {count} passed; 0 failed'");
        assert_eq!(result(&ran(0), difference), (0, 1));
        assert_eq!(result(&ran(2), difference), (1, 0));
        assert_eq!(result(&ran(2), &difference.replace("-old", "-odd")), (0, 1));
        fs::remove_dir_all(project.target().unwrap().join("adding/example")).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
