//! Names that begin like ours and are not in the table, each with the nearest known name.

use super::table::{PREFIX, VARIABLES};
use std::ffi::OsStr;

/// A name that begins like ours and is not in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariable {
    /// The name found.
    pub name: String,
    /// The nearest known name.
    pub nearest: &'static str,
}

/// The elements of `names` that begin like ours and are not in the table, each with the nearest
/// known name.
pub fn unknown<'names>(names: impl IntoIterator<Item = &'names OsStr>) -> Vec<UnknownVariable> {
    let mut unknown: Vec<UnknownVariable> = names
        .into_iter()
        .map(OsStr::to_string_lossy)
        .filter(|name| name.starts_with(PREFIX))
        .filter(|name| VARIABLES.iter().all(|variable| variable.name != name))
        .map(|name| UnknownVariable { nearest: nearest(&name), name: name.into_owned() })
        .collect();
    unknown.sort_by(|left, right| left.name.cmp(&right.name));
    unknown
}

fn nearest(name: &str) -> &'static str {
    VARIABLES
        .iter()
        .map(|variable| variable.name)
        // A name that is cut short or extended is nearer than its edit distance says.
        .min_by_key(|known| {
            (!known.starts_with(name) && !name.starts_with(known), edit_distance(name, known))
        })
        .expect("bug: the table is not empty")
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two texts.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substitution = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                let mut least = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_get_the_nearest_known_one() {
        let names =
            ["PATH", "PHALANX_DEVICES", "PHALANX_THREAD", "PHALANX_DEVCIES", "PHALANX_MEMORY"];
        let found = unknown(names.iter().map(OsStr::new));
        let found: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.nearest)).collect();
        let expected = [
            ("PHALANX_DEVCIES", "PHALANX_DEVICES"),
            ("PHALANX_MEMORY", "PHALANX_MEMORY_LIMIT"),
            ("PHALANX_THREAD", "PHALANX_THREADS"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn edit_distance_counts_a_swap_as_one() {
        assert_eq!(edit_distance("abcd", "abdc"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
