//! The listing of the public names in Rust: a change of the API shows in the diff of its page.

use crate::failure::Failure;
use crate::project::Project;
use crate::tidy::{File, Sources};
use std::fmt::Write as _;

/// The folders of the crates whose names programs use.
const FOLDERS: [&str; 3] = ["src/", "array/src/", "graph/src/"];

/// The words with which a public item begins.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "mod", "const", "static"];

/// A public item of a file.
struct Item {
    /// Its own name, or that of the type whose member it is.
    name: String,
    is_member: bool,
    /// The item on one line.
    text: String,
}

/// A name that the crates of `FOLDERS` export from another crate.
struct Export<'a> {
    /// How the paths begin of the files in which it is defined and may have methods.
    place: String,
    name: &'a str,
}

/// The page `docs/api.md`.
pub fn page(project: &Project) -> Result<String, Failure> {
    Ok(text(&Sources::read(project)?))
}

fn text(sources: &Sources) -> String {
    let mut text = String::from(
        "# Public names in Rust\n\n\
         `cargo xtask docs` writes this page from the sources of `phalanx`, `phalanx-array` and \
         `phalanx-graph`, and of the names that these export from other crates, so that a change \
         of the API shows in the diff.\n\
         Methods that a table generates, such as `Array::sin`, have no line here: they are the \
         rows of `ops/src/elementwise/table.rs`.\n\
         The documentation of each name is in `cargo doc`.\n",
    );
    let files: Vec<(&File, Vec<Item>)> = sources.rust().map(|file| (file, items(file))).collect();
    let exports = exports(sources, &files);
    for (file, items) in &files {
        let is_exported = |item: &&Item| {
            let is_it =
                |one: &Export| one.name == item.name && file.path.starts_with(one.place.as_str());
            is_public(file) || exports.iter().any(is_it)
        };
        let items: Vec<&str> =
            items.iter().filter(is_exported).map(|item| item.text.as_str()).collect();
        if !items.is_empty() {
            let _ = write!(text, "\n## {}\n\n```text\n{}\n```\n", file.path, items.join("\n"));
        }
    }
    text
}

fn is_public(file: &File) -> bool {
    FOLDERS.iter().any(|folder| file.path.starts_with(folder))
}

/// The exports of the crates of `FOLDERS` from other crates.
fn exports<'a>(sources: &'a Sources, files: &[(&File, Vec<Item>)]) -> Vec<Export<'a>> {
    let mut exports = Vec::new();
    for path in sources.rust().filter(|file| is_public(file)).flat_map(exported) {
        let Some(path) = path.strip_prefix("phalanx_") else { continue };
        if let Some((of_crate, path)) = path.split_once("::") {
            exports.extend(leaves(of_crate, path, files));
        } else {
            // A whole crate: the names that its root exports.
            let of_crate = path.split(' ').next().unwrap_or(path);
            let root = format!("{of_crate}/src/lib.rs");
            let own = sources.rust().filter(|file| file.path == root).flat_map(exported);
            exports.extend(own.flat_map(|path| leaves(of_crate, path, files)));
        }
    }
    exports
}

/// The paths that a file exports, as written after `pub use`.
fn exported(file: &File) -> impl Iterator<Item = &str> {
    let before_tests = file.text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let uses = before_tests.split("pub use ").skip(1);
    uses.filter_map(|rest| rest.split_once(';')).map(|(path, _)| path)
}

/// The names of a path in a crate: `a::b::Name`, or `a::b::{Name, other}`. If several modules of
/// the crate define a name, it is that of the path's module.
fn leaves<'a>(
    of_crate: &str,
    path: &'a str,
    files: &[(&File, Vec<Item>)],
) -> impl Iterator<Item = Export<'a>> {
    let (module, names) = match path.split_once('{') {
        Some((module, names)) => (module, names.trim_end_matches('}')),
        None => path.split_at(path.rfind("::").map_or(0, |at| at + 2)),
    };
    let folder = format!("{of_crate}/src/");
    let names = names.split(',').filter_map(|name| name.split_whitespace().next());
    names.map(move |name| {
        let defines = |item: &&Item| !item.is_member && item.name == name;
        let inside = files.iter().filter(|(file, _)| file.path.starts_with(&folder));
        let is_unique = inside.flat_map(|(_, items)| items).filter(defines).count() == 1;
        let module = if is_unique { "" } else { module.trim_end_matches("::") };
        Export { place: format!("{folder}{}", module.replace("::", "/")), name }
    })
}

/// The public items of a file, methods with the name of their type.
fn items(file: &File) -> Vec<Item> {
    let mut found = Vec::new();
    let mut owner = String::new();
    let mut open: Option<String> = None;
    for (_, line) in file.code() {
        if let Some(begun) = &mut open {
            let _ = write!(begun, " {}", line.trim());
        } else if line.starts_with("impl") {
            owner = type_of(line);
        } else if line.starts_with('}') {
            owner.clear();
        } else if is_item(line.trim_start()) && !head(line).contains('$') {
            open = Some(line.trim().to_owned());
        }
        let is_whole = |text: &String| {
            let depth = text.matches(['(', '[']).count() == text.matches([')', ']']).count();
            depth && (text.ends_with(['{', ';', ',']) || text.contains(" {") || text.ends_with('='))
        };
        if let Some(text) = open.take_if(|text| is_whole(text)) {
            found.push(shown(&text, &owner));
        }
    }
    found
}

/// Whether a line begins a public item.
fn is_item(line: &str) -> bool {
    line.strip_prefix("pub ").is_some_and(|rest| {
        let rest =
            rest.strip_prefix("const ").filter(|rest| rest.starts_with("fn ")).unwrap_or(rest);
        ITEMS.iter().any(|item| rest.starts_with(item) && rest[item.len()..].starts_with(' '))
    })
}

/// The type of an `impl` line.
fn type_of(line: &str) -> String {
    let line = line.split(" for ").last().unwrap_or(line);
    let line = line.trim_start_matches("impl").trim_start();
    let line = if line.starts_with('<') {
        line.split_once("> ").map_or(line, |(_, rest)| rest)
    } else {
        line
    };
    line.trim_end_matches('{').trim().to_owned()
}

/// The text before the body.
fn head(text: &str) -> &str {
    text.split(" {").next().unwrap_or(text)
}

/// An item without `pub` and without its body.
fn shown(text: &str, owner: &str) -> Item {
    let text = head(text)
        .split(" = &[")
        .next()
        .unwrap_or(text)
        .trim_end_matches([';', '{', ',', '='])
        .trim();
    let text = text.replace("( ", "(").replace(", )", ")").replace("pub ", "");
    let is_member = !owner.is_empty();
    let own = text.split(' ').find(|word| !ITEMS.contains(word)).unwrap_or_default();
    let is_letter = |&letter: &char| letter.is_alphanumeric() || letter == '_';
    let name = if is_member { owner } else { own }.chars().take_while(is_letter).collect();
    let own = text.find(own).unwrap_or_default();
    let text = if is_member { format!("{}{owner}::{}", &text[..own], &text[own..]) } else { text };
    Item { name, is_member, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_listed_with_their_signatures() {
        let text = "pub struct A<T> {\n    pub x: T,\n}\nimpl<T: B> A<T> {\n    \
                    pub const fn of(\n        x: T,\n        y: [u8; 2],\n    ) -> A<T> {\n        \
                    A { x }\n    }\n    pub const C: &[u8] = &[1];\n    fn own() {}\n}\n\
                    pub fn free(x: u8) -> u8 {\n    x\n}\npub(crate) fn hidden() {}\n\
                    pub use a::b;\n#[cfg(test)]\nmod tests { pub fn no() {} }\n";
        let sources = Sources::of(&[("array/src/a.rs", text), ("kernels/src/a.rs", text)]);
        let page = super::text(&sources);
        let listed = page.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
        assert_eq!(
            listed,
            "struct A<T>\nconst fn A<T>::of(x: T, y: [u8; 2]) -> A<T>\n\
             const A<T>::C: &[u8]\nfn free(x: u8) -> u8"
        );
        assert!(!page.contains("kernels/"));
    }

    #[test]
    fn names_that_are_exported_from_other_crates_are_listed_without_their_neighbours() {
        let sources = Sources::of(&[
            (
                "device/src/cuda/event.rs",
                "pub struct Event;\nimpl Event {\n    pub fn at() {}\n}\n",
            ),
            ("device/src/event.rs", "pub struct Event;\n"),
            ("ops/src/a.rs", "pub struct A<T> {}\npub struct B {}\n"),
            ("ops/src/of_a.rs", "impl<T> A<T> {\n    pub fn x(self) {}\n}\n"),
            (
                "src/lib.rs",
                "pub use phalanx_device::cuda::Event;\npub use phalanx_ops::{\n    A, \
                            C as D,\n};\npub use phalanx_waiting as waiting;\n",
            ),
            ("waiting/src/lib.rs", "mod waits;\npub use waits::wait;\n"),
            ("waiting/src/waits.rs", "pub fn wait() {}\npub fn unused() {}\n"),
        ]);
        let page = super::text(&sources);
        let listed: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("## ")).collect();
        assert_eq!(
            listed.join("\n").replace("\n\n```text", "").replace("```\n\n", ""),
            "## device/src/cuda/event.rs\nstruct Event\nfn Event::at()\n## ops/src/a.rs\n\
             struct A<T>\n## ops/src/of_a.rs\nfn A<T>::x(self)\n## waiting/src/waits.rs\n\
             fn wait()\n```"
        );
    }
}
