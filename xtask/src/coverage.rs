//! `docs/coverage.md`: which names of NumPy are done, computed from the tests, and which names of
//! NumPy, SciPy, CuPy and the array API standard resolve in Python.

use crate::failure::Failure;
use crate::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The names of NumPy and of other libraries.
const NAMES: &str = "tests/api/cupy_api.tsv";
/// The table of the functions' distributions.
const DISTRIBUTION: &str = "tests/api/distribution.tsv";
/// The descriptions of functions, a file for each topic.
const DESCRIPTIONS: &str = "tests/conformance/functions";
/// The calls of functions, a file for each topic.
const CALLS: &str = "tests/functions/calls";
/// The table of the names' places in Python.
const PYTHON: &str = "tests/api/python_names.tsv";

/// The inputs of the page.
#[derive(Default)]
pub struct Inputs {
    /// The text of the table of names.
    pub names: String,
    /// The text of the table of distributions.
    pub distribution: String,
    /// The names that each topic describes.
    pub described: BTreeMap<String, BTreeSet<String>>,
    /// The names that each topic calls.
    pub called: BTreeMap<String, BTreeSet<String>>,
    /// The text of the table of the names in Python.
    pub python: String,
}

/// The page.
pub fn page(project: &Project) -> Result<String, Failure> {
    Ok(Inputs::read(project)?.markdown())
}

/// A table of how functions of the Python module are distributed, for its docstrings.
pub fn distribution_table(project: &Project) -> Result<String, Failure> {
    Ok(Inputs::read(project)?.distributed())
}

impl Inputs {
    fn read(project: &Project) -> Result<Inputs, Failure> {
        let read = |path: &str| {
            let path = project.path(path);
            fs::read_to_string(&path).map_err(Failure::file(&path))
        };
        let mut inputs = Inputs {
            names: read(NAMES)?,
            distribution: read(DISTRIBUTION)?,
            python: read(PYTHON)?,
            ..Inputs::default()
        };
        for (topic, text) in topics(&project.path(DESCRIPTIONS), "json")? {
            inputs.described.insert(topic, described(&text));
        }
        for (topic, text) in topics(&project.path(CALLS), "rs")? {
            inputs.called.insert(topic, called(&text));
        }
        Ok(inputs)
    }

    /// The topics that test each name: those that both describe and call it.
    fn tested(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut tested = BTreeMap::<&str, BTreeSet<&str>>::new();
        for (topic, names) in &self.described {
            let called = self.called.get(topic);
            for name in names.iter().filter(|name| called.is_some_and(|all| all.contains(*name))) {
                tested.entry(name).or_default().insert(topic);
            }
        }
        tested
    }

    /// The places in Python of the names of each area.
    fn places(&self) -> BTreeMap<(&str, &str), Place<'_>> {
        let rows = self.python.lines().skip(1).filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[area, name, path, reason] = fields.as_slice() else { return None };
            let place = if path == "-" { Place::Nowhere(reason) } else { Place::At(path) };
            Some(((area, name), place))
        });
        rows.collect()
    }

    /// The names of each area, in the order of the table.
    fn areas(&self) -> Vec<(&str, Vec<Name<'_>>)> {
        let tested = self.tested();
        let places = self.places();
        let mut areas: Vec<(&str, Vec<Name>)> = Vec::new();
        for line in self.names.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[area, name, kind, ..] = fields.as_slice() else { continue };
            let place = places.get(&(area, name)).copied().unwrap_or(Place::Nowhere("not said"));
            let name = Name { name, kind, place, topics: topics_of(area, name, &tested) };
            match areas.iter_mut().find(|(known, _)| *known == area) {
                Some((_, names)) => names.push(name),
                None => areas.push((area, vec![name])),
            }
        }
        areas
    }

    /// Rows of function names with the same distribution.
    fn distributed(&self) -> String {
        let mut ways = BTreeMap::<String, Vec<String>>::new();
        for (area, names) in self.areas() {
            let Some(home) = area.strip_prefix("numpy") else { continue };
            let home = home.trim_start_matches('.').trim_end_matches(".Generator");
            if home == "ufunc" {
                continue;
            }
            for name in names.iter().filter(|name| name.is_done() && name.is_function()) {
                let how = self.distribution(area, name);
                let path = format!("{home}.{}", name.name);
                ways.entry(how).or_default().push(path.trim_start_matches('.').to_owned());
            }
        }
        let rows = ways.iter().map(|(how, names)| format!("{}\t{how}\n", names.join(" ")));
        format!("functions\tdistribution\n{}", rows.collect::<String>())
    }

    fn markdown(&self) -> String {
        let areas = self.areas();
        let (of_numpy, others): (Vec<_>, Vec<_>) =
            areas.iter().partition(|(area, _)| area.split('.').next() == Some("numpy"));
        let mut text = String::from(INTRODUCTION);
        for (area, names) in &of_numpy {
            let (done, all) = counted(names, |_| true);
            let (functions, of) = counted(names, |name| name.is_function());
            let python = names.iter().filter(|name| name.place.is_there()).count();
            let _ = writeln!(
                text,
                "| `{area}` | {functions} of {of} | {done} of {all} | {python} of {all} |"
            );
        }
        text.push_str(OTHERS);
        for (area, names) in &others {
            let python = names.iter().filter(|name| name.place.is_there()).count();
            let _ = writeln!(text, "| `{area}` | {python} of {} |", names.len());
        }
        for (area, names) in &of_numpy {
            self.area(area, names, &mut text);
        }
        for (area, names) in &others {
            resolved(area, names, &mut text);
        }
        text
    }

    /// Writes the section of an area of NumPy, a row for each name.
    fn area(&self, area: &str, names: &[Name], text: &mut String) {
        let _ = write!(text, "\n## {area}\n");
        text.push_str("\n| Name | Kind | Distributed | Tested in | In Python |\n");
        text.push_str("|---|---|---|---|---|\n");
        for name in names {
            let how =
                if name.is_done() { self.distribution(area, name) } else { String::from("–") };
            let topics: Vec<String> =
                name.topics.iter().map(|topic| format!("`{topic}.json`")).collect();
            let topics = if topics.is_empty() { String::from("–") } else { topics.join(", ") };
            let Name { name, kind, place, .. } = name;
            let own = format!("phalanx{}.{name}", area.trim_start_matches("numpy"));
            let python = match place {
                Place::At(path) if *path == own => String::from("yes"),
                Place::At(path) => format!("yes: `{path}`"),
                Place::Nowhere("") => String::from("no"),
                Place::Nowhere(reason) => format!("no: {reason}"),
            };
            let _ = writeln!(text, "| `{name}` | {kind} | {how} | {topics} | {python} |");
        }
    }

    /// The entry of the table of distributions for a name, or for a topic that tests it.
    fn distribution(&self, area: &str, name: &Name) -> String {
        let own = full_name(area, name.name);
        let rows = || {
            let lines = self.distribution.lines().skip(1);
            lines.filter_map(|line| line.split_once('\t'))
        };
        let names_it = |names: &str| names.split(' ').any(|one| one == own || one == name.name);
        let topic_of = |names: &str| {
            let topic = names.strip_prefix("topic:");
            topic.is_some_and(|topic| name.topics.contains(topic))
        };
        let row = rows().find(|(names, _)| names_it(names));
        let row = row.or_else(|| rows().find(|(names, _)| topic_of(names)));
        row.map_or("not said", |(_, how)| how).replace('\t', ": ")
    }
}

const INTRODUCTION: &str = "\
# Coverage of NumPy

<!-- Written by `cargo xtask docs` from tests/api/, tests/conformance/functions/ and \
tests/functions/calls/. -->

A name is done if a topic of `tests/conformance/functions/` describes its arguments and \
`tests/functions/calls/` calls it; then it is compared with NumPy, on meshes of 1, 3 and 4 \
devices.
Names that are tested otherwise, such as files and printing, are not counted and have no topic.
The distribution of a function is the data that it moves between devices once its operands have \
the same sharding: nothing (local), edges of blocks (halo), partial results (reduce), blocks \
(all-to-all), or whole arrays (gathers).
The tests check that plans of calls with one array on 3 devices move no more than is stated.
Names in Python are those that `phalanx` resolves, its own ones and NumPy's own objects such as \
dtypes: `tests/api/python_names.tsv`, which `python python/resolve_names.py` writes and a test \
compares with the module.

| Area | Functions | All names | Names in Python |
|---|---|---|---|
";

const OTHERS: &str = "
For the array API standard, SciPy, and the names of CuPy beyond NumPy's and SciPy's, this page \
lists which exist in Python; [cupy.md](cupy.md) lists those that have other names.

| Area | Names in Python |
|---|---|
";

/// The place of a name in Python.
#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    /// The path from the module.
    At(&'a str),
    /// The reason why it is absent, if one is given.
    Nowhere(&'a str),
}

impl Place<'_> {
    fn is_there(self) -> bool {
        matches!(self, Place::At(_))
    }
}

/// Writes the section of an area of another library: the names present and missing.
fn resolved(area: &str, names: &[Name], text: &mut String) {
    let _ = write!(text, "\n## {area}\n");
    let (there, missing): (Vec<&Name>, Vec<&Name>) =
        names.iter().partition(|name| name.place.is_there());
    // If all names of a module or class are in one of ours, they are listed under it.
    let mut homes = BTreeMap::<&str, Vec<String>>::new();
    for name in there {
        if let Place::At(path) = name.place {
            let (home, own) = path.rsplit_once('.').unwrap_or(("", path));
            let own = if own == name.name {
                format!("`{own}`")
            } else {
                format!("`{}` (`{own}`)", name.name)
            };
            homes.entry(home).or_default().push(own);
        }
    }
    for (home, names) in homes {
        let _ = write!(text, "\nIn `{home}`: {}.\n", names.join(", "));
    }
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(|name| format!("`{}`", name.name)).collect();
        let _ = write!(text, "\nNot there: {}.\n", missing.join(", "));
    }
}

/// A name of NumPy.
struct Name<'a> {
    name: &'a str,
    kind: &'a str,
    place: Place<'a>,
    /// The topics that test it.
    topics: BTreeSet<&'a str>,
}

impl Name<'_> {
    fn is_done(&self) -> bool {
        !self.topics.is_empty()
    }

    /// Whether it can be called and is no class.
    fn is_function(&self) -> bool {
        matches!(self.kind, "function" | "ufunc" | "method")
    }
}

/// The number of counted names that are done, and of all counted names.
fn counted(names: &[Name], counts: impl Fn(&Name) -> bool) -> (usize, usize) {
    let among = || names.iter().filter(|name| counts(name));
    (among().filter(|name| name.is_done()).count(), among().count())
}

/// The name that descriptions use for a name of an area.
fn full_name(area: &str, name: &str) -> String {
    match area.strip_prefix("numpy.") {
        Some(inside) => format!("{inside}.{name}"),
        None => name.to_owned(),
    }
}

/// The topics that test a name. A method of ufuncs counts as tested if it is tested on any ufunc.
fn topics_of<'a>(
    area: &str,
    name: &str,
    tested: &BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> BTreeSet<&'a str> {
    if area == "numpy.ufunc" {
        let of_any = |one: &str| {
            let method = one.split_once('.');
            method.is_some_and(|(ufunc, method)| method == name && ufunc != "ndarray")
        };
        let found = tested.iter().filter(|(one, _)| of_any(one));
        return found.flat_map(|(_, topics)| topics.iter().copied()).collect();
    }
    tested.get(full_name(area, name).as_str()).cloned().unwrap_or_default()
}

/// The files of a folder with an extension, by their names without it.
fn topics(folder: &Path, extension: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut topics = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::file(folder))? {
        let path = entry.map_err(Failure::file(folder))?.path();
        let topic = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|found| found == extension) {
            let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
            topics.push((topic, text));
        }
    }
    Ok(topics)
}

/// The names that a description has patterns for; none if it is no JSON, which its tests report.
fn described(text: &str) -> BTreeSet<String> {
    let description: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let functions = description["functions"].as_array().cloned().unwrap_or_default();
    let names = functions.iter().flat_map(|function| match &function["name"] {
        serde_json::Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    });
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The names that a table of calls has: texts joined by `|` before a colon.
fn called(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Some((_, table)) = text.split_once("calls! {") else { return names };
    let mut pending = Vec::new();
    for line in table.lines().take_while(|line| !line.starts_with('}')) {
        let mut rest = line.trim();
        loop {
            rest = rest.trim_start_matches([' ', '|']);
            let Some((name, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'))
            else {
                break;
            };
            pending.push(name.to_owned());
            rest = after;
        }
        if rest.starts_with(':') {
            names.append(&mut pending.drain(..).collect());
        } else if !rest.is_empty() {
            pending.clear();
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Inputs {
        let named = |topic: &str, names: BTreeSet<String>| BTreeMap::from([(topic.into(), names)]);
        let description = r#"{"functions": [{"name": ["sum", "ndarray.sum"]}, {"name": "add.at"},
            {"name": "median"}]}"#;
        let calls = "calls! { a =>\n    \"sum\" | \"ndarray.sum\"\n\
                     | \"nansum\": match a {\n\
                     \"left\" => 1,\n    },\n    \"add.at\": 2,\n}\n";
        Inputs {
            names: "area\tname\tkind\nnumpy\tsum\tfunction\nnumpy\tmedian\tfunction\n\
                    numpy\tpi\tattribute\nnumpy.ndarray\tsum\tmethod\nnumpy.ufunc\tat\tmethod\n\
                    cupyx\tget\tfunction\ncupyx\ttake\tfunction\ncupyx\tlose\tfunction\n"
                .into(),
            distribution: "names\thow\twhy\nmean sum\treduce\tpartial sums\n\
                           topic:sums\tlocal\nother\tgathers\n"
                .into(),
            described: named("sums", described(description)),
            called: named("sums", called(calls)),
            python: "area\tname\twhere\treason\nnumpy\tsum\tphalanx.sum\t\n\
                     numpy\tmedian\t-\tnot today\nnumpy\tpi\tphalanx.pi\t\n\
                     numpy.ndarray\tsum\tphalanx.other.sum\t\nnumpy.ufunc\tat\t-\t\n\
                     cupyx\tget\tphalanx.x.get\t\ncupyx\ttake\tphalanx.x.took\t\n"
                .into(),
        }
    }

    #[test]
    fn names_are_read_from_descriptions_and_calls() {
        let inputs = inputs();
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&inputs.described["sums"]), "add.at median ndarray.sum sum");
        assert_eq!(list(&inputs.called["sums"]), "add.at nansum ndarray.sum sum");
    }

    #[test]
    fn functions_are_listed_by_how_they_are_distributed() {
        let table = "functions\tdistribution\nsum ndarray.sum\treduce: partial sums\n";
        assert_eq!(inputs().distributed(), table);
    }

    #[test]
    fn names_are_listed_with_their_tests_and_places() {
        let page = inputs().markdown();
        for line in [
            "| `numpy` | 1 of 2 | 1 of 3 | 2 of 3 |",
            "| `cupyx` | 2 of 3 |",
            "| `sum` | function | reduce: partial sums | `sums.json` | yes |",
            "| `median` | function | – | – | no: not today |",
            "| `pi` | attribute | – | – | yes |",
            "| `sum` | method | reduce: partial sums | `sums.json` | yes: `phalanx.other.sum` |",
            "| `at` | method | local | `sums.json` | no |",
            "In `phalanx.x`: `get`, `take` (`took`).",
            "Not there: `lose`.",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
    }
}
