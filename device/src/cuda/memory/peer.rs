//! Memory of one GPU that kernels of other GPUs read and write, in this process or in another one
//! on the same machine.

use super::gpu::GpuMemory;
use crate::cuda::driver::{Context, living};
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys;
use std::sync::Arc;

/// The size of the handle by which another process opens a memory block.
pub const PEER_HANDLE_BYTES: usize = size_of::<sys::CUipcMemHandle>();

/// The unit in which the driver shares memory with other processes.
const GRAIN: usize = 2 << 20;

/// A block of a GPU's memory that other GPUs may access. Only the owner knows when they are done
/// with it, so it stays until it is freed, or to the end of the process.
pub struct PeerBlock {
    context: Arc<Context>,
    address: DevicePointer,
}

impl PeerBlock {
    /// A memory block of at least this many zero bytes, outside of the device's pool. Waits until
    /// they are set.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub(in crate::cuda) fn new(memory: &GpuMemory, bytes: usize) -> Result<PeerBlock, DeviceError> {
        let context = memory.context();
        let _kept = context.visit();
        let size = bytes.next_multiple_of(GRAIN);
        let address = memory.with_room(|| {
            let mut address = 0;
            // SAFETY: the context is current, and the pointer valid.
            let made = unsafe { sys::cuMemAlloc_v2(&raw mut address, size) };
            context.check("cuMemAlloc", made).map(|()| address)
        })?;
        let block =
            PeerBlock { context: context.clone(), address: DevicePointer::from_address(address) };
        // SAFETY: the memory block is of this size, and nothing else knows it.
        let set = unsafe { sys::cuMemsetD8Async(address, 0, size, context.own_stream()) };
        context.check("cuMemsetD8Async", set)?;
        // SAFETY: the stream lives as long as its context.
        let done = unsafe { sys::cuStreamSynchronize(context.own_stream()) };
        context.check("cuStreamSynchronize", done)?;
        Ok(block)
    }

    /// The address of the first byte.
    pub fn address(&self) -> DevicePointer {
        self.address
    }

    /// The handle by which a process on the same machine opens the memory block.
    ///
    /// Errors: `DeviceError::Cuda` if the system does not share memory of GPUs.
    pub fn handle(&self) -> Result<[u8; PEER_HANDLE_BYTES], DeviceError> {
        let _kept = self.context.visit();
        let mut handle = sys::CUipcMemHandle { reserved: [0; PEER_HANDLE_BYTES] };
        // SAFETY: the memory block is one of `cuMemAlloc`, the context current and the pointer
        // valid.
        let got = unsafe { sys::cuIpcGetMemHandle(&raw mut handle, self.address.address()) };
        self.context.check("cuIpcGetMemHandle", got)?;
        Ok(handle.reserved.map(|byte| byte as u8))
    }

    /// Frees the memory.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// No work of any GPU, running or later, touches the memory block, and no other process has
    /// opened it.
    pub unsafe fn free(self) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the caller's promise.
        self.context.check("cuMemFree", unsafe { sys::cuMemFree_v2(self.address.address()) })
    }
}

/// Lets kernels of a device access memory blocks of another GPU of the process; returns whether
/// they can.
pub(in crate::cuda) fn reach(context: &Context, ordinal: usize) -> bool {
    let others: Vec<_> = living().into_iter().filter(|one| one.ordinal() == ordinal).collect();
    let Some(other) = others.first() else { return false };
    if context.ordinal() == ordinal {
        return true;
    }
    let _kept = context.visit();
    let mut can = 0;
    // SAFETY: both are devices of the driver, and the pointer is valid.
    let asked =
        unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, context.device(), other.device()) };
    if asked != sys::CUresult::CUDA_SUCCESS || can == 0 {
        return false;
    }
    // SAFETY: the context is current; the other's lives as long as `other`, and
    // it is the primary one of its device.
    let enabled = unsafe { sys::cuCtxEnablePeerAccess(other.handle(), 0) };
    use sys::CUresult::{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, CUDA_SUCCESS};
    matches!(enabled, CUDA_SUCCESS | CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
}

/// The address at which kernels of a device access a memory block of another process; its device
/// need not be visible in this process. The block stays open to the end of the process, because
/// only the owner knows when it is done with.
///
/// Errors: `DeviceError::Cuda` if they cannot access it.
pub(in crate::cuda) fn open(
    context: &Context,
    handle: &[u8; PEER_HANDLE_BYTES],
) -> Result<DevicePointer, DeviceError> {
    let _kept = context.visit();
    let handle = sys::CUipcMemHandle { reserved: handle.map(|byte| byte as _) };
    let lazily = sys::CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
    let mut address = 0;
    // SAFETY: the context is current and the pointer valid; the driver checks the handle.
    let opened = unsafe { sys::cuIpcOpenMemHandle_v2(&raw mut address, handle, lazily) };
    context.check("cuIpcOpenMemHandle", opened)?;
    Ok(DevicePointer::from_address(address))
}
