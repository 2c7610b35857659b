//! The GPUs of the machine, their properties, and those that can be used.

use super::library::{CudaOptions, Library, find};
use super::result::check;
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute as Attribute};
use std::ffi::CStr;

/// The properties of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Its name, such as `NVIDIA H200`.
    pub name: String,
    /// The compute capability, 90 for 9.0.
    pub capability: u32,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of memory.
    pub memory: usize,
    /// The most bytes of shared memory of a thread block.
    pub shared_memory: usize,
    /// The version of CUDA that the driver supports, 13000 for 13.0.
    pub driver: u32,
}

/// The oldest compute capability for which kernels are compiled.
const OLDEST: u32 = 80;
/// The oldest driver, by the version of CUDA that it supports.
const OLDEST_DRIVER: u32 = 12000;

/// The number of GPUs that the process can use.
///
/// Errors: `DeviceError::Library` without a driver, `DeviceError::Cuda` when it does not start.
pub fn cuda_devices(options: &CudaOptions) -> Result<usize, DeviceError> {
    find(Library::Driver, options)?;
    let mut version = 0;
    let mut count = 0;
    // SAFETY: the driver is loaded (`find`), and both pointers are valid.
    unsafe {
        check("cuda", "cuInit", sys::cuInit(0))?;
        check("cuda", "cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut version))?;
        check("cuda", "cuDeviceGetCount", sys::cuDeviceGetCount(&raw mut count))?;
    }
    if count > 0 && (version as u32) < OLDEST_DRIVER {
        return Err(DeviceError::Driver { found: version as u32, needed: OLDEST_DRIVER });
    }
    Ok(count as usize)
}

/// The numbers of the GPUs for which kernels can be compiled: those of compute capability 8.0 or
/// later. A GPU that cannot be queried, such as a failed one, is left out.
///
/// Errors: those of `cuda_devices`; `DeviceError::Library` without NVRTC; if no GPU is usable, that
/// of the first one, `DeviceError::Capability` or `DeviceError::Cuda`.
pub fn usable_gpus(options: &CudaOptions) -> Result<Vec<usize>, DeviceError> {
    let count = cuda_devices(options)?;
    if count > 0 {
        find(Library::Nvrtc, options)?;
    }
    // SAFETY: the driver is initialised (`cuda_devices`).
    usable((0..count).map(|ordinal| unsafe { known(ordinal) }.map(drop)))
}

/// The numbers of the GPUs without an error; the first error if all have one.
fn usable(gpus: impl Iterator<Item = Result<(), DeviceError>>) -> Result<Vec<usize>, DeviceError> {
    let (mut numbers, mut first) = (Vec::new(), None);
    for (ordinal, gpu) in gpus.enumerate() {
        match gpu {
            Ok(()) => numbers.push(ordinal),
            Err(error) => first = first.or(Some(error)),
        }
    }
    match first {
        Some(error) if numbers.is_empty() => Err(error),
        _ => Ok(numbers),
    }
}

/// The driver's handle of a GPU for which kernels can be compiled, and its properties.
///
/// # Safety
/// The driver is initialised.
pub(super) unsafe fn known(ordinal: usize) -> Result<(CUdevice, Properties), DeviceError> {
    let name = format!("cuda:{ordinal}");
    let mut device: CUdevice = 0;
    // SAFETY: the caller's promise; the pointer is valid, and the handle is one of the driver's.
    let properties = unsafe {
        check(&name, "cuDeviceGet", sys::cuDeviceGet(&raw mut device, ordinal as i32))?;
        properties(&name, device)?
    };
    new_enough(name, properties.capability)?;
    Ok((device, properties))
}

fn new_enough(device: String, found: u32) -> Result<(), DeviceError> {
    if found < OLDEST {
        Err(DeviceError::Capability { device, found, needed: OLDEST })
    } else {
        Ok(())
    }
}

/// # Safety
/// The driver is initialised and `device` is one of its devices.
unsafe fn properties(name: &str, device: CUdevice) -> Result<Properties, DeviceError> {
    let attribute = |attribute: Attribute| {
        let mut value = 0;
        // SAFETY: the caller's promise; the pointer is valid.
        let asked = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
        check(name, "cuDeviceGetAttribute", asked).map(|()| value as u32)
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    let mut title = [0 as std::ffi::c_char; 128];
    let (mut memory, mut driver) = (0, 0);
    // SAFETY: the caller's promise; the pointers are valid and of the given lengths.
    unsafe {
        let asked = sys::cuDeviceGetName(title.as_mut_ptr(), title.len() as i32 - 1, device);
        check(name, "cuDeviceGetName", asked)?;
        check(name, "cuDeviceTotalMem", sys::cuDeviceTotalMem_v2(&raw mut memory, device))?;
        check(name, "cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut driver))?;
    }
    // SAFETY: the last byte of the text is zero.
    let title = unsafe { CStr::from_ptr(title.as_ptr()) };
    Ok(Properties {
        name: title.to_string_lossy().into_owned(),
        capability: 10 * major + minor,
        multiprocessors,
        memory,
        shared_memory: shared as usize,
        driver: driver as u32,
    })
}

/// The number of the GPU to which an address belongs; `None` for host addresses. The driver must be
/// loaded.
pub(in crate::cuda) fn ordinal_of(address: DevicePointer) -> Option<usize> {
    let (mut ordinal, address) = (0i32, address.address());
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the address is that of a number of 32 bits, as this attribute asks for; any address
    // may be asked about.
    let asked =
        unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) };
    (asked == sys::CUresult::CUDA_SUCCESS).then(|| usize::try_from(ordinal).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_capability(ordinal: usize, found: u32) -> Result<(), DeviceError> {
        new_enough(format!("cuda:{ordinal}"), found)
    }

    #[test]
    fn old_gpus_are_passed_over() {
        let of = |capabilities: &[u32]| {
            let gpus = capabilities.iter().enumerate();
            usable(gpus.map(|(ordinal, &found)| of_capability(ordinal, found)))
        };
        assert_eq!(of(&[75, 90, 80, 61]).ok(), Some(vec![1, 2]));
        assert_eq!(of(&[]).ok(), Some(Vec::new()));
        let old = of(&[75, 61]);
        assert!(matches!(old, Err(DeviceError::Capability { found: 75, .. })), "{old:?}");
    }

    #[test]
    fn a_gpu_that_fails_leaves_the_others() {
        let failed = |ordinal: usize| {
            let (name, text) = (String::from("CUDA_ERROR_OF_A_TEST"), String::new());
            let device = format!("cuda:{ordinal}");
            Err(DeviceError::Cuda { device, call: "cuDeviceGetAttribute", name, text })
        };
        let of = |gpus: [Result<(), DeviceError>; 2]| usable(gpus.into_iter());
        assert_eq!(of([failed(0), of_capability(1, 90)]).ok(), Some(vec![1]));
        assert_eq!(of([of_capability(0, 90), failed(1)]).ok(), Some(vec![0]));
        for second in [failed(1), of_capability(1, 75)] {
            let none = of([failed(0), second]);
            let first =
                matches!(&none, Err(DeviceError::Cuda { device, .. }) if device == "cuda:0");
            assert!(first, "{none:?}");
        }
    }
}
