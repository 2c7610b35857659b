//! Files of a crate depend on each other in one direction.
//!
//! A file depends on another if it names one of its items, in a `use` or by a path. A name that
//! `mod.rs` or `lib.rs` re-exports counts as a name of the file that defines it.

use super::sources::{Breach, File, Sources};
use std::collections::{BTreeMap, BTreeSet};

/// Circles that are left, each with its reason.
const LEFT: &[(&[&str], &str)] = &[];

/// A module of a crate, as the names on its path.
type Module = Vec<String>;

/// Checks that no files of a crate depend on each other in a circle, apart from those in `LEFT`.
pub fn check(sources: &Sources) -> Vec<Breach> {
    check_except(sources, LEFT)
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
        for path in paths(&text(file)) {
            let target = absolute(module, &path).and_then(|path| self.defining(&path, 0));
            used.extend(target.filter(|target| *target != module));
        }
        used
    }

    /// The module that defines what an absolute path names.
    fn defining(&self, path: &[String], depth: usize) -> Option<&Module> {
        let known = |length: &usize| self.files.contains_key(&path[..*length]);
        let length = (1..=path.len()).rev().find(known)?;
        let (module, file) = self.files.get_key_value(&path[..length])?;
        if !declares(&file.path) {
            return Some(module);
        }
        // A module that only declares others defines nothing itself.
        let name = path.get(length)?;
        let exported = exports(&text(file)).into_iter().find(|each| each.last() == Some(name))?;
        let inside = if exported[0] == "crate" { &exported[1..] } else { &exported[..] };
        let start = if exported[0] == "crate" { &[] } else { &path[..length] };
        let inside = inside.iter().filter(|name| *name != "self").cloned();
        let target: Module = start.iter().cloned().chain(inside).collect();
        if depth < 8 { self.defining(&target, depth + 1) } else { None }
    }
}

/// What can be reached from a module by one edge or more.
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
    let mut paths = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            if !before.is_some_and(|letter| letter.is_alphanumeric() || "_:$".contains(letter)) {
                expand(&text[at..], &mut paths);
            }
        }
    }
    paths
}

/// The paths that a text's `pub use` declarations name.
fn exports(text: &str) -> Vec<Module> {
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
    fn a_listed_circle_that_is_broken_is_found() {
        let left: [(&[&str], &str); 1] = [(&["a/src/x.rs", "a/src/y.rs"], "one idea")];
        let sources = Sources::of(&[("a/src/x.rs", "//! X.\n"), ("a/src/y.rs", "//! Y.\n")]);
        assert_eq!(check_except(&sources, &left).len(), 1);
    }
}
