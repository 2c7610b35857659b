//! What a process detects: CUDA's devices and libraries, and its launcher.

use crate::binding::{share_of_gpus, would_bind};
use crate::config::{Config, CudaOptions, Devices};
use crate::placement::Placement;
use phalanx_device::DeviceError;
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

impl Config {
    /// The numbers of the GPUs that this process uses: the given ones, otherwise all, or its share
    /// if a launcher has started several processes on its host. With `auto`, GPUs that fail when
    /// they are opened, or for which kernels cannot be compiled, are skipped. Local.
    ///
    /// Errors, if GPUs are requested: the failure of CUDA to report its devices, and
    /// `DeviceError::NoSuchDevice` if there is none.
    pub fn own_gpus(&self) -> Result<Vec<usize>, DeviceError> {
        let numbers: Vec<usize> = match &self.devices {
            Devices::Cpu(_) | Devices::NullCuda(_) => return Ok(Vec::new()),
            Devices::Cuda(numbers) if !numbers.is_empty() => return Ok(numbers.clone()),
            Devices::Cuda(_) => match cuda_devices(&self.cuda)? {
                0 => return Err(DeviceError::NoSuchDevice { ordinal: 0, count: 0 }),
                count => (0..count).collect(),
            },
            // Without a usable driver, without a compiler of kernels, or with GPUs that are too
            // old, the CPU is used; `phalanx info` says why.
            Devices::Auto => usable_gpus(&self.cuda).unwrap_or_default(),
        };
        let placement = self.placement.as_ref().filter(|placement| !placement.has_own_gpus);
        let (rank, processes) = placement.map_or((0, 1), Placement::local);
        Ok(numbers[share_of_gpus(rank, processes, numbers.len())].to_vec())
    }

    /// Why `auto` uses the CPU although the driver knows GPUs.
    pub(crate) fn passed_over(&self) -> Option<DeviceError> {
        let Devices::Auto = self.devices else { return None };
        let reason = usable_gpus(&self.cuda).err()?;
        let are_known = match cuda_devices(&self.cuda) {
            Ok(count) => count > 0,
            // A driver that is too old, but has GPUs, returns this error.
            Err(error) => matches!(error, DeviceError::Driver { .. }),
        };
        are_known.then_some(reason)
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
            let way = match (&config.startup, ways.is_empty()) {
                _ if placement.size == 1 => String::from("none: one process"),
                (Some(startup), _) => format!("at {}", startup.address),
                (None, true) => String::from("no way is known: set PHALANX_RENDEZVOUS=file:PATH"),
                (None, false) => format!("by {}", ways.join(", else by ")),
            };
            line("meeting", way);
        }
    }
    let numbers = config.own_gpus().unwrap_or_default();
    let open = |number: &usize| CudaDevice::new(*number, None, &config.cuda).ok();
    let gpus: Vec<Arc<CudaDevice>> = numbers.iter().filter_map(open).collect();
    let names: Vec<String> = numbers.iter().map(|number| format!("cuda:{number}")).collect();
    let taken = match (&config.devices, names.is_empty()) {
        (_, false) => names.join(" "),
        (Devices::Auto, true) => match usable_gpus(&config.cuda) {
            Ok(_) => String::from("none"),
            Err(error) => format!("none: {error}"),
        },
        (_, true) => String::from("none"),
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
