//! Errors of devices.

/// An error of a device.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum DeviceError {
    /// An allocation would pass the limit, or the system refused it.
    #[error("{device} needs {requested} bytes more, but has {in_use} bytes in use{}",
        limit.map(|limit| format!(" of {limit} allowed")).unwrap_or_default())]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
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
        /// What the system said.
        reason: String,
    },
}

impl DeviceError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            DeviceError::OutOfMemory { .. } => "PX050",
            DeviceError::Threads { .. } => "PX051",
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            DeviceError::OutOfMemory { .. } => {
                "use more devices, smaller arrays, or raise PHALANX_MEMORY_LIMIT"
            }
            DeviceError::Threads { .. } => "set PHALANX_THREADS to a smaller number",
        }
    }
}
