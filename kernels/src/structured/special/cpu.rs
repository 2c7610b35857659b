//! Special functions on the host.

use crate::structured::lines::{Places, each};
use crate::structured::{Block, Plain};
use phalanx_ops::DType;
use phalanx_ops::structured::Special;
use phalanx_special::{Function, Pointer};

/// The elements of a thread, at least: some tens of microseconds.
const GRAIN: usize = 1 << 11;

/// A number of which the functions are computed in `f64`.
trait Number: Plain {
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

/// Computes the block `to` of the result from the blocks of the operands.
///
/// Panics (`bug:`) if there is no such function of as many operands.
pub fn run(op: &Special, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let Some(function) = phalanx_special::find(op.function) else {
        unreachable!("bug: no special function {}", op.function)
    };
    assert_eq!(function.arity, operands.len(), "bug: operands of {}", op.function);
    match op.dtype {
        DType::F32 => computed::<f32>(function, operands, to, pool),
        _ => computed::<f64>(function, operands, to, pool),
    }
}

fn computed<T: Number>(
    function: &Function,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    let values: Vec<&[T]> = operands.iter().map(|block| unsafe { block.elements() }).collect();
    let at = |operand: usize, place: usize| -> f64 {
        match values[operand] {
            [only] => only.wide(),
            all => all[place].wide(),
        }
    };
    let out = Places::<T>::of(to);
    each(pool, to.len(), GRAIN, |part| {
        for place in part {
            let result = match function.f {
                Pointer::F1(f) => f(at(0, place)),
                Pointer::F2(f) => f(at(0, place), at(1, place)),
                Pointer::F3(f) => f(at(0, place), at(1, place), at(2, place)),
                _ => {
                    let mut arguments = [0.0; 7];
                    let arguments = &mut arguments[..values.len()];
                    arguments.iter_mut().enumerate().for_each(|(operand, into)| {
                        *into = at(operand, place);
                    });
                    function.call(arguments)
                }
            };
            // SAFETY: the place is in the block and of this thread alone (conditions 1 and 2 of
            // `Places`).
            unsafe { out.at(place).write(T::narrow(result)) };
        }
    });
}
