//! Loops of special functions.

use phalanx_ops::{DType, Special};
use phalanx_special::{Function, Pointer};

/// The loop of a special function over numbers of one dtype, `f32` or `f64`.
#[derive(Clone, Copy, Debug)]
pub struct SpecialLoop {
    function: &'static Function,
    is_single: bool,
}

/// The loop of a special function. Panics (`bug:`) if there is no such function.
pub fn special(function: Special, dtype: DType) -> SpecialLoop {
    let Some(found) = phalanx_special::find(function.name) else {
        unreachable!("bug: no special function {function}")
    };
    SpecialLoop { function: found, is_single: dtype == DType::F32 }
}

/// A number of which the functions are computed in `f64`.
trait Number: Copy {
    fn wide(self) -> f64;
    fn narrow(number: f64) -> Self;
}

impl Number for f32 {
    fn wide(self) -> f64 {
        self.into()
    }

    fn narrow(number: f64) -> Self {
        number as f32
    }
}

impl Number for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn narrow(number: f64) -> Self {
        number
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
