//! `docs/coverage.md`: which names of NumPy there are, computed from what is tested.

use crate::failure::Failure;
use crate::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// NumPy's names.
const NAMES: &str = "tests/api/cupy_api.tsv";
/// How functions are distributed.
const DISTRIBUTION: &str = "tests/api/distribution.tsv";
/// The descriptions of functions, a file for each topic.
const DESCRIPTIONS: &str = "tests/conformance/functions";
/// The calls of functions, a file for each topic.
const CALLS: &str = "tests/functions/calls";
/// The stubs of the Python module, each with the area whose names it has.
const STUBS: [(&str, &str); 4] = [
    ("numpy", "python/phalanx/__init__.pyi"),
    ("numpy.linalg", "python/phalanx/linalg.pyi"),
    ("numpy.fft", "python/phalanx/fft.pyi"),
    ("numpy.random", "python/phalanx/random.pyi"),
];

/// What the page is made of.
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
    /// The names of each area that the stubs of the Python module have.
    pub in_python: BTreeMap<&'static str, BTreeSet<String>>,
}

/// The page.
pub fn page(project: &Project) -> Result<String, Failure> {
    Ok(Inputs::read(project)?.markdown())
}

impl Inputs {
    fn read(project: &Project) -> Result<Inputs, Failure> {
        let read = |path: &str| {
            let path = project.path(path);
            fs::read_to_string(&path).map_err(Failure::file(&path))
        };
        let mut inputs =
            Inputs { names: read(NAMES)?, distribution: read(DISTRIBUTION)?, ..Inputs::default() };
        for (topic, text) in topics(&project.path(DESCRIPTIONS), "json")? {
            inputs.described.insert(topic, described(&text));
        }
        for (topic, text) in topics(&project.path(CALLS), "rs")? {
            inputs.called.insert(topic, called(&text));
        }
        for (area, stub) in STUBS {
            let path = project.path(stub);
            let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
            inputs.in_python.insert(area, stubbed(&text, ""));
            if area == "numpy" {
                let class = text.split_once("class ndarray:").map_or("", |(_, class)| class);
                let class = class.split("\nclass ").next().unwrap_or(class);
                inputs.in_python.insert("numpy.ndarray", stubbed(class, "    "));
            }
        }
        Ok(inputs)
    }

    /// The topics that test each name, which both describe and call it.
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

    fn markdown(&self) -> String {
        let tested = self.tested();
        let mut areas: Vec<(&str, Vec<Name>)> = Vec::new();
        for line in self.names.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[area, name, kind, ..] = fields.as_slice() else { continue };
            let name = Name { name, kind, topics: topics_of(area, name, &tested) };
            match areas.iter_mut().find(|(known, _)| *known == area) {
                Some((_, names)) => names.push(name),
                None => areas.push((area, vec![name])),
            }
        }
        let mut text = String::from(INTRODUCTION);
        for (area, names) in &areas {
            let (done, all) = counted(names, |_| true);
            let (functions, of) = counted(names, |name| name.is_function());
            let python = match self.in_python.get(area) {
                Some(there) => names.iter().filter(|name| there.contains(name.name)).count(),
                None => 0,
            };
            let _ = writeln!(
                text,
                "| `{area}` | {functions} of {of} | {done} of {all} | {python} of {all} |"
            );
        }
        for (area, names) in &areas {
            self.area(area, names, &mut text);
        }
        text
    }

    fn area(&self, area: &str, names: &[Name], text: &mut String) {
        let _ = write!(text, "\n## {area}\n");
        let done: Vec<&Name> = names.iter().filter(|name| name.is_done()).collect();
        if !done.is_empty() {
            text.push_str("\n| Name | Kind | Distributed | Tested in |\n|---|---|---|---|\n");
        }
        for name in done {
            let how = self.distribution(area, name);
            let topics: Vec<String> =
                name.topics.iter().map(|topic| format!("`{topic}.json`")).collect();
            let Name { name, kind, .. } = name;
            let _ = writeln!(text, "| `{name}` | {kind} | {how} | {} |", topics.join(", "));
        }
        let missing = names.iter().filter(|name| !name.is_done());
        let missing: Vec<String> = missing.map(|name| format!("`{}`", name.name)).collect();
        if !missing.is_empty() {
            let _ = write!(text, "\nNot done: {}.\n", missing.join(", "));
        }
    }

    /// What the table of distributions says of a name, or of a topic that tests it.
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
`tests/functions/calls/` calls it, so that it is compared with NumPy, on meshes of 1, 3 and 4 \
devices.
What is done otherwise, such as files and printing, is not counted.
How a function is distributed is what it moves between devices beyond what its operands need to \
lie alike: nothing (local), edges of blocks (halo), partial results (reduce), blocks \
(all-to-all), or whole arrays (gathers).
The plans of the calls of one array on 3 devices are checked to move no more than is said.
Names in Python are those of the stubs in `python/phalanx/`; NumPy's own objects, such as dtypes, \
are there beyond them.

| Area | Functions | All names | Names in Python |
|---|---|---|---|
";

/// A name of NumPy.
struct Name<'a> {
    name: &'a str,
    kind: &'a str,
    /// The topics that test it.
    topics: BTreeSet<&'a str>,
}

impl Name<'_> {
    fn is_done(&self) -> bool {
        !self.topics.is_empty()
    }

    /// Whether it is among those that are called, but no class and no attribute.
    fn is_function(&self) -> bool {
        matches!(self.kind, "function" | "ufunc" | "method")
    }
}

/// How many of some names are done, and how many there are.
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

/// The topics that test a name. Methods of ufuncs are tested as those of some ufunc.
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

/// The names that a stub declares at a depth.
fn stubbed(text: &str, indent: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| {
        let line = line.strip_prefix(indent)?;
        let declared = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "));
        let declared = declared.unwrap_or(line);
        let length = declared.find(|letter: char| letter != '_' && !letter.is_alphanumeric())?;
        let (name, rest) = declared.split_at(length);
        let is_name = !name.is_empty() && rest.starts_with(['(', ':']);
        is_name.then(|| name.to_owned())
    });
    names.collect()
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

/// The names that a description has patterns for; none if it is no JSON, which its tests tell.
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
                    numpy\tpi\tattribute\nnumpy.ndarray\tsum\tmethod\nnumpy.ufunc\tat\tmethod\n"
                .into(),
            distribution: "names\thow\twhy\nmean sum\treduce\tpartial sums\n\
                           topic:sums\tlocal\nother\tgathers\n"
                .into(),
            described: named("sums", described(description)),
            called: named("sums", called(calls)),
            in_python: BTreeMap::from([(
                "numpy",
                stubbed(
                    "import x\ndef sum(a) -> int:\n    def no(): ...\npi: float\n# it: is\n",
                    "",
                ),
            )]),
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
    fn done_is_what_is_described_and_called() {
        let page = inputs().markdown();
        for line in [
            "| `numpy` | 1 of 2 | 1 of 3 | 2 of 3 |",
            "| `sum` | function | reduce: partial sums | `sums.json` |",
            "| `sum` | method | reduce: partial sums | `sums.json` |",
            "| `at` | method | local | `sums.json` |",
            "Not done: `median`, `pi`.",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
    }
}
