//! Addresses of device memory.

/// The address of a byte of a device's memory, which the host may not be able to access.
///
/// It is a number with a name: it keeps nothing alive, and it may be of any memory. Functions that
/// pass it to a device are unsafe, or check it against a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct DevicePointer(u64);

impl DevicePointer {
    /// The pointer with this address, which the driver or another library reports.
    pub const fn from_address(address: u64) -> DevicePointer {
        DevicePointer(address)
    }

    /// The address, for the driver and for arguments of kernels.
    pub const fn address(self) -> u64 {
        self.0
    }

    /// The pointer to the byte that is `bytes` bytes further.
    pub const fn after(self, bytes: u64) -> DevicePointer {
        DevicePointer(self.0 + bytes)
    }

    /// The pointer to the byte that is `bytes` bytes further, or before this one if negative.
    pub const fn offset(self, bytes: i64) -> DevicePointer {
        DevicePointer(self.0.wrapping_add_signed(bytes))
    }

    /// The address as the libraries take it.
    pub const fn as_ptr<T>(self) -> *mut T {
        self.0 as *mut T
    }
}

impl<T> From<*mut T> for DevicePointer {
    fn from(pointer: *mut T) -> DevicePointer {
        DevicePointer(pointer as u64)
    }
}
