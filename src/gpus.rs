//! What of CUDA a process finds.

use crate::config::CudaOptions;
use phalanx_device::cuda::{CudaDevice, Library, cuda_devices, find, nccl_version};

/// The GPUs and the libraries of CUDA that a session would use, or why it would use none: names
/// with a line about each. Local.
///
/// ```
/// for (name, line) in phalanx::gpus(&phalanx::CudaOptions::default()) {
///     println!("{name}: {line}");
/// }
/// ```
pub fn gpus(options: &CudaOptions) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    match cuda_devices(options) {
        Err(error) => lines.push((String::from("GPUs"), format!("none: {error}"))),
        Ok(0) => lines.push((String::from("GPUs"), String::from("none: the driver finds none"))),
        Ok(count) => {
            for ordinal in 0..count {
                let line = match CudaDevice::new(ordinal, None, options) {
                    Err(error) => error.to_string(),
                    Ok(device) => {
                        let known = device.properties();
                        format!(
                            "{}, compute capability {}.{}, {} multiprocessors, {} GiB, driver for \
                             CUDA {}.{}",
                            known.name,
                            known.capability / 10,
                            known.capability % 10,
                            known.multiprocessors,
                            known.memory >> 30,
                            known.driver / 1000,
                            known.driver % 1000 / 10
                        )
                    }
                };
                lines.push((format!("cuda:{ordinal}"), line));
            }
        }
    }
    for library in Library::ALL {
        let line = match find(library, options) {
            Ok(found) if library == Library::Nccl => {
                let path = found.path.display();
                match nccl_version(options) {
                    Ok(version) => format!("{path}, version {version}"),
                    Err(error) => format!("{path}, not used: {error}"),
                }
            }
            Ok(found) => found.path.display().to_string(),
            Err(error) => format!("not found; {}", error.hint()),
        };
        lines.push((String::from(library.name()), line));
    }
    lines.push((String::from("GPUs tell"), plane(options)));
    lines
}

/// How GPUs tell each other what they have.
fn plane(options: &CudaOptions) -> String {
    match nccl_version(options) {
        Ok(_) => String::from(
            "each other by NCCL, if all processes have it and no two devices are one GPU; else \
             over the host's memory",
        ),
        Err(_) => String::from("each other over the host's memory: NCCL cannot be used"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_a_line() {
        let lines = gpus(&CudaOptions::default());
        for library in Library::ALL {
            assert!(lines.iter().any(|(name, _)| name == library.name()), "{lines:?}");
        }
    }
}
