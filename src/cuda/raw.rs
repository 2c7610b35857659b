//! Kernels of the user's own in CUDA C++, compiled at run time, or in machine code.

use phalanx_array::launches::{
    Code, LaunchArgument, LaunchKernel, LaunchSize, Program, ShardPlace, Share,
};
use phalanx_array::{Error, MeshHandle, call_site};
use phalanx_device::DeviceError;
use phalanx_device::cuda::{CudaDevice, CudaOptions, Function, FunctionAttribute};
use phalanx_kernels::structured::launch::{compiled, loaded};
use phalanx_ops::error::OpError;
use phalanx_scheduler::RunError;
use phalanx_waiting::{aside, lock};
use std::sync::{Arc, Mutex, Weak};

/// The most thread blocks along each axis of a grid.
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// The most threads along each axis of a thread block.
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];

/// A program of kernels: a text in CUDA C++, or an image that a compiler made. Equal programs are
/// one, which stays loaded for the life of the process.
#[derive(Clone, Debug)]
pub struct RawModule {
    program: &'static Program,
}

/// A kernel of a [`RawModule`].
pub struct RawKernel {
    kernel: LaunchKernel,
    /// What is known of the kernel, once a GPU has loaded it.
    known: Mutex<Option<Arc<Known>>>,
}

/// What is known of a loaded kernel.
struct Known {
    /// The size in bytes of each parameter.
    parameters: Arc<[usize]>,
    most_threads: u32,
    /// Bytes of shared memory that the kernel declares.
    shared: u32,
    /// The most bytes of shared memory of a thread block.
    most_shared: u32,
    /// The bytes of shared memory beyond the declared ones that launches may ask for so far.
    allowed: Mutex<u32>,
    functions: Vec<(Weak<CudaDevice>, Function)>,
}

impl Known {
    /// Sets an attribute on all GPUs.
    fn set(
        &self,
        gpus: &[Arc<CudaDevice>],
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), DeviceError> {
        let mut all = self.functions.iter().zip(gpus);
        all.try_for_each(|((_, function), gpu)| {
            function.set_attribute(gpu.context(), attribute, value)
        })
    }
}

impl RawModule {
    /// The program of a text. `options` are those of NVRTC (`--std=c++17`, `-DN=4`);
    /// `expressions` name instances of templates, which [`RawModule::kernel`] and
    /// [`RawModule::global`] take. Local.
    pub fn from_text(text: &str, options: &[String], expressions: &[String]) -> RawModule {
        let code = Code::Text(String::from(text));
        RawModule { program: Program::new(code, options.to_vec(), expressions.to_vec()) }
    }

    /// The program of an image: a cubin, a fatbin, or PTX. Local.
    pub fn from_image(image: Vec<u8>) -> RawModule {
        RawModule { program: Program::new(Code::Image(image), Vec::new(), Vec::new()) }
    }

    /// Compiles the text for a compute capability (90 for 9.0), unless that has been done. Needs no
    /// GPU. Local.
    ///
    /// Errors: `DeviceError::Compile` with the compiler's messages and the lines of the text;
    /// `DeviceError::Library` without NVRTC.
    #[track_caller]
    pub fn compile_for(&self, capability: u32, options: &CudaOptions) -> Result<(), Error> {
        let compile = || compiled(self.program, "program", capability, options).map(drop);
        aside(compile).map_err(device_error)
    }

    /// Compiles and loads the program for GPUs. Local.
    ///
    /// Errors: those of [`RawModule::compile_for`]; `DeviceError::Cuda` for an image that a GPU
    /// cannot run.
    #[track_caller]
    pub fn load(&self, gpus: &[Arc<CudaDevice>]) -> Result<(), Error> {
        at_rest(gpus)?;
        let load = |gpu: &Arc<CudaDevice>| loaded(self.program, gpu).map(drop);
        aside(|| gpus.iter().try_for_each(load)).map_err(device_error)
    }

    /// The driver's handle of the loaded program, for other libraries. Local.
    ///
    /// Errors: those of [`RawModule::load`].
    #[track_caller]
    pub fn address(&self, gpu: &CudaDevice) -> Result<usize, Error> {
        loaded(self.program, gpu).map(|program| program.address()).map_err(device_error)
    }

    /// The kernel of a name, or of an expression. Local.
    pub fn kernel(&self, symbol: &str) -> RawKernel {
        let kernel = LaunchKernel::new(self.program, symbol);
        RawKernel { kernel, known: Mutex::new(None) }
    }

    /// The address on each GPU of a variable of the program, and its size in bytes. Local.
    ///
    /// Errors: `OpError::KernelLaunch` if there is none of this name, and those of
    /// [`RawModule::load`].
    #[track_caller]
    pub fn global(
        &self,
        gpus: &[Arc<CudaDevice>],
        symbol: &str,
    ) -> Result<(Vec<u64>, usize), Error> {
        at_rest(gpus)?;
        let (mut addresses, mut bytes) = (Vec::new(), 0);
        for gpu in gpus {
            let found = loaded(self.program, gpu).and_then(|program| program.global(symbol, gpu));
            let Some((address, size)) = found.map_err(device_error)? else {
                return Err(refused(
                    symbol,
                    String::from("the program has no variable of this name"),
                ));
            };
            addresses.push(address);
            bytes = size;
        }
        Ok((addresses, bytes))
    }
}

impl RawKernel {
    /// The kernel for launches on each device, with its blocks of the arrays.
    #[must_use]
    pub fn each_device(self) -> RawKernel {
        RawKernel { kernel: self.kernel.share(Share::Each), ..self }
    }

    /// The kernel for launches whose thread blocks run at the same time and can wait for each
    /// other.
    #[must_use]
    pub fn cooperative(self) -> RawKernel {
        RawKernel { kernel: self.kernel.cooperative(), ..self }
    }

    /// Whether a parameter is a pointer; `None` if the text does not show it.
    pub fn takes_address(&self, parameter: usize) -> Option<bool> {
        self.kernel.takes_address(parameter)
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.kernel.symbol()
    }

    /// Records a launch; see [`LaunchKernel::launch`]. `gpus` are those of the session.
    ///
    /// # Collectivity
    ///
    /// Local: it records. All ranks must record the same call.
    ///
    /// # Errors
    ///
    /// `OpError::KernelLaunch` for a size that the GPU cannot launch, for arguments of another
    /// number or size than the parameters, for arrays that cannot be written, and without GPUs;
    /// those of the compiler.
    #[track_caller]
    pub fn launch(
        &self,
        gpus: &[Arc<CudaDevice>],
        size: LaunchSize,
        arguments: &[LaunchArgument],
    ) -> Result<(), Error> {
        let known = self.load(gpus)?;
        self.check(&known, gpus, size, arguments)?;
        self.kernel.launch(size, arguments)
    }

    /// The driver's handle of the loaded kernel, for other libraries. Local. Errors: those of the
    /// compiler.
    #[track_caller]
    pub fn address(&self, gpus: &[Arc<CudaDevice>]) -> Result<usize, Error> {
        Ok(self.load(gpus)?.functions[0].1.address())
    }

    /// An attribute of the kernel on a GPU of the session. Local. Errors: those of the compiler.
    #[track_caller]
    pub fn attribute(
        &self,
        gpus: &[Arc<CudaDevice>],
        attribute: FunctionAttribute,
    ) -> Result<i32, Error> {
        let known = self.load(gpus)?;
        known.functions[0].1.attribute(gpus[0].context(), attribute).map_err(device_error)
    }

    /// Sets an attribute of the kernel on all GPUs of the session. Local.
    ///
    /// Errors: `DeviceError::Cuda` for a value that the GPU does not have; those of the compiler.
    #[track_caller]
    pub fn set_attribute(
        &self,
        gpus: &[Arc<CudaDevice>],
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), Error> {
        let known = self.load(gpus)?;
        known.set(gpus, attribute, value).map_err(device_error)?;
        if attribute == FunctionAttribute::MostDynamicShared {
            *lock(&known.allowed) = value.max(0) as u32;
        }
        Ok(())
    }

    /// What is known of the kernel on the GPUs of the session, which load it if they have not.
    #[track_caller]
    fn load(&self, gpus: &[Arc<CudaDevice>]) -> Result<Arc<Known>, Error> {
        let mut last = lock(&self.known);
        let is_same = |known: &&Arc<Known>| {
            known.functions.len() == gpus.len()
                && known
                    .functions
                    .iter()
                    .zip(gpus)
                    .all(|((own, _), gpu)| own.as_ptr() == Arc::as_ptr(gpu))
        };
        if let Some(known) = last.as_ref().filter(is_same) {
            return Ok(known.clone());
        }
        let Some(first) = gpus.first() else {
            return Err(self.refused(String::from(
                "it runs on GPUs, and the devices of this session are CPUs",
            )));
        };
        at_rest(gpus)?;
        let (mut functions, mut sizes) = (Vec::new(), None);
        for gpu in gpus {
            let program = aside(|| loaded(self.kernel.program(), gpu)).map_err(device_error)?;
            let found = aside(|| program.function(self.name(), gpu)).map_err(device_error)?;
            let Some((function, parameters)) = found else {
                return Err(self.refused(String::from("the program has no kernel of this name")));
            };
            functions.push((Arc::downgrade(gpu), function));
            sizes = parameters;
        }
        let Some(parameters) = sizes else {
            return Err(self.refused(String::from(
                "the driver does not tell its parameters; install one for CUDA 12.4 or later",
            )));
        };
        let (context, own) = (first.context(), functions[0].1);
        let known = || -> Result<Known, DeviceError> {
            let of = |attribute| Ok::<_, DeviceError>(own.attribute(context, attribute)? as u32);
            Ok(Known {
                parameters,
                most_threads: of(FunctionAttribute::MostThreads)?,
                shared: of(FunctionAttribute::Shared)?,
                most_shared: first.properties().shared_memory as u32,
                allowed: Mutex::new(of(FunctionAttribute::MostDynamicShared)?),
                functions: functions.clone(),
            })
        };
        let known = Arc::new(known().map_err(device_error)?);
        *last = Some(known.clone());
        Ok(known)
    }

    /// Checks a launch before it is recorded.
    #[track_caller]
    fn check(
        &self,
        known: &Known,
        gpus: &[Arc<CudaDevice>],
        size: LaunchSize,
        arguments: &[LaunchArgument],
    ) -> Result<(), Error> {
        let LaunchSize { blocks, threads, shared } = size;
        let fits = |sizes: [u32; 3], most: [u32; 3]| {
            sizes.iter().zip(most).all(|(size, most)| (1..=most).contains(size))
        };
        if !fits(blocks, MOST_BLOCKS) {
            return Err(self.refused(format!(
                "a grid of {blocks:?} thread blocks; each number is at least 1 and at most \
                 {MOST_BLOCKS:?}"
            )));
        }
        let all: u32 = threads.iter().fold(1, |all, &count| all.saturating_mul(count));
        if !fits(threads, MOST_THREADS) || all > known.most_threads {
            return Err(self.refused(format!(
                "thread blocks of {threads:?} threads; each number is at least 1 and at most \
                 {MOST_THREADS:?}, and this kernel takes {} threads at most",
                known.most_threads
            )));
        }
        if known.shared.saturating_add(shared) > known.most_shared {
            return Err(self.refused(format!(
                "{shared} bytes of shared memory beside the {} that it declares; a thread block \
                 has {}",
                known.shared, known.most_shared
            )));
        }
        self.check_arguments(&known.parameters, arguments)?;
        let mut allowed = lock(&known.allowed);
        if shared > *allowed {
            let set = known.set(gpus, FunctionAttribute::MostDynamicShared, shared as i32);
            set.map_err(device_error)?;
            *allowed = shared;
        }
        if self.kernel.is_cooperative() {
            self.check_room(known, &gpus[0], size)?;
        }
        Ok(())
    }

    /// Checks that all thread blocks of a launch can run at the same time.
    #[track_caller]
    fn check_room(&self, known: &Known, gpu: &CudaDevice, size: LaunchSize) -> Result<(), Error> {
        let of = |sizes: [u32; 3]| sizes.iter().map(|&count| u64::from(count)).product::<u64>();
        let threads = of(size.threads) as u32;
        let at_once = known.functions[0].1.blocks_at_once(gpu.context(), threads, size.shared);
        let most = u64::from(at_once) * u64::from(gpu.properties().multiprocessors);
        if of(size.blocks) > most {
            return Err(self.refused(format!(
                "{} thread blocks that wait for each other; this GPU runs {most} of {threads} \
                 threads at the same time",
                of(size.blocks)
            )));
        }
        Ok(())
    }

    /// Checks the number and the sizes of arguments.
    #[track_caller]
    fn check_arguments(&self, sizes: &[usize], arguments: &[LaunchArgument]) -> Result<(), Error> {
        if sizes.len() != arguments.len() {
            let (takes, given) = (sizes.len(), arguments.len());
            return Err(self.refused(format!("it takes {takes} arguments, not {given}")));
        }
        for (number, (argument, &size)) in arguments.iter().zip(sizes).enumerate() {
            let is_pointer = self.kernel.takes_address(number);
            if let (LaunchArgument::Array(_), Some(false)) = (argument, is_pointer) {
                return Err(self.refused(format!(
                    "argument {number} is an array, and the parameter is a number: pass x.item()"
                )));
            }
            let (given, what) = match argument {
                LaunchArgument::Array(_) => (size_of::<u64>(), "the address of an array"),
                LaunchArgument::Bytes(bytes) => (bytes.len(), "a value"),
                LaunchArgument::Place(_) => (size_of::<ShardPlace>(), "the place of a shard"),
            };
            if given != size {
                return Err(self.refused(format!(
                    "argument {number} is {what} of {given} bytes, and the parameter has {size}"
                )));
            }
        }
        Ok(())
    }

    #[track_caller]
    fn refused(&self, problem: String) -> Error {
        refused(self.name(), problem)
    }
}

/// Waits until several GPUs have received the work that was started: loading a kernel may wait for
/// a GPU, which may wait for another one that has not received its part.
fn at_rest(gpus: &[Arc<CudaDevice>]) -> Result<(), Error> {
    match MeshHandle::current() {
        Some(mesh) if gpus.len() > 1 => mesh.engine().hand_over(),
        _ => Ok(()),
    }
}

#[track_caller]
fn refused(kernel: &str, problem: String) -> Error {
    Error::op(OpError::KernelLaunch { kernel: String::from(kernel), problem }, call_site())
}

#[track_caller]
fn device_error(error: DeviceError) -> Error {
    if let DeviceError::Cuda {
        call: "cuLibraryLoadData" | "cuLibraryGetModule", name, text, ..
    } = &error
    {
        return refused("program", format!("the GPU refused the image with {name}: {text}"));
    }
    Error::failure(RunError::Device(error), Some(call_site()))
}
