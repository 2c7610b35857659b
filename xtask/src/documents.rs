//! `cargo xtask docs`: the generated pages.

use crate::api;
use crate::coverage;
use crate::environment;
use crate::failure::Failure;
use crate::project::Project;
use std::fs;

/// A page and its current text.
pub struct Page {
    /// Its path in the project.
    pub path: &'static str,
    /// Its text.
    pub text: String,
}

/// Every generated page.
pub fn pages(project: &Project) -> Result<Vec<Page>, Failure> {
    Ok(vec![
        Page { path: "docs/environment.md", text: environment::markdown() },
        Page { path: "docs/api.md", text: api::page(project)? },
        Page { path: "docs/coverage.md", text: coverage::page(project)? },
        Page {
            path: "python/phalanx/_documentation/distribution.tsv",
            text: coverage::distribution_table(project)?,
        },
    ])
}

/// Writes the pages whose text has changed.
pub fn write(project: &Project) -> Result<(), Failure> {
    for page in pages(project)? {
        let path = project.path(page.path);
        if fs::read_to_string(&path).is_ok_and(|text| text == page.text) {
            println!("{} is current", page.path);
        } else {
            fs::write(&path, page.text).map_err(Failure::file(&path))?;
            println!("{} written", page.path);
        }
    }
    Ok(())
}
