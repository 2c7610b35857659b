//! Errors of devices.

/// An error of a device.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum DeviceError {
    /// An allocation would exceed the limit, or the system refused it.
    #[error("{device} needs {}, but has {in_use} bytes in use{}", more(*requested),
        limit.map(|limit| format!(" of {limit} allowed")).unwrap_or_default())]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// The requested bytes; 0 if a CUDA library did not report them.
        requested: usize,
        /// Bytes in use.
        in_use: usize,
        /// The limit, if one is set.
        limit: Option<usize>,
    },
    /// The threads of a device could not be started.
    #[error("the threads of {device} could not be started: {reason}")]
    Threads {
        /// The device's name.
        device: String,
        /// The system's reason.
        reason: String,
    },
    /// A CUDA call failed, or work that was enqueued before it.
    #[error("{device}: {call} failed with {name}: {text}")]
    Cuda {
        /// The device's name.
        device: String,
        /// The function that reported it.
        call: &'static str,
        /// The name of the error.
        name: String,
        /// CUDA's description of it.
        text: String,
    },
    /// A CUDA library was not found.
    #[error("{library} was not found; searched: {searched}")]
    Library {
        /// The library.
        library: &'static str,
        /// The paths that were searched.
        searched: String,
        /// How to get it.
        remedy: &'static str,
    },
    /// A kernel's text was refused by the compiler.
    #[error("NVRTC refused {kernel}: {log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The compiler's messages, with the lines of the text.
        log: String,
        /// Whether the text is a user's.
        is_users: bool,
    },
    /// A device number that does not exist.
    #[error("there is no cuda:{ordinal}: GPUs found: {count}")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// The number of GPUs.
        count: usize,
    },
    /// A GPU that is too old.
    #[error("{device} has compute capability {}.{}, and {}.{} is needed",
        found / 10, found % 10, needed / 10, needed % 10)]
    Capability {
        /// The device's name.
        device: String,
        /// Its compute capability, 90 for 9.0.
        found: u32,
        /// The required minimum.
        needed: u32,
    },
    /// A driver that is too old.
    #[error("the driver is for CUDA {}.{}, and {}.{} is needed",
        found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10)]
    Driver {
        /// The version of CUDA that it supports, 13000 for 13.0.
        found: u32,
        /// The required minimum.
        needed: u32,
    },
    /// A kernel of the user's own wrote outside of its operands.
    #[error("{device}: the kernel '{kernel}' wrote {place} of its parameter {parameter}{at}")]
    Guard {
        /// The device's name.
        device: String,
        /// The kernel.
        kernel: String,
        /// The parameter, counted from 0, near whose array it wrote.
        parameter: usize,
        /// Where.
        place: String,
        /// The line that launched it.
        at: String,
    },
    /// Elements of a device that computes nothing were requested.
    #[error("{device} only plans: it has computed no elements")]
    Null {
        /// The device's name.
        device: String,
    },
}

fn more(requested: usize) -> String {
    match requested {
        0 => String::from("memory for a CUDA library"),
        _ => format!("{requested} bytes more"),
    }
}

impl DeviceError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            DeviceError::OutOfMemory { .. } => "PX050",
            DeviceError::Threads { .. } => "PX051",
            DeviceError::Cuda { .. } => "PX052",
            DeviceError::Library { .. } => "PX053",
            DeviceError::Compile { .. } => "PX054",
            DeviceError::NoSuchDevice { .. } => "PX055",
            DeviceError::Capability { .. } => "PX056",
            DeviceError::Driver { .. } => "PX057",
            DeviceError::Null { .. } => "PX059",
            DeviceError::Guard { .. } => "PX182",
        }
    }

    /// The advice for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            DeviceError::OutOfMemory { .. } => {
                "use more devices, smaller arrays, or raise PHALANX_MEMORY_LIMIT"
            }
            DeviceError::Threads { .. } => "set PHALANX_THREADS to a smaller number",
            DeviceError::Cuda { .. } => {
                "the arrays of the device are lost; run the program again, or on other devices"
            }
            DeviceError::Library { remedy, .. } => remedy,
            DeviceError::Compile { is_users: true, .. } => {
                "correct the text; the lines after > are those that the messages refer to"
            }
            DeviceError::Compile { .. } => {
                "please report this defect; PHALANX_SAVE_SOURCE=folder saves the kernel's text"
            }
            DeviceError::NoSuchDevice { .. } => "`phalanx info` lists the available devices",
            DeviceError::Capability { .. } => "use a newer GPU, or PHALANX_DEVICES=cpu",
            DeviceError::Driver { .. } => "install a newer driver, or use PHALANX_DEVICES=cpu",
            DeviceError::Guard { .. } => {
                "correct the indices of the kernel: it must write inside of its arrays only"
            }
            DeviceError::Null { .. } => {
                "use a real device: PHALANX_DEVICES=cpu or cuda; this one only has plans, \
                 shardings, and shapes that do not depend on elements"
            }
        }
    }
}
