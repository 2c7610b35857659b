//! The map of the path of an expression names the files that report that they are entered.

use super::sources::{Breach, Sources};
use std::collections::BTreeMap;

/// The page with the map, and the heading above it.
const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## The path of an expression";
/// How a file reports that it is entered.
const MARK: &str = "target: \"phalanx::path\"";

/// Checks that each file of the map reports once that it is entered, and that no other file does.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut marks: BTreeMap<&str, usize> = BTreeMap::new();
    for file in sources.rust().filter(|file| file.path.contains("src/")) {
        let count = file.code().filter(|(_, code)| code.contains(MARK)).count();
        if count > 0 && !file.path.starts_with("xtask/") {
            marks.insert(&file.path, count);
        }
    }
    let mut breaches = Vec::new();
    let Some(page) = sources.text(PAGE) else { return breaches };
    for file in files(page) {
        match marks.remove(file) {
            Some(1) => {}
            Some(_) => breaches.push(Breach::new(file, 0, "reports twice that it is entered")),
            None => breaches.push(Breach::new(file, 0, "does not report that it is entered")),
        }
    }
    let lacking = |(file, _)| Breach::new(file, 0, format!("is not in the map of {PAGE}"));
    breaches.extend(marks.into_iter().map(lacking));
    breaches
}

/// The files that the map names, in order.
fn files(page: &str) -> impl Iterator<Item = &str> {
    let map = page.split(HEADING).nth(1).unwrap_or_default();
    let lines = map.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with("    "));
    let words = lines.flat_map(str::split_whitespace);
    words.filter(|word| word.ends_with(".rs") && word.contains("src/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_the_map_or_the_code_lacks_is_found() {
        let page = "## The path of an expression\n\n    a/src/x.rs  first\n      │  a/src/y.rs\n\n\
                    text about a/src/z.rs\n";
        let mark = "tracing::trace!(target: \"phalanx::path\", file = file!());\n";
        let sources =
            Sources::of(&[("ARCHITECTURE.md", page), ("a/src/x.rs", mark), ("a/src/z.rs", mark)]);
        let found: Vec<_> = check(&sources).into_iter().map(|breach| breach.path).collect();
        assert_eq!(found, ["a/src/y.rs", "a/src/z.rs"]);
    }
}
