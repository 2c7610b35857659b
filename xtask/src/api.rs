//! The listing of the public names in Rust: a change of the API shows in the diff of its page.

use crate::failure::Failure;
use crate::project::Project;
use crate::tidy::{File, Sources};
use std::fmt::Write as _;

/// The folders of the crates whose names programs use.
const FOLDERS: [&str; 3] = ["src/", "array/src/", "graph/src/"];

/// The words with which a public item begins.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "mod", "const", "static"];

/// The page `docs/api.md`.
pub fn page(project: &Project) -> Result<String, Failure> {
    Ok(text(&Sources::read(project)?))
}

fn text(sources: &Sources) -> String {
    let mut text = String::from(
        "# Public names in Rust\n\n\
         `cargo xtask docs` writes this page from the sources of `phalanx`, `phalanx-array` and \
         `phalanx-graph`, so that a change of the API shows in the diff.\n\
         Methods that a table generates, such as `Array::sin`, have no line here: they are the \
         rows of `ops/src/elementwise/table.rs`.\n\
         The documentation of each name is in `cargo doc`.\n",
    );
    let is_public = |file: &&File| FOLDERS.iter().any(|folder| file.path.starts_with(folder));
    for file in sources.rust().filter(is_public) {
        let items = items(file);
        if !items.is_empty() {
            let _ = write!(text, "\n## {}\n\n```text\n{}\n```\n", file.path, items.join("\n"));
        }
    }
    text
}

/// The public items of a file, methods with the name of their type.
fn items(file: &File) -> Vec<String> {
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
        } else if is_item(line.trim_start()) && !line.contains('$') {
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

/// An item on one line, without `pub` and without its body.
fn shown(text: &str, owner: &str) -> String {
    let text =
        text.split(" {").next().unwrap_or(text).trim_end_matches([';', '{', ',', '=']).trim();
    let text = text.replace("( ", "(").replace(", )", ")").replace("pub ", "");
    match (owner.is_empty(), text.split_once("fn ")) {
        (false, Some((before, rest))) => format!("{before}fn {owner}::{rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_listed_with_their_signatures() {
        let text = "pub struct A<T> {\n    pub x: T,\n}\nimpl<T: B> A<T> {\n    \
                    pub const fn of(\n        x: T,\n        y: [u8; 2],\n    ) -> A<T> {\n        \
                    A { x }\n    }\n    fn own() {}\n}\n\
                    pub fn free(x: u8) -> u8 {\n    x\n}\npub(crate) fn hidden() {}\n\
                    pub use a::b;\n#[cfg(test)]\nmod tests { pub fn no() {} }\n";
        let sources = Sources::of(&[("array/src/a.rs", text), ("kernels/src/a.rs", text)]);
        let page = super::text(&sources);
        let listed = page.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
        assert_eq!(
            listed,
            "struct A<T>\nconst fn A<T>::of(x: T, y: [u8; 2]) -> A<T>\nfn free(x: u8) -> u8"
        );
        assert!(!page.contains("kernels/"));
    }
}
