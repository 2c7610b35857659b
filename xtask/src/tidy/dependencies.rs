//! Every dependency says why it is there.

use super::manifest::dependencies;
use super::sources::{Breach, Sources};

/// The page that says it.
const PAGE: &str = "DEPENDENCIES.md";

/// Every package that a manifest names, other than our own, has a row of the page.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let page = sources.text(PAGE).unwrap_or_default();
    // The first cell of a row may name several that belong together.
    let first_cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let named: Vec<&str> = first_cells.flat_map(|cell| cell.split(", ")).collect();
    let mut breaches = Vec::new();
    for file in sources.files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        for dependency in dependencies(&file.text) {
            let package = dependency.package.as_str();
            if !package.starts_with("phalanx") && !named.contains(&package) {
                let message = format!("`{package}` has no row in {PAGE}");
                breaches.push(Breach::new(&file.path, dependency.line, message));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let page = "| Crate | Why |\n|---|---|\n| one, two | because |\n";
        let manifest = "[dependencies]\none = \"1\"\ntwo = \"1\"\nthree = \"1\"\nphalanx = \"1\"\n";
        let breaches = check(&Sources::of(&[(PAGE, page), ("a/Cargo.toml", manifest)]));
        assert_eq!(
            breaches,
            [Breach::new("a/Cargo.toml", 4, "`three` has no row in DEPENDENCIES.md")]
        );
    }
}
