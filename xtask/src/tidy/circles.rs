//! Files of a crate depend on each other in one direction, and folders that are layers too.
//!
//! A file depends on another if it names one of its items, in a `use` or by a path. A name that
//! `mod.rs` or `lib.rs` re-exports counts as a name of the file that defines it. A method that a
//! file calls counts only if the file names its type, so circles of methods are not found, and
//! neither are circles through re-exports by `*`.

use super::sources::{Breach, File, Sources};
use std::collections::{BTreeMap, BTreeSet};

/// Circles that are left, each with its reason.
const LEFT: &[(&[&str], &str)] = &[
    (
        &["device/src/buffer.rs", "device/src/device.rs"],
        "a device allocates buffers, and a buffer that the host cannot address names its device",
    ),
    (
        &["special/src/digamma.rs", "special/src/gamma.rs"],
        "each of the functions is reflected by another one, and none calls itself",
    ),
];

/// Folders whose entries are layers, the lowest first. An entry uses only those before it.
const LAYERS: &[(&str, &[&str])] = &[
    ("src/", &["environment", "placement", "config", "startup", "session", "prices"]),
    ("collectives/src/", &["transport", "rendezvous", "world", "join"]),
    (
        "device/src/cuda/",
        &["driver", "memory", "streams", "modules", "libraries", "device", "remote"],
    ),
    (
        "kernels/src/cpu/",
        &[
            "instructions",
            "loops",
            "folds",
            "program",
            "lower",
            "layout",
            "worker",
            "schedule",
            "executable",
            "compile",
            "launch",
        ],
    ),
    (
        "python/src/",
        &[
            "interpreter",
            "session",
            "objects",
            "convert",
            "calls",
            "records",
            "methods",
            "function",
            "functions",
            "submodules",
            "module",
        ],
    ),
];

/// A module of a crate, as the names on its path.
type Module = Vec<String>;

/// Checks that no files of a crate depend on each other in a circle, apart from those in `LEFT`.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut breaches = check_except(sources, LEFT);
    breaches.extend(against_layers(sources, LAYERS));
    breaches
}

fn check_except(sources: &Sources, left: &[(&[&str], &str)]) -> Vec<Breach> {
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (_, files) in crates(sources) {
        circles.extend(Crate::new(&files).circles());
    }
    let mut breaches = Vec::new();
    for (files, reason) in left {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        if !circles.remove(&files) {
            let message = format!("is in a listed circle that does not exist: {reason}");
            breaches.push(Breach::new(&files[0], 0, message));
        }
    }
    breaches.extend(circles.into_iter().map(|files| {
        let message = format!("depends on itself through {}", files[1..].join(", "));
        Breach::new(&files[0], 0, message)
    }));
    breaches
}

/// Finds the files of a layer that use a file of a layer above.
fn against_layers(sources: &Sources, layers: &[(&str, &[&str])]) -> Vec<Breach> {
    let crates = crates(sources);
    let mut breaches = Vec::new();
    for (folder, entries) in layers {
        let layer = |path: &str| {
            let inside = path.strip_prefix(folder)?;
            let entry = inside.split('/').next()?.trim_end_matches(".rs");
            entries.iter().position(|name| *name == entry)
        };
        let Some(source) = folder.find("src/") else { continue };
        let Some(files) = crates.get(&folder[..source]) else { continue };
        let all = Crate::new(files);
        for (module, file) in &all.files {
            let Some(own) = layer(&file.path) else { continue };
            for used in all.used(module, file) {
                let used = &all.files[used].path;
                if layer(used).is_some_and(|other| other > own) {
                    let message = format!("uses {used}, of a layer above");
                    breaches.push(Breach::new(&file.path, 0, message));
                }
            }
        }
    }
    breaches
}

/// The files in each crate's `src` folder, without those that hold tests alone.
fn crates(sources: &Sources) -> BTreeMap<&str, Vec<&File>> {
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in sources.rust() {
        let Some((folder, inside)) = file.path.split_once("src/") else { continue };
        let tests = inside.split('/').any(|part| part == "tests" || part == "tests.rs");
        if !tests && (folder.is_empty() || folder.ends_with('/')) {
            crates.entry(folder).or_default().push(file);
        }
    }
    crates
}

/// The modules of one crate.
struct Crate<'a> {
    files: BTreeMap<Module, &'a File>,
}

impl<'a> Crate<'a> {
    fn new(files: &[&'a File]) -> Crate<'a> {
        Crate { files: files.iter().map(|file| (module(&file.path), *file)).collect() }
    }

    /// The paths of the files of each circle, in alphabetical order.
    fn circles(&self) -> Vec<Vec<String>> {
        let edges: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.iter().map(|(module, file)| (module, self.used(module, file))).collect();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            edges.keys().map(|module| (*module, reachable(module, &edges))).collect();
        let mut circles = BTreeSet::new();
        for (module, seen) in reached.iter().filter(|(module, seen)| seen.contains(*module)) {
            let both = seen.iter().filter(|other| reached[**other].contains(*module));
            let mut paths: Vec<String> = both.map(|each| self.files[*each].path.clone()).collect();
            paths.sort();
            circles.insert(paths);
        }
        circles.into_iter().collect()
    }

    /// The modules whose items a file names. A file that declares modules uses nothing.
    fn used(&self, module: &Module, file: &File) -> BTreeSet<&Module> {
        let mut used = BTreeSet::new();
        if declares(&file.path) {
            return used;
        }
        let text = text(file);
        let mut paths = paths(&text);
        // A file may name its child modules without a prefix.
        let is_child = |other: &&Module| {
            other.len() == module.len() + 1 && !module.is_empty() && other.starts_with(module)
        };
        for child in self.files.keys().filter(is_child).filter_map(|child| child.last()) {
            let named = at_starts(&text, &format!("{child}::"));
            paths.extend(named.into_iter().map(|path| [vec!["self".to_owned()], path].concat()));
        }
        for path in paths {
            let target = absolute(module, &path).and_then(|path| self.defining(&path, 0));
            used.extend(target.filter(|target| *target != module));
        }
        used
    }

    /// The module that defines what an absolute path names.
    fn defining(&self, path: &[String], depth: usize) -> Option<&Module> {
        let known = |length: &usize| self.files.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(known)?;
        let (module, file) = self.files.get_key_value(&path[..length])?;
        if !declares(&file.path) {
            return Some(module);
        }
        // A module that only declares others defines nothing itself.
        let name = path.get(length)?;
        let exported = exports(file).into_iter().find(|each| each.last() == Some(name))?;
        let inside = if exported[0] == "crate" { &exported[1..] } else { &exported[..] };
        let start = if exported[0] == "crate" { &[] } else { &path[..length] };
        let inside = inside.iter().filter(|name| *name != "self").cloned();
        let target: Module = start.iter().cloned().chain(inside).collect();
        if depth < 8 { self.defining(&target, depth + 1) } else { None }
    }
}

/// The modules that can be reached from a module by one edge or more.
fn reachable<'a>(
    start: &'a Module,
    edges: &BTreeMap<&'a Module, BTreeSet<&'a Module>>,
) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Module> = edges[start].iter().copied().collect();
    while let Some(module) = open.pop() {
        if seen.insert(module) {
            open.extend(edges[module].iter().copied());
        }
    }
    seen
}

/// The module of a file.
fn module(path: &str) -> Module {
    let inside = path.split_once("src/").map_or(path, |(_, inside)| inside);
    let mut names: Module = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

/// Whether a file only declares and re-exports modules.
fn declares(path: &str) -> bool {
    path.ends_with("/mod.rs") || path.ends_with("src/lib.rs")
}

/// A file's code in one line.
fn text(file: &File) -> String {
    file.code().map(|(_, line)| line).collect::<Vec<_>>().join(" ")
}

/// The paths of a text that start in its own crate, whether used or written out.
fn paths(text: &str) -> Vec<Module> {
    ["crate::", "super::", "self::"].iter().flat_map(|start| at_starts(text, start)).collect()
}

/// The paths of a text that start with these letters.
fn at_starts(text: &str, start: &str) -> Vec<Module> {
    let mut paths = Vec::new();
    for (at, _) in text.match_indices(start) {
        let before = text[..at].chars().next_back();
        if !before.is_some_and(|letter| letter.is_alphanumeric() || "_:$".contains(letter)) {
            expand(&text[at..], &mut paths);
        }
    }
    paths
}

/// The paths that the `pub use` declarations of a file name.
fn exports(file: &File) -> Vec<Module> {
    // Such declarations may follow `mod tests;`.
    let text = file.code_and_tests().collect::<Vec<_>>().join(" ");
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("pub") {
        let rest = &text[at + 3..];
        let rest = match rest.strip_prefix('(') {
            Some(inside) => inside.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        };
        if let Some(path) = rest.trim_start().strip_prefix("use ") {
            expand(path.trim_start(), &mut paths);
        }
    }
    paths
}

/// Reads the path at the start of a text, and each path of a group in braces.
fn expand(text: &str, paths: &mut Vec<Module>) {
    // The number of names before each group that is open.
    let mut open: Vec<usize> = Vec::new();
    let mut names: Module = Vec::new();
    let mut rest = text;
    loop {
        let name = rest.strip_prefix('*').map_or_else(
            || rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()),
            |_| 1,
        );
        names.extend((name > 0).then(|| rest[..name].to_owned()));
        rest = &rest[name..];
        match rest.strip_prefix("::").map(|after| (after, after.strip_prefix('{'))) {
            Some((_, Some(group))) => {
                open.push(names.len());
                rest = group.trim_start();
                continue;
            }
            // The arguments of a generic item, as in `f::<u8>()`, are no part of its path.
            Some((after, None)) if !after.starts_with('<') => {
                rest = after;
                continue;
            }
            _ if name > 0 => paths.push(names.clone()),
            _ => {}
        }
        loop {
            let Some(&length) = open.last() else { return };
            let Some(stop) = rest.find([',', '}']) else { return };
            names.truncate(length);
            let closes = rest[stop..].starts_with('}');
            rest = rest[stop + 1..].trim_start();
            if !closes {
                break;
            }
            open.pop();
        }
    }
}

/// A path from the crate's root, for a path that a module writes.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let mut base = match path.first()?.as_str() {
        "crate" => return Some(path[1..].to_vec()),
        _ => module.clone(),
    };
    let mut names = path.iter().peekable();
    while names.next_if(|name| *name == "super").is_some() {
        base.pop()?;
    }
    names.next_if(|name| *name == "self");
    base.extend(names.filter(|name| *name != "self").cloned());
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Module {
        path.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn paths_of_groups_are_read_one_by_one() {
        let text = "use crate::a::{B, c::{self, D}, E as F}; fn f() { super::g::h::<u8>(1) }";
        let expected = ["crate::a::B", "crate::a::c::self", "crate::a::c::D", "crate::a::E"];
        let mut expected: Vec<Module> = expected.into_iter().map(names).collect();
        expected.push(names("super::g::h"));
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn a_circle_is_found_through_a_name_that_a_folder_re_exports() {
        let files = [
            ("a/src/lib.rs", "//! A.\nmod x;\nmod y;\npub use y::inner::Y;\n"),
            ("a/src/x.rs", "//! X.\nuse crate::y::Y;\npub struct X;\n"),
            ("a/src/y/mod.rs", "//! Y.\nmod inner;\nmod other;\npub(crate) use inner::{Y};\n"),
            ("a/src/y/inner.rs", "//! Y.\nuse super::other::Z;\npub struct Y(crate::x::X);\n"),
            ("a/src/y/other.rs", "//! Z.\npub struct Z;\n#[cfg(test)]\nuse crate::x::X;\n"),
        ];
        let sources = Sources::of(&files);
        let message = "depends on itself through a/src/y/inner.rs";
        assert_eq!(check_except(&sources, &[]), [Breach::new("a/src/x.rs", 0, message)]);
        let left: [(&[&str], &str); 1] = [(&["a/src/x.rs", "a/src/y/inner.rs"], "one idea")];
        assert_eq!(check_except(&sources, &left), []);
    }

    #[test]
    fn circles_through_the_root_and_through_child_modules_are_found() {
        let root =
            "//! A.\nmod x;\nmod y;\n#[cfg(test)]\nmod tests;\npub use x::X;\npub use y::Y;\n";
        let files = [
            ("a/src/lib.rs", root),
            ("a/src/x.rs", "//! X.\nuse crate::Y;\npub struct X;\n"),
            ("a/src/y.rs", "//! Y.\nuse crate::X;\npub struct Y;\n"),
        ];
        let found: Vec<_> = check_except(&Sources::of(&files), &[]);
        assert_eq!(found, [Breach::new("a/src/x.rs", 0, "depends on itself through a/src/y.rs")]);
        let files = [
            ("a/src/x.rs", "//! X.\nmod child;\npub use child::{C};\npub struct X;\n"),
            ("a/src/x/child.rs", "//! C.\nuse super::X;\npub struct C;\n"),
        ];
        assert_eq!(check_except(&Sources::of(&files), &[]).len(), 1);
    }

    #[test]
    fn a_layer_that_uses_one_above_is_found() {
        let sources = Sources::of(&[
            ("a/src/low/x.rs", "//! X.\nuse crate::high::Y;\npub struct X;\n"),
            ("a/src/high.rs", "//! Y.\nuse crate::low::x::X;\npub struct Y;\n"),
        ]);
        let found = against_layers(&sources, &[("a/src/", &["low", "high"])]);
        let message = "uses a/src/high.rs, of a layer above";
        assert_eq!(found, [Breach::new("a/src/low/x.rs", 0, message)]);
    }

    #[test]
    fn a_listed_circle_that_is_broken_is_found() {
        let left: [(&[&str], &str); 1] = [(&["a/src/x.rs", "a/src/y.rs"], "one idea")];
        let sources = Sources::of(&[("a/src/x.rs", "//! X.\n"), ("a/src/y.rs", "//! Y.\n")]);
        assert_eq!(check_except(&sources, &left).len(), 1);
    }
}
