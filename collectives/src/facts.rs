//! The facts that a process states about itself when processes meet.

/// Settings of a process, as (key, value) texts.
pub type Facts = Vec<(String, String)>;
