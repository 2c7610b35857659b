//! Copies of a GPU's bytes: to and from the host, and within its memory.

use super::compiler::Compiler;
use super::device::CudaDevice;
use super::driver::check;
use super::function::{Coming, Function, GridSize, Module, load_known};
use super::stream::Stream;
use super::words::with_words;
use crate::buffer::Remote;
use crate::{Device, DeviceError, Slice, Strided};
use cudarc::driver::sys;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most axes of the kernel's boxes; boxes with more are copied slice by slice.
const AXES: usize = 8;
/// The number of threads of a thread block.
const THREADS: u32 = 256;
/// The most thread blocks; each thread copies several items if needed.
const MOST_BLOCKS: usize = 1 << 16;

/// Loaded copy kernels by architecture.
static KERNELS: Mutex<Option<HashMap<u32, Kernels>>> = Mutex::new(None);

/// The kernels of `copy.cu`.
#[derive(Clone, Copy)]
struct Kernels {
    copy_box: Function,
    count_selected: Function,
    copy_selection: Function,
}

/// The number of elements for each thread block of a selection, as in `copy.cu`.
const SELECTED: usize = 4096;

/// The CUDA C of strided copies and selections.
pub fn copy_source() -> String {
    with_words(include_str!("copy.cu"))
}

impl CudaDevice {
    /// Loads the copy kernels.
    ///
    /// Errors: those of the compiler.
    pub fn load_copies(&self) -> Result<(), DeviceError> {
        self.copy_kernels().map(drop)
    }

    /// Loads the copy kernels and every kernel that was loaded before this device was made, so that
    /// nothing is loaded while the device waits for others.
    ///
    /// Errors: those of the compiler.
    pub fn load_all(&self) -> Result<(), DeviceError> {
        self.load_copies()?;
        load_known(self)
    }

    fn copy_kernels(&self) -> Result<Kernels, DeviceError> {
        let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
        let kernels = kernels.get_or_insert_default();
        let capability = self.properties().capability;
        if let Some(loaded) = kernels.get(&capability) {
            return Ok(*loaded);
        }
        let compiler = Compiler::new(capability, self.options())?;
        let module = Module::load(self, &compiler.compile("copy", &copy_source())?)?;
        let loaded = Kernels {
            copy_box: module.function(self, "copy_box")?,
            count_selected: module.function(self, "count_selected")?,
            copy_selection: module.function(self, "copy_selection")?,
        };
        kernels.insert(capability, loaded);
        Ok(loaded)
    }
}

/// A box as runs of bytes that are contiguous in both places, and axes outside of them.
struct Runs {
    /// The bytes of a run.
    run: usize,
    extents: Vec<usize>,
    from: Vec<isize>,
    to: Vec<isize>,
}

impl Runs {
    fn new(from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) -> Runs {
        let mut runs = Runs { run: item, extents: vec![], from: vec![], to: vec![] };
        for axis in (0..extents.len()).rev() {
            let (extent, source, target) = (extents[axis], from.strides[axis], to.strides[axis]);
            if extent == 1 {
                continue;
            }
            let run = runs.run as isize;
            if runs.extents.is_empty() && source == run && target == run {
                runs.run *= extent;
                continue;
            }
            let last = runs.extents.len().wrapping_sub(1);
            if let Some(&inner) = runs.extents.get(last)
                && source == runs.from[last] * inner as isize
                && target == runs.to[last] * inner as isize
            {
                runs.extents[last] *= extent;
                continue;
            }
            runs.extents.push(extent);
            runs.from.push(source);
            runs.to.push(target);
        }
        runs
    }
}

/// The argument of the kernel, as declared in `copy.cu`.
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyArgument {
    from: u64,
    to: u64,
    /// The number of items.
    items: u64,
    /// Bytes of an item: 1, 2, 4, 8 or 16.
    item: u32,
    axes: u32,
    extents: [u64; AXES],
    from_strides: [i64; AXES],
    to_strides: [i64; AXES],
}

/// The argument of the kernels of a selection, as declared in `copy.cu`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Selection {
    values: u64,
    mask: u64,
    to: u64,
    /// For each thread block, the number of selected elements, then the number before it.
    counts: u64,
    count: u64,
    item: u32,
    unused: u32,
}

/// The bytes of an argument.
fn bytes_of<T: Copy>(argument: &T) -> &[u8] {
    // SAFETY: the arguments of this module are plain numbers without gaps between them.
    unsafe { std::slice::from_raw_parts((&raw const *argument).cast::<u8>(), size_of::<T>()) }
}

impl Remote for CudaDevice {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        if !bytes.is_empty() {
            self.copy_to_host(address, bytes);
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.copy_from_host(address, bytes);
        }
    }

    fn zero(&self, address: u64, len: usize) {
        if len == 0 {
            return;
        }
        self.enter();
        // SAFETY: the bytes are inside a buffer of this device (`Remote`).
        let set = unsafe { sys::cuMemsetD8Async(address, 0, len, self.work_stream()) };
        self.note("cuMemsetD8Async", set);
    }

    fn copy(&self, from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
        let runs = Runs::new(from, to, extents, item);
        let source = (from.buffer.as_ptr() as u64).wrapping_add_signed(from.offset as i64);
        let target = (to.buffer.as_ptr() as u64).wrapping_add_signed(to.offset as i64);
        if runs.extents.is_empty() {
            self.enter();
            let stream = self.work_stream();
            // SAFETY: both runs are inside buffers of this device (`copy_strided` checked them).
            let copied = unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, runs.run, stream) };
            self.note("cuMemcpyDtoDAsync", copied);
            return;
        }
        self.copy_runs(&runs, source, target);
    }

    fn compress(
        &self,
        value: u64,
        mask: u64,
        to: u64,
        count: usize,
        item: usize,
    ) -> Result<usize, DeviceError> {
        let blocks = count.div_ceil(SELECTED);
        if blocks == 0 {
            return Ok(0);
        }
        let kernels = self.copy_kernels()?;
        let counts = self.device().allocate(8 * blocks)?;
        let argument = Selection {
            values: value,
            mask,
            to,
            counts: counts.as_ptr() as u64,
            count: count as u64,
            item: item as u32,
            unused: 0,
        };
        let size = GridSize {
            blocks: [blocks as u32, 1, 1],
            threads: [THREADS, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        // SAFETY: the argument is what the kernel declares; there is a count for each block.
        unsafe { kernels.count_selected.launch(self, size, bytes_of(&argument))? };
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
        unsafe { kernels.copy_selection.launch(self, size, bytes_of(&argument))? };
        Ok(before as usize)
    }

    fn device(&self) -> Arc<dyn Device> {
        match self.handle() {
            Some(device) => device,
            None => unreachable!("bug: a buffer outlives its device"),
        }
    }
}

impl CudaDevice {
    /// Copies bytes between GPUs of this process, or within one, in a separate stream, and waits
    /// for the copy. No work in flight may touch either place.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn copy_beside(
        self: &Arc<CudaDevice>,
        from: &Slice,
        to: &Slice,
    ) -> Result<(), DeviceError> {
        assert_eq!(from.len, to.len, "bug: copy between slices of different lengths");
        if from.len == 0 {
            return Ok(());
        }
        let _kept = self.visit();
        let stream = Stream::new(self, true, None)?;
        let (source, target) = (from.as_ptr() as u64, to.as_ptr() as u64);
        // SAFETY: both ranges are inside their buffers, which outlive the copy, since it is waited
        // for; the stream lives. Addresses of all GPUs of a process are distinct.
        let copied = unsafe {
            sys::cuMemcpyAsync(target, source, from.len, stream.handle() as sys::CUstream)
        };
        check(&self.name(), "cuMemcpyAsync", copied)?;
        stream.synchronize()
    }

    /// Copies runs by the kernel, in the largest words that divide all addresses and sizes.
    fn copy_runs(&self, runs: &Runs, source: u64, target: u64) {
        if runs.extents.len() >= AXES {
            // The last axis is the outermost.
            let last = runs.extents.len() - 1;
            for index in 0..runs.extents[last] {
                let inner = Runs {
                    run: runs.run,
                    extents: runs.extents[..last].to_vec(),
                    from: runs.from[..last].to_vec(),
                    to: runs.to[..last].to_vec(),
                };
                let step = |strides: &[isize]| strides[last] as i64 * index as i64;
                let from = source.wrapping_add_signed(step(&runs.from));
                self.copy_runs(&inner, from, target.wrapping_add_signed(step(&runs.to)));
            }
            return;
        }
        let strides = runs.from.iter().chain(&runs.to).map(|stride| stride.unsigned_abs());
        let all = strides.chain([runs.run, source as usize, target as usize]);
        let common = all.fold(16usize, |word, number| match number {
            0 => word,
            _ => word.min(1 << number.trailing_zeros()),
        });
        let mut argument = CopyArgument {
            from: source,
            to: target,
            items: 0,
            item: common as u32,
            axes: runs.extents.len() as u32 + 1,
            extents: [1; AXES],
            from_strides: [0; AXES],
            to_strides: [0; AXES],
        };
        argument.extents[0] = (runs.run / common) as u64;
        argument.from_strides[0] = common as i64;
        argument.to_strides[0] = common as i64;
        for (at, &extent) in runs.extents.iter().enumerate() {
            argument.extents[at + 1] = extent as u64;
            argument.from_strides[at + 1] = runs.from[at] as i64;
            argument.to_strides[at + 1] = runs.to[at] as i64;
        }
        argument.items = argument.extents.iter().product();
        let blocks = (argument.items as usize).div_ceil(THREADS as usize).min(MOST_BLOCKS);
        let size = GridSize {
            blocks: [blocks as u32, 1, 1],
            threads: [THREADS, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        let copied = self.copy_kernels().and_then(|kernels| {
            // SAFETY: the argument is what the kernel declares, and the box is inside both
            // buffers.
            unsafe { kernels.copy_box.launch(self, size, bytes_of(&argument)) }
        });
        if let Err(error) = copied {
            self.fail(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;

    #[test]
    fn adjacent_axes_become_one() {
        let buffer = Buffer::without_memory(1 << 20);
        let place = |strides| Strided { buffer: &buffer, offset: 0, strides };
        let (from, to) = (place(&[4096, 64, 8]), place(&[512, 64, 8]));
        let runs = Runs::new(&from, &to, &[3, 8, 8], 8);
        assert_eq!(
            (runs.run, runs.extents, runs.from, runs.to),
            (512, vec![3], vec![4096], vec![512])
        );
        let runs = Runs::new(&place(&[8, 80]), &place(&[80, 8]), &[10, 10], 8);
        assert_eq!((runs.run, runs.extents), (8, vec![10, 10]));
    }
}
