//! The configuration of a session, and the methods by which a program sets it.

use super::meeting::{Meeting, Startup};
use crate::environment::{Devices, LogLevel, MemoryLimit, most_threads};
use crate::placement::Placement;
use phalanx_collectives::mpi::MpiOptions;
use phalanx_collectives::{Prices, Transport};
use phalanx_device::blas::BlasChoice;
use phalanx_device::cuda::CudaOptions;
use phalanx_device::instructions::Level as InstructionLevel;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// The default limit of a process's silence.
pub(super) const DEFAULT_STALL: Duration = Duration::from_secs(60);
/// The default size in bytes at which a copy for another library is warned of.
const IMPLICIT_COPY: usize = 256 << 20;

/// The configuration of a session.
///
/// ```
/// # use phalanx::Config;
/// let config = Config::default().devices(4).memory_limit(1 << 30);
/// assert_eq!(config.devices, phalanx::Devices::Cpu(4));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The devices of this process.
    pub devices: Devices,
    /// The folders in which CUDA's libraries are searched, and the folder of compiled kernels.
    pub cuda: CudaOptions,
    /// The library that multiplies and factorises matrices on CPU devices.
    pub blas: BlasChoice,
    /// The vector instructions of the loops on CPUs; `None` for the best that the processor has.
    pub instructions: Option<InstructionLevel>,
    /// The number of compute threads of this process, shared by its devices; at least one.
    pub threads: usize,
    /// The memory limit of each device.
    pub memory_limit: Option<MemoryLimit>,
    /// In Python: the size in bytes from which a copy for another library causes a warning; `None`
    /// for never.
    pub implicit_copy: Option<usize>,
    /// Whether results have the same bits on any number of devices (`phalanx::reproducible`); the
    /// same on all processes.
    pub reproducible: bool,
    /// The level of detail written to standard error.
    pub log: LogLevel,
    /// The file into which the session writes its timeline; only that of process 0 counts.
    pub trace: Option<PathBuf>,
    /// The folder of the demo's data.
    pub data: PathBuf,
    /// Whether a process that shares its host with others binds itself to a NUMA node.
    pub bind_cpu: bool,
    /// The place of this process among those that a launcher started; `None` without a launcher.
    pub placement: Option<Placement>,
    /// How the processes of a launcher learn where process 0 waits.
    pub meeting: Meeting,
    /// How this process meets the others. `None` if it is the only one, and before
    /// [`Config::meet`].
    pub startup: Option<Startup>,
    /// How messages travel between processes.
    pub transport: Transport,
    /// The settings for the MPI library.
    pub mpi: MpiOptions,
    /// How long another process may be silent before the run ends; `None` for no limit.
    pub stall: Option<Duration>,
    /// Whether TCP traffic between processes is encrypted; the same on all processes.
    pub is_encrypted: bool,
    /// The measured costs of messages; only those of process 0 count.
    pub prices: Option<Prices>,
    /// The path of the price table, which may not exist yet.
    pub prices_file: Option<PathBuf>,
}

impl Default for Config {
    /// One CPU device, all cores, no limit, no other process. Reads nothing.
    fn default() -> Config {
        Config {
            devices: Devices::Cpu(1),
            cuda: CudaOptions::default(),
            blas: BlasChoice::default(),
            instructions: None,
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            memory_limit: None,
            implicit_copy: Some(IMPLICIT_COPY),
            reproducible: false,
            log: LogLevel::Off,
            trace: None,
            data: PathBuf::from("data"),
            bind_cpu: true,
            placement: None,
            meeting: Meeting::default(),
            startup: None,
            transport: Transport::Auto,
            mpi: MpiOptions::default(),
            stall: Some(DEFAULT_STALL),
            is_encrypted: false,
            prices: None,
            prices_file: None,
        }
    }
}

impl Config {
    /// Sets the number of CPU devices of this process; zero counts as one.
    pub fn devices(self, devices: usize) -> Config {
        Config { devices: Devices::Cpu(devices.max(1)), ..self }
    }

    /// Sets the GPUs of this process by number; all GPUs if `numbers` is empty. A number given
    /// twice makes two devices.
    pub fn gpus(self, numbers: &[usize]) -> Config {
        Config { devices: Devices::Cuda(numbers.to_vec()), ..self }
    }

    /// Sets the number of compute threads of this process. It is limited to the range from one to
    /// [`most_threads`].
    pub fn threads(self, threads: usize) -> Config {
        Config { threads: threads.clamp(1, most_threads()), ..self }
    }

    /// Sets the memory limit of each device in bytes.
    pub fn memory_limit(self, bytes: usize) -> Config {
        Config { memory_limit: Some(MemoryLimit::Bytes(bytes)), ..self }
    }

    /// Sets the memory limit of each device in percent, from 1 to 100: of a GPU's memory, or of a
    /// CPU device's share of the machine's memory.
    pub fn memory_limit_percent(self, percent: u8) -> Config {
        let limit = MemoryLimit::Percent(percent.clamp(1, 100));
        Config { memory_limit: Some(limit), ..self }
    }

    /// Sets the library that multiplies and factorises matrices on CPU devices.
    pub fn blas(self, blas: BlasChoice) -> Config {
        Config { blas, ..self }
    }

    /// Sets the vector instructions of the loops on CPUs. A session uses the best that the
    /// processor has if it lacks these.
    pub fn instructions(self, level: InstructionLevel) -> Config {
        Config { instructions: Some(level), ..self }
    }

    /// Sets the level of detail written to standard error.
    pub fn log(self, log: LogLevel) -> Config {
        Config { log, ..self }
    }

    /// Sets the folder of the demo's data.
    pub fn data(self, data: impl Into<PathBuf>) -> Config {
        Config { data: data.into(), ..self }
    }

    /// Whether a launcher that may start MPI has started this process with this rank and size.
    pub fn is_launched_by_mpi(&self, rank: usize, size: usize) -> bool {
        let is_launched = |placement: &Placement| {
            placement.launcher.starts_mpi() && (placement.rank, placement.size) == (rank, size)
        };
        self.placement.as_ref().is_some_and(is_launched)
    }

    /// Sets whether TCP traffic between processes is encrypted; the same on all processes.
    pub fn encrypted(self, is_encrypted: bool) -> Config {
        Config { is_encrypted, ..self }
    }

    /// Sets how long another process may be silent before the run ends; `None` for no limit. Must
    /// be the same on all processes.
    pub fn stall(self, stall: Option<Duration>) -> Config {
        Config { stall, ..self }
    }

    /// Sets how messages travel between processes.
    pub fn transport(self, transport: Transport) -> Config {
        Config { transport, ..self }
    }

    /// Sets how this process meets the others.
    pub fn startup(self, startup: Startup) -> Config {
        Config { startup: Some(startup), ..self }
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        match (&self.startup, &self.placement) {
            (Some(startup), _) => startup.rank,
            (None, Some(placement)) => placement.rank,
            (None, None) => 0,
        }
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        match (&self.startup, &self.placement) {
            (Some(startup), _) => startup.size,
            (None, Some(placement)) => placement.size,
            (None, None) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited() {
        assert!(Config::default().threads <= most_threads());
        assert_eq!(Config::default().threads(usize::MAX).threads, most_threads());
    }
}
