//! How a call reads its arguments, and what it answers.

pub mod answer;
pub mod arguments;
pub mod asked;
pub mod callback;
pub mod documentation;
pub mod files;
pub mod indexing;
pub mod named;
pub mod options;
mod output;
pub mod overrides;
pub mod signature;
pub mod writing;
