//! Error codes and the page that explains them.

use super::sources::{Breach, Sources};
use std::collections::BTreeMap;

/// The page.
const PAGE: &str = "docs/errors.md";

/// Checks that every code has one declaration and one section of the page, and that every section
/// has a code.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let mut places: BTreeMap<String, (String, usize)> = BTreeMap::new();
    let mut declared: BTreeMap<String, String> = BTreeMap::new();
    // The developer commands have no codes; their tests invent some.
    for file in sources.rust().filter(|file| !file.path.starts_with("xtask/")) {
        for (index, text) in file.text.lines().enumerate() {
            for code in quoted_codes(text) {
                if text.contains(&format!("=> \"{code}\"")) {
                    let first = declared.entry(code.clone()).or_insert(file.path.clone());
                    if *first != file.path {
                        let message = format!("{code} is declared in {first} already");
                        breaches.push(Breach::new(&file.path, index + 1, message));
                    }
                }
                places.entry(code).or_insert((file.path.clone(), index + 1));
            }
        }
    }
    let page = sources.text(PAGE).unwrap_or_default();
    let sections: Vec<(usize, &str)> = page
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, line.strip_prefix("## ")?.get(..5)?)))
        .collect();
    for (position, (line, code)) in sections.iter().enumerate() {
        if !places.contains_key(*code) {
            breaches.push(Breach::new(PAGE, *line, format!("no error has the code {code}")));
        }
        if sections[..position].iter().any(|earlier| earlier.1 == *code) {
            breaches.push(Breach::new(PAGE, *line, format!("{code} has a section already")));
        }
    }
    for (code, (path, line)) in &places {
        if sections.iter().all(|section| section.1 != code) {
            let message = format!("{code} has no section in {PAGE}");
            breaches.push(Breach::new(path, *line, message));
        }
    }
    breaches
}

/// The codes that are whole string literals of a line.
fn quoted_codes(line: &str) -> impl Iterator<Item = String> {
    line.split('"').skip(1).step_by(2).filter_map(|text| {
        let digits = text.strip_prefix("PX")?;
        let is_code = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Doc.\nError::A => \"PX001\",\nError::B => \"PX002\",\n";

    #[test]
    fn codes_and_sections_that_match_are_fine() {
        let page = "# Errors\n\n## PX001: a\n\n## PX002: b\n";
        assert!(check(&Sources::of(&[("a/src/error.rs", SOURCE), (PAGE, page)])).is_empty());
    }

    #[test]
    fn a_code_without_section_and_a_section_without_code_are_found() {
        let page = "## PX001: a\n## PX009: gone\n## PX001: again\n";
        let breaches = check(&Sources::of(&[("a/src/error.rs", SOURCE), (PAGE, page)]));
        let found: Vec<(&str, usize)> =
            breaches.iter().map(|one| (one.path.as_str(), one.line)).collect();
        assert_eq!(found, [(PAGE, 2), (PAGE, 3), ("a/src/error.rs", 3)]);
    }

    #[test]
    fn a_code_of_two_errors_is_found() {
        let page = "## PX001: a\n## PX002: b\n";
        let files = [("a/src/error.rs", SOURCE), ("b/src/error.rs", SOURCE), (PAGE, page)];
        assert_eq!(check(&Sources::of(&files)).len(), 2);
    }

    #[test]
    fn only_whole_texts_are_codes() {
        let found: Vec<String> = quoted_codes("(\"PX003\", \"see PX004\", \"PX12\")").collect();
        assert_eq!(found, ["PX003"]);
    }
}
