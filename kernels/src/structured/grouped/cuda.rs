//! Elements sorted by their slots on a GPU, and the combination of the elements of each slot.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::combining::has_loop;
use crate::structured::sort::radix::{MOST, Sorting, routine as sorting};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError};
use phalanx_ops::structured::Order;
use phalanx_ops::{DType, Monoid, Op};
use std::sync::Arc;

static TEXT: &str = include_str!("grouped.cu");
const THREADS: usize = 256;
/// Elements of a tile; the text has the same number.
const TILE: usize = 8 * THREADS;
const MOST_BLOCKS: usize = 1 << 20;

/// The type of a slot's number; it must also hold the value `slots`, which means no slot.
pub(in crate::structured) fn places_of(slots: usize) -> &'static str {
    if u32::try_from(slots).is_ok() { "u32" } else { "u64" }
}

/// How the elements of a slot are combined.
#[derive(Clone, Copy)]
pub(crate) enum Combined {
    /// The last one is kept; elements have `size` bytes.
    Last { size: usize },
    /// They are combined by an operation.
    Op { op: Op, dtype: DType, in_order: bool },
    /// They are combined by a monoid.
    Monoid(Monoid, DType),
}

fn dtype_of(places: &str) -> DType {
    if places == "u32" { DType::U32 } else { DType::U64 }
}

fn name_of(dtype: DType) -> String {
    String::from(if dtype == DType::Bool { "bool" } else { dtype.name() })
}

/// The text that combines by an operation, many elements of a slot at once unless they must be
/// combined in order.
fn by_op(op: Op, dtype: DType, in_order: bool, places: &str) -> Routine {
    let mut uses = Uses::default();
    uses.ops.insert((op, vec![dtype, dtype]));
    let mut defines = vec![
        ("Slot", String::from(places)),
        ("Element", name_of(dtype)),
        ("OP", format!("op_{}", op.name())),
    ];
    if !in_order && op.is_free(dtype) {
        defines.extend(accumulating(dtype, dtype))
    } else {
        defines.push(("IN_ORDER", String::from("1")))
    }
    Routine::new(TEXT, defines, uses)
}

/// The text that combines by a monoid; half types are combined in `f32`.
fn by_monoid(monoid: Monoid, dtype: DType, places: &str) -> Routine {
    let mut uses = Uses::default();
    let wide = match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    };
    uses.monoids.insert((monoid, wide));
    if wide != dtype {
        uses.casts.extend([(dtype, wide), (wide, dtype)]);
    }
    let mut defines = vec![
        ("Slot", String::from(places)),
        ("Element", name_of(dtype)),
        ("OP", format!("combine_{}", monoid.name())),
    ];
    defines.extend(accumulating(dtype, wide));
    Routine::new(TEXT, defines, uses)
}

fn accumulating(dtype: DType, wide: DType) -> [(&'static str, String); 3] {
    let cast = |to: DType| if dtype == wide { String::new() } else { format!("cast_{to}") };
    [("Wide", name_of(wide)), ("WIDEN", cast(wide)), ("NARROW", cast(dtype))]
}

/// The text that moves words of `size` bytes and computes slots.
fn of_words(size: usize, places: &str) -> Routine {
    let defines = [("Slot", String::from(places)), ("Element", String::from(word(size)))];
    Routine::new(TEXT, defines, Uses::default())
}

/// The texts of words, of some operations, and of sums in tables.
pub fn sources() -> Vec<String> {
    let mut sources: Vec<String> =
        [1, 2, 4, 8, 16].map(|size| of_words(size, "u32").source()).into();
    for op in [Op::Add, Op::Maximum, Op::Subtract] {
        let dtypes = DType::ALL.iter().filter(|&&dtype| has_loop(op, dtype));
        sources.extend(dtypes.map(|&dtype| by_op(op, dtype, false, "u64").source()));
    }
    for &dtype in DType::ALL.iter().filter(|&&dtype| Monoid::Add.accepts(dtype)) {
        sources.push(by_monoid(Monoid::Add, dtype, "u32").source());
    }
    sources
}

/// The tables of points in C order: point `i` has table `i / inner % tables`, and tables of
/// `length` elements begin `apart` elements from each other.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub length: usize,
    pub inner: usize,
    pub tables: usize,
    pub apart: usize,
}

impl Places {
    /// The number of elements from the start of the first table to the end of the last.
    pub(crate) fn slots(&self) -> usize {
        (self.tables.max(1) - 1) * self.apart + self.length
    }
}

/// Elements sorted by slot; the elements of a slot keep their order.
pub(crate) struct Grouping<'a> {
    slots_of: &'a Buffer,
    order: Buffer,
    count: usize,
    slots: usize,
    device: &'a Arc<CudaDevice>,
}

impl<'a> Grouping<'a> {
    /// The routines that group elements by `slots` slots and combine the elements of each.
    pub(crate) fn routines(slots: usize, combined: Combined) -> Vec<Routine> {
        let places = places_of(slots);
        let combining = match combined {
            Combined::Last { size } => of_words(size, places),
            Combined::Op { op, dtype, in_order } => by_op(op, dtype, in_order, places),
            Combined::Monoid(monoid, dtype) => by_monoid(monoid, dtype, places),
        };
        vec![sorting(Order::Positions, dtype_of(places), false), combining]
    }

    /// The routine that `slots_at` launches.
    pub(crate) fn slots_routine(slots: usize) -> Routine {
        of_words(4, places_of(slots))
    }

    /// The bytes needed to group `count` elements, slots included; `None` for too many elements.
    pub(crate) fn room(count: usize, slots: usize) -> Option<usize> {
        let item = if places_of(slots) == "u32" { 4 } else { 8 };
        // Slots, and those of two passes; positions of two passes; the positions in order.
        (count < MOST).then_some(count * (3 * item + 2 * 4 + 8))
    }

    /// Sorts fewer than `MOST` elements by their slots, numbers of the type of `places_of`. Numbers
    /// of `slots` and more mean no slot.
    ///
    /// Errors: those of the compiler; `DeviceError::OutOfMemory`.
    pub(crate) fn new(
        slots_of: &'a Buffer,
        count: usize,
        slots: usize,
        device: &'a Arc<CudaDevice>,
    ) -> Result<Grouping<'a>, DeviceError> {
        assert!(count < MOST, "bug: {count} elements to sort");
        let order = device.clone().allocate(8 * count)?;
        let dtype = dtype_of(places_of(slots));
        // The bits must also hold the number `slots`, which means no slot.
        let bits = usize::BITS - slots.leading_zeros();
        Sorting::new(Order::Positions, dtype, device).of_digits(bits.div_ceil(8) as usize).lines(
            slots_of.as_ptr() as u64,
            order.as_ptr() as u64,
            1,
            count,
        )?;
        Ok(Grouping { slots_of, order, count, slots, device })
    }

    /// The slots of `i64` positions in tables; positions outside of their table have no slot.
    pub(crate) fn slots_at(
        positions: u64,
        count: usize,
        tables: &Places,
        device: &Arc<CudaDevice>,
    ) -> Result<Buffer, DeviceError> {
        let slots = tables.slots();
        let places = places_of(slots);
        let slots_of = device.clone().allocate(count * if places == "u32" { 4 } else { 8 })?;
        let Places { length, inner, tables, apart } = *tables;
        let sizes = [length, inner, tables, apart].map(|size| size as u64);
        let mut words = [0; 12];
        words[0] = slots_of.as_ptr() as u64;
        words[4] = count as u64;
        words[5] = slots as u64;
        words[7] = positions;
        words[8..].copy_from_slice(&sizes);
        launch(device, "grouped_slots", &Self::slots_routine(slots), count, &words)?;
        Ok(slots_of)
    }

    fn words(&self, values: u64, to: u64, parts: u64) -> [u64; 12] {
        let (slots_of, order) = (self.slots_of.as_ptr() as u64, self.order.as_ptr() as u64);
        [slots_of, order, values, to, self.count as u64, self.slots as u64, parts, 0, 0, 0, 0, 0]
    }

    /// `to[slot] =` the last value of each slot that has one, for words of `size` bytes.
    pub(crate) fn last(&self, values: u64, to: u64, size: usize) -> Result<(), DeviceError> {
        let routine = of_words(size, places_of(self.slots));
        launch(self.device, "grouped_last", &routine, self.count, &self.words(values, to, 0))
    }

    /// Combines the values of each slot with the element there: in their order, or in another fixed
    /// order if only rounding depends on it and it may.
    pub(crate) fn combine(
        &self,
        (op, in_order): (Op, bool),
        dtype: DType,
        values: u64,
        to: u64,
    ) -> Result<(), DeviceError> {
        let routine = by_op(op, dtype, in_order, places_of(self.slots));
        if in_order || !op.is_free(dtype) {
            let words = self.words(values, to, 0);
            return launch(self.device, "grouped_in_order", &routine, self.count, &words);
        }
        self.tiles(&routine, dtype, values, to)
    }

    /// Combines the values of each slot with the element there, in a fixed order.
    pub(crate) fn accumulate(
        &self,
        monoid: Monoid,
        dtype: DType,
        values: u64,
        to: u64,
    ) -> Result<(), DeviceError> {
        self.tiles(&by_monoid(monoid, dtype, places_of(self.slots)), dtype, values, to)
    }

    fn tiles(
        &self,
        routine: &Routine,
        dtype: DType,
        values: u64,
        to: u64,
    ) -> Result<(), DeviceError> {
        let tiles = self.count.div_ceil(TILE);
        // Two numbers and two truth values each, aligned to a number.
        let parts = self.device.clone().allocate(tiles * (2 * dtype.size().max(4) + 16))?;
        let words = self.words(values, to, parts.as_ptr() as u64);
        launch(self.device, "grouped_tiles", routine, tiles * THREADS, &words)?;
        launch(self.device, "grouped_ends", routine, tiles, &words)
    }
}

/// Enqueues a kernel of the text with `threads` threads, in at most `MOST_BLOCKS` blocks.
fn launch(
    device: &CudaDevice,
    entry: &'static str,
    routine: &Routine,
    threads: usize,
    words: &[u64; 12],
) -> Result<(), DeviceError> {
    let blocks = threads.div_ceil(THREADS).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text; slots, order and values have `count`
    // elements, the target has `slots` elements, and there is a part for each tile.
    unsafe { routine.launch(entry, device, (blocks, THREADS as u32), words) }
}
