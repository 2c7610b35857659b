//! Kernels that are written by hand: their texts, compiled once for each dtype that is asked for.

use super::prelude::{Uses, text};
use phalanx_device::DeviceError;
use phalanx_device::cuda::{Coming, Compiler, CudaDevice, Function, GridSize, Module};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// A kernel of a text.
pub struct Routine<'a> {
    /// The kernel's name in the text.
    pub entry: &'static str,
    /// The text, behind the definitions.
    pub text: &'static str,
    /// Definitions of the text's names for this use: `T` and the like.
    pub defines: &'a [(&'a str, String)],
    /// What the text calls of the prelude.
    pub uses: &'a Uses,
}

type Key = (String, u32);

/// Kernels that have been loaded.
static LOADED: Mutex<Option<FxHashMap<Key, Function>>> = Mutex::new(None);

impl Routine<'_> {
    fn key(&self) -> String {
        let mut key = format!("{}:{}", self.entry, self.text.as_ptr() as usize);
        for (name, value) in self.defines {
            key.push_str(&format!(";{name}={value}"));
        }
        key
    }

    /// The kernel for a device.
    ///
    /// Errors: `DeviceError::Compile`, `DeviceError::Library`.
    pub fn load(&self, device: &CudaDevice) -> Result<Function, DeviceError> {
        let capability = device.properties().capability;
        let key = (self.key(), capability);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = loaded.get_or_insert_default();
        if let Some(function) = loaded.get(&key) {
            return Ok(*function);
        }
        let compiler = Compiler::new(capability, device.options())?;
        let module = Module::load(device, &compiler.compile(self.entry, &self.source())?)?;
        let function = module.function(device, self.entry)?;
        loaded.insert(key, function);
        Ok(function)
    }

    /// The whole text.
    pub fn source(&self) -> String {
        let mut source = text(self.uses);
        for (name, value) in self.defines {
            source.push_str(&format!("#define {name} {value}\n"));
        }
        source.push_str(self.text);
        source
    }

    /// Enqueues the kernel with words as its one argument, in blocks of so many threads.
    ///
    /// # Safety
    /// The words are what the text declares, and the addresses among them are right.
    pub unsafe fn launch(
        &self,
        device: &CudaDevice,
        blocks: usize,
        threads: u32,
        words: &[u64],
    ) -> Result<(), DeviceError> {
        assert!(blocks <= i32::MAX as usize, "bug: {blocks} blocks of {}", self.entry);
        let function = self.load(device)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let size = GridSize {
            blocks: [blocks.max(1) as u32, 1, 1],
            threads: [threads, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        // SAFETY: the caller's promise.
        unsafe { function.launch(device, size, &bytes) };
        Ok(())
    }
}
