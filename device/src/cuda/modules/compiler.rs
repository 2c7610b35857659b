//! NVRTC: compiles the text of a kernel to machine code.

use super::cache;
use crate::DeviceError;
use crate::cuda::driver::{CudaOptions, Library, find};
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

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

/// The header `phalanx.cuh` for programs of users: `ShardPlace` of the operations.
const SHARD_HEADER: &CStr = c"#pragma once
struct phalanx_shard {
    long long axes;
    long long extents[8];
    long long offsets[8];
};
";

/// A text for the compiler.
struct Text<'a> {
    name: &'a str,
    source: &'a str,
    flags: Vec<String>,
    expressions: &'a [String],
    is_users: bool,
    /// Whether it may include files that are not CUDA's own.
    reads_files: bool,
}

/// A compiled program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The machine code.
    pub code: Vec<u8>,
    /// For each expression, the name of its kernel or variable in the machine code.
    pub names: Vec<String>,
}

impl Image {
    /// The image as a file of the cache: the number of names, the length and bytes of each, the
    /// code.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.names.len() as u32).to_le_bytes().to_vec();
        for name in &self.names {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        bytes.extend(&self.code);
        bytes
    }

    /// The image that a file of the cache holds.
    fn from_bytes(bytes: &[u8]) -> Option<Image> {
        let (count, mut rest) = bytes.split_first_chunk::<4>()?;
        let mut names = Vec::new();
        for _ in 0..u32::from_le_bytes(*count) {
            let (len, after) = rest.split_first_chunk::<4>()?;
            let (name, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
            names.push(String::from_utf8(name.to_vec()).ok()?);
            rest = after;
        }
        Some(Image { code: rest.to_vec(), names })
    }
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
        let flags = self.flags().into_iter().map(String::from).collect();
        let text =
            Text { name, source, flags, expressions: &[], is_users: false, reads_files: false };
        self.kept(&text, || Ok(self.compile_now(&text)?.code))
    }

    /// The image of a user's text, from disk if an earlier run has compiled it. The options follow
    /// the target; `expressions` name instances of templates.
    ///
    /// Errors: `DeviceError::Compile` with the compiler's messages and the lines of the text.
    pub fn compile_program(
        &self,
        name: &str,
        source: &str,
        options: &[String],
        expressions: &[String],
    ) -> Result<Image, DeviceError> {
        let mut flags = options.to_vec();
        flags.extend(self.include_folders().map(|it| format!("--include-path={}", it.display())));
        let reads_files = reads_files(source, options);
        let text = Text { name, source, flags, expressions, is_users: true, reads_files };
        let stored = self.kept(&text, || Ok(self.compile_now(&text)?.to_bytes()))?;
        match Image::from_bytes(&stored) {
            Some(image) => Ok(image),
            None => self.compile_now(&text),
        }
    }

    /// What `make` gives for a text, from disk if an earlier run has made it.
    fn kept(
        &self,
        text: &Text<'_>,
        make: impl FnOnce() -> Result<Vec<u8>, DeviceError>,
    ) -> Result<Vec<u8>, DeviceError> {
        let options = [&text.flags[..], text.expressions].concat().join("\0");
        let key = cache::key(&[text.source, &options, &self.architecture, &self.version]);
        if let Some(folder) = &self.options.save_source {
            save(folder, text.name, &key, text.source);
        }
        // What a file beside the text holds is not known here, so such a text is compiled anew.
        let Some(folder) = self.options.cache.as_ref().filter(|_| !text.reads_files) else {
            return make();
        };
        if let Some(code) = cache::load(folder, &key) {
            return Ok(code);
        }
        let _turn = cache::turn(folder, &key);
        if let Some(code) = cache::load(folder, &key) {
            return Ok(code);
        }
        let code = make()?;
        cache::store(folder, &key, &code);
        Ok(code)
    }

    /// The folders with CUDA's headers: those beside the compiler, and that of the toolkit.
    fn include_folders(&self) -> impl Iterator<Item = PathBuf> {
        let beside = find(Library::Nvrtc, &self.options).ok().map(|found| found.path);
        let beside = beside.and_then(|path| Some(path.parent()?.parent()?.join("include")));
        let toolkit = self.options.folders.iter().map(|folder| folder.join("../include"));
        let toolkit = toolkit.chain([PathBuf::from("/usr/local/cuda/include")]);
        let all: Vec<PathBuf> = beside.into_iter().chain(toolkit).collect();
        // CUDA's own headers use those of its C++ library, which may be in a folder beside.
        let all = all.into_iter().flat_map(|folder| [folder.join("cccl"), folder]);
        all.filter(|folder| folder.is_dir())
    }

    fn flags(&self) -> Vec<&'static str> {
        OPTIONS.into_iter().chain(self.quick.then_some(QUICK)).collect()
    }

    fn compile_now(&self, text: &Text<'_>) -> Result<Image, DeviceError> {
        let Text { name, source, ref flags, expressions, .. } = *text;
        let failed = |log: String| DeviceError::Compile {
            kernel: String::from(name),
            log: with_lines(&log, source),
            is_users: text.is_users,
        };
        let (Ok(text), Ok(title)) = (CString::new(source), CString::new(format!("{name}.cu")))
        else {
            return Err(failed(String::from("the text holds a zero byte")));
        };
        let mut words = flags.iter().chain(expressions);
        if let Some(word) = words.find(|word| word.contains('\0')) {
            return Err(failed(format!("the option or expression {word:?} holds a zero byte")));
        }
        let target = format!("--gpu-architecture={}", self.architecture);
        let words: Vec<CString> = flags
            .iter()
            .map(String::as_str)
            .chain([target.as_str()])
            .filter_map(|word| CString::new(word).ok())
            .collect();
        let pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
        let mut program: nvrtcProgram = std::ptr::null_mut();
        // SAFETY: the library is loaded (`Compiler::new`); the texts are terminated and outlive the
        // call; there is one header with its name.
        let made = unsafe {
            let (text, title) = (text.as_ptr(), title.as_ptr());
            let (header, name) = ([SHARD_HEADER.as_ptr()], [c"phalanx.cuh".as_ptr()]);
            let (headers, names) = (header.as_ptr(), name.as_ptr());
            sys::nvrtcCreateProgram(&raw mut program, text, title, 1, headers, names)
        };
        if made != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(described(made)));
        }
        let mut program = Program(program);
        let names: Vec<CString> =
            expressions.iter().filter_map(|name| CString::new(name.as_str()).ok()).collect();
        for name in &names {
            // SAFETY: the program lives, and the name is terminated.
            let added = unsafe { sys::nvrtcAddNameExpression(program.0, name.as_ptr()) };
            if added != nvrtcResult::NVRTC_SUCCESS {
                return Err(failed(described(added)));
            }
        }
        // SAFETY: the program lives, and the options are terminated texts that outlive the call.
        let compiled = unsafe {
            sys::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr())
        };
        if compiled != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(format!("{}\n{}", described(compiled), program.log())));
        }
        let lowered = names.iter().map(|name| program.lowered(name)).collect::<Result<_, _>>();
        let code = program.code();
        match (code, lowered) {
            (Ok(code), Ok(names)) => Ok(Image { code, names }),
            (Err(result), _) | (_, Err(result)) => Err(failed(described(result))),
        }
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

/// Whether a text with these options may include files that are not CUDA's own.
fn reads_files(source: &str, options: &[String]) -> bool {
    let is_quoted = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let named = directive.and_then(|rest| rest.strip_prefix("include"));
        named.is_some_and(|rest| !rest.trim_start().starts_with('<'))
    };
    let is_folder = |option: &String| option.starts_with("-I") || option.contains("include");
    source.lines().any(is_quoted) || options.iter().any(is_folder)
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

    /// The name in the machine code of what an expression names.
    fn lowered(&mut self, expression: &CStr) -> Result<String, nvrtcResult> {
        let mut name = std::ptr::null();
        // SAFETY: the program lives and has been compiled with the expression; the name belongs to
        // the program.
        unsafe {
            let result = sys::nvrtcGetLoweredName(self.0, expression.as_ptr(), &raw mut name);
            if result != nvrtcResult::NVRTC_SUCCESS {
                return Err(result);
            }
            Ok(CStr::from_ptr(name).to_string_lossy().into_owned())
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
    fn texts_with_files_are_known() {
        let reads = |source, option: &str| reads_files(source, &[option.into()]);
        assert!(reads("  # include \"a.h\"", "-DN=1") && reads("", "-Ifolder"));
        assert!(reads("", "--include-path=folder"));
        assert!(!reads("#include <cuda_fp16.h>\n// include \"a\"", "--std=c++17"));
    }

    #[test]
    fn images_survive_the_cache() {
        let image = Image { code: vec![1, 0, 2], names: vec!["_Z1kIfEvPT_".into(), "".into()] };
        assert_eq!(Image::from_bytes(&image.to_bytes()), Some(image.clone()));
        assert_eq!(Image::from_bytes(&image.to_bytes()[..10]), None);
    }

    #[test]
    fn messages_show_their_lines() {
        let shown = with_lines("k.cu(2): error: no such thing", "first\n  second;\nthird");
        assert_eq!(shown, "k.cu(2): error: no such thing\n    > second;\n");
    }
}
