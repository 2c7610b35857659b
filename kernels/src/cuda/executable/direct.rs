//! A kernel that runs as one text: its variants, compiled when they are first needed.

use super::values::{Values, Workspace, bytes};
use crate::cpu::BufferLaunch;
use crate::cuda::routine::note_late;
use crate::cuda::shape::{Geometry, LINE, Shape, folds_in_any_order, has_binned};
use crate::cuda::text::{Field, bytes_of_partials, fields, source};
use crate::cuda::variant::{Chunks, THREADS, Variant};
use crate::ir::{Access, AccessId, Kernel};
use phalanx_device::cuda::{
    Coming, Compiler, CudaDevice, Function, GridSize, Module, Properties, save_source,
};
use phalanx_device::{Buffer, Device, DeviceError, NullDevice};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of launch shapes that a kernel remembers.
const REMEMBERED: usize = 8;
/// The assumed distance between buffers, as a power of two.
pub const BUFFERS_APART: u32 = 52;
/// The number of counters of a device; a launch with chunks uses at most this many.
const MOST_TILES: usize = 1 << 16;

/// A kernel that runs as one text, without tables that are combined in a fixed order.
pub(super) struct DirectKernel {
    kernel: Kernel,
    name: String,
    /// For each access the first one of its parameter.
    firsts: Vec<AccessId>,
    variants: Mutex<FxHashMap<(Variant, u32), Arc<Loaded>>>,
    recent: Mutex<Vec<Arc<Remembered>>>,
}

/// A variant that has been compiled.
pub(super) struct Loaded {
    function: Function,
    fields: Vec<Field>,
    /// The number of blocks that a multiprocessor holds at once.
    at_once: u32,
}

/// A launch that is kept because its shape may occur again.
struct Remembered {
    key: Key,
    /// `None` for a launch without points.
    prepared: Option<(Shape, Arc<Loaded>)>,
}

/// Everything that determines the shape of a launch.
#[derive(PartialEq)]
struct Key {
    capability: u32,
    multiprocessors: u32,
    extents: Vec<usize>,
    origins: Vec<i64>,
    strides: Vec<Vec<isize>>,
    guards: Vec<Vec<(i64, i64)>>,
    alignments: Vec<u8>,
    /// The distance of each access from the first access of its parameter.
    apart: Vec<u64>,
}

impl DirectKernel {
    /// A verified kernel.
    pub fn new(kernel: &Kernel) -> DirectKernel {
        let first = |access: &Access| {
            let is_alike = |other: &Access| other.param == access.param;
            AccessId::new(kernel.accesses.iter().position(is_alike).unwrap_or(0))
        };
        DirectKernel {
            kernel: kernel.clone(),
            name: name_of(kernel),
            firsts: kernel.accesses.iter().map(first).collect(),
            variants: Mutex::default(),
            recent: Mutex::default(),
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Enqueues a launch.
    ///
    /// Panics (`bug:`) if a launch does not match the kernel. Errors: `DeviceError::Compile`,
    /// `DeviceError::Library`, `DeviceError::OutOfMemory`, `DeviceError::Cuda`. The device keeps
    /// errors of work that fails later.
    pub fn launch(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
    ) -> Result<(), DeviceError> {
        let addresses = addresses(launch);
        let known = self.prepare(device, launch, &apart(launch, &addresses))?;
        let Some((shape, loaded)) = &known.prepared else { return Ok(()) };
        let tiles = shape.tiles();
        let mut workspace = Workspace::default();
        let scratch;
        if shape.variant.chunks != Chunks::One {
            assert!(2 * tiles <= MOST_TILES, "bug: {tiles} tiles of chunks");
            let partials = shape.partials() * bytes_of_partials(&self.kernel);
            scratch = device.clone().allocate(partials)?;
            workspace.scratch = scratch.as_ptr() as u64;
            workspace.counters = device.counters()?.address();
        }
        let values = Values {
            addresses: &addresses,
            origins: launch.origins,
            scalars: &launch.scalars,
            workspace,
        };
        let argument = bytes(&loaded.fields, shape, &values);
        let size = GridSize {
            blocks: [tiles as u32, shape.chunks as u32, 1],
            threads: [THREADS, 1, 1],
            shared: 0,
            blocks_come: match shape.variant.chunks {
                // A block that waits for no other block may start at any time.
                Chunks::Together if shape.chunks > 1 => Coming::Together,
                _ => Coming::Early,
            },
        };
        // SAFETY: the argument has the words that the text declares (`fields`); addresses and
        // strides are the plan's, which keeps them inside the buffers.
        unsafe { loaded.function.launch(device.context(), size, &argument) }
    }

    /// Writes the text for a launch to the source folder of a Null device, if it has one.
    pub fn save(&self, device: &NullDevice, launch: &BufferLaunch<'_>) {
        let Some(folder) = device.save_source() else { return };
        let strides: Vec<&[isize]> = launch.accesses.iter().map(|access| access.2).collect();
        let geometry = Geometry {
            extents: launch.extents,
            origins: launch.origins,
            strides: &strides,
            guards: launch.guards,
            addresses: &apart(launch, &addresses(launch)),
        };
        if let Some(shape) = Shape::new(&self.kernel, &geometry) {
            save_source(folder, &self.name, &source(&self.kernel, &shape.variant));
        }
    }

    fn prepare(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
        addresses: &[u64],
    ) -> Result<Arc<Remembered>, DeviceError> {
        let Properties { capability, multiprocessors, .. } = *device.properties();
        let is = |known: &Arc<Remembered>| {
            let key = &known.key;
            key.capability == capability
                && key.multiprocessors == multiprocessors
                && key.extents == launch.extents
                && key.origins == launch.origins
                && key.guards == launch.guards
                && key.strides.len() == launch.accesses.len()
                && key.strides.iter().zip(&launch.accesses).all(|(own, access)| own == access.2)
                && key.alignments.iter().zip(addresses).all(|(own, at)| *own == alignment(*at))
                && self.apart(addresses).eq(key.apart.iter().copied())
        };
        {
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = recent.iter().position(is) {
                let known = recent.remove(at);
                recent.insert(0, known.clone());
                return Ok(known);
            }
        }
        let strides: Vec<&[isize]> = launch.accesses.iter().map(|access| access.2).collect();
        let geometry = Geometry {
            extents: launch.extents,
            origins: launch.origins,
            strides: &strides,
            guards: launch.guards,
            addresses,
        };
        let prepared = match Shape::new(&self.kernel, &geometry) {
            None => None,
            Some(mut shape) => {
                let (loaded, is_new) = self.load(device, &shape.variant)?;
                note_late(is_new);
                // Where the order of folds changes the result, it must not depend on the device.
                let is_free = shape.variant.chunks == Chunks::Last
                    && folds_in_any_order(&self.kernel)
                    && !has_binned(&self.kernel.body);
                if shape.variant.chunks == Chunks::Together || is_free {
                    let most = device.properties().multiprocessors * loaded.at_once;
                    shape.limit_chunks(most as usize / shape.tiles().max(1));
                }
                Some((shape, loaded))
            }
        };
        let key = Key {
            capability,
            multiprocessors,
            extents: launch.extents.to_vec(),
            origins: launch.origins.to_vec(),
            strides: strides.iter().map(|strides| strides.to_vec()).collect(),
            guards: launch.guards.to_vec(),
            alignments: addresses.iter().copied().map(alignment).collect(),
            apart: self.apart(addresses).collect(),
        };
        let known = Arc::new(Remembered { key, prepared });
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.insert(0, known.clone());
        recent.truncate(REMEMBERED);
        Ok(known)
    }

    /// The distance of each access from the first access of its parameter. It determines which
    /// rows several accesses read together.
    fn apart(&self, addresses: &[u64]) -> impl Iterator<Item = u64> {
        let pairs = self.firsts.iter().zip(addresses);
        pairs.map(|(&first, address)| address.wrapping_sub(addresses[first.index()]))
    }

    /// The variant that a launch needs, if it has not been loaded.
    pub fn missing(&self, device: &CudaDevice, launch: &Geometry<'_>) -> Option<Variant> {
        let shape = Shape::new(&self.kernel, launch)?;
        let key = (shape.variant, device.properties().capability);
        let variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        (!variants.contains_key(&key)).then_some(key.0)
    }

    /// A variant, and whether it was loaded just now.
    pub fn load(
        &self,
        device: &CudaDevice,
        variant: &Variant,
    ) -> Result<(Arc<Loaded>, bool), DeviceError> {
        let capability = device.properties().capability;
        let key = (variant.clone(), capability);
        {
            let variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(loaded) = variants.get(&key) {
                return Ok((loaded.clone(), false));
            }
        }
        let text = source(&self.kernel, variant);
        let compiler = Compiler::new(capability, device.options())?;
        let module = Module::load(device.context(), &compiler.compile(&self.name, &text)?)?;
        let function = module.function(device.context(), "run")?;
        let at_once = function.blocks_at_once(device.context(), THREADS, 0);
        let loaded = Loaded { function, fields: fields(&self.kernel, variant), at_once };
        let loaded = Arc::new(loaded);
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        variants.insert(key, loaded.clone());
        Ok((loaded, true))
    }
}

/// The part of an address that a shape depends on.
fn alignment(address: u64) -> u8 {
    (address % LINE as u64) as u8
}

/// The address of each access.
fn addresses(launch: &BufferLaunch<'_>) -> Vec<u64> {
    let address = |(buffer, offset, _): &(&Buffer, isize, &[isize])| {
        (buffer.as_ptr() as u64).wrapping_add_signed(*offset as i64)
    };
    launch.accesses.iter().map(address).collect()
}

/// The addresses with buffers moved apart (`BUFFERS_APART`). Then only accesses of the same buffer
/// are near each other, so the variant is known before buffers exist (`Executable::missing`).
fn apart(launch: &BufferLaunch<'_>, addresses: &[u64]) -> Vec<u64> {
    let buffer = |at: usize| launch.accesses[at].0.as_ptr();
    let first = |at: usize| (0..at).find(|&other| buffer(other) == buffer(at)).unwrap_or(at);
    let places = addresses.iter().enumerate();
    places.map(|(at, address)| address.wrapping_add((first(at) as u64) << BUFFERS_APART)).collect()
}

/// A name for messages and files, from the kernel's first operations.
fn name_of(kernel: &Kernel) -> String {
    use crate::ir::Expr;
    let ops = kernel.values.iter().filter_map(|value| match &value.expr {
        Expr::Op { op, .. } => Some(op.name()),
        Expr::Special { function, .. } => Some(function.name),
        _ => None,
    });
    let mut name = ops.take(3).collect::<Vec<_>>().join("_");
    if name.is_empty() {
        name = String::from("copy");
    }
    if kernel.axes > kernel.grid {
        name.push_str("_loop");
    }
    name
}
