//! Loops that move elements without interpreting them: selection and filling.

use super::driver::{STRETCH, Stage};
use crate::cpu::instructions::for_each_level;
use std::mem::MaybeUninit;

/// `output[i] = condition[i] ? on_true[i] : on_false[i]` for `i < count`; the condition is of
/// bools.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold; the condition and the two values
/// are the inputs.
pub type SelectLoop = unsafe fn(
    condition: *const u8,
    on_true: *const u8,
    on_false: *const u8,
    output: *mut u8,
    count: usize,
);

/// `output[i] = value[0]` for `i < count`.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold, with one element of input.
pub type FillLoop = unsafe fn(value: *const u8, output: *mut u8, count: usize);

// An element of 16 bytes is two words: complex numbers are aligned to their components.
type Wide = [u64; 2];

/// The selection of elements of `size` bytes (1, 2, 4, 8 or 16).
pub fn select(size: usize) -> SelectLoop {
    match size {
        1 => run_select::<u8>,
        2 => run_select::<u16>,
        4 => run_select::<u32>,
        8 => run_select::<u64>,
        16 => run_select::<Wide>,
        _ => panic!("bug: no element has {size} bytes"),
    }
}

/// The filling with elements of `size` bytes (1, 2, 4, 8 or 16).
pub fn fill(size: usize) -> FillLoop {
    match size {
        1 => run_fill::<u8>,
        2 => run_fill::<u16>,
        4 => run_fill::<u32>,
        8 => run_fill::<u64>,
        16 => run_fill::<Wide>,
        _ => panic!("bug: no element has {size} bytes"),
    }
}

unsafe fn run_select<T: Copy>(
    condition: *const u8,
    on_true: *const u8,
    on_false: *const u8,
    output: *mut u8,
    count: usize,
) {
    let [condition_aliased, true_aliased, false_aliased] =
        [condition, on_true, on_false].map(|input| input == output.cast_const());
    let in_place = condition_aliased || true_aliased || false_aliased;
    let mut condition_stage = Stage::<u8>::new();
    let (mut true_stage, mut false_stage) = (Stage::<T>::new(), Stage::<T>::new());
    let mut at = 0;
    while at < count {
        let length = if in_place { STRETCH.min(count - at) } else { count };
        // SAFETY: conditions 1 and 3 of the module; `at + length <= count`.
        let condition =
            unsafe { condition_stage.read(condition.add(at), length, condition_aliased) };
        // SAFETY: as for the condition.
        let on_true = unsafe { true_stage.read(on_true.cast::<T>().add(at), length, true_aliased) };
        // SAFETY: as for the condition.
        let on_false =
            unsafe { false_stage.read(on_false.cast::<T>().add(at), length, false_aliased) };
        // SAFETY: conditions 2 and 3; an aliased input was copied, so the slice is the only way to
        // these bytes.
        let out = unsafe {
            std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<T>>().add(at), length)
        };
        choose(condition, on_true, on_false, out);
        at += length;
    }
}

for_each_level! {
    fn choose[T: Copy][T](
        condition: &[u8],
        on_true: &[T],
        on_false: &[T],
        out: &mut [MaybeUninit<T>],
    ) {
        let values = on_true.iter().zip(on_false);
        for ((out, &condition), (&on_true, &on_false)) in out.iter_mut().zip(condition).zip(values)
        {
            out.write(if condition != 0 { on_true } else { on_false });
        }
    }
}

unsafe fn run_fill<T: Copy>(value: *const u8, output: *mut u8, count: usize) {
    // SAFETY: conditions 1 and 2 of the module; the value is read before anything is written.
    unsafe {
        let value = value.cast::<T>().read();
        std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<T>>(), count)
            .fill(MaybeUninit::new(value));
    }
}
