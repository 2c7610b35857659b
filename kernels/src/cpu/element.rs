//! Elementwise operations on single elements, by the loops that kernels use.

use super::loops::elementwise;
use phalanx_ops::{DType, Op, Scalar};

/// The most operands of an elementwise operation.
const MOST_OPERANDS: usize = 2;

/// Memory of one element of any dtype.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Element([u8; 16]);

/// The result of an operation on elements, with the bits that a kernel gives. `None` if the
/// operation has no loop with these operands: half types are computed as `f32`.
pub fn computed(op: Op, operands: &[Scalar], result: DType) -> Option<Scalar> {
    let mut dtypes = [DType::F64; MOST_OPERANDS];
    let mut elements = [Element([0; 16]); MOST_OPERANDS];
    let count = operands.len();
    for ((operand, dtype), element) in operands.iter().zip(&mut dtypes).zip(&mut elements) {
        *dtype = operand.dtype();
        element.0[..operand.bytes().len()].copy_from_slice(operand.bytes());
    }
    let run = elementwise(op, dtypes.get(..count)?)?;
    let inputs = elements.each_ref().map(|element| element.0.as_ptr());
    let mut output = Element([0; 16]);
    // SAFETY: 1. and 2. an `Element` has the size and alignment of every dtype, and its bytes are
    // initialised; 3. the output is memory of its own; 4. the loop was found by the dtypes of these
    // operands.
    unsafe { run(&inputs[..count], output.0.as_mut_ptr(), 1) };
    Some(Scalar::from_bytes(result, &output.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_computed_by_the_loops() {
        let f64s = |values: &[f64]| values.iter().map(|&v| Scalar::new(v)).collect::<Vec<_>>();
        let sum = computed(Op::Add, &f64s(&[1.5, 2.25]), DType::F64);
        assert_eq!(sum, Some(Scalar::new(3.75)));
        let less = computed(Op::Less, &f64s(&[1.5, 2.25]), DType::Bool);
        assert_eq!(less, Some(Scalar::new(true)));
        let sine = computed(Op::Sin, &f64s(&[1e10]), DType::F64);
        assert_eq!(sine, Some(Scalar::new(libm::sin(1e10))));
        let wide = computed(Op::Multiply, &[Scalar::new(i32::MAX), Scalar::new(2)], DType::I32);
        assert_eq!(wide, Some(Scalar::new(-2)));
        assert_eq!(computed(Op::Add, &[Scalar::new(1.0), Scalar::new(2)], DType::F64), None);
        let half = Scalar::new(half::f16::ONE);
        assert_eq!(computed(Op::Sin, &[half], DType::F16), None);
    }
}
