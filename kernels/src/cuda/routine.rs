//! Kernels written by hand: their texts, compiled once for each set of definitions in use.
//!
//! The operands of an operation determine its routines (`structured::missing`). They are loaded
//! before a plan begins, so a launch finds them in memory.

use super::prelude::{Uses, text};
use phalanx_device::DeviceError;
use phalanx_device::cuda::{Coming, Compiler, CudaDevice, Function, GridSize, Module, with_words};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A name in a text and its definition.
pub type Define = (&'static str, String);

/// A text of kernels with its definitions, which a GPU compiles as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The text, which follows the definitions. Its address, that of a `static`, identifies it.
    text: &'static str,
    /// Definitions of the text's names for this use: `T` and the like.
    defines: Vec<Define>,
    /// The functions of the prelude that the text calls.
    uses: Uses,
}

/// The definitions and the architecture of a text.
type Key = (String, u32);

/// The kernels of a text, once they have been loaded.
#[derive(Default)]
struct Slot {
    /// Held by the thread that loads them.
    turn: Mutex<()>,
    kernels: OnceLock<Vec<(String, Function)>>,
}

/// Texts that have been loaded.
static LOADED: Mutex<Option<FxHashMap<Key, Arc<Slot>>>> = Mutex::new(None);

thread_local! {
    /// The number of texts loaded by launches of the thread.
    static LATE: Cell<usize> = const { Cell::new(0) };
}

/// The number of texts that launches of the calling thread loaded although they should have been in
/// memory. Tests use it to check that everything is loaded before a plan begins.
pub fn loaded_late() -> usize {
    LATE.get()
}

/// Counts a text that a launch had to load.
pub(super) fn note_late(is_loaded_now: bool) {
    LATE.set(LATE.get() + usize::from(is_loaded_now));
}

/// The type of words of `bytes` bytes.
pub fn word(bytes: usize) -> &'static str {
    match bytes {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "uint4",
    }
}

/// The names of the kernels of a text, including those that its definitions leave out.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let heads = text.lines().filter(|line| line.starts_with("KERNEL("));
    // The parameter of a kernel is `const` or, if it is read in place, a `PARAMETER`.
    let before = |line: &'_ str| line.find("(const ").or_else(|| line.find("(PARAMETER "));
    heads.filter_map(move |line| line[..before(line)?].rsplit(' ').next())
}

impl Routine {
    /// A text with its definitions and the functions of the prelude that it calls.
    pub fn new(text: &'static str, defines: impl Into<Vec<Define>>, uses: Uses) -> Routine {
        Routine { text, defines: defines.into(), uses }
    }

    /// The slot of its kernels for an architecture.
    fn slot(&self, capability: u32) -> Arc<Slot> {
        let mut key = format!("{}", self.text.as_ptr() as usize);
        for (name, value) in &self.defines {
            key.push_str(&format!(";{name}={value}"));
        }
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.get_or_insert_default().entry((key, capability)).or_default().clone()
    }

    /// Whether the kernels are in memory for a device.
    pub(crate) fn is_loaded(&self, device: &CudaDevice) -> bool {
        self.slot(device.properties().capability).kernels.get().is_some()
    }

    /// Loads the kernels for a device and for all others of its kind.
    ///
    /// Errors: `DeviceError::Compile`, `DeviceError::Library`.
    pub(crate) fn load(&self, device: &CudaDevice) -> Result<(), DeviceError> {
        self.fill(&self.slot(device.properties().capability), device).map(drop)
    }

    /// Compiles and loads the text unless it is loaded; returns whether this call loaded it.
    fn fill(&self, slot: &Slot, device: &CudaDevice) -> Result<bool, DeviceError> {
        if slot.kernels.get().is_some() {
            return Ok(false);
        }
        // Other texts load in parallel; threads that need this one wait here.
        let _turn = slot.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.kernels.get().is_some() {
            return Ok(false);
        }
        let compiler = Compiler::new(device.properties().capability, device.options())?;
        let name = entries(self.text).next().unwrap_or("routine");
        let module = Module::load(device.context(), &compiler.compile(name, &self.source())?)?;
        let mut kernels = Vec::new();
        for entry in entries(self.text) {
            if let Some(function) = module.find(device.context(), entry)? {
                kernels.push((String::from(entry), function));
            }
        }
        Ok(slot.kernels.set(kernels).is_ok())
    }

    /// A kernel for a device.
    fn kernel(&self, entry: &'static str, device: &CudaDevice) -> Result<Function, DeviceError> {
        let slot = self.slot(device.properties().capability);
        note_late(self.fill(&slot, device)?);
        let kernels = slot.kernels.get().map_or(&[][..], Vec::as_slice);
        match kernels.iter().find(|(name, _)| name == entry) {
            Some((_, function)) => Ok(*function),
            None => unreachable!("bug: the text has no kernel {entry}"),
        }
    }

    /// The whole text.
    pub fn source(&self) -> String {
        let mut source = text(&self.uses);
        for (name, value) in &self.defines {
            source.push_str(&format!("#define {name} {value}\n"));
        }
        source.push_str(self.text);
        with_words(&source)
    }

    /// Enqueues a kernel of the text with words as its only argument.
    ///
    /// # Safety
    /// The words are those that the text declares, and the addresses among them are right.
    pub unsafe fn launch(
        &self,
        entry: &'static str,
        device: &CudaDevice,
        (blocks, threads): (usize, u32),
        words: &[u64],
    ) -> Result<(), DeviceError> {
        assert!(blocks <= i32::MAX as usize, "bug: {blocks} blocks of {entry}");
        let function = self.kernel(entry, device)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let size = GridSize {
            blocks: [blocks.max(1) as u32, 1, 1],
            threads: [threads, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        // SAFETY: the caller's promise.
        unsafe { function.launch(device.context(), size, &bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn kernels_are_found_by_their_heads() {
        let text = "struct Argument {};\n\
            KERNEL(32 * GROUPS) first(const Argument a) {\n\
            }\n\
            KERNEL(THREADS, BLOCKS) second(const Argument a) {\n";
        assert_eq!(entries(text).collect::<Vec<_>>(), ["first", "second"]);
    }
}
