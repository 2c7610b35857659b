//! Our own kernel for what NCCL does not combine: one for each dtype and monoid.

use super::reduction::native;
use phalanx_device::DeviceError;
use phalanx_device::cuda::{Coming, Compiler, CudaDevice, Function, GridSize, Module, Stream};
use phalanx_ops::{DType, Monoid};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The text, but for its first lines.
const SOURCE: &str = include_str!("combine.cu");
/// Threads of a block.
const THREADS: usize = 256;
/// Blocks at most; each thread combines as many items as it takes.
const MOST_BLOCKS: usize = 1 << 12;

/// What a kernel combines, and for which architecture it is.
type Key = (DType, Monoid, u32);

/// Loaded kernels.
static LOADED: Mutex<Option<HashMap<Key, Function>>> = Mutex::new(None);

/// What the kernel is given; `combine.cu` declares the same.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Combination {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) items: u64,
    pub(super) stride: u64,
    pub(super) members: u64,
}

/// The texts of the kernels, for tests of the compiler.
pub fn cuda_sources() -> Vec<(String, String)> {
    let pairs =
        DType::ALL.iter().flat_map(|dtype| Monoid::ALL.iter().map(move |monoid| (*dtype, *monoid)));
    let needed =
        pairs.filter(|(dtype, monoid)| monoid.accepts(*dtype) && native(*dtype, *monoid).is_none());
    needed.map(|(dtype, monoid)| (format!("{monoid}_{dtype}"), source(dtype, monoid))).collect()
}

fn source(dtype: DType, monoid: Monoid) -> String {
    let (element, structure) = match dtype {
        DType::Bool | DType::U8 => ("unsigned char", ""),
        DType::I8 => ("signed char", ""),
        DType::I16 => ("short", ""),
        DType::U16 => ("unsigned short", ""),
        DType::I32 => ("int", ""),
        DType::U32 => ("unsigned int", ""),
        DType::I64 => ("long long", ""),
        DType::U64 => ("unsigned long long", ""),
        DType::F16 => ("struct f16", "struct f16;\n"),
        DType::BF16 => ("struct bf16", "struct bf16;\n"),
        DType::F32 => ("float", ""),
        DType::F64 => ("double", ""),
        DType::C64 => ("struct c64", "struct c64;\n"),
        DType::C128 => ("struct c128", "struct c128;\n"),
    };
    let name = match monoid {
        Monoid::Add => "ADD",
        Monoid::Multiply => "MULTIPLY",
        Monoid::Min => "MIN",
        Monoid::Max => "MAX",
        Monoid::ArgMin => "ARGMIN",
        Monoid::ArgMax => "ARGMAX",
        Monoid::LogAddExp => "LOGADDEXP",
        Monoid::BitAnd => "BITWISE_AND",
        Monoid::BitOr => "BITWISE_OR",
        Monoid::BitXor => "BITWISE_XOR",
        Monoid::Moments => "MOMENTS",
        Monoid::Any | Monoid::All => unreachable!("bug: NCCL combines truth values"),
    };
    let complex = if dtype.is_complex() { "#define IS_COMPLEX\n" } else { "" };
    format!("{structure}typedef {element} T;\n#define {name}\n{complex}{SOURCE}")
}

/// The kernel, loaded.
///
/// Errors: those of the compiler.
pub(super) fn combiner(
    gpu: &CudaDevice,
    dtype: DType,
    monoid: Monoid,
) -> Result<Function, DeviceError> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    let capability = gpu.properties().capability;
    if let Some(function) = loaded.get(&(dtype, monoid, capability)) {
        return Ok(*function);
    }
    let compiler = Compiler::new(capability, gpu.options())?;
    let code = compiler.compile("combine_members", &source(dtype, monoid))?;
    let function = Module::load(gpu, &code)?.function(gpu, "combine_members")?;
    loaded.insert((dtype, monoid, capability), function);
    Ok(function)
}

impl Combination {
    /// Enqueues it in a stream.
    ///
    /// # Safety
    /// The addresses are of so many items of each member, and of as many results, in the device's
    /// memory, apart or the same for the first member; the function is the one for the items.
    pub(super) unsafe fn launch(&self, function: Function, stream: &Stream) {
        if self.items == 0 {
            return;
        }
        let blocks = (self.items as usize).div_ceil(THREADS).min(MOST_BLOCKS);
        let size = GridSize {
            blocks: [blocks as u32, 1, 1],
            threads: [THREADS as u32, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        let words = [self.from, self.to, self.items, self.stride, self.members];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: the bytes are what the kernel declares; the caller's promise.
        unsafe { function.launch_in(stream, size, &bytes) };
    }
}
