//! Runs the cases of a topic and reports those that fail.

use crate::answer::Answer;
use crate::arguments::{Arguments, Inexpressible};
use crate::calls::Call;
use crate::case::{Case, text};
use crate::compare::{Comparison, Tolerance};
use crate::distribution;
use crate::elements::numbers;
use crate::meshes;
use phalanx::{Array, Config, Limits, Mesh, Policy, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The number of failures shown for a function.
const SHOWN: usize = 2;

/// The folder with NumPy's answers, if there is one.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PHALANX_CONFORMANCE_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: PHALANX_CONFORMANCE_DATA names no folder with NumPy's results");
    }
    folder.map(|folder| folder.join("functions"))
}

/// The topics that have answers.
pub fn topics(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

/// The outcome of a case.
enum Ending {
    Passed,
    /// The call cannot be written in Rust, and NumPy refuses it.
    NotExpressible,
    Failed(String),
}

/// Runs a topic's cases on a mesh and fails with a summary of those that fail.
pub fn check(topic: &str, calls: &[(&str, Call)], mesh: &[usize]) {
    let Some(folder) = folder() else { return };
    let full = std::env::var_os("PHALANX_TEST_FULL").is_some_and(|value| value == "1");
    let turn = meshes::turn();
    let whole = full || matches!(mesh, [1] | [3]) || (mesh == [4] && turn.is_none());
    let path = folder.join(format!("{topic}.jsonl"));
    let table = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    expect_panics();
    let config = Config::for_tests(mesh.iter().product()).threads(1);
    let axes: Vec<(&str, usize)> = ["x", "y"].into_iter().zip(mesh.iter().copied()).collect();
    let (shape, policy) = (Mesh::new(&axes), Policy { split_from: 1 });
    let session = Session::with_options(config, Some(shape), policy, Limits::default());
    let session = session.unwrap_or_else(|error| panic!("no session: {error}"));
    let mut summary = Summary::default();
    let share = mesh.iter().fold(mesh.len(), |share, extent| share * 5 + extent);
    let share = (share + turn.unwrap_or(0)) % 8;
    session.handle().enter(|| {
        for (_, line) in table.lines().enumerate().filter(|(at, _)| whole || at % 8 == share) {
            let case = Case::new(line);
            let call = calls.iter().find(|(name, _)| *name == case.function);
            let ending = match call {
                Some((_, call)) => run(&case, *call, (mesh == [3]).then_some(topic)),
                None => Ending::Failed(format!("calls/{topic}.rs has no {:?}", case.function)),
            };
            summary.add(&case, ending);
        }
    });
    if whole {
        let undescribed = calls.iter().filter(|(name, _)| !summary.functions.contains_key(*name));
        let undescribed: BTreeSet<&str> = undescribed.map(|(name, _)| *name).collect();
        assert!(undescribed.is_empty(), "functions/{topic}.json lacks {undescribed:?}");
    }
    println!("{topic} on {mesh:?}: {}", summary.counts());
    assert!(summary.faults.is_empty(), "{topic} on {mesh:?}:\n{}", summary.report());
    session.finish().unwrap_or_else(|error| panic!("{error}"));
}

#[derive(Default)]
struct Summary {
    /// For each function, the numbers of cases run and failed.
    functions: BTreeMap<String, (usize, usize)>,
    faults: BTreeMap<String, Vec<String>>,
    inexpressible: usize,
}

impl Summary {
    fn add(&mut self, case: &Case, ending: Ending) {
        let counts = self.functions.entry(case.function.clone()).or_default();
        counts.0 += 1;
        match ending {
            Ending::Passed => {}
            Ending::NotExpressible => self.inexpressible += 1,
            Ending::Failed(fault) => {
                counts.1 += 1;
                let faults = self.faults.entry(case.function.clone()).or_default();
                if faults.len() < SHOWN {
                    faults.push(format!("      {}\n    {fault}", case.words()));
                }
            }
        }
    }

    fn counts(&self) -> String {
        let cases: usize = self.functions.values().map(|counts| counts.0).sum();
        let (functions, refused) = (self.functions.len(), self.inexpressible);
        format!("{functions} functions, {cases} cases, {refused} of them refused by the compiler")
    }

    fn report(&self) -> String {
        let mut lines = Vec::new();
        for (name, faults) in &self.faults {
            let (cases, failed) = self.functions[name];
            lines.push(format!("{name}: {failed} of {cases} failed"));
            lines.extend(faults.iter().cloned());
        }
        let (failing, all) = (self.faults.len(), self.functions.len());
        lines.push(format!("{failing} of {all} functions differ from NumPy"));
        lines.join("\n")
    }
}

/// Runs a case; with a topic, also checks the communication of its plan.
fn run(case: &Case, call: Call, planned: Option<&str>) -> Ending {
    let expected = &case.line["expected"];
    match catch_unwind(AssertUnwindSafe(|| answer(case, call, planned))) {
        Ok(Ok(())) => Ending::Passed,
        Ok(Err(fault)) => Ending::Failed(fault),
        Err(panic) => match panic.downcast_ref::<Inexpressible>() {
            Some(_) if expected.get("raises").is_some() => Ending::NotExpressible,
            Some(Inexpressible(what)) => Ending::Failed(format!("the call takes no {what}")),
            None => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.into()));
                Ending::Failed(format!("panicked: {}", text.unwrap_or_default()))
            }
        },
    }
}

fn answer(case: &Case, call: Call, planned: Option<&str>) -> Result<(), String> {
    let made: Vec<(Array, Array)> = case.arrays.iter().map(|given| given.make()).collect();
    let (bases, views): (Vec<Array>, Vec<Array>) = made.into_iter().unzip();
    if planned.is_some() {
        // So that the plan of the answer contains only the call.
        phalanx::flush().map_err(|error| error.to_string())?;
    }
    let arguments = Arguments::new(case, views.clone());
    let mut answer = call(&arguments);
    let expected = &case.line["expected"];
    if let Some(topic) = planned {
        distribution::check(case, topic, &answer)?;
    }
    // If a call fails to change an array, the array carries the error.
    let error = match &answer {
        Answer::Nothing => views.iter().find_map(|view| view.evaluate().err()),
        answer => answer.error(),
    };
    if let (Answer::Nothing, Some(number)) = (&answer, case.line["mutates"].as_u64()) {
        let number = number as usize;
        answer = [views[number].clone(), bases[number].clone()].into();
    }
    if let Some(class) = expected.get("raises") {
        let class = text(class);
        return match error {
            None => Err(format!("{}, but NumPy raises {class}", answer.kind())),
            Some(error) => same_class(&error, &class),
        };
    }
    if let Some(error) = error {
        return Err(error.to_string());
    }
    if let Some(unread) = arguments.unread() {
        return Err(format!("the call does not look at the argument {unread}"));
    }
    let key = format!("{} {}", case.text, case.line["arrays"]);
    let elements =
        case.arrays.iter().flat_map(|given| numbers(given.base.dtype, &given.base.bytes));
    let comparison = Comparison {
        tolerance: Tolerance::new(&text(&case.line["tolerance"])),
        compare: text(&case.line["compare"]),
        views: &views,
        bases: &bases,
        key: &key,
        arguments: &arguments,
        magnitude: elements.map(|number| number.magnitude()).fold(0.0, f64::max),
    };
    comparison.check(&answer, expected)
}

/// Compares the class of an error with that of NumPy's exception.
fn same_class(error: &phalanx::Error, class: &str) -> Result<(), String> {
    let found = error.numpy_class();
    let found_is = |base: &str| found.rsplit('.').next() == Some(base);
    // NumPy's AxisError is both a ValueError and an IndexError.
    if found_is(class) || (found_is("AxisError") && matches!(class, "ValueError" | "IndexError")) {
        return Ok(());
    }
    Err(format!("a {found}, but NumPy raises {class}\n    {error}"))
}

/// Keeps panics of cases quiet; the summary reports them.
fn expect_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let quiet = panic.payload().is::<Inexpressible>();
            if !quiet {
                usual(panic);
            }
        }));
    });
}
