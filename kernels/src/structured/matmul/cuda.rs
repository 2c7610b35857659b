//! Matrix products on a GPU by cuBLAS.

use crate::structured::Block;
use phalanx_device::cuda::{CudaDevice, MatrixElement, Product};
use phalanx_device::{DeviceError, Strided, copy_strided};
use phalanx_ops::DType;
use std::sync::Arc;

/// `to = a · b` for stacks of matrices, or `to = c + a · b`; false for dtypes that the library does
/// not multiply.
///
/// f16 and bf16 are summed in f32; f32 is multiplied in f32. Errors: as `CudaDevice::multiply`.
pub fn run(
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let element = match to.dtype {
        DType::F16 => MatrixElement::F16,
        DType::BF16 => MatrixElement::BF16,
        DType::F32 => MatrixElement::F32,
        DType::F64 => MatrixElement::F64,
        DType::C64 => MatrixElement::C64,
        DType::C128 => MatrixElement::C128,
        _ => return Ok(false),
    };
    let (a, b) = (&operands[0], &operands[1]);
    let ([.., m, k], [.., inner, n]) = (a.shape, b.shape) else {
        unreachable!("bug: a product of {:?} and {:?}", a.shape, b.shape)
    };
    let count = to.shape[..to.shape.len() - 2].iter().product::<usize>();
    assert!(
        k == inner && a.len() == count * m * k && b.len() == count * k * n,
        "bug: a product of {:?} and {:?} into {:?}",
        a.shape,
        b.shape,
        to.shape
    );
    if to.is_empty() {
        return Ok(true);
    }
    let bytes = to.len() * to.dtype.size();
    let old = operands.get(2);
    if let Some(old) = old.filter(|old| !old.buffer.same(to.buffer)) {
        let all = |buffer| Strided { buffer, offset: 0, strides: &[1] };
        copy_strided(&all(old.buffer), &all(to.buffer), &[bytes], 1);
    }
    if *k == 0 {
        if old.is_none() {
            to.buffer.zero(0, bytes);
        }
        return Ok(true);
    }
    let product = Product { element, m: *m, n: *n, k: *k, count, adds: old.is_some() };
    let at = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    // SAFETY: the blocks are whole, of the lengths that were checked, in this device's memory.
    unsafe { device.multiply(&product, at(a), at(b), at(to))? };
    Ok(true)
}
