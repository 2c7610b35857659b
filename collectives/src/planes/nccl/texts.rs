//! The kernels of the plane: their source texts, and the loaded kernels.

use phalanx_device::DeviceError;
use phalanx_device::cuda::{BINNED, Compiler, CudaDevice, Function, Module, with_words};
use phalanx_ops::{DType, Kind, Monoid};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const ITEMS: &str = include_str!("items.cu");
const COMBINE: &str = include_str!("combine.cu");
const MEET: &str = include_str!("meet.cu");
const GATHER: &str = include_str!("gather.cu");
const REDUCE: &str = include_str!("reduce.cu");

/// A kernel of the plane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kernel {
    /// Combines items of all members that have arrived already.
    Combine(DType, Monoid),
    /// Combines the items of this many members in one kernel.
    Reduce(DType, Monoid, usize),
    /// Gathers the bytes of this many members in one kernel.
    Gather(usize),
}

/// The loaded kernels, by kernel and architecture.
static LOADED: Mutex<Option<HashMap<(Kernel, u32), Function>>> = Mutex::new(None);

impl Kernel {
    const fn name(self) -> &'static str {
        match self {
            Kernel::Combine(..) => "combine_members",
            Kernel::Reduce(..) => "one_shot_reduce",
            Kernel::Gather(_) => "one_shot_gather",
        }
    }

    fn source(self) -> String {
        let members = |members: usize| format!("#define MEMBERS {members}\n");
        with_words(&match self {
            Kernel::Combine(dtype, monoid) => {
                format!("{}{ITEMS}{COMBINE}", parameters(dtype, monoid))
            }
            Kernel::Reduce(dtype, monoid, count) => {
                let (parameters, members) = (parameters(dtype, monoid), members(count));
                format!("{parameters}{members}{ITEMS}{MEET}{REDUCE}")
            }
            Kernel::Gather(count) => format!("{}{MEET}{GATHER}", members(count)),
        })
    }

    /// The kernel, loaded for all GPUs of its architecture.
    ///
    /// Errors: those of the compiler.
    pub(crate) fn load(self, gpu: &CudaDevice) -> Result<Function, DeviceError> {
        let capability = gpu.properties().capability;
        let known = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || known().get_or_insert_default().get(&(self, capability)).copied();
        if let Some(function) = look() {
            return Ok(function);
        }
        // Loading may wait for devices, and threads that only look up must not wait for it.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = look() {
            return Ok(function);
        }
        let compiler = Compiler::new(capability, gpu.options())?;
        let code = compiler.compile(self.name(), &self.source())?;
        let function = Module::load(gpu.context(), &code)?.function(gpu.context(), self.name())?;
        known().get_or_insert_default().insert((self, capability), function);
        Ok(function)
    }
}

/// The texts of the kernels with their names, for tests of the compiler.
pub fn cuda_sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let pairs =
        DType::ALL.iter().flat_map(|dtype| Monoid::ALL.iter().map(move |monoid| (*dtype, *monoid)));
    for (number, (dtype, monoid)) in
        pairs.filter(|(dtype, monoid)| monoid.accepts(*dtype)).enumerate()
    {
        // NCCL combines some of these itself; MPI combines none.
        let source = Kernel::Combine(dtype, monoid).source();
        sources.push((format!("{monoid}_{dtype}"), source));
        let members = [4, 2, 8, 3][number % 4];
        let source = Kernel::Reduce(dtype, monoid, members).source();
        sources.push((format!("reduce_{monoid}_{dtype}_{members}"), source));
    }
    for members in [2, 3, 4, 8, 16] {
        sources.push((format!("gather_{members}"), Kernel::Gather(members).source()));
    }
    sources
}

/// The first lines of a text: the element type and the monoid.
fn parameters(dtype: DType, monoid: Monoid) -> String {
    let element = if dtype == DType::Bool { "u8" } else { dtype.name() };
    let is_truth = dtype == DType::Bool;
    let name = match monoid {
        // Truth values are bytes of 0 and 1.
        Monoid::Add if is_truth => "BITWISE_OR",
        Monoid::Multiply if is_truth => "BITWISE_AND",
        Monoid::Any => "BITWISE_OR",
        Monoid::All => "BITWISE_AND",
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
        Monoid::Binned => "BINNED",
    };
    let kind = match dtype.kind() {
        Kind::Float => "#define IS_FLOAT\n",
        Kind::Complex => "#define IS_COMPLEX\n",
        Kind::Bool | Kind::Signed | Kind::Unsigned => "",
    };
    let types = if monoid == Monoid::Binned { BINNED } else { "" };
    format!("typedef {element} T;\n#define {name}\n{kind}{types}")
}
