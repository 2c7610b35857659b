//! Loops of special functions.

use super::driver::{STRETCH, Stage};
use crate::cpu::instructions::for_each_level;
use phalanx_ops::{DType, Special};
use phalanx_special::{Function, Pointer};
use std::mem::MaybeUninit;

/// The loop of a special function over numbers of one dtype, `f32` or `f64`.
#[derive(Clone, Copy, Debug)]
pub struct SpecialLoop {
    function: &'static Function,
    is_single: bool,
    /// Whether it is `a * b + c` rounded once to the dtype, for which processors have an
    /// instruction.
    is_fused: bool,
}

/// The loop of a special function. Panics (`bug:`) if there is no such function.
pub fn special(function: Special, dtype: DType) -> SpecialLoop {
    let Some(found) = phalanx_special::find(function.name) else {
        unreachable!("bug: no special function {function}")
    };
    let is_single = dtype == DType::F32;
    let is_fused = found.name == if is_single { "odd_fma" } else { "nearest_fma" };
    SpecialLoop { function: found, is_single, is_fused }
}

/// A number of which the functions are computed in `f64`.
trait Number: Copy {
    fn wide(self) -> f64;
    fn narrow(number: f64) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
}

impl Number for f32 {
    fn wide(self) -> f64 {
        self.into()
    }

    fn narrow(number: f64) -> Self {
        number as f32
    }

    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Number for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn narrow(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

for_each_level! {
    fn map_fused[T: Number][T](a: &[T], b: &[T], c: &[T], out: &mut [MaybeUninit<T>]) {
        for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
            out.write(a.fused(b, c));
        }
    }
}

/// The loop of a product and a sum that are rounded once.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold, for three inputs.
unsafe fn run_fused<T: Number>(inputs: &[*const u8], output: *mut T, count: usize) {
    let is_output = |input: usize| inputs[input] == output.cast_const().cast();
    let aliased = [0, 1, 2].map(is_output);
    let [mut first, mut second, mut third] = [const { Stage::<T>::new() }; 3];
    let mut at = 0;
    while at < count {
        let length = if aliased.contains(&true) { STRETCH.min(count - at) } else { count - at };
        let source = |input: usize| inputs[input].cast::<T>().wrapping_add(at);
        // SAFETY: conditions 1 and 3 of the module; `at + length <= count`.
        let (a, b, c) = unsafe {
            (
                first.read(source(0), length, aliased[0]),
                second.read(source(1), length, aliased[1]),
                third.read(source(2), length, aliased[2]),
            )
        };
        // SAFETY: conditions 2 and 3; an aliased input was copied, so the slice is the only way to
        // these bytes.
        let out = unsafe {
            std::slice::from_raw_parts_mut(output.add(at).cast::<MaybeUninit<T>>(), length)
        };
        map_fused(a, b, c, out);
        at += length;
    }
}

impl SpecialLoop {
    /// `output[i] = f(inputs[0][i], ..)` for `i < count`.
    ///
    /// Panics (`bug:`) if the function has another number of operands.
    ///
    /// # Safety
    ///
    /// The conditions in the documentation of the module `loops` hold.
    pub unsafe fn run(&self, inputs: &[*const u8], output: *mut u8, count: usize) {
        assert_eq!(inputs.len(), self.function.arity, "bug: operands of {}", self.function.name);
        // SAFETY: the caller's promise, and the check above.
        unsafe {
            if self.is_single {
                self.each::<f32>(inputs, output.cast(), count);
            } else {
                self.each::<f64>(inputs, output.cast(), count);
            }
        }
    }

    /// # Safety
    ///
    /// As for `run`, with as many inputs as the function has operands.
    unsafe fn each<T: Number>(&self, inputs: &[*const u8], output: *mut T, count: usize) {
        if self.is_fused {
            // SAFETY: the caller's promise; the function has three operands.
            return unsafe { run_fused(inputs, output, count) };
        }
        // SAFETY: condition 1. An element of the output is written after those at its place are
        // read, and takes the place of no later one (condition 3).
        let at = |operand: usize, place: usize| unsafe {
            inputs[operand].cast::<T>().add(place).read().wide()
        };
        let write = |place: usize, result: f64| {
            // SAFETY: condition 2.
            unsafe { output.add(place).write(T::narrow(result)) };
        };
        match self.function.f {
            Pointer::F1(f) => (0..count).for_each(|place| write(place, f(at(0, place)))),
            Pointer::F2(f) => {
                (0..count).for_each(|place| write(place, f(at(0, place), at(1, place))));
            }
            Pointer::F3(f) => {
                let of = |place| f(at(0, place), at(1, place), at(2, place));
                (0..count).for_each(|place| write(place, of(place)));
            }
            _ => {
                let mut arguments = [0.0; 7];
                let arguments = &mut arguments[..inputs.len()];
                for place in 0..count {
                    arguments.iter_mut().enumerate().for_each(|(operand, into)| {
                        *into = at(operand, place);
                    });
                    write(place, self.function.call(arguments));
                }
            }
        }
    }
}
