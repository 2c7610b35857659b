//! Every dependency has a stated reason and is used.

use super::manifest::{Purpose, dependencies};
use super::sources::{Breach, Sources};

/// The page with the reasons.
const PAGE: &str = "DEPENDENCIES.md";

/// Files that packages include from outside of their folders.
const INCLUDED: [(&str, &[&str]); 1] =
    [("launcher", &["examples/terrain", "tests/multi_process/", "tests/faults/"])];

/// Checks that every package that a manifest names, except our own, has a row of the page.
pub fn reasons(sources: &Sources) -> Vec<Breach> {
    let page = sources.text(PAGE).unwrap_or_default();
    // The first cell of a row may name several related packages.
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

/// Checks that every package that a manifest names is used by the code that it is for, and that
/// every version in the workspace's list is used by a manifest.
pub fn uses(sources: &Sources) -> Vec<Breach> {
    let manifests = || sources.files.iter().filter(|file| file.path.ends_with("Cargo.toml"));
    let listed = |package: &str| {
        let mut all = manifests().flat_map(|manifest| dependencies(&manifest.text));
        all.any(|other| other.package == package && other.purpose != Purpose::Version)
    };
    let mut breaches = Vec::new();
    for manifest in manifests() {
        let folder = manifest.path.strip_suffix("Cargo.toml").unwrap_or_default();
        for dependency in dependencies(&manifest.text) {
            let package = dependency.package.as_str();
            let used = match dependency.purpose {
                Purpose::Version => listed(package),
                purpose => names(sources, folder, purpose, &package.replace('-', "_")),
            };
            if !used {
                let message = format!("`{package}` is not used");
                breaches.push(Breach::new(&manifest.path, dependency.line, message));
            }
        }
    }
    breaches
}

/// Whether the code of a package names a crate; tests count if the dependency is for tests.
fn names(sources: &Sources, folder: &str, purpose: Purpose, name: &str) -> bool {
    let parts = ["src/", "tests/", "benches/", "examples/", "build/", "build.rs"];
    let own = parts.map(|part| match purpose {
        Purpose::Product if !matches!(part, "src/" | "build/" | "build.rs") => None,
        _ => Some(format!("{folder}{part}")),
    });
    let package = folder.trim_end_matches('/');
    let others = INCLUDED.iter().filter(|row| row.0 == package).flat_map(|row| row.1);
    let places: Vec<&str> =
        own.iter().flatten().map(String::as_str).chain(others.copied()).collect();
    let inside = |path: &str| places.iter().any(|place| path.starts_with(place));
    sources.rust().filter(|file| inside(&file.path)).any(|file| match purpose {
        Purpose::Product => file.code().any(|(_, code)| names_crate(code, name)),
        _ => file.code_and_tests().any(|code| names_crate(code, name)),
    })
}

/// Whether a line names a crate: in a path that begins with it, or in a `use` of it.
fn names_crate(code: &str, name: &str) -> bool {
    let imports = code.trim_start().trim_start_matches("pub ").starts_with("use ");
    code.match_indices(name).any(|(start, _)| {
        let before = code[..start].trim_end_matches("::").chars().next_back();
        let after = &code[start + name.len()..];
        let begins = !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        begins && (after.starts_with("::") || (imports && after.starts_with([';', ' '])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let page = "| Crate | Why |\n|---|---|\n| one, two | because |\n";
        let manifest = "[dependencies]\none = \"1\"\ntwo = \"1\"\nthree = \"1\"\nphalanx = \"1\"\n";
        let breaches = reasons(&Sources::of(&[(PAGE, page), ("a/Cargo.toml", manifest)]));
        assert_eq!(
            breaches,
            [Breach::new("a/Cargo.toml", 4, "`three` has no row in DEPENDENCIES.md")]
        );
    }

    #[test]
    fn a_dependency_without_a_use_is_found() {
        let manifest = "[dependencies]\nused-one = \"1\"\nunused = \"1\"\nin-tests = \"1\"\n\
                        [dev-dependencies]\nfor-tests = \"1\"\nfor-none = \"1\"\n";
        let code = "//! Of unused::Thing.\nuse used_one::Thing; // unused::Thing\n\
                    #[cfg(test)]\nmod tests { use in_tests::Thing; }\n";
        let files = [
            ("a/Cargo.toml", manifest),
            ("a/src/a.rs", code),
            ("a/tests/a.rs", "for_tests::run();\n"),
            ("b/src/b.rs", "unused::run(); for_none::run();\n"),
        ];
        let found: Vec<usize> = uses(&Sources::of(&files)).iter().map(|one| one.line).collect();
        assert_eq!(found, [3, 4, 7]);
    }

    #[test]
    fn a_version_that_no_manifest_takes_is_found() {
        let files = [
            ("Cargo.toml", "[workspace.dependencies]\none = \"1\"\ntwo = \"1\"\n"),
            ("a/Cargo.toml", "[dependencies]\none.workspace = true\n"),
            ("a/src/a.rs", "one::run();\n"),
        ];
        let breaches = uses(&Sources::of(&files));
        assert_eq!(breaches, [Breach::new("Cargo.toml", 3, "`two` is not used")]);
    }

    #[test]
    fn crates_are_distinguished_from_other_names() {
        for code in
            ["half::f16", "::half::f16", "use half;", "pub use half as floats;", "<half::f16>"]
        {
            assert!(names_crate(code, "half"), "{code}");
        }
        for code in ["index_half::a", "let half = 1;", "halfway::a", "a.half()"] {
            assert!(!names_crate(code, "half"), "{code}");
        }
    }
}
