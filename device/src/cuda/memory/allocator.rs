//! Allocators, which provide the memory blocks of a GPU's pool.

use crate::cuda::driver::Context;
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys::{self, CUmemAttach_flags};

/// A source of GPU memory, from which the device's pool allocates memory blocks.
pub trait Allocator: Send + Sync {
    /// Allocates a memory block and returns its address; `None` if there is too little memory.
    /// `bytes` is a multiple of 512, the address is one of 256, and no work of any stream uses the
    /// block. The context is current.
    ///
    /// Errors: `DeviceError::Cuda` for any other failure.
    fn allocate(
        &self,
        context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError>;

    /// Frees a memory block.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// `allocate` returned the memory block, with this length, and nothing uses it: all work of the
    /// device's stream is done.
    unsafe fn free(
        &self,
        context: &Context,
        address: DevicePointer,
        bytes: usize,
    ) -> Result<(), DeviceError>;
}

/// An allocator, and its number among those of a GPU. Memory blocks return to their own.
pub(in crate::cuda) struct Source {
    pub(super) number: u64,
    pub(super) allocator: Box<dyn Allocator>,
}

impl Source {
    pub(super) fn new(number: u64, allocator: Box<dyn Allocator>) -> Source {
        Source { number, allocator }
    }
}

/// Memory of the GPU only: `cuMemAlloc`.
pub struct DeviceMemory;

/// Memory of the driver's own pool of the GPU, in the order of the device's stream:
/// `cuMemAllocAsync`.
pub struct AsyncMemory;

/// Memory that the host addresses too, and that may exceed the GPU's own: `cuMemAllocManaged`.
pub struct ManagedMemory;

fn given(
    context: &Context,
    call: &'static str,
    address: u64,
    result: sys::CUresult,
) -> Result<Option<DevicePointer>, DeviceError> {
    match result {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
        _ => context.check(call, result).map(|()| Some(DevicePointer::from_address(address))),
    }
}

impl Allocator for DeviceMemory {
    fn allocate(
        &self,
        context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError> {
        let mut address = 0;
        // SAFETY: the context is current (the caller's promise) and the pointer valid.
        let result = unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) };
        given(context, "cuMemAlloc", address, result)
    }

    unsafe fn free(
        &self,
        context: &Context,
        address: DevicePointer,
        _bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        context.check("cuMemFree", unsafe { sys::cuMemFree_v2(address.address()) })
    }
}

impl Allocator for ManagedMemory {
    fn allocate(
        &self,
        context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError> {
        let mut address = 0;
        let attached = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
        // SAFETY: the context is current (the caller's promise) and the pointer valid.
        let result = unsafe { sys::cuMemAllocManaged(&raw mut address, bytes, attached) };
        given(context, "cuMemAllocManaged", address, result)
    }

    unsafe fn free(
        &self,
        context: &Context,
        address: DevicePointer,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise; both kinds are freed alike.
        unsafe { DeviceMemory.free(context, address, bytes) }
    }
}

impl Allocator for AsyncMemory {
    fn allocate(
        &self,
        context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError> {
        let (mut address, stream) = (0, context.own_stream());
        // SAFETY: the context is current (the caller's promise), its stream lives, and the pointer
        // is valid.
        let result = unsafe { sys::cuMemAllocAsync(&raw mut address, bytes, stream) };
        let given = given(context, "cuMemAllocAsync", address, result)?;
        // Other streams of the device may use the block next.
        // SAFETY: the stream lives.
        let waited = unsafe { sys::cuStreamSynchronize(stream) };
        context.check("cuStreamSynchronize", waited)?;
        Ok(given)
    }

    unsafe fn free(
        &self,
        context: &Context,
        address: DevicePointer,
        _bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise; the stream lives as long as the context.
        let freed = unsafe { sys::cuMemFreeAsync(address.address(), context.own_stream()) };
        context.check("cuMemFreeAsync", freed)
    }
}
