//! The file with the price table of a set of hosts.

use super::error::ConfigError;
use crate::environment::Environment;
use phalanx_collectives::{Prices, host_name};
use std::path::Path;

/// The file name for a set of hosts: this host, or those of a launcher.
pub(super) fn name(nodes: &[String]) -> String {
    let name = if nodes.is_empty() { host_name() } else { nodes.join("+") };
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-+".contains(letter);
    let name: String =
        name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    // Long lists are cut, so a hash over the whole name distinguishes them.
    let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    match name.len() {
        0..=120 => name,
        _ => format!("{}-{sum:016x}", &name[..100]),
    }
}

/// The table of a file, if it exists. A file that a variable names must exist and be valid.
pub(super) fn read(
    environment: &Environment,
    file: Option<&Path>,
) -> Result<Option<Prices>, ConfigError> {
    let Some(file) = file else { return Ok(None) };
    let known = std::fs::read_to_string(file).map_err(|error| error.to_string());
    match known.and_then(|text| text.parse::<Prices>().map_err(|error| error.to_string())) {
        Ok(prices) => Ok(Some(prices)),
        Err(reason) if environment.prices.is_some() => Err(ConfigError::InvalidValue {
            variable: "PHALANX_PRICES",
            value: format!("{} ({reason})", file.display()),
            allowed: "a file that `phalanx info --measure` wrote",
        }),
        // No table was measured, or another version wrote it.
        Err(_) => Ok(None),
    }
}
