//! Calls of kernels of the user's own, which read and write memory as they like.
//!
//! A call consists of operations that are functions of their operands, like all others. [`Lend`]
//! gives a value memory that nothing else uses. [`Launch`] runs the kernel, which may write that
//! memory; its result is a mark that it has run. [`Returned`] is the lent memory after the call.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};
use smallvec::SmallVec;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// The devices on which a kernel is launched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Share {
    /// The first device of the mesh, with whole arrays.
    First,
    /// Every device, with its blocks of the arrays.
    Each,
}

/// A program of the user's own: the code of one or more kernels. Equal programs are one.
#[derive(Debug)]
pub struct Program {
    /// The code.
    pub code: Code,
    /// The options for the compiler.
    pub options: Vec<String>,
    /// The expressions that name instances of templates (`scale<float>`).
    pub expressions: Vec<String>,
    digest: u128,
}

/// The code of a program.
#[derive(Debug)]
pub enum Code {
    /// A text in CUDA C++.
    Text(String),
    /// An image that the compiler or linker made: a cubin, a fatbin or PTX.
    Image(Vec<u8>),
    /// Functions of this process, for devices of the host. The name identifies them on all ranks;
    /// the crate that runs them knows their type.
    Host(String, Box<dyn HostCode>),
}

/// Functions of this process.
pub trait HostCode: Any + Send + Sync + fmt::Debug {
    /// The functions as `Any`: the crate that runs them casts them back to its own type.
    fn as_any(&self) -> &dyn Any;
}

/// A parameter of a kernel, as a call passes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaunchParameter {
    /// The address of a byte of the operand with this number. The call's number is the position of
    /// the byte in the operand.
    Address(u8),
    /// This many bytes by value, which are in the call's numbers, eight in each.
    Bytes(u16),
    /// The place of a device's block of the operand with this number: a [`ShardPlace`] by value.
    Place(u8),
}

impl LaunchParameter {
    /// How many of the call's numbers the parameter takes.
    pub fn numbers(self) -> usize {
        match self {
            LaunchParameter::Address(_) => 1,
            LaunchParameter::Bytes(bytes) => usize::from(bytes).div_ceil(8),
            LaunchParameter::Place(_) => 0,
        }
    }
}

/// A kernel with the form of its arguments. Equal ones are one.
pub struct Entry {
    /// The program that has the kernel.
    pub program: &'static Program,
    /// The name of the kernel, or an expression that names it.
    pub symbol: String,
    /// The parameters.
    pub parameters: Vec<LaunchParameter>,
    /// The number of arrays among the operands. The first `lent` of them may be written.
    pub arrays: u8,
    /// The number of arrays that the kernel may write.
    pub lent: u8,
    /// Where it runs.
    pub share: Share,
    /// Whether all thread blocks run at once, so that they can wait for each other.
    pub is_cooperative: bool,
    digest: u128,
    /// Where it was launched last.
    last: Mutex<Option<LaunchedAt>>,
}

/// The line of a program that launched a kernel.
pub type LaunchedAt = Arc<dyn fmt::Display + Send + Sync>;

impl Program {
    /// The program with this code. It is kept for the life of the process, like its kernels.
    pub fn new(code: Code, options: Vec<String>, expressions: Vec<String>) -> &'static Program {
        let mut hasher = Xxh3::new();
        match &code {
            Code::Text(text) => add(&mut hasher, b"text", text.as_bytes()),
            Code::Image(image) => add(&mut hasher, b"image", image),
            Code::Host(name, _) => add(&mut hasher, b"host", name.as_bytes()),
        }
        options.iter().for_each(|option| add(&mut hasher, b"option", option.as_bytes()));
        expressions.iter().for_each(|name| add(&mut hasher, b"expression", name.as_bytes()));
        static KNOWN: Known<Program> = Mutex::new(None);
        let digest = hasher.digest128();
        known(&KNOWN, digest, || Program { code, options, expressions, digest })
    }

    /// A digest of the code and the options, equal on all ranks.
    pub fn digest(&self) -> u128 {
        self.digest
    }
}

impl Entry {
    /// The kernel `symbol` of a program for calls of this form.
    pub fn new(
        program: &'static Program,
        symbol: &str,
        parameters: &[LaunchParameter],
        (arrays, lent): (u8, u8),
        (share, is_cooperative): (Share, bool),
    ) -> &'static Entry {
        let mut hasher = Xxh3::new();
        add(&mut hasher, b"program", &program.digest.to_le_bytes());
        add(&mut hasher, b"symbol", symbol.as_bytes());
        for parameter in parameters {
            let [kind, number] = match *parameter {
                LaunchParameter::Address(operand) => [0, u16::from(operand)],
                LaunchParameter::Bytes(bytes) => [1, bytes],
                LaunchParameter::Place(operand) => [2, u16::from(operand)],
            };
            add(
                &mut hasher,
                b"parameter",
                &(u32::from(kind) << 16 | u32::from(number)).to_le_bytes(),
            );
        }
        let flags = [arrays, lent, u8::from(share == Share::Each), u8::from(is_cooperative)];
        add(&mut hasher, b"form", &flags);
        static KNOWN: Known<Entry> = Mutex::new(None);
        let digest = hasher.digest128();
        known(&KNOWN, digest, || Entry {
            program,
            symbol: String::from(symbol),
            parameters: parameters.to_vec(),
            arrays,
            lent,
            share,
            is_cooperative,
            digest,
            last: Mutex::new(None),
        })
    }

    /// Notes where the kernel is launched.
    pub fn note_call(&self, at: &LaunchedAt) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|last| Arc::ptr_eq(last, at)) {
            *last = Some(at.clone());
        }
    }

    /// Where the kernel was launched last.
    pub fn last_call(&self) -> Option<LaunchedAt> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Things that are kept for the life of the process, by their digests.
type Known<T> = Mutex<Option<HashMap<u128, &'static T>>>;

/// The thing with a digest, made and kept if there is none.
fn known<T>(all: &Known<T>, digest: u128, make: impl FnOnce() -> T) -> &'static T {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default().entry(digest).or_insert_with(|| Box::leak(Box::new(make())))
}

/// Adds a part to a digest, with its kind and its length.
fn add(hasher: &mut Xxh3, kind: &[u8], part: &[u8]) {
    hasher.update(kind);
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}

/// The launch of a kernel. Operands: the arrays, each with one axis or more, those that may be
/// written first and lent; then `u64` numbers: those of [`LaunchSize::numbers`] and those of the
/// parameters. The result is a mark, one `u8`.
#[derive(Clone, Copy)]
pub struct Launch {
    /// The kernel.
    pub entry: &'static Entry,
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch({})", self.entry.symbol)
    }
}

impl PartialEq for Launch {
    fn eq(&self, other: &Launch) -> bool {
        self.entry.digest == other.entry.digest
    }
}

impl Eq for Launch {}

impl Hash for Launch {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entry.digest.hash(state);
    }
}

/// The numbers of thread blocks and threads of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchSize {
    /// Thread blocks along the three axes.
    pub blocks: [u32; 3],
    /// Threads of a thread block along the three axes.
    pub threads: [u32; 3],
    /// Bytes of shared memory beyond what the kernel declares.
    pub shared: u32,
}

impl LaunchSize {
    /// How many numbers state a size.
    pub const NUMBERS: usize = 4;

    /// The size as numbers of a call.
    pub fn numbers(&self) -> [u64; LaunchSize::NUMBERS] {
        let ([a, b, c], [x, y, z]) = (self.blocks, self.threads);
        let pack = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [pack(a, b), pack(c, x), pack(y, z), u64::from(self.shared)]
    }

    /// The size that these numbers state.
    pub fn of([first, second, third, shared]: [u64; LaunchSize::NUMBERS]) -> LaunchSize {
        let unpack = |n: u64| [n as u32, (n >> 32) as u32];
        let ([a, b], [c, x], [y, z]) = (unpack(first), unpack(second), unpack(third));
        LaunchSize { blocks: [a, b, c], threads: [x, y, z], shared: shared as u32 }
    }
}

/// The axes of a [`ShardPlace`].
pub const PLACE_AXES: usize = 8;

/// The place of a device's block in an array, as kernels get it by value: `phalanx_shard` in C.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardPlace {
    /// The number of axes.
    pub axes: i64,
    /// The extents of the block; 1 for missing axes.
    pub extents: [i64; PLACE_AXES],
    /// The index of its first element in the array; 0 for missing axes.
    pub offsets: [i64; PLACE_AXES],
}

impl ShardPlace {
    /// The place of a block.
    pub fn new(extents: &[usize], offsets: &[usize]) -> ShardPlace {
        let mut place = ShardPlace {
            axes: extents.len() as i64,
            extents: [1; PLACE_AXES],
            offsets: [0; PLACE_AXES],
        };
        for (own, &extent) in place.extents.iter_mut().zip(extents) {
            *own = extent as i64;
        }
        for (own, &offset) in place.offsets.iter_mut().zip(offsets) {
            *own = offset as i64;
        }
        place
    }

    /// The numbers in order, as they are in memory.
    pub fn numbers(&self) -> [i64; 1 + 2 * PLACE_AXES] {
        let mut numbers = [self.axes; 1 + 2 * PLACE_AXES];
        numbers[1..=PLACE_AXES].copy_from_slice(&self.extents);
        numbers[1 + PLACE_AXES..].copy_from_slice(&self.offsets);
        numbers
    }
}

/// Memory for a value that a kernel may write: the value, in memory that nothing else uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lend {
    /// Where the kernel runs.
    pub share: Share,
}

/// The value of lent memory after a launch. Operands: the memory and the mark of the launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Returned;

impl Record for Launch {
    fn name(&self) -> &'static str {
        &self.entry.symbol
    }

    fn result(&self, _operands: &[Operand<'_>]) -> (Shape, DType) {
        (Shape::from_slice(&[1]), DType::U8)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let follow = match self.entry.share {
            Share::First => Follow::Whole,
            Share::Each => Follow::Own,
        };
        let axes = |shape: &&[usize]| SmallVec::from_elem(follow, shape.len());
        Rule { operands: shapes.iter().map(axes).collect() }
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Pass
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn has_effects(&self) -> bool {
        true
    }
}

impl Record for Lend {
    fn name(&self) -> &'static str {
        "lend"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::alike(shapes)
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Pass
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn passes_on(&self) -> bool {
        true
    }

    fn is_apart(&self) -> bool {
        true
    }
}

impl Record for Returned {
    fn name(&self) -> &'static str {
        "returned"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::alike(&shapes[..1]);
        rule.operands.push(SmallVec::from_elem(Follow::Whole, shapes[1].len()));
        rule
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Pass
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn passes_on(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> &'static Program {
        Program::new(Code::Text(String::from(text)), Vec::new(), Vec::new())
    }

    #[test]
    fn equal_programs_and_entries_are_one() {
        assert!(std::ptr::eq(text("a"), text("a")));
        assert_ne!(text("a").digest(), text("b").digest());
        let image = Program::new(Code::Image(b"a".to_vec()), Vec::new(), Vec::new());
        assert_ne!(text("a").digest(), image.digest());
        let form = |symbol: &str, parameter| {
            Entry::new(text("a"), symbol, &[parameter], (1, 1), (Share::First, false))
        };
        let address = LaunchParameter::Address(0);
        assert!(std::ptr::eq(form("k", address), form("k", address)));
        assert!(!std::ptr::eq(form("k", address), form("k", LaunchParameter::Bytes(0))));
        assert!(!std::ptr::eq(form("k", address), form("l", address)));
    }

    #[test]
    fn sizes_survive_as_numbers() {
        let size = LaunchSize {
            blocks: [2_147_483_647, 65_536, 3],
            threads: [1024, 1, 64],
            shared: 227 << 10,
        };
        assert_eq!(LaunchSize::of(size.numbers()), size);
    }
}
