//! Handles of CUDA's libraries for programs that call them on their own.

use crate::DeviceError;
use crate::cuda::driver::{Context, CudaOptions, Library, find};
use crate::cuda::streams::Stream;
use libloading::os::unix::{Library as Loaded, RTLD_LAZY};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::Arc;

/// A library of which a program may have a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleKind {
    /// cuBLAS.
    Blas,
    /// cuSOLVER for dense matrices.
    DenseSolver,
    /// cuSOLVER for sparse matrices.
    SparseSolver,
    /// cuSPARSE.
    Sparse,
    /// cuDNN, where it is found.
    Networks,
    /// cuTENSOR, where it is found. Its handles have no stream: each call takes one.
    Tensors,
}

/// The functions of a kind of handle.
struct Names {
    /// The library, if Phalanx itself uses it.
    known: Option<Library>,
    /// The names of its file otherwise.
    files: &'static [&'static str],
    title: &'static str,
    create: &'static str,
    set_stream: Option<&'static str>,
    destroy: &'static str,
}

impl HandleKind {
    fn names(self) -> Names {
        let known = |known, title, create, set_stream, destroy| Names {
            known: Some(known),
            files: &[],
            title,
            create,
            set_stream: Some(set_stream),
            destroy,
        };
        match self {
            HandleKind::Blas => known(
                Library::Cublas,
                "cuBLAS",
                "cublasCreate_v2",
                "cublasSetStream_v2",
                "cublasDestroy_v2",
            ),
            HandleKind::DenseSolver => known(
                Library::Cusolver,
                "cuSOLVER",
                "cusolverDnCreate",
                "cusolverDnSetStream",
                "cusolverDnDestroy",
            ),
            HandleKind::SparseSolver => known(
                Library::Cusolver,
                "cuSOLVER",
                "cusolverSpCreate",
                "cusolverSpSetStream",
                "cusolverSpDestroy",
            ),
            HandleKind::Sparse => known(
                Library::Cusparse,
                "cuSPARSE",
                "cusparseCreate",
                "cusparseSetStream",
                "cusparseDestroy",
            ),
            HandleKind::Networks => Names {
                known: None,
                files: &["libcudnn.so.9", "libcudnn.so"],
                title: "cuDNN",
                create: "cudnnCreate",
                set_stream: Some("cudnnSetStream"),
                destroy: "cudnnDestroy",
            },
            HandleKind::Tensors => Names {
                known: None,
                files: &["libcutensor.so.2", "libcutensor.so"],
                title: "cuTENSOR",
                create: "cutensorCreate",
                set_stream: None,
                destroy: "cutensorDestroy",
            },
        }
    }
}

type Create = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type SetStream = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Destroy = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A handle of a library on a GPU, which is destroyed when this is dropped. One thread at a time
/// may use it, as the libraries say.
pub struct LibraryHandle {
    context: Arc<Context>,
    handle: *mut c_void,
    set_stream: Option<SetStream>,
    destroy: Destroy,
    title: &'static str,
    /// The stream of its work, kept as long as the handle.
    stream: Option<Stream>,
    #[allow(dead_code, reason = "held for the functions above")]
    library: Loaded,
}

// SAFETY: a handle is bound to a context, not to a thread; `&mut` keeps the calls here apart, and
// the program does so for its own.
unsafe impl Send for LibraryHandle {}

impl LibraryHandle {
    /// A new handle, whose work is in the order of the device's own work until it gets a stream.
    /// Local.
    ///
    /// Errors: `DeviceError::Library` if the library is not found; `DeviceError::Cuda`.
    pub fn new(context: &Arc<Context>, kind: HandleKind) -> Result<LibraryHandle, DeviceError> {
        let names = kind.names();
        let library = load(&names, context.options())?;
        let missing = |_| DeviceError::Library {
            library: names.title,
            searched: format!("{} in the library", names.create),
            remedy: "install another version of the library",
        };
        // SAFETY: the functions have these types in all versions of the libraries.
        let (create, destroy, set_stream) = unsafe {
            let set_stream = names.set_stream.map(|name| library.get::<SetStream>(name.as_bytes()));
            (
                *library.get::<Create>(names.create.as_bytes()).map_err(missing)?,
                *library.get::<Destroy>(names.destroy.as_bytes()).map_err(missing)?,
                set_stream.transpose().map_err(missing)?.map(|function| *function),
            )
        };
        let _kept = context.visit();
        let mut handle: *mut c_void = std::ptr::null_mut();
        // SAFETY: the context is current, and the pointer valid.
        let status = unsafe { create(&raw mut handle) };
        check(context, names.title, names.create, status)?;
        let title = names.title;
        let mut made = LibraryHandle {
            context: context.clone(),
            handle,
            set_stream,
            destroy,
            title,
            stream: None,
            library,
        };
        made.set_stream(Stream::of_work(context))?;
        Ok(made)
    }

    /// The library's handle.
    pub fn as_ptr(&self) -> *mut c_void {
        self.handle
    }

    /// The stream of its work.
    pub fn stream(&self) -> Option<&Stream> {
        self.stream.as_ref()
    }

    /// Puts later work of the handle into a stream of its GPU. Does nothing for a library whose
    /// calls take a stream. Local.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn set_stream(&mut self, stream: Stream) -> Result<(), DeviceError> {
        if let Some(set) = self.set_stream {
            let _kept = self.context.visit();
            // SAFETY: the handle lives, and the stream is kept.
            let status = unsafe { set(self.handle, stream.handle() as *mut c_void) };
            check(&self.context, self.title, "SetStream", status)?;
        }
        self.stream = Some(stream);
        Ok(())
    }
}

impl Drop for LibraryHandle {
    fn drop(&mut self) {
        let _kept = self.context.visit();
        // SAFETY: nothing uses the handle any more.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

/// The library with these functions.
fn load(names: &Names, options: &CudaOptions) -> Result<Loaded, DeviceError> {
    let paths: Vec<PathBuf> = match names.known {
        Some(library) => vec![find(library, options)?.path],
        None => {
            let own = options.folders.iter();
            let own = own.flat_map(|folder| names.files.iter().map(|file| folder.join(file)));
            own.chain(names.files.iter().map(PathBuf::from)).collect()
        }
    };
    for path in &paths {
        // SAFETY: CUDA's libraries may be loaded at any time by any thread.
        if let Ok(library) = unsafe { Loaded::open(Some(path), RTLD_LAZY) } {
            return Ok(library);
        }
    }
    Err(DeviceError::Library {
        library: names.title,
        searched: String::from("PHALANX_CUDA_PATH, the system's folders"),
        remedy: "install the library, or name the folder that has it in PHALANX_CUDA_PATH",
    })
}

fn check(
    context: &Context,
    title: &'static str,
    call: &'static str,
    status: c_int,
) -> Result<(), DeviceError> {
    if status == 0 {
        return Ok(());
    }
    Err(DeviceError::Cuda {
        device: String::from(context.name()),
        call,
        name: format!("status {status}"),
        text: format!("an error of {title}"),
    })
}
