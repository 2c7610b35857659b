//! The form of a source file.

use super::sources::{Breach, Sources};

/// The most lines of a file, its tests counted.
const MOST_LINES: usize = 800;

/// The most columns of a line. The formatter limits code, but neither comments nor strings.
const MOST_COLUMNS: usize = 100;

/// Names that do not describe the contents of a module.
const EMPTY_NAMES: [&str; 8] =
    ["utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"];

/// Checks that every file opens with `//!`.
pub fn documentation(sources: &Sources) -> Vec<Breach> {
    let documented = |text: &str| {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.next().is_some_and(|line| line.starts_with("//! "))
    };
    let files = sources.rust().filter(|file| !documented(&file.text));
    files.map(|file| Breach::new(&file.path, 1, "does not open with `//!`")).collect()
}

/// Checks that no file has more than `MOST_LINES` lines.
pub fn length(sources: &Sources) -> Vec<Breach> {
    let long = sources.rust().filter(|file| file.text.lines().count() > MOST_LINES);
    long.map(|file| {
        let message = format!("has {} of {MOST_LINES} lines", file.text.lines().count());
        Breach::new(&file.path, 0, message)
    })
    .collect()
}

/// Checks that no line has more than `MOST_COLUMNS` columns.
pub fn width(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in sources.rust() {
        for (index, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MOST_COLUMNS {
                let message = format!("has {columns} of {MOST_COLUMNS} columns");
                breaches.push(Breach::new(&file.path, index + 1, message));
            }
        }
    }
    breaches
}

/// Checks that no file has an empty name, that `mod.rs` and `lib.rs` hold no logic, that no test is
/// ignored, and that nothing is marked as unfinished.
pub fn contents(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in sources.rust() {
        let mut parts = file.path.trim_end_matches(".rs").split('/');
        if let Some(name) = parts.find(|part| EMPTY_NAMES.contains(part)) {
            let message = format!("`{name}` does not name its content");
            breaches.push(Breach::new(&file.path, 0, message));
        }
        let declares = file.path.ends_with("/mod.rs") || file.path.ends_with("lib.rs");
        for (line, code) in file.code() {
            let logic = ["fn ", "pub fn ", "pub(crate) fn ", "impl ", "impl<"];
            if declares && logic.iter().any(|start| code.starts_with(start)) {
                let message = "holds logic; put it into a file named by what it does";
                breaches.push(Breach::new(&file.path, line, message));
                break;
            }
        }
        // Spelled in two halves, so that this file does not break its own rule.
        let unfinished = [
            concat!("#[", "ignore"),
            concat!("todo", "!("),
            concat!("unimplemented", "!("),
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
        ];
        for (index, text) in file.text.lines().enumerate() {
            for mark in unfinished.iter().filter(|mark| text.contains(**mark)) {
                let message = format!("`{mark}` is left");
                breaches.push(Breach::new(&file.path, index + 1, message));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_documentation_is_found() {
        let sources = Sources::of(&[
            ("a/src/good.rs", "//! Good.\nfn f() {}\n"),
            ("a/src/bad.rs", "// Bad.\nfn f() {}\n"),
            ("a/src/empty.rs", ""),
        ]);
        let paths: Vec<String> = documentation(&sources).into_iter().map(|one| one.path).collect();
        assert_eq!(paths, ["a/src/bad.rs", "a/src/empty.rs"]);
    }

    #[test]
    fn a_long_file_is_found() {
        let (just, over) = ("x\n".repeat(MOST_LINES), "x\n".repeat(MOST_LINES + 1));
        let sources = Sources::of(&[("a/src/just.rs", &just), ("a/src/over.rs", &over)]);
        let breaches = length(&sources);
        assert_eq!(breaches, [Breach::new("a/src/over.rs", 0, "has 801 of 800 lines")]);
    }

    #[test]
    fn a_wide_line_is_found() {
        // A letter of two bytes takes one column.
        let text = ["é".repeat(MOST_COLUMNS), "é".repeat(MOST_COLUMNS + 1)].join("\n");
        let breaches = width(&Sources::of(&[("a/src/a.rs", &text), ("a.md", &text)]));
        assert_eq!(breaches, [Breach::new("a/src/a.rs", 2, "has 101 of 100 columns")]);
    }

    #[test]
    fn logic_in_mod_rs_is_found_once() {
        let text = "//! Doc.\nmod a;\npub use a::f;\nfn f() {}\nfn g() {}\n";
        let sources = Sources::of(&[("x/src/a/mod.rs", text), ("x/src/a/b.rs", text)]);
        let breaches = contents(&sources);
        assert_eq!(breaches.len(), 1);
        assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("x/src/a/mod.rs", 4));
    }

    #[test]
    fn empty_names_and_unfinished_work_are_found() {
        let text = concat!("//! Doc.\n// TO", "DO later\n");
        let breaches = contents(&Sources::of(&[("x/src/utils/a.rs", text)]));
        assert_eq!(breaches.len(), 2);
        assert_eq!(breaches[1].line, 2);
    }
}
