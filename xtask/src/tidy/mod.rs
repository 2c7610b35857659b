//! `cargo xtask tidy`: the rules of the house that no other tool checks.
//!
//! A rule is a function from the project's sources to the places where it is broken, so that each
//! has tests of its own that break it.

mod codes;
mod dependencies;
mod edges;
mod environment;
mod manifest;
mod modules;
mod rules;
mod safety;
mod seams;
mod sources;
mod spellings;
mod vendors;

pub use rules::run;
