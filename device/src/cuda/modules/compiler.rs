//! NVRTC: compiles the text of a kernel to machine code.

use super::cache;
use crate::DeviceError;
use crate::cuda::driver::{CudaOptions, Library, find};
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use std::ffi::{CStr, CString};
use std::path::Path;

/// The most characters of compiler messages in an error.
const LONGEST_LOG: usize = 4000;

/// A compiler for one architecture.
#[derive(Clone, Debug)]
pub struct Compiler {
    options: CudaOptions,
    architecture: String,
    version: String,
    quick: bool,
}

/// Compiles in a third of the time; the machine code is slower.
const QUICK: &str = "--Ofast-compile=max";

/// No fast mathematics, no contraction of the user's products and sums, subnormals kept.
const OPTIONS: [&str; 6] = [
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--std=c++17",
    "--extra-device-vectorization",
];

impl Compiler {
    /// The compiler for a compute capability (90 for 9.0).
    ///
    /// Errors: `DeviceError::Library` if NVRTC is missing.
    pub fn new(capability: u32, options: &CudaOptions) -> Result<Compiler, DeviceError> {
        find(Library::Nvrtc, options)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the library is loaded and both pointers are valid.
        unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
        Ok(Compiler {
            options: options.clone(),
            architecture: format!("sm_{capability}"),
            version: format!("{major}.{minor}"),
            quick: false,
        })
    }

    /// Compiles with little optimisation from now on, if NVRTC has the option (as of 13), for tests
    /// of whether a text compiles.
    pub fn quickly(mut self) -> Compiler {
        let major = self.version.split('.').next();
        self.quick = major.and_then(|major| major.parse::<u32>().ok()) >= Some(13);
        self
    }

    /// The architecture, such as `sm_90`.
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// The version of NVRTC, such as `13.0`.
    pub fn version(&self) -> String {
        self.version.clone()
    }

    /// The machine code of a text, from disk if an earlier run has compiled it.
    ///
    /// Errors: `DeviceError::Compile` with the compiler's messages.
    pub fn compile(&self, name: &str, source: &str) -> Result<Vec<u8>, DeviceError> {
        let options = self.flags().join(" ");
        let key = cache::key(&[source, &options, &self.architecture, &self.version]);
        if let Some(folder) = &self.options.save_source {
            save(folder, name, &key, source);
        }
        let Some(folder) = &self.options.cache else { return self.compile_now(name, source) };
        if let Some(code) = cache::load(folder, &key) {
            return Ok(code);
        }
        let _turn = cache::turn(folder, &key);
        if let Some(code) = cache::load(folder, &key) {
            return Ok(code);
        }
        let code = self.compile_now(name, source)?;
        cache::store(folder, &key, &code);
        Ok(code)
    }

    fn flags(&self) -> Vec<&'static str> {
        OPTIONS.into_iter().chain(self.quick.then_some(QUICK)).collect()
    }

    fn compile_now(&self, name: &str, source: &str) -> Result<Vec<u8>, DeviceError> {
        let failed = |log: String| DeviceError::Compile {
            kernel: String::from(name),
            log: with_lines(&log, source),
        };
        let (Ok(text), Ok(title)) = (CString::new(source), CString::new(format!("{name}.cu")))
        else {
            return Err(failed(String::from("the text holds a zero byte")));
        };
        let target = format!("--gpu-architecture={}", self.architecture);
        let words: Vec<CString> = self
            .flags()
            .into_iter()
            .chain([target.as_str()])
            .filter_map(|word| CString::new(word).ok())
            .collect();
        let pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
        let mut program: nvrtcProgram = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: the library is loaded (`Compiler::new`); the texts are terminated and outlive the
        // call; there are no headers.
        let made = unsafe {
            let (text, title) = (text.as_ptr(), title.as_ptr());
            sys::nvrtcCreateProgram(&raw mut program, text, title, 0, none, none)
        };
        if made != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(described(made)));
        }
        let mut program = Program(program);
        // SAFETY: the program lives, and the options are terminated texts that outlive the call.
        let compiled = unsafe {
            sys::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr())
        };
        if compiled != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(format!("{}\n{}", described(compiled), program.log())));
        }
        program.code().map_err(|result| failed(described(result)))
    }
}

fn save(folder: &Path, name: &str, key: &str, source: &str) {
    let _ = std::fs::create_dir_all(folder);
    let _ = std::fs::write(folder.join(format!("{name}.{key}.cu")), source);
}

/// Writes the text of a kernel to a folder (`PHALANX_SAVE_SOURCE`) without compiling it.
pub fn save_source(folder: &Path, name: &str, source: &str) {
    save(folder, name, &cache::key(&[source]), source);
}

/// A program of NVRTC.
struct Program(nvrtcProgram);

impl Program {
    fn log(&mut self) -> String {
        let mut size = 0;
        // SAFETY: the program lives; the buffer has the size that was asked for.
        unsafe {
            sys::nvrtcGetProgramLogSize(self.0, &raw mut size);
            let mut log = vec![0u8; size.max(1)];
            sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast());
            String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_string()
        }
    }

    fn code(&mut self) -> Result<Vec<u8>, nvrtcResult> {
        let mut size = 0;
        // SAFETY: the program lives and has been compiled; the buffer has the size that was asked
        // for.
        unsafe {
            let result = sys::nvrtcGetCUBINSize(self.0, &raw mut size);
            if result != nvrtcResult::NVRTC_SUCCESS {
                return Err(result);
            }
            let mut code = vec![0u8; size];
            let result = sys::nvrtcGetCUBIN(self.0, code.as_mut_ptr().cast());
            if result != nvrtcResult::NVRTC_SUCCESS {
                return Err(result);
            }
            Ok(code)
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: nothing uses the program any more.
        unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

fn described(result: nvrtcResult) -> String {
    // SAFETY: the library gives a static, terminated text for every result.
    unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(result)) }.to_string_lossy().into_owned()
}

/// The messages, each followed by the line of the source that it refers to.
fn with_lines(log: &str, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    for message in log.lines() {
        text.push_str(message);
        text.push('\n');
        let number = message.split_once(".cu(").and_then(|(_, rest)| rest.split(')').next());
        let line = number.and_then(|number| number.parse::<usize>().ok());
        if let Some(line) = line.and_then(|line| lines.get(line.wrapping_sub(1))) {
            text.push_str("    > ");
            text.push_str(line.trim());
            text.push('\n');
        }
    }
    text.chars().take(LONGEST_LOG).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_their_lines() {
        let shown = with_lines("k.cu(2): error: no such thing", "first\n  second;\nthird");
        assert_eq!(shown, "k.cu(2): error: no such thing\n    > second;\n");
    }
}
