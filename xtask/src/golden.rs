//! Golden files: `cargo xtask bless` rewrites them, `cargo xtask replay` compares them between two
//! commits.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of golden files: plans with their kernels, and errors; kernels and their CUDA C.
const FOLDERS: [&str; 2] = ["tests/golden", "kernels/tests/golden"];

/// Rewrites the golden files of the tests whose names contain the filter; all without a filter.
pub fn bless(project: &Project, arguments: &[String]) -> Result<(), Failure> {
    let filter = match arguments {
        [] => None,
        [filter] => Some(filter.as_str()),
        _ => return Err(Failure::usage(arguments.iter())),
    };
    rewrite(project, filter, None)?;
    project.git(&["status", "--short", "--", FOLDERS[0], FOLDERS[1]]).run()
}

/// Writes the golden files of the working tree and of the commit `base` into two copies of the
/// project and shows the differences. A change that keeps every plan and kernel shows none; files
/// that only one side has are listed.
pub fn replay(project: &Project, base: &str) -> Result<(), Failure> {
    let folder = project.target()?.join("replay");
    let (old, new) = (folder.join("base"), folder.join("current"));
    for copy in [&old, &new] {
        if copy.exists() {
            fs::remove_dir_all(copy).map_err(Failure::file(copy))?;
        }
    }
    // Git still lists a worktree whose folder was removed by hand.
    project.git(&["worktree", "prune"]).run()?;
    let place = old.to_string_lossy().into_owned();
    project.git(&["worktree", "add", "--detach", "--force", &place, base]).run()?;
    let result = project.copy_to(&new).and_then(|()| {
        for (copy, name) in [(&old, "target-base"), (&new, "target-current")] {
            // Cargo confuses copies of a crate at two paths: each gets its own target folder.
            rewrite(&Project::at(copy.clone()), None, Some(&folder.join(name)))?;
        }
        compare(&old, &new)
    });
    project.git(&["worktree", "remove", "--force", &place]).run()?;
    result
}

fn rewrite(project: &Project, filter: Option<&str>, targets: Option<&Path>) -> Result<(), Failure> {
    let plans = ["test", "--package", "phalanx", "--test", "golden"];
    let texts = ["test", "--package", "phalanx-kernels", "--test", "it", "cuda_texts"];
    for arguments in [plans.as_slice(), texts.as_slice()] {
        // The filter applies to plans only.
        let filter = filter.filter(|_| arguments == plans);
        let arguments: Vec<&str> = arguments.iter().copied().chain(filter).collect();
        let program = project.cargo(&arguments).variable("PHALANX_BLESS", "1");
        match targets {
            Some(folder) => program.variable("CARGO_TARGET_DIR", folder).run()?,
            None => program.run()?,
        }
    }
    Ok(())
}

fn compare(old: &Path, new: &Path) -> Result<(), Failure> {
    let (before, after) = (golden_files(old), golden_files(new));
    for file in before.difference(&after) {
        println!("only in the base: {}", file.display());
    }
    for file in after.difference(&before) {
        println!("only in the working tree: {}", file.display());
    }
    let mut files = 0;
    for file in before.intersection(&after) {
        let (left, right) = (old.join(file), new.join(file));
        let same = fs::read(&left).map_err(Failure::file(&left))?
            == fs::read(&right).map_err(Failure::file(&right))?;
        if !same {
            files += 1;
            // It exits with 1 because the files differ, as expected.
            let _ = Program::new("git")
                .arguments(["--no-pager", "diff", "--no-index", "--"])
                .arguments([left, right])
                .run();
        }
    }
    println!("{} golden files compared, {files} differ", before.intersection(&after).count());
    if files == 0 { Ok(()) } else { Err(Failure::Differences { files }) }
}

/// The golden files of a copy of the project, by their paths in it.
fn golden_files(root: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        // A commit from before the first golden file has no such folder.
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "rs") {
                let inside = path.strip_prefix(root).expect("bug: the file lies in its folder");
                files.insert(inside.to_owned());
            }
        }
    }
    files
}
