//! `cargo xtask tidy`: the house rules that no other tool checks.
//!
//! A rule is a function from the project's sources to the places that break it. Each rule has tests
//! that break it.

mod book;
mod circles;
mod codes;
mod dependencies;
mod edges;
mod environment;
mod manifest;
mod modules;
mod path;
mod rules;
mod safety;
mod seams;
mod sources;
mod spellings;
mod vendors;

pub use rules::run;
pub use sources::{File, Sources};
