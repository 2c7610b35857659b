//! The random number of a world.

use crate::CollectiveError;

/// A random number from the system.
pub(crate) fn random_seed() -> Result<u64, CollectiveError> {
    getrandom::u64().map_err(|error| CollectiveError::Network { reason: error.to_string() })
}
