//! Special functions on a GPU, by the same texts as on the host.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::Special;
use phalanx_special::FUNCTIONS;
use std::collections::BTreeSet;

static TEXT: &str = include_str!("special.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;
/// The most operands of a function.
const OPERANDS: usize = 7;

/// The function of CUDA's own library for a special function: its threads take the same path for
/// all numbers, and its error is at most ten units in the last place (CUDA C++ Programming Guide,
/// "Mathematical Functions").
fn of_library(function: &str) -> Option<&'static str> {
    match function {
        "erf" => Some("erf"),
        "erfc" => Some("erfc"),
        "erfcinv" => Some("erfcinv"),
        "erfinv" => Some("erfinv"),
        "gamma" => Some("tgamma"),
        "ndtri" => Some("normcdfinv"),
        _ => None,
    }
}

fn routine(function: &'static str, arity: usize, dtype: DType) -> Routine {
    let (name, functions) = match of_library(function) {
        Some(name) => (String::from(name), BTreeSet::new()),
        None => {
            let name = format!("special_{function}");
            (name.clone(), BTreeSet::from([name]))
        }
    };
    let defines = [("FUNCTION", name), ("ARITY", arity.to_string()), ("T", dtype.name().into())];
    Routine::new(TEXT, defines, Uses { functions, ..Uses::default() })
}

/// The texts that `run` runs.
pub fn routines(op: &Special, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![routine(op.function, operands.len(), op.dtype)] }
}

/// Computes the block `to` of the result from the blocks of the operands. Errors: those of the
/// compiler.
pub fn run(
    op: &Special,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let mut words = vec![to.buffer.as_ptr() as u64, to.len() as u64];
    let none = OPERANDS - operands.len();
    words.extend(operands.iter().map(|block| block.buffer.as_ptr() as u64));
    words.extend(std::iter::repeat_n(0, none));
    words.extend(operands.iter().map(|block| u64::from(block.len() > 1)));
    words.extend(std::iter::repeat_n(0, none));
    let blocks = to.len().div_ceil(THREADS).min(MOST_BLOCKS);
    let routine = routine(op.function, operands.len(), op.dtype);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { routine.launch("special", device, (blocks, THREADS as u32), &words) }
}

/// A text with all functions: compiled one by one, they would define what they share again and
/// again.
pub fn sources() -> Vec<String> {
    let mut all = routine("gamma", 1, DType::F64);
    all.uses_functions(FUNCTIONS.iter().map(|it| format!("special_{}", it.name)));
    vec![all.source()]
}
