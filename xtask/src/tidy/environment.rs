//! The environment is read in one place, also for Python files, and every variable that is named
//! is in the table.

use super::sources::{Breach, Sources};
use crate::environment::{PREFIX, VARIABLES};

/// The files that may read it: the configuration, the launcher's preparation of its processes, and
/// the developer commands.
const READERS: [&str; 4] =
    ["src/config/read.rs", "launcher/src/run/", "special/build.rs", "xtask/"];

/// The files of the Python module.
const MODULE: &str = "python/phalanx/";

/// How Python reads a variable.
const PYTHON_READS: [&str; 2] = ["environ", "getenv"];

/// Checks that no other product code reads a variable.
pub fn readers(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let reads = |path: &str| READERS.iter().any(|reader| path.starts_with(reader));
    for file in sources.rust().filter(|file| !reads(&file.path)) {
        let tests = file.path.split('/').any(|part| part == "tests");
        for (line, code) in file.code().filter(|_| !tests) {
            if code.contains("env::var") {
                let message = "reads the environment; take it from `Config`";
                breaches.push(Breach::new(&file.path, line, message));
            }
        }
    }
    for file in sources.files.iter().filter(|file| file.path.starts_with(MODULE)) {
        for (index, line) in file.text.lines().enumerate() {
            // Variables of others, such as `NO_COLOR`, are not in our table.
            if PYTHON_READS.iter().any(|read| line.contains(read)) && line.contains(PREFIX) {
                let message = "reads the environment; take it from `Config`";
                breaches.push(Breach::new(&file.path, index + 1, message));
            }
        }
    }
    breaches
}

/// Checks that no code, comment or page names a variable that does not exist.
pub fn names(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in &sources.files {
        // Tests use invented names to check that they are refused.
        let text = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        if file.path.split('/').any(|part| part == "tests") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            for name in named(line) {
                if VARIABLES.iter().all(|variable| variable.name != name) {
                    let message = format!("{name} is not in the table of src/environment/table.rs");
                    breaches.push(Breach::new(&file.path, index + 1, message));
                }
            }
        }
    }
    breaches
}

/// The variables that a line names; the bare prefix, as in `PREFIX*`, names none.
fn named(line: &str) -> impl Iterator<Item = String> {
    line.split(PREFIX).skip(1).filter_map(|rest| {
        let belongs =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        let end = rest.find(|letter: char| !belongs(letter));
        let name = &rest[..end.unwrap_or(rest.len())];
        (!name.is_empty()).then(|| format!("{PREFIX}{name}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_the_environment_is_found() {
        let text = "//! Doc.\nlet a = std::env::var_os(\"A\");\n";
        let paths =
            ["src/config/read.rs", "device/src/cpu.rs", "tests/it/a.rs", "kernels/tests/a.rs"];
        let files: Vec<_> = paths.iter().map(|path| (*path, text)).collect();
        let breaches = readers(&Sources::of(&files));
        assert_eq!(breaches.len(), 1);
        assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("device/src/cpu.rs", 2));
        let read = "import os\nos.environ.get(\"PHALANX_DEVICES\")\nos.getenv(\"NO_COLOR\")\n";
        let files = ["python/phalanx/a.py", "tests/python/a.py"].map(|path| (path, read));
        let breaches = readers(&Sources::of(&files));
        assert_eq!(breaches.len(), 1);
        assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("python/phalanx/a.py", 2));
    }

    #[test]
    fn a_name_that_is_not_in_the_table_is_found() {
        let text = "//! All `PHALANX_*`: PHALANX_DEVICES, \"PHALANX_TOKEN\".\n";
        let files = [("src/a.rs", text), ("docs/a.md", text), ("tests/it/a.rs", text)];
        let breaches = names(&Sources::of(&files));
        let found: Vec<&str> = breaches.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(found, ["src/a.rs", "docs/a.md"]);
        assert!(breaches[0].message.starts_with("PHALANX_TOKEN is not"));
    }
}
