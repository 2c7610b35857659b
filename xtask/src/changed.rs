//! Which tests a change needs: the table in `CONTRIBUTING.md`, and `cargo xtask test --changed`.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::collections::BTreeSet;

/// The tests of what is in a folder.
struct Row {
    folder: &'static str,
    /// Test programs, as `cargo xtask test` names them: the folder of the crate and the target.
    programs: &'static [&'static str],
    /// Files and folders of tests of the Python module.
    python: &'static [&'static str],
    /// How many seconds they take on two cores, once built, two programs at a time.
    seconds: usize,
}

const ROWS: [Row; 14] = [
    Row {
        folder: "ops",
        programs: &[
            "ops phalanx_ops",
            "kernels it",
            "functions",
            "golden",
            "property",
            "regressions",
        ],
        python: &["tests/python/conformance"],
        seconds: 107,
    },
    Row {
        folder: "waiting",
        programs: &["waiting phalanx_waiting", "collectives it", "launcher multi_process"],
        python: &["tests/python/test_threads.py", "tests/python/test_waiting.py"],
        seconds: 103,
    },
    Row {
        folder: "graph",
        programs: &[
            "graph phalanx_graph",
            "array phalanx_array",
            "array it",
            "distributed phalanx_distributed",
            "scheduler phalanx_scheduler",
            "scheduler it",
            "golden",
            "property",
            "regressions",
        ],
        python: &[],
        seconds: 28,
    },
    Row {
        folder: "array",
        programs: &[
            "array phalanx_array",
            "array it",
            "functions",
            "golden",
            "property",
            "regressions",
        ],
        python: &["tests/python/conformance"],
        seconds: 45,
    },
    Row {
        folder: "distributed",
        programs: &[
            "distributed phalanx_distributed",
            "scheduler it",
            "functions",
            "golden",
            "property",
        ],
        python: &[],
        seconds: 28,
    },
    Row {
        folder: "scheduler",
        programs: &[
            "scheduler phalanx_scheduler",
            "scheduler it",
            "golden",
            "property",
            "regressions",
            "launcher multi_process",
        ],
        python: &[],
        seconds: 54,
    },
    Row {
        folder: "kernels",
        programs: &["kernels phalanx_kernels", "kernels it", "functions", "golden"],
        python: &[],
        seconds: 107,
    },
    Row {
        folder: "numerics",
        programs: &["numerics phalanx_numerics", "kernels it", "functions"],
        python: &[],
        seconds: 107,
    },
    Row {
        folder: "device",
        programs: &["device phalanx_device", "kernels it", "golden"],
        python: &[],
        seconds: 107,
    },
    Row {
        folder: "collectives",
        programs: &[
            "collectives phalanx_collectives",
            "collectives it",
            "collectives model",
            "collectives mpi",
            "launcher multi_process",
        ],
        python: &[],
        seconds: 103,
    },
    Row {
        folder: "launcher",
        programs: &["launcher phalanx_launcher", "launcher it", "launcher multi_process"],
        python: &[],
        seconds: 54,
    },
    Row {
        folder: "src",
        programs: &["phalanx", "launcher multi_process", "regressions"],
        python: &["tests/python/test_sessions.py"],
        seconds: 54,
    },
    Row { folder: "python", programs: &[], python: &["tests/python"], seconds: 332 },
    Row { folder: "xtask", programs: &["xtask xtask"], python: &[], seconds: 1 },
];

/// The tests that changed files need.
#[derive(Default)]
pub struct Changed {
    programs: BTreeSet<String>,
    python: BTreeSet<String>,
    /// The folders that have changed, with their seconds.
    folders: BTreeSet<(&'static str, usize)>,
}

impl Changed {
    /// The tests for the files that differ from a commit, and for new ones.
    pub fn since(project: &Project, base: &str) -> Result<Changed, Failure> {
        let git =
            |words: &[&str]| Program::new("git").folder(project.root()).arguments(words).output();
        let mut files = git(&["diff", "--name-only", "--diff-filter=d", base])?;
        files += &git(&["ls-files", "--others", "--exclude-standard"])?;
        let mut changed = Changed::default();
        files.lines().for_each(|file| changed.add(file));
        Ok(changed)
    }

    fn add(&mut self, file: &str) {
        let in_tests = file.strip_prefix("tests/");
        match in_tests.and_then(|inside| inside.split_once('/')) {
            Some(("python", name)) => {
                let is_test = name.starts_with("test_") || name.contains("/test_");
                let tests = if is_test { file } else { "tests/python" };
                self.python.insert(tests.to_owned());
            }
            Some(("array_api", _)) => drop(self.python.insert("tests/array_api".to_owned())),
            Some(("conversion" | "functions" | "golden" | "property" | "regressions", _)) => {
                let folder = in_tests.and_then(|inside| inside.split('/').next());
                self.programs.extend(folder.map(str::to_owned));
            }
            Some(("api" | "conformance", _)) => drop(self.programs.insert("functions".to_owned())),
            Some(("faults" | "launchers" | "multi_process", _)) => {
                self.programs.insert("launcher multi_process".to_owned());
            }
            Some(_) => {}
            None => {}
        }
        let rows = ROWS
            .iter()
            .filter(|row| file.strip_prefix(row.folder).is_some_and(|rest| rest.starts_with('/')));
        for row in rows {
            self.folders.insert((row.folder, row.seconds));
            self.programs.extend(row.programs.iter().map(|name| (*name).to_owned()));
            self.python.extend(row.python.iter().map(|name| (*name).to_owned()));
        }
    }

    /// Whether a test program is needed.
    pub fn has_program(&self, name: &str) -> bool {
        self.programs.contains(name)
    }

    /// At most how many seconds the tests take on two cores, once built; tests that are named by
    /// their own files do not count.
    pub fn seconds(&self) -> usize {
        self.folders.iter().map(|(_, seconds)| seconds).sum()
    }

    /// Whether no test is needed.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty() && self.python.is_empty()
    }

    /// The files and folders of tests of the Python module, each once.
    pub fn python(&self) -> Vec<String> {
        let is_inside = |name: &str| {
            let folder = |other: &String| name.strip_prefix(other.as_str());
            self.python.iter().any(|other| folder(other).is_some_and(|rest| rest.starts_with('/')))
        };
        self.python.iter().filter(|name| !is_inside(name)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&str]) -> Changed {
        let mut changed = Changed::default();
        files.iter().for_each(|file| changed.add(file));
        changed
    }

    #[test]
    fn the_table_is_in_the_contributing_guide() {
        let guide = include_str!("../../CONTRIBUTING.md");
        for row in &ROWS {
            let names = row.programs.iter().chain(row.python).map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let line = format!("| `{}` | {names} | {} |", row.folder, row.seconds);
            assert!(guide.contains(&line), "CONTRIBUTING.md has no line {line}");
        }
    }

    #[test]
    fn programs_of_the_table_exist() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        for name in ROWS.iter().flat_map(|row| row.programs) {
            let (folder, target) = name.split_once(' ').unwrap_or((".", name));
            let manifest = std::fs::read_to_string(format!("{root}/{folder}/Cargo.toml")).unwrap();
            let there = |path: String| std::path::Path::new(&path).exists();
            let is_there = manifest.contains(&format!("name = \"{}\"", target.replace('_', "-")))
                || manifest.contains(&format!("name = \"{target}\""))
                || there(format!("{root}/{folder}/tests/{target}/main.rs"))
                || there(format!("{root}/{folder}/tests/{target}.rs"));
            assert!(is_there, "{name}");
        }
        for path in ROWS.iter().flat_map(|row| row.python) {
            assert!(std::path::Path::new(&format!("{root}/{path}")).exists(), "{path}");
        }
    }

    #[test]
    fn files_select_their_tests() {
        let changed = of(&["array/src/math/methods.rs", "docs/errors.md"]);
        assert!(changed.has_program("array phalanx_array") && changed.has_program("property"));
        assert!(!changed.has_program("collectives it"));
        assert_eq!(changed.python(), ["tests/python/conformance"]);
        let array = ROWS.iter().find(|row| row.folder == "array").map(|row| row.seconds);
        assert_eq!(Some(changed.seconds()), array);
        assert!(of(&["README.md", "arrays/x.rs"]).is_empty());
        assert!(of(&["tests/golden/plans/a.plan"]).has_program("golden"));
        assert!(of(&["tests/multi_process/files.rs"]).has_program("launcher multi_process"));
        let one = of(&["tests/python/test_io.py"]);
        assert_eq!(
            (one.python(), one.has_program("functions")),
            (vec!["tests/python/test_io.py".to_owned()], false)
        );
        let all = of(&["tests/python/test_io.py", "python/src/lib.rs", "tests/python/worlds.py"]);
        assert_eq!(all.python(), ["tests/python"]);
    }
}
