//! Memory of one GPU that kernels of other GPUs read and write, in this process or in another one
//! on the same machine.

use super::device::{CudaDevice, living};
use super::driver::check;
use crate::{Device, DeviceError};
use cudarc::driver::sys;
use std::sync::Arc;

/// The size of the handle by which another process opens a block.
pub const PEER_HANDLE_BYTES: usize = size_of::<sys::CUipcMemHandle>();

/// The unit in which the driver shares memory with other processes.
const GRAIN: usize = 2 << 20;

/// A block of a GPU's memory that other GPUs may access. Only the owner knows when they are done
/// with it, so it stays until it is freed, or to the end of the process.
pub struct PeerBlock {
    device: Arc<CudaDevice>,
    address: u64,
}

impl PeerBlock {
    /// A block of at least this many zero bytes, outside of the device's pool. Waits until they are
    /// set.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn new(device: &Arc<CudaDevice>, bytes: usize) -> Result<PeerBlock, DeviceError> {
        let _kept = device.visit();
        let (name, size) = (device.name(), bytes.next_multiple_of(GRAIN));
        let address = device.with_room(|| {
            let mut address = 0;
            // SAFETY: the context is current, and the pointer valid.
            let made = unsafe { sys::cuMemAlloc_v2(&raw mut address, size) };
            check(&device.name(), "cuMemAlloc", made).map(|()| address)
        })?;
        let block = PeerBlock { device: device.clone(), address };
        // SAFETY: the block is of this size, and nothing else knows it.
        let set = unsafe { sys::cuMemsetD8Async(address, 0, size, device.stream) };
        check(&name, "cuMemsetD8Async", set)?;
        // SAFETY: the stream lives as long as its device.
        let done = unsafe { sys::cuStreamSynchronize(device.stream) };
        check(&name, "cuStreamSynchronize", done)?;
        Ok(block)
    }

    /// The address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The handle by which a process on the same machine opens the block.
    ///
    /// Errors: `DeviceError::Cuda` if the system does not share memory of GPUs.
    pub fn handle(&self) -> Result<[u8; PEER_HANDLE_BYTES], DeviceError> {
        let _kept = self.device.visit();
        let mut handle = sys::CUipcMemHandle { reserved: [0; PEER_HANDLE_BYTES] };
        // SAFETY: the block is one of `cuMemAlloc`, the context current and the pointer valid.
        let got = unsafe { sys::cuIpcGetMemHandle(&raw mut handle, self.address) };
        check(&self.device.name(), "cuIpcGetMemHandle", got)?;
        Ok(handle.reserved.map(|byte| byte as u8))
    }

    /// Frees the memory.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// No work of any GPU, running or later, touches the block, and no other process has opened it.
    pub unsafe fn free(self) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the caller's promise.
        check(&self.device.name(), "cuMemFree", unsafe { sys::cuMemFree_v2(self.address) })
    }
}

impl CudaDevice {
    /// Lets kernels of this device access blocks of another GPU of the process; returns whether
    /// they can.
    pub fn reach(&self, ordinal: usize) -> bool {
        let others: Vec<_> = living().into_iter().filter(|one| one.ordinal() == ordinal).collect();
        let Some(other) = others.first() else { return false };
        if self.ordinal() == ordinal {
            return true;
        }
        let _kept = self.visit();
        let mut can = 0;
        // SAFETY: both are devices of the driver, and the pointer is valid.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, self.device, other.device) };
        if asked != sys::CUresult::CUDA_SUCCESS || can == 0 {
            return false;
        }
        // SAFETY: the context of this device is current; the other's lives as long as `other`, and
        // it is the primary one of its device.
        let enabled = unsafe { sys::cuCtxEnablePeerAccess(other.context, 0) };
        use sys::CUresult::{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, CUDA_SUCCESS};
        matches!(enabled, CUDA_SUCCESS | CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    }

    /// The address at which kernels of this device access a block of another process; its device
    /// need not be visible in this process. The block stays open to the end of the process, because
    /// only the owner knows when it is done with.
    ///
    /// Errors: `DeviceError::Cuda` if they cannot access it.
    pub fn open_peer_block(&self, handle: &[u8; PEER_HANDLE_BYTES]) -> Result<u64, DeviceError> {
        let _kept = self.visit();
        let handle = sys::CUipcMemHandle { reserved: handle.map(|byte| byte as _) };
        let lazily = sys::CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        let mut address = 0;
        // SAFETY: the context is current and the pointer valid; the driver checks the handle.
        let opened = unsafe { sys::cuIpcOpenMemHandle_v2(&raw mut address, handle, lazily) };
        check(&self.name(), "cuIpcOpenMemHandle", opened)?;
        Ok(address)
    }
}
