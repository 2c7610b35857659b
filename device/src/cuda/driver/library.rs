//! The search for CUDA's libraries.

use crate::DeviceError;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The options of CUDA, from the program's environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CudaOptions {
    /// Folders that are searched for libraries first.
    pub folders: Vec<PathBuf>,
    /// The folder that keeps compiled kernels between runs.
    pub cache: Option<PathBuf>,
    /// A folder for the text of every compiled kernel.
    pub save_source: Option<PathBuf>,
    /// Whether repeated launches are enqueued one by one instead of as a CUDA graph.
    pub without_graphs: bool,
    /// Whether guards around the operands of the user's kernels are checked after each launch.
    pub check_kernels: bool,
    /// Whether matrix products may round f32 to TF32.
    pub tf32: bool,
}

/// A library of CUDA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Library {
    /// The driver.
    Driver,
    /// The run-time compiler.
    Nvrtc,
    /// Matrix products.
    Cublas,
    /// Fourier transforms.
    Cufft,
    /// Factorisations of matrices.
    Cusolver,
    /// Sparse matrices, which the factorisations are built on.
    Cusparse,
    /// Communication between GPUs.
    Nccl,
    /// Names for profilers.
    Nvtx,
}

/// A library that has been found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The library.
    pub library: Library,
    /// The path; only the name if the system's loader found it.
    pub path: PathBuf,
}

impl Library {
    /// Every library, in the order of reports.
    pub const ALL: [Library; 8] = [
        Library::Driver,
        Library::Nvrtc,
        Library::Cublas,
        Library::Cufft,
        Library::Cusolver,
        Library::Cusparse,
        Library::Nccl,
        Library::Nvtx,
    ];

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Library::Driver => "CUDA driver",
            Library::Nvrtc => "NVRTC",
            Library::Cublas => "cuBLAS",
            Library::Cufft => "cuFFT",
            Library::Cusolver => "cuSOLVER",
            Library::Cusparse => "cuSPARSE",
            Library::Nccl => "NCCL",
            Library::Nvtx => "NVTX",
        }
    }

    /// The names of its file, in the order in which they are tried.
    const fn files(self) -> &'static [&'static str] {
        match self {
            Library::Driver => &["libcuda.so.1", "libcuda.so"],
            Library::Nvrtc => &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
            Library::Cublas => &["libcublas.so.13", "libcublas.so.12", "libcublas.so"],
            Library::Cufft => &["libcufft.so.12", "libcufft.so.11", "libcufft.so"],
            Library::Cusolver => &["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"],
            Library::Cusparse => &["libcusparse.so.12", "libcusparse.so"],
            Library::Nccl => &["libnccl.so.2", "libnccl.so"],
            Library::Nvtx => &[
                "libnvToolsExt.so.1",
                "libnvToolsExt.so",
                "libnvtx3interop.so.1",
                "libnvtx3interop.so",
            ],
        }
    }

    /// The prefixes of files that the library itself loads by name. The system's loader may not
    /// find them, so they are loaded first. They are beside the library, or in another package's
    /// folder.
    const fn companions(self) -> &'static [&'static str] {
        match self {
            Library::Driver
            | Library::Cufft
            | Library::Cusolver
            | Library::Nccl
            | Library::Nvtx => &[],
            Library::Nvrtc => &["libnvrtc-builtins.so."],
            Library::Cublas => &["libcublasLt.so."],
            Library::Cusparse => &["libnvJitLink.so."],
        }
    }

    /// The libraries that it depends on, which are loaded first.
    const fn foundations(self) -> &'static [Library] {
        match self {
            Library::Cusolver => &[Library::Cublas, Library::Cusparse],
            _ => &[],
        }
    }

    /// The advice for the user if it is missing.
    const fn remedy(self) -> &'static str {
        match self {
            Library::Driver => "install NVIDIA's driver, or use PHALANX_DEVICES=cpu",
            Library::Nvrtc => {
                "pip install nvidia-cuda-nvrtc, or name the folder that has it in \
                               PHALANX_CUDA_PATH"
            }
            Library::Cublas => {
                "pip install nvidia-cublas, or name the folder that has it in PHALANX_CUDA_PATH"
            }
            Library::Cufft => {
                "pip install nvidia-cufft, or name the folder that has it in PHALANX_CUDA_PATH"
            }
            Library::Cusolver => {
                "pip install nvidia-cusolver, or name the folder that has it in PHALANX_CUDA_PATH"
            }
            Library::Cusparse => {
                "pip install nvidia-cusparse, or name the folder that has it in PHALANX_CUDA_PATH"
            }
            Library::Nccl => {
                "pip install nvidia-nccl-cu13, or name the folder that has it in PHALANX_CUDA_PATH"
            }
            Library::Nvtx => {
                "pip install nvidia-nvtx, or name the folder that has it in PHALANX_CUDA_PATH"
            }
        }
    }
}

/// The loaded libraries, which stay for the life of the process.
static LOADED: Mutex<Vec<Found>> = Mutex::new(Vec::new());

/// Loads a library, unless it is loaded.
///
/// It is searched in the folders of the options, by the system's loader, and in
/// `/usr/local/cuda/lib64`.
///
/// Errors: `DeviceError::Library` with all paths that were searched.
pub fn find(library: Library, options: &CudaOptions) -> Result<Found, DeviceError> {
    for &foundation in library.foundations() {
        // If one is missing, the library may still find it, or fails to load too.
        let _ = find(foundation, options);
    }
    let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(found) = loaded.iter().find(|found| found.library == library) {
        return Ok(found.clone());
    }
    let mut candidates: Vec<PathBuf> = Vec::new();
    let system = [Path::new(""), Path::new("/usr/local/cuda/lib64")];
    let own = options.folders.iter().map(PathBuf::as_path);
    for folder in own.chain(system) {
        candidates.extend(library.files().iter().map(|file| folder.join(file)));
    }
    for path in &candidates {
        let is_file = path.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
        if is_file {
            if !path.exists() {
                continue;
            }
            load_companions(library, path, options);
        }
        if keep(path) && is_present(library) {
            let found = Found { library, path: path.clone() };
            loaded.push(found.clone());
            return Ok(found);
        }
    }
    let mut searched: Vec<String> = Vec::new();
    for path in &candidates {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder
            .map_or(String::from("the system's folders"), |folder| folder.display().to_string());
        if !searched.contains(&folder) {
            searched.push(folder);
        }
    }
    Err(DeviceError::Library {
        library: library.name(),
        searched: searched.join(", "),
        remedy: library.remedy(),
    })
}

fn load_companions(library: Library, path: &Path, options: &CudaOptions) {
    for begin in library.companions() {
        let own = path.parent().into_iter();
        for folder in own.chain(options.folders.iter().map(PathBuf::as_path)) {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            let begins = |path: &PathBuf| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
            };
            let files = entries.flatten().map(|entry| entry.path()).filter(begins);
            if files.filter(|path| keep(path)).count() > 0 {
                break;
            }
        }
    }
}

/// Loads a file permanently, so that it is found by its name from now on.
fn keep(path: &Path) -> bool {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: CUDA's libraries may be loaded at any time by any thread; their initialisers need
    // nothing of ours.
    match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
        Ok(library) => {
            std::mem::forget(library);
            true
        }
        Err(_) => false,
    }
}

/// Whether the bindings find the library by its name.
fn is_present(library: Library) -> bool {
    // SAFETY: probing opens the library and calls nothing in it.
    unsafe {
        match library {
            Library::Driver => cudarc::driver::sys::is_culib_present(),
            Library::Nvrtc => cudarc::nvrtc::sys::is_culib_present(),
            Library::Cublas => cudarc::cublas::sys::is_culib_present(),
            Library::Cufft => cudarc::cufft::sys::is_culib_present(),
            Library::Cusolver => cudarc::cusolver::sys::is_culib_present(),
            Library::Cusparse => cudarc::cusparse::sys::is_culib_present(),
            // Their functions are looked up at their use.
            Library::Nccl | Library::Nvtx => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_names_where_it_was_looked_for() {
        let options =
            CudaOptions { folders: vec![PathBuf::from("/no/such/folder")], ..Default::default() };
        if let Err(error) = find(Library::Cufft, &options) {
            let text = error.to_string();
            assert!(text.contains("cuFFT") && text.contains("/no/such/folder"), "{text}");
            assert_eq!(error.code(), "PX053");
        }
    }
}
