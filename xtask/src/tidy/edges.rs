//! Dependencies between our crates follow the allowed edges.

use super::manifest::{Purpose, dependencies};
use super::sources::{Breach, Sources};

/// Each crate's folder, `.` for the root package, and the crates that it may use.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("ops", &[]),
    ("waiting", &[]),
    ("special", &[]),
    ("numerics", &["ops"]),
    ("device", &["ops"]),
    ("kernels", &["ops", "special", "numerics", "device"]),
    ("collectives", &["ops", "waiting", "device"]),
    ("graph", &["ops", "waiting"]),
    ("array", &["ops", "special", "numerics", "waiting", "graph"]),
    ("distributed", &["ops", "graph"]),
    ("scheduler", &["ops", "waiting", "graph", "device", "kernels", "collectives", "distributed"]),
    (
        ".",
        &[
            "ops",
            "waiting",
            "graph",
            "device",
            "kernels",
            "collectives",
            "array",
            "distributed",
            "scheduler",
        ],
    ),
    ("launcher", &["."]),
    ("python", &[".", "launcher"]),
    ("xtask", &[]),
];

/// Checks that a manifest names only crates of ours that its crate may use. Tests may use any.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in sources.files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let folder = file.path.strip_suffix("/Cargo.toml").unwrap_or(".");
        let Some((_, allowed)) = ALLOWED.iter().find(|row| row.0 == folder) else {
            let message = "is a crate without a row in xtask/src/tidy/edges.rs";
            breaches.push(Breach::new(&file.path, 0, message));
            continue;
        };
        for dependency in dependencies(&file.text) {
            let used = folder_of(&dependency.package);
            let counts = dependency.purpose == Purpose::Product;
            if let Some(used) = used.filter(|used| counts && !allowed.contains(used)) {
                let message = format!("`{folder}` may not use `{used}`");
                breaches.push(Breach::new(&file.path, dependency.line, message));
            }
        }
    }
    breaches
}

/// The folder of one of our packages.
fn folder_of(package: &str) -> Option<&str> {
    match package.strip_prefix("phalanx") {
        Some("") => Some("."),
        Some(rest) => rest.strip_prefix('-'),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_edge_is_found() {
        let manifest = "[package]\nname = \"phalanx-array\"\n[dependencies]\n\
                        phalanx-ops.workspace = true\nphalanx-kernels = { path = \"x\" }\n";
        let breaches = check(&Sources::of(&[("array/Cargo.toml", manifest)]));
        assert_eq!(breaches, [Breach::new("array/Cargo.toml", 5, "`array` may not use `kernels`")]);
    }

    #[test]
    fn edges_of_tests_and_of_the_workspace_are_free() {
        let manifest = "[workspace.dependencies]\nphalanx-launcher = { path = \"x\" }\n\
                        [dev-dependencies]\nphalanx-launcher.workspace = true\n";
        assert!(check(&Sources::of(&[("Cargo.toml", manifest)])).is_empty());
    }

    #[test]
    fn an_unknown_crate_is_found() {
        assert_eq!(check(&Sources::of(&[("helpers/Cargo.toml", "")])).len(), 1);
    }
}
