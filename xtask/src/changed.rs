//! Which tests a change needs: the table in `CONTRIBUTING.md`, and `cargo xtask test --changed`.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use std::collections::BTreeSet;

/// The tests of a file, or of what is in a folder.
struct Row {
    path: &'static str,
    /// Test programs, as `cargo xtask test` names them: the folder of the crate and the target; and
    /// parts of the command.
    programs: &'static [&'static str],
    /// Files and folders of tests of the Python module.
    python: &'static [&'static str],
    /// How many seconds they take on two cores, once built, two programs at a time; `None` if they
    /// have not been timed.
    seconds: Option<usize>,
}

const ROWS: [Row; 39] = [
    Row {
        path: "ops",
        programs: &[
            "ops phalanx_ops",
            "kernels it",
            "functions",
            "golden",
            "property",
            "regressions",
        ],
        python: &["tests/python/conformance"],
        seconds: Some(107),
    },
    Row {
        path: "waiting",
        programs: &["waiting phalanx_waiting", "collectives it", "launcher multi_process"],
        python: &["tests/python/test_threads.py", "tests/python/test_waiting.py"],
        seconds: Some(103),
    },
    Row {
        path: "graph",
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
        seconds: Some(28),
    },
    Row {
        path: "array",
        programs: &[
            "array phalanx_array",
            "array it",
            "functions",
            "golden",
            "property",
            "regressions",
        ],
        python: &["tests/python/conformance"],
        seconds: Some(45),
    },
    Row {
        path: "distributed",
        programs: &[
            "distributed phalanx_distributed",
            "scheduler it",
            "functions",
            "golden",
            "property",
        ],
        python: &[],
        seconds: Some(28),
    },
    Row {
        path: "scheduler",
        programs: &[
            "scheduler phalanx_scheduler",
            "scheduler it",
            "golden",
            "property",
            "regressions",
            "launcher multi_process",
        ],
        python: &[],
        seconds: Some(54),
    },
    Row {
        path: "kernels",
        programs: &["kernels phalanx_kernels", "kernels it", "functions", "golden"],
        python: &[],
        seconds: Some(107),
    },
    Row {
        path: "numerics",
        programs: &["numerics it", "kernels it", "functions"],
        python: &[],
        seconds: Some(107),
    },
    Row {
        path: "special",
        programs: &["special cuda", "kernels it"],
        python: &["tests/python/test_scipy_special.py"],
        seconds: Some(107),
    },
    Row {
        path: "device",
        programs: &["device phalanx_device", "kernels it", "golden"],
        python: &[],
        seconds: Some(107),
    },
    Row {
        path: "collectives",
        programs: &[
            "collectives phalanx_collectives",
            "collectives it",
            "collectives model",
            "collectives mpi",
            "launcher multi_process",
        ],
        python: &[],
        seconds: Some(103),
    },
    Row {
        path: "launcher",
        programs: &["launcher phalanx_launcher", "launcher it", "launcher multi_process"],
        python: &[],
        seconds: Some(54),
    },
    Row {
        path: "src",
        programs: &["phalanx", "launcher multi_process", "regressions"],
        python: &["tests/python/test_sessions.py"],
        seconds: Some(54),
    },
    Row { path: "python", programs: &[], python: &["tests/python"], seconds: Some(332) },
    Row { path: "xtask", programs: &["xtask xtask"], python: &[], seconds: Some(1) },
    Row { path: "benches", programs: &[], python: &[], seconds: None },
    Row {
        path: "benches/programs.py",
        programs: &[],
        python: &["tests/python/test_small.py"],
        seconds: Some(4),
    },
    Row {
        path: "examples",
        programs: &[
            "launcher phalanx_launcher",
            "launcher it",
            "launcher multi_process",
            "demo",
            "examples",
        ],
        python: &[],
        seconds: None,
    },
    Row {
        path: "examples/python",
        programs: &[],
        python: &[
            "tests/python/test_gallery.py",
            "tests/python/test_kernel_examples.py",
            "tests/python/test_stubs.py",
        ],
        seconds: None,
    },
    Row {
        path: "docs",
        programs: &["tutorial"],
        python: &["tests/python/test_book.py", "tests/python/test_docs.py"],
        seconds: None,
    },
    Row { path: "README.md", programs: &[], python: &["tests/python/test_docs.py"], seconds: None },
    Row {
        path: "ARCHITECTURE.md",
        programs: &["launcher multi_process"],
        python: &["tests/python/test_path.py"],
        seconds: None,
    },
    Row { path: "CONTRIBUTING.md", programs: &["xtask xtask"], python: &[], seconds: None },
    Row {
        path: "tests/absence.rs",
        programs: &["collectives it", "collectives mpi", "kernels it"],
        python: &[],
        seconds: None,
    },
    Row { path: "tests/adding", programs: &[], python: &[], seconds: None },
    Row {
        path: "tests/api",
        programs: &["functions"],
        python: &["tests/python/test_docs.py", "tests/python/test_names.py"],
        seconds: None,
    },
    Row { path: "tests/array_api", programs: &[], python: &["tests/array_api"], seconds: None },
    Row {
        path: "tests/conformance",
        programs: &["array it", "functions", "kernels it", "property"],
        python: &["tests/python/conformance"],
        seconds: None,
    },
    Row { path: "tests/conversion", programs: &["conversion"], python: &[], seconds: None },
    Row {
        path: "tests/demo",
        programs: &["launcher multi_process", "demo"],
        python: &[],
        seconds: None,
    },
    Row { path: "tests/examples", programs: &["examples"], python: &[], seconds: None },
    Row { path: "tests/faults", programs: &["launcher multi_process"], python: &[], seconds: None },
    Row { path: "tests/functions", programs: &["functions"], python: &[], seconds: None },
    Row { path: "tests/golden", programs: &["golden"], python: &[], seconds: None },
    Row {
        path: "tests/launchers",
        programs: &["phalanx", "launcher multi_process"],
        python: &[],
        seconds: None,
    },
    Row {
        path: "tests/multi_process",
        programs: &["launcher multi_process"],
        python: &[],
        seconds: None,
    },
    Row { path: "tests/property", programs: &["property"], python: &[], seconds: None },
    Row { path: "tests/python", programs: &[], python: &["tests/python"], seconds: None },
    Row { path: "tests/regressions", programs: &["regressions"], python: &[], seconds: None },
];

/// The tests that changed files need.
#[derive(Default)]
pub struct Changed {
    programs: BTreeSet<String>,
    python: BTreeSet<String>,
    /// The rows with changes, with their seconds.
    rows: BTreeSet<(&'static str, Option<usize>)>,
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
        let name = file.rsplit('/').next().unwrap_or(file);
        if file.starts_with("tests/python/") && name.starts_with("test_") {
            self.python.insert(file.to_owned());
            return;
        }
        let has_it = |row: &&Row| {
            file.strip_prefix(row.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // The row of the innermost folder.
        let Some(row) = ROWS.iter().filter(has_it).max_by_key(|row| row.path.len()) else { return };
        self.rows.insert((row.path, row.seconds));
        self.programs.extend(row.programs.iter().map(|name| (*name).to_owned()));
        self.python.extend(row.python.iter().map(|name| (*name).to_owned()));
    }

    /// Whether a test program, or a part of the command, is needed.
    pub fn has_program(&self, name: &str) -> bool {
        self.programs.contains(name)
    }

    /// At most how many seconds the tests take on two cores, once built; tests that are named by
    /// their own files do not count.
    pub fn seconds(&self) -> usize {
        self.rows.iter().filter_map(|(_, seconds)| *seconds).sum()
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

    /// The parts of `cargo xtask test` that are no test programs.
    const PARTS: [&str; 3] = ["demo", "examples", "tutorial"];

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
            let names = if names.is_empty() { String::from("–") } else { names };
            let seconds = row.seconds.map_or(String::from("–"), |seconds| seconds.to_string());
            let line = format!("| `{}` | {names} | {seconds} |", row.path);
            assert!(guide.contains(&line), "CONTRIBUTING.md has no line {line}");
        }
    }

    #[test]
    fn programs_of_the_table_exist() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        for name in ROWS.iter().flat_map(|row| row.programs).filter(|name| !PARTS.contains(name)) {
            let (folder, target) = name.split_once(' ').unwrap_or((".", name));
            let manifest = std::fs::read_to_string(format!("{root}/{folder}/Cargo.toml")).unwrap();
            let there = |path: String| std::path::Path::new(&path).exists();
            let is_there = manifest.contains(&format!("name = \"{}\"", target.replace('_', "-")))
                || manifest.contains(&format!("name = \"{target}\""))
                || there(format!("{root}/{folder}/tests/{target}/main.rs"))
                || there(format!("{root}/{folder}/tests/{target}.rs"));
            assert!(is_there, "{name}");
        }
        for path in ROWS.iter().flat_map(|row| row.python.iter().chain([&row.path])) {
            assert!(std::path::Path::new(&format!("{root}/{path}")).exists(), "{path}");
        }
    }

    #[test]
    fn files_select_their_tests() {
        let changed = of(&["array/src/math/methods.rs", "Cargo.toml"]);
        assert!(changed.has_program("array phalanx_array") && changed.has_program("property"));
        assert!(!changed.has_program("collectives it"));
        assert_eq!(changed.python(), ["tests/python/conformance"]);
        let array = ROWS.iter().find(|row| row.path == "array").and_then(|row| row.seconds);
        assert_eq!(Some(changed.seconds()), array);
        assert!(of(&["rustfmt.toml", "arrays/x.rs", "benches/path.rs"]).is_empty());
        assert!(of(&["tests/golden/plans/a.plan"]).has_program("golden"));
        assert!(of(&["tests/multi_process/files.rs"]).has_program("launcher multi_process"));
        assert!(of(&["examples/poisson.rs"]).has_program("examples"));
        let gallery = of(&["examples/python/n_body.py"]);
        assert!(!gallery.has_program("examples") && gallery.python().len() == 3);
        let one = of(&["tests/python/test_io.py"]);
        assert_eq!(
            (one.python(), one.has_program("functions")),
            (vec!["tests/python/test_io.py".to_owned()], false)
        );
        let all = of(&["tests/python/test_io.py", "python/src/lib.rs", "tests/python/worlds.py"]);
        assert_eq!(all.python(), ["tests/python"]);
    }
}
