//! Reports what a process detects: CUDA's devices and libraries, and its launcher.

use super::binding::would_bind;
use crate::config::{Config, CudaOptions, Devices};
use phalanx_device::cuda::{CudaDevice, Library, cuda_devices, find, nccl_version, usable_gpus};
use std::sync::Arc;

/// The GPUs and CUDA libraries that a session would use, or why it would use none: names with a
/// line about each. Local.
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
    lines.push((String::from("GPU data"), plane(options)));
    lines
}

/// Describes how GPUs exchange data.
fn plane(options: &CudaOptions) -> String {
    match nccl_version(options) {
        Ok(_) => String::from(
            "by NCCL, if all processes have it and no two devices of a group share a GPU; without \
             NCCL by MPI, if it carries the messages between processes; else through the host's \
             memory",
        ),
        Err(_) => String::from(
            "by MPI, if it carries the messages between processes, else through the host's memory: \
             NCCL cannot be used",
        ),
    }
}

/// The launcher of this process, how it would meet the others, and the GPUs and processors of the
/// host that it would use: names with a line about each. Local.
pub fn start_up(config: &Config) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| lines.push((String::from(name), text));
    match &config.placement {
        None => line("launcher", String::from("none: one process with all devices")),
        Some(placement) => {
            let place = match (placement.local_rank, placement.local_size) {
                (Some(rank), Some(size)) => format!(", {rank} of {size} on this host"),
                _ => String::new(),
            };
            let job = placement.job.as_ref().map_or(String::new(), |job| format!(", job {job}"));
            line("launcher", format!("{}{place}{job}", placement.launcher));
            let ways: Vec<String> = config.meeting.ways.iter().map(ToString::to_string).collect();
            let way = match &config.startup {
                _ if placement.size == 1 => String::from("none: one process"),
                Some(startup) => format!("at {}", startup.address),
                None if ways.is_empty() => {
                    String::from("no way is known: set PHALANX_RENDEZVOUS=file:PATH")
                }
                None => format!("by {}", ways.join(", else by ")),
            };
            line("meeting", way);
        }
    }
    let numbers = config.own_gpus().unwrap_or_default();
    let open = |number: &usize| CudaDevice::new(*number, None, &config.cuda).ok();
    let gpus: Vec<Arc<CudaDevice>> = numbers.iter().filter_map(open).collect();
    let names: Vec<String> = numbers.iter().map(|number| format!("cuda:{number}")).collect();
    let taken = match &config.devices {
        _ if !names.is_empty() => names.join(" "),
        Devices::Auto => match usable_gpus(&config.cuda) {
            Ok(_) => String::from("none"),
            Err(error) => format!("none: {error}"),
        },
        _ => String::from("none"),
    };
    line("GPUs used", taken);
    line("processors", would_bind(config, &gpus));
    lines
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
