//! The devices of a process: which GPUs it uses, and how much memory each device may hold.

use crate::config::{Config, Devices, MemoryLimit};
use crate::placement::{Placement, share_of_gpus};
use phalanx_device::cuda::{CudaDevice, cuda_devices, usable_gpus};
use phalanx_device::{Device, DeviceError, NullDevice};
use std::sync::Arc;

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

/// The GPU behind a device, if it is one.
pub(crate) fn gpu(device: &Arc<dyn Device>) -> Option<Arc<CudaDevice>> {
    device.as_any().downcast_ref::<CudaDevice>().and_then(CudaDevice::handle)
}

/// The GPUs that a configuration requests; empty for CPU devices.
pub(crate) fn open_gpus(config: &Config) -> Result<Vec<Arc<dyn Device>>, DeviceError> {
    if let Devices::NullCuda(count) = &config.devices {
        let planned =
            |at| -> Arc<dyn Device> { NullDevice::new(at, config.cuda.save_source.clone()) };
        return Ok((0..*count).map(planned).collect());
    }
    let open = |ordinal| -> Result<Arc<dyn Device>, DeviceError> {
        Ok(CudaDevice::new(ordinal, None, &config.cuda)?)
    };
    config.own_gpus()?.into_iter().map(open).collect()
}

/// The memory limit of each device of this process: the smallest of their limits.
pub(crate) fn memory_limit(
    config: &Config,
    count: usize,
    devices: &[Arc<dyn Device>],
) -> Option<usize> {
    let limit = config.memory_limit?;
    let gpus = devices.iter().filter_map(gpu).map(|gpu| limit.of(gpu.properties().memory));
    gpus.min().or_else(|| match limit {
        MemoryLimit::Bytes(bytes) => Some(bytes),
        MemoryLimit::Percent(_) => Some(limit.of(machine_memory()? / count)),
    })
}

/// The memory of this machine in bytes, if the system reports it.
fn machine_memory() -> Option<usize> {
    let known = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = known.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_percent_are_of_the_machine() {
        let limit = |count| memory_limit(&Config::default().memory_limit_percent(50), count, &[]);
        let whole = machine_memory().expect("Linux reports it");
        assert_eq!(limit(1), Some(whole / 100 * 50));
        assert_eq!(limit(2), Some(whole / 2 / 100 * 50));
    }
}
