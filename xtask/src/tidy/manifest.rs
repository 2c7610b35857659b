//! The dependencies that a `Cargo.toml` lists.

/// A dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The line that names it.
    pub line: usize,
    /// The package's name.
    pub package: String,
    /// Its purpose.
    pub purpose: Purpose,
}

/// The purpose of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The crate itself, or its build.
    Product,
    /// The crate's tests and benchmarks.
    Tests,
    /// None yet: an entry of the workspace's list of versions.
    Version,
}

/// The dependencies of a manifest, in order.
pub fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut dependencies = Vec::new();
    let mut section = Section::Other;
    // The later lines of a value over several lines name no dependency.
    let mut open_brackets = 0;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let mut found = None;
        if open_brackets == 0 && line.starts_with('[') {
            section = Section::of(line.trim_matches(['[', ']']));
            if let Section::One(purpose, package) = &section {
                found = Some((package.as_str(), *purpose));
            }
        } else {
            let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
            if let (Section::List(purpose), 0, true) = (&section, open_brackets, !key.is_empty()) {
                found = Some((key, *purpose));
            }
            open_brackets += line.matches(['[', '{']).count();
            open_brackets -= line.matches([']', '}']).count().min(open_brackets);
        }
        if let Some((package, purpose)) = found {
            let package = package.to_owned();
            dependencies.push(Dependency { line: index + 1, package, purpose });
        }
    }
    dependencies
}

/// A section of a manifest.
enum Section {
    /// A list of dependencies: `[dependencies]`, `[target.'cfg(unix)'.dependencies]`.
    List(Purpose),
    /// One dependency: `[dependencies.half]`.
    One(Purpose, String),
    /// Anything else.
    Other,
}

impl Section {
    fn of(name: &str) -> Section {
        let (list, package) = match name.rsplit_once("dependencies.") {
            Some((start, package)) => (format!("{start}dependencies"), Some(package)),
            None => (name.to_owned(), None),
        };
        let purpose = match list.rsplit('.').next() {
            Some("dependencies") if list.starts_with("workspace") => Purpose::Version,
            Some("dependencies" | "build-dependencies") => Purpose::Product,
            Some("dev-dependencies") => Purpose::Tests,
            _ => return Section::Other,
        };
        match package {
            Some(package) => Section::One(purpose, package.to_owned()),
            None => Section::List(purpose),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        let manifest = "\
[package]
name = \"a\"
[dependencies]
one.workspace = true
two = \"1\" # why
three = { version = \"1\", features = [
    \"x\",
    \"y\",
] }
[dependencies.four]
version = \"1\"
[target.'cfg(unix)'.dependencies]
five = \"1\"
[dev-dependencies]
six = \"1\"
[workspace.dependencies]
seven = \"1\"
[lints]
workspace = true
";
        let found: Vec<(usize, String, Purpose)> = dependencies(manifest)
            .into_iter()
            .map(|dependency| (dependency.line, dependency.package, dependency.purpose))
            .collect();
        let expected = [
            (4, "one", Purpose::Product),
            (5, "two", Purpose::Product),
            (6, "three", Purpose::Product),
            (10, "four", Purpose::Product),
            (13, "five", Purpose::Product),
            (15, "six", Purpose::Tests),
            (17, "seven", Purpose::Version),
        ];
        assert_eq!(found, expected.map(|(line, name, purpose)| (line, name.to_owned(), purpose)));
    }
}
