//! Checks the communication of functions: compares the entries of `tests/api/distribution.tsv` with
//! the plans of the functions' cases.

use crate::answer::Answer;
use crate::case::{Case, Step};
use phalanx::Array;
use std::fmt::Write;

/// The communication of functions, by name and by topic.
const TABLE: &str = include_str!("../api/distribution.tsv");

/// The communication of a function, from the first row that names it or else its topic.
fn said(function: &str, topic: &str) -> Option<&'static str> {
    let rows = || TABLE.lines().skip(1).filter_map(|line| line.split_once('\t'));
    let own = function.strip_prefix("ndarray.").unwrap_or(function);
    let names_it = |names: &str| names.split(' ').any(|name| name == function || name == own);
    let row = rows().find(|(names, _)| names_it(names));
    let row = row.or_else(|| rows().find(|(names, _)| names.strip_prefix("topic:") == Some(topic)));
    row.map(|(_, how)| how.split('\t').next().unwrap_or(how))
}

/// Fails if the plan of a call's answer moves more than the table states.
///
/// Only calls of one array that is no view are checked. Operands with different shardings, and
/// blocks of views on other devices, are moved first, whatever the function does.
pub fn check(case: &Case, topic: &str, answer: &Answer) -> Result<(), String> {
    let Some(array) = first_array(answer) else { return Ok(()) };
    let [given] = case.arrays.as_slice() else { return Ok(()) };
    let is_view = given.steps.iter().any(|step| !matches!(step, Step::Transpose(_)));
    if is_view || given.base.shape.contains(&1) {
        return Ok(());
    }
    let said = said(&case.function, topic)
        .ok_or_else(|| format!("distribution.tsv says nothing of {}", case.function))?;
    // An answer that carries an error has no plan; the error is compared elsewhere.
    let Ok(plan) = array.explain() else { return Ok(()) };
    let mut beyond = String::new();
    for line in plan.lines().take_while(|line| !line.starts_with("step 0:")) {
        if moves(line).is_some_and(|kind| !allowed(said).contains(&kind)) {
            let _ = write!(beyond, "\n      {line}");
        }
    }
    match beyond.as_str() {
        "" => Ok(()),
        _ => Err(format!("distribution.tsv says {said:?}, but the plan has{beyond}")),
    }
}

/// The communication in a line of a plan.
fn moves(line: &str) -> Option<&'static str> {
    let kinds = ["halo of", "gather of", "reshard of", "all_reduce "];
    kinds.into_iter().find(|kind| line.contains(kind))
}

/// The communication that a plan may contain for an entry of the table. A case has few elements, so
/// blocks have no interior, and a halo may look like a gather.
fn allowed(said: &str) -> &'static [&'static str] {
    match said {
        "local" => &[],
        "reduce" => &["all_reduce "],
        "halo" | "all-to-all" | "gathers" => &["halo of", "gather of", "reshard of", "all_reduce "],
        other => panic!("bug: distribution.tsv has {other:?}"),
    }
}

fn first_array(answer: &Answer) -> Option<&Array> {
    match answer {
        Answer::Array(array) => Some(array),
        Answer::Items(items) => items.iter().find_map(first_array),
        _ => None,
    }
}
