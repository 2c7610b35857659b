//! The kernels that copy boxes and selected items within a GPU's memory.

use super::compiler::Compiler;
use super::function::{Coming, Function, GridSize, Module};
use super::words::with_words;
use crate::cuda::driver::Context;
use crate::{DeviceError, DevicePointer, Strided};
use cudarc::driver::sys;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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
pub(in crate::cuda) struct Kernels {
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

/// The copy kernels, which the first call for an architecture loads.
///
/// Errors: those of the compiler.
pub(in crate::cuda) fn copy_kernels(context: &Context) -> Result<Kernels, DeviceError> {
    let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let kernels = kernels.get_or_insert_default();
    let capability = context.properties().capability;
    if let Some(loaded) = kernels.get(&capability) {
        return Ok(*loaded);
    }
    let compiler = Compiler::new(capability, context.options())?;
    let module = Module::load(context, &compiler.compile("copy", &copy_source())?)?;
    let loaded = Kernels {
        copy_box: module.function(context, "copy_box")?,
        count_selected: module.function(context, "count_selected")?,
        copy_selection: module.function(context, "copy_selection")?,
    };
    kernels.insert(capability, loaded);
    Ok(loaded)
}

/// A box as runs of bytes that are contiguous in source and target, and axes outside of them.
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
    from: DevicePointer,
    to: DevicePointer,
    /// The number of items.
    items: u64,
    /// Bytes of an item: 1, 2, 4, 8 or 16.
    item: u32,
    axes: u32,
    extents: [u64; AXES],
    from_strides: [i64; AXES],
    to_strides: [i64; AXES],
}

/// A selection of items, and the argument of its kernels as declared in `copy.cu`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::cuda) struct Selection {
    pub values: DevicePointer,
    pub mask: DevicePointer,
    pub to: DevicePointer,
    /// For each thread block, the number of selected elements, then the number before it.
    pub counts: DevicePointer,
    pub count: u64,
    pub item: u32,
    pub unused: u32,
}

/// The bytes of an argument.
fn bytes_of<T: Copy>(argument: &T) -> &[u8] {
    // SAFETY: the arguments of this module are plain numbers without gaps between them.
    unsafe { std::slice::from_raw_parts((&raw const *argument).cast::<u8>(), size_of::<T>()) }
}

impl Selection {
    /// The number of thread blocks of its kernels, each of which needs a count of 8 bytes.
    pub fn blocks(count: usize) -> usize {
        count.div_ceil(SELECTED)
    }

    fn grid(&self) -> GridSize {
        GridSize {
            blocks: [Selection::blocks(self.count as usize) as u32, 1, 1],
            threads: [THREADS, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        }
    }

    /// Enqueues the count of the selected items of each thread block.
    ///
    /// Errors: those of a launch.
    ///
    /// # Safety
    /// All pointers are to the device's memory, and there is a count for each thread block.
    pub unsafe fn count(&self, kernels: Kernels, context: &Context) -> Result<(), DeviceError> {
        // SAFETY: the argument is what the kernel declares; the caller's promise.
        unsafe { kernels.count_selected.launch(context, self.grid(), bytes_of(self)) }
    }

    /// Enqueues the copy of the selected items, once the counts are those before each block.
    ///
    /// Errors: as `count`.
    ///
    /// # Safety
    /// As `count`; the target has room for all selected items.
    pub unsafe fn copy(&self, kernels: Kernels, context: &Context) -> Result<(), DeviceError> {
        // SAFETY: as in `count`.
        unsafe { kernels.copy_selection.launch(context, self.grid(), bytes_of(self)) }
    }
}

/// Enqueues a copy of a box of items of `item` bytes between two buffers of a device. The device
/// keeps a failure.
///
/// # Safety
/// The box is inside both buffers, which are in the device's memory.
pub(in crate::cuda) unsafe fn copy_box(
    context: &Context,
    from: &Strided<'_>,
    to: &Strided<'_>,
    extents: &[usize],
    item: usize,
) {
    let runs = Runs::new(from, to, extents, item);
    let source = from.buffer.device_pointer().offset(from.offset as i64);
    let target = to.buffer.device_pointer().offset(to.offset as i64);
    if runs.extents.is_empty() {
        context.enter();
        let (to, from) = (target.address(), source.address());
        // SAFETY: both runs are inside buffers of this device (the caller's promise).
        let copied =
            unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, runs.run, context.work_stream()) };
        context.note("cuMemcpyDtoDAsync", copied);
        return;
    }
    copy_runs(context, &runs, source, target);
}

/// Copies runs by the kernel, in the largest words that divide all addresses and sizes.
fn copy_runs(context: &Context, runs: &Runs, source: DevicePointer, target: DevicePointer) {
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
            let from = source.offset(step(&runs.from));
            copy_runs(context, &inner, from, target.offset(step(&runs.to)));
        }
        return;
    }
    let strides = runs.from.iter().chain(&runs.to).map(|stride| stride.unsigned_abs());
    let all = strides.chain([runs.run, source.address() as usize, target.address() as usize]);
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
    let copied = copy_kernels(context).and_then(|kernels| {
        // SAFETY: the argument is what the kernel declares, and the box is inside both
        // buffers.
        unsafe { kernels.copy_box.launch(context, size, bytes_of(&argument)) }
    });
    if let Err(error) = copied {
        context.fail(error);
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
