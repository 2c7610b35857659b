//! NumPy, run in a separate process.

use crate::cases::Case;
use crate::inputs::{Input, Precision};
use crate::measure::Measured;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A peer to compare with.
pub struct Peer {
    python: PathBuf,
    script: PathBuf,
}

impl Peer {
    /// NumPy under the given interpreter, or under the project's own.
    pub fn numpy(python: Option<String>) -> Peer {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let own =
            root.join(if cfg!(windows) { ".venv/Scripts/python.exe" } else { ".venv/bin/python" });
        Peer {
            python: python.map_or(own, PathBuf::from),
            script: root.join("benches/cpu/numpy_peer.py"),
        }
    }

    /// Runs a case.
    pub fn run(&self, case: &Case, precision: Precision) -> Result<Measured, String> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args([case.name, precision.name()]);
        for Input { shape, low, high } in case.inputs {
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            command.arg(format!("{}:{low}:{high}", extents.join("x")));
        }
        let output = command.stderr(Stdio::inherit()).output().map_err(|error| {
            format!("{}: {error}; `cargo xtask setup` makes it", self.python.display())
        })?;
        if !output.status.success() {
            return Err(format!("{} of NumPy ended with {}", case.name, output.status));
        }
        let document: serde_json::Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{} of NumPy: {error}", case.name))?;
        let number = |name: &str| {
            document[name].as_f64().ok_or_else(|| format!("{} of NumPy: no {name}", case.name))
        };
        Ok(Measured {
            ms: number("ms")?,
            checksum: number("checksum")?,
            magnitude: number("magnitude")?,
        })
    }
}
