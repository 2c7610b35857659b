//! The facts that a process states about itself when processes meet.

/// Settings of a process, as (key, value) texts.
pub type Facts = Vec<(String, String)>;

/// The value of a fact, if the process states it.
pub(crate) fn value<'a>(facts: &'a Facts, key: &str) -> Option<&'a str> {
    facts.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}
