//! The planner names structured operations only behind the lowering seam.

use super::sources::{Breach, Sources};

/// The crates that plan by rules, schedules and phases.
const PLANNER: [&str; 2] = ["distributed/src/", "scheduler/src/"];
/// The folders of the lowerings of single operations, and of their routines that communicate.
const BEHIND: [&str; 2] = ["distributed/src/lower/", "scheduler/src/routines/"];
/// The prefix by which an operation is named.
const NAMED: &str = "Structured::";

/// Checks that no other code of the planner names a structured operation.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let planner = |path: &str| {
        let is_planner = PLANNER.iter().any(|folder| path.starts_with(folder));
        // A test may need an example.
        let is_behind = BEHIND.iter().any(|folder| path.starts_with(folder));
        is_planner && !is_behind && !path.ends_with("tests.rs")
    };
    let mut breaches = Vec::new();
    for file in sources.rust().filter(|file| planner(&file.path)) {
        for (line, code) in file.code() {
            for operation in named(code) {
                let message =
                    format!("`{operation}` is named outside of `{}`", BEHIND.join("` and `"));
                breaches.push(Breach::new(&file.path, line, message));
            }
        }
    }
    breaches
}

/// The operations that a line names. `NodeOp::Structured(…)` names none.
fn named(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices(NAMED).filter_map(|(at, _)| {
        let name = &code[at + NAMED.len()..];
        let end = name.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(name.len());
        name.starts_with(|first: char| first.is_ascii_uppercase()).then(|| &name[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_the_planner_names_is_found() {
        let text = "//! Structured::Sort\nNodeOp::Structured(op) => op,\n\
                    Structured::Matmul(_) => 1,\n";
        let sources = Sources::of(&[
            ("distributed/src/a.rs", text),
            ("distributed/src/lower/a.rs", text),
            ("scheduler/src/routines/a.rs", text),
            ("kernels/src/a.rs", text),
        ]);
        let breaches = check(&sources);
        assert_eq!(breaches.len(), 1);
        assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("distributed/src/a.rs", 3));
    }
}
