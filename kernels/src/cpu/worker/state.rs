//! The registers and addresses of one thread.

use super::block::Block;
use super::lane_state::LaneState;
use crate::cpu::layout::Prepared;
use crate::cpu::loops::Loop;
use crate::cpu::program::Home;
use crate::cpu::transfer;
use std::cell::Cell;

/// A cache line of scratch memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

thread_local! {
    /// The arena of the last worker of this thread, kept because fresh memory costs page faults.
    static ARENA: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// The accumulators of one lane block fold.
pub(in crate::cpu) struct Accumulators {
    /// The addresses of the accumulators; the last one is spare.
    pub entries: Vec<*mut u8>,
    pub indices: *mut u8,
    /// Whether nothing has been combined yet.
    pub fresh: bool,
    /// For each accumulator, the memory that holds its elements instead: they were loaded from
    /// there. Null for accumulators that hold their elements.
    pub held: Vec<*const u8>,
}

impl Accumulators {
    /// The address of the elements of an accumulator.
    pub fn elements(&self, at: usize) -> *const u8 {
        if self.held[at].is_null() { self.entries[at].cast_const() } else { self.held[at] }
    }

    /// Combines accumulator `at` with `count` elements.
    ///
    /// # Safety
    /// Accumulator `at` holds `count` elements, and so does `value`, which is not the spare one;
    /// held elements are still in the memory they were loaded from.
    pub unsafe fn combine(&mut self, code: Loop, at: usize, value: *const u8, count: usize) {
        let (left, spare) = (self.elements(at), self.entries.len() - 1);
        // SAFETY: the caller's promise.
        unsafe { code(&[left, value], self.entries[spare], count) };
        self.entries.swap(at, spare);
        self.held[at] = std::ptr::null();
    }
}

/// One thread's registers and addresses. A state may be used again for launches of the same layout.
pub(in crate::cpu) struct State {
    arena: Vec<Line>,
    /// The arena for which the addresses below were computed.
    base: *mut u8,
    /// Whether stores past the caches may still be pending.
    streams: bool,
    pub(super) slots: Vec<[u64; 2]>,
    pub(super) homes: Vec<*mut u8>,
    pub(super) pointers: Vec<*mut u8>,
    /// The address of each access at lane position 0 of the current grid point.
    pub(super) bases: Vec<*mut u8>,
    /// The address of each access at SIMD lane 0 of the lane block, at the current point of all
    /// loops.
    pub(super) cursors: Vec<*mut u8>,
    /// The position along each axis that is visited one point after the other.
    pub(super) index: Vec<usize>,
    pub(super) block: Block,
    /// The lane blocks of the other phases; consecutive grid points often reuse them.
    pub(super) layouts: Vec<Block>,
    pub accumulators: Vec<Accumulators>,
    /// For each loop, the cursors of its accesses when it was entered.
    pub(super) entered: Vec<Vec<*mut u8>>,
    /// The table that each accumulating statement combines into, if it is not the launch's table.
    pub tables: Vec<*mut u8>,
    pub(super) phase: usize,
    /// The states of the folds over the SIMD lanes of each phase, while no worker uses them.
    pub folds: Vec<Vec<LaneState>>,
}

impl State {
    /// A state for launches of the layout of `prepared`.
    pub fn new(prepared: &Prepared<'_>) -> Box<State> {
        let program = prepared.program;
        let accesses = prepared.sizes.len();
        let layout = || Block::new(accesses, prepared.kernel.guards.len());
        let accumulators = prepared.accumulators.iter().map(|&(_, _, count)| Accumulators {
            entries: vec![std::ptr::null_mut(); count],
            indices: std::ptr::null_mut(),
            fresh: true,
            held: vec![std::ptr::null(); count],
        });
        Box::new(State {
            arena: Vec::new(),
            base: std::ptr::null_mut(),
            streams: false,
            slots: vec![[0; 2]; program.slots],
            homes: vec![std::ptr::null_mut(); program.registers.len()],
            pointers: vec![std::ptr::null_mut(); program.registers.len()],
            bases: vec![std::ptr::null_mut(); accesses],
            cursors: vec![std::ptr::null_mut(); accesses],
            index: vec![0; prepared.kernel.axes],
            block: layout(),
            layouts: program.phases.iter().map(|_| layout()).collect(),
            accumulators: accumulators.collect(),
            entered: vec![Vec::new(); program.loops],
            tables: vec![std::ptr::null_mut(); program.tables.len()],
            phase: 0,
            folds: Vec::new(),
        })
    }

    /// Takes an arena and sets the addresses of registers and accumulators in it.
    #[inline]
    pub(super) fn begin(&mut self, prepared: &Prepared<'_>) {
        self.arena = ARENA.take();
        let lines = prepared.arena / size_of::<Line>();
        if self.arena.len() < lines {
            self.arena = vec![Line([0; 64]); lines];
        }
        self.streams = prepared.streams;
        self.tables.fill(std::ptr::null_mut());
        self.index.fill(0);
        for (base, access) in self.bases.iter_mut().zip(&prepared.launch.accesses) {
            *base = access.pointer;
        }
        self.cursors.copy_from_slice(&self.bases);
        let base = self.arena.as_mut_ptr().cast::<u8>();
        if self.base == base {
            return;
        }
        self.base = base;
        let padded = prepared.width.next_multiple_of(64);
        for (home, register) in self.homes.iter_mut().zip(&prepared.program.registers) {
            *home = match register.home {
                Home::Slot(slot) => self.slots[slot].as_mut_ptr().cast(),
                Home::Arena(at) => base.wrapping_add(at * padded),
                Home::Fold | Home::Open => std::ptr::null_mut(),
            };
        }
        self.pointers.copy_from_slice(&self.homes);
        for (set, &(at, bytes, count)) in self.accumulators.iter_mut().zip(&prepared.accumulators) {
            for (number, entry) in set.entries.iter_mut().enumerate() {
                *entry = base.wrapping_add(at + number * bytes);
            }
            set.indices = base.wrapping_add(at + count * bytes);
        }
    }

    /// Ends a launch: makes its results visible to other threads and returns the arena to `ARENA`.
    #[inline]
    pub(super) fn release(&mut self) {
        if std::mem::take(&mut self.streams) {
            transfer::fence();
        }
        let arena = std::mem::take(&mut self.arena);
        if !arena.is_empty() {
            // When the thread ends, `ARENA` may be destroyed already; then the arena is dropped.
            let _ = ARENA.try_with(|place| place.set(arena));
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.release();
    }
}
