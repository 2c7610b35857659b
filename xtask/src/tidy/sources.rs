//! The files that the rules read.

use crate::failure::Failure;
use crate::project::Project;
use std::fmt;
use std::fs;

/// Folders without files of ours.
const SKIPPED: [&str; 5] = ["target", "data", "out", "phalanx-demo", "__pycache__"];

/// The endings of the files that are read: sources, texts of kernels, documents and generated
/// tables.
const KINDS: [&str; 5] = [".rs", ".cu", ".md", ".tsv", "Cargo.toml"];

/// A file and its text.
pub struct File {
    /// The path in the project, with `/` between folders.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The project's sources, manifests and pages.
pub struct Sources {
    /// The files, in alphabetical order.
    pub files: Vec<File>,
}

/// A place where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
pub struct Breach {
    /// The file.
    pub path: String,
    /// The line, from 1; 0 means the whole file.
    pub line: usize,
    /// A description of the breach.
    pub message: String,
}

impl Breach {
    /// A breach in a line of a file; line 0 means the whole file.
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Breach {
        Breach { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

impl Sources {
    /// Reads the project's files.
    pub fn read(project: &Project) -> Result<Sources, Failure> {
        let mut files = Vec::new();
        let mut folders = vec![project.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(Failure::file(&folder))? {
                let path = entry.map_err(Failure::file(&folder))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_dir() {
                    if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                        folders.push(path);
                    }
                } else if KINDS.iter().any(|kind| name.ends_with(kind)) {
                    let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
                    let inside = path.strip_prefix(project.root()).unwrap_or(&path);
                    let path = inside.to_string_lossy().replace('\\', "/");
                    files.push(File { path, text });
                }
            }
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Sources { files })
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Sources made up for a test.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Sources {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Sources { files: files.iter().map(file).collect() }
    }
}

impl File {
    /// The lines before the file's own tests, numbered from 1, without comments.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        lines.enumerate().map(|(index, line)| (index + 1, without_comment(line)))
    }

    /// All lines, including the file's own tests, without comments.
    pub fn code_and_tests(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map(without_comment)
    }
}

/// A line without its `//` comment. Two slashes inside a string, as in an address, count as a
/// comment only after a blank.
pub fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with("//") {
        return "";
    }
    line.find(" // ").map_or(line, |start| &line[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_no_comments_and_no_tests() {
        let text = "//! doc\nlet a = 1; // why\n\n    /// doc\n#[cfg(test)]\nmod tests {}\n";
        let sources = Sources::of(&[("a/src/lib.rs", text)]);
        let code: Vec<_> = sources.files[0].code().collect();
        assert_eq!(code, [(1, ""), (2, "let a = 1;"), (3, ""), (4, "")]);
    }
}
