//! The list of rules.

use super::sources::{Breach, Sources};
use super::{
    book, circles, codes, dependencies, edges, environment, modules, path, safety, seams,
    spellings, vendors,
};
use crate::documents::{self, Page};
use crate::failure::Failure;
use crate::project::Project;

/// Every rule.
const RULES: [fn(&Sources) -> Vec<Breach>; 18] = [
    edges::check,
    dependencies::reasons,
    dependencies::uses,
    modules::documentation,
    modules::length,
    modules::width,
    modules::contents,
    safety::check,
    vendors::check,
    seams::check,
    spellings::check,
    environment::readers,
    environment::names,
    codes::check,
    path::check,
    circles::check,
    book::pages,
    book::targets,
];

/// Checks all rules and prints the places that break them.
pub fn run(project: &Project) -> Result<(), Failure> {
    let sources = Sources::read(project)?;
    let mut breaches: Vec<Breach> = RULES.iter().flat_map(|rule| rule(&sources)).collect();
    breaches.extend(current_pages(&sources, &documents::pages(project)?));
    for breach in &breaches {
        println!("{breach}");
    }
    match breaches.len() {
        0 => {
            println!("tidy: {} files keep the rules", sources.files.len());
            Ok(())
        }
        count => Err(Failure::Untidy { count }),
    }
}

/// Checks that generated pages match their sources.
fn current_pages(sources: &Sources, pages: &[Page]) -> Vec<Breach> {
    let stale = |page: &&Page| sources.text(page.path) != Some(page.text.as_str());
    let message = "is out of date; run `cargo xtask docs`";
    pages.iter().filter(stale).map(|page| Breach::new(page.path, 0, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_page_is_found() {
        let pages = [("docs/a.md", "a"), ("docs/b.md", "b")]
            .map(|(path, text)| Page { path, text: text.to_owned() });
        let mut files: Vec<(&str, &str)> =
            pages.iter().map(|page| (page.path, page.text.as_str())).collect();
        assert!(current_pages(&Sources::of(&files), &pages).is_empty());
        files[0].1 = "old";
        assert_eq!(current_pages(&Sources::of(&files), &pages).len(), 1);
        assert_eq!(current_pages(&Sources::of(&[]), &pages).len(), pages.len());
    }
}
