//! The programs of the user's own that GPUs have loaded. They stay for the life of the process.

use phalanx_device::DeviceError;
use phalanx_device::cuda::{Compiler, CudaDevice, CudaOptions, Function, Image, Module};
use phalanx_ops::structured::{Code, Program};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A program and the compute capability for which it is compiled.
type Key = (u128, u32);

/// A program that GPUs of one kind have loaded.
pub struct LoadedProgram {
    module: Module,
    /// For each expression of the program, its name in the machine code.
    names: Vec<(String, String)>,
    functions: RwLock<FxHashMap<String, Known>>,
}

/// A kernel, and the size in bytes of each parameter; `None` if the driver does not tell.
type Known = (Function, Option<Arc<[usize]>>);

/// Compiled programs.
static COMPILED: Mutex<Option<FxHashMap<Key, Arc<Image>>>> = Mutex::new(None);
/// Held by the thread that loads a program.
static LOADING: Mutex<()> = Mutex::new(());
/// Loaded programs.
static LOADED: RwLock<Option<FxHashMap<Key, Arc<LoadedProgram>>>> = RwLock::new(None);

/// The machine code of a program for a compute capability (90 for 9.0). Needs no GPU.
///
/// Errors: `DeviceError::Library` without NVRTC; `DeviceError::Compile` with the messages of the
/// compiler and the lines of the text.
pub fn compiled(
    program: &Program,
    name: &str,
    capability: u32,
    options: &CudaOptions,
) -> Result<Arc<Image>, DeviceError> {
    let key = (program.digest(), capability);
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(image) = all.get_or_insert_default().get(&key) {
        return Ok(image.clone());
    }
    let image = match &program.code {
        Code::Text(text) => Compiler::new(capability, options)?.compile_program(
            name,
            text,
            &program.options,
            &program.expressions,
        )?,
        Code::Image(code) => {
            // The driver reads PTX up to a zero.
            let code = code.iter().copied().chain([0]).collect();
            Image { code, names: program.expressions.clone() }
        }
        Code::Host(name, _) => {
            return Err(DeviceError::Compile {
                kernel: name.clone(),
                log: String::from("a function of the host does not run on a GPU"),
                is_users: true,
            });
        }
    };
    let image = Arc::new(image);
    all.get_or_insert_default().insert(key, image.clone());
    Ok(image)
}

/// The program, compiled and loaded for a GPU and all others of its kind.
///
/// Errors: those of `compiled`; `DeviceError::Cuda` for an image that the GPU cannot run.
pub fn loaded(program: &Program, gpu: &CudaDevice) -> Result<Arc<LoadedProgram>, DeviceError> {
    let capability = gpu.properties().capability;
    let key = (program.digest(), capability);
    let known = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = known.as_ref().and_then(|all| all.get(&key)) {
        return Ok(loaded.clone());
    }
    drop(known);
    let image = compiled(program, "program", capability, gpu.options())?;
    // Launches look up other programs meanwhile.
    let _turn = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    let known = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = known.as_ref().and_then(|all| all.get(&key)) {
        return Ok(loaded.clone());
    }
    drop(known);
    let module = Module::load(gpu.context(), &image.code)?;
    module.try_load(gpu.context())?;
    let names = program.expressions.iter().cloned().zip(image.names.iter().cloned()).collect();
    let loaded = Arc::new(LoadedProgram { module, names, functions: RwLock::default() });
    let mut known = LOADED.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().insert(key, loaded.clone());
    Ok(loaded)
}

impl LoadedProgram {
    /// The name in the machine code of a symbol or an expression.
    fn name<'a>(&'a self, symbol: &'a str) -> &'a str {
        let known = self.names.iter().find(|(expression, _)| expression == symbol);
        known.map_or(symbol, |(_, name)| name)
    }

    /// The driver's handle, for other libraries.
    pub fn address(&self) -> usize {
        self.module.address()
    }

    /// A kernel of the program with the sizes of its parameters; `None` if there is none of this
    /// name.
    ///
    /// Errors: `DeviceError::Cuda` if it cannot be loaded.
    pub fn function(&self, symbol: &str, gpu: &CudaDevice) -> Result<Option<Known>, DeviceError> {
        let known = self.functions.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(symbol) {
            return Ok(Some(known.clone()));
        }
        drop(known);
        if symbol.contains('\0') {
            return Ok(None);
        }
        let Some(function) = self.module.find(gpu.context(), self.name(symbol))? else {
            return Ok(None);
        };
        let found = (function, function.parameters(gpu.context())?.map(Arc::from));
        let mut known = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(String::from(symbol), found.clone());
        Ok(Some(found))
    }

    /// The address on a GPU and the size in bytes of a variable of the program; `None` if there is
    /// none of this name.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn global(
        &self,
        symbol: &str,
        gpu: &CudaDevice,
    ) -> Result<Option<(u64, usize)>, DeviceError> {
        self.module.global(gpu.context(), self.name(symbol))
    }
}
