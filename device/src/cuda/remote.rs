//! A GPU's bytes: copies to and from the host, and within its memory.

use super::device::CudaDevice;
use super::driver::Context;
use super::modules::{Selection, copy_box, copy_kernels};
use super::streams::Stream;
use crate::buffer::Remote;
use crate::{Device, DeviceError, DevicePointer, Slice, Strided};
use cudarc::driver::sys;
use std::sync::Arc;

impl Remote for CudaDevice {
    fn read(&self, address: DevicePointer, bytes: &mut [u8]) {
        if !bytes.is_empty() {
            self.lanes().copy_to_host(address, bytes);
        }
    }

    fn write(&self, address: DevicePointer, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.lanes().copy_from_host(address, bytes);
        }
    }

    fn zero(&self, address: DevicePointer, len: usize) {
        if len == 0 {
            return;
        }
        let context = self.context();
        context.enter();
        // SAFETY: the bytes are inside a buffer of this device (`Remote`).
        let set = unsafe { sys::cuMemsetD8Async(address.address(), 0, len, context.work_stream()) };
        context.note("cuMemsetD8Async", set);
    }

    fn copy(&self, from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
        // SAFETY: the box is inside both buffers of this device (`copy_strided` checked them).
        unsafe { copy_box(self.context(), from, to, extents, item) };
    }

    fn compress(
        &self,
        values: DevicePointer,
        mask: DevicePointer,
        to: DevicePointer,
        count: usize,
        item: usize,
    ) -> Result<usize, DeviceError> {
        let blocks = Selection::blocks(count);
        if blocks == 0 {
            return Ok(0);
        }
        let kernels = copy_kernels(self.context())?;
        let counts = self.device().allocate(8 * blocks)?;
        let selection = Selection {
            values,
            mask,
            to,
            counts: counts.device_pointer(),
            count: count as u64,
            item: item as u32,
            unused: 0,
        };
        // SAFETY: the pointers are into buffers of this device (`Remote`); there is a count for
        // each block.
        unsafe { selection.count(kernels, self.context())? };
        let mut bytes = vec![0; 8 * blocks];
        counts.read(0, &mut bytes);
        let mut before = 0u64;
        for place in bytes.chunks_exact_mut(8) {
            let mut own = [0; 8];
            own.copy_from_slice(place);
            place.copy_from_slice(&before.to_le_bytes());
            before += u64::from_le_bytes(own);
        }
        counts.write(0, &bytes);
        // SAFETY: as above; the target has room for all elements.
        unsafe { selection.copy(kernels, self.context())? };
        Ok(before as usize)
    }

    fn copy_beside(&self, from: &Slice, to: &Slice) -> Option<Result<(), DeviceError>> {
        let target = to.buffer.remote()?.device();
        target.as_any().is::<CudaDevice>().then(|| copy_beside(self.context(), from, to))
    }

    fn device(&self) -> Arc<dyn Device> {
        match self.handle() {
            Some(device) => device,
            None => unreachable!("bug: a buffer outlives its device"),
        }
    }
}

/// Copies bytes between GPUs of this process, or within one, in a separate stream, and waits for
/// the copy.
fn copy_beside(context: &Arc<Context>, from: &Slice, to: &Slice) -> Result<(), DeviceError> {
    assert_eq!(from.len, to.len, "bug: copy between slices of different lengths");
    if from.len == 0 {
        return Ok(());
    }
    let _kept = context.visit();
    let stream = Stream::new(context, true, None)?;
    let (source, target) = (from.device_pointer().address(), to.device_pointer().address());
    // SAFETY: both ranges are inside their buffers, which outlive the copy, since it is waited for;
    // the stream lives. Addresses of all GPUs of a process are distinct.
    let copied =
        unsafe { sys::cuMemcpyAsync(target, source, from.len, stream.handle() as sys::CUstream) };
    context.check("cuMemcpyAsync", copied)?;
    stream.synchronize()
}
