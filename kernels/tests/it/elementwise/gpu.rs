//! The same tables on a GPU, where there is one: a kernel for each operation and dtype.

use super::data::{Array, Data};
use super::{casts, loops};
use crate::device_functions::text_of_call;
use crate::executor::device;
use phalanx_device::Device;
use phalanx_kernels::Executable;
use phalanx_kernels::cpu::BufferLaunch;
use phalanx_kernels::ir::{parse, verify};
use phalanx_ops::DType;
use std::sync::Arc;

/// The result of a kernel with one call on its operands.
fn run(call: &str, operands: &[&Array], output: DType, device: &Arc<dyn Device>) -> Array {
    let inputs: Vec<DType> = operands.iter().map(|operand| operand.dtype()).collect();
    let text = text_of_call(call, &inputs, output);
    let kernel = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = Executable::new(&kernel, Some(&**device));
    let kernel = kernel.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut result = Array::zeroed(output, operands[0].count());
    // Bytes that the kernel fails to write must not look like results.
    result.bytes_mut().fill(0xa5);
    let upload = |array: &Array| device.upload(array.bytes()).expect("a small buffer fits");
    let inputs: Vec<_> = operands.iter().map(|operand| upload(operand)).collect();
    let to = upload(&result);
    let strides: Vec<[isize; 1]> =
        operands.iter().map(|operand| [operand.dtype().size() as isize]).collect();
    let to_stride = [output.size() as isize];
    let places = inputs.iter().zip(&strides).map(|(buffer, stride)| (buffer, 0, &stride[..]));
    let launch = BufferLaunch {
        extents: &[result.count()],
        origins: &[0],
        accesses: places.chain([(&to, 0, &to_stride[..])]).collect(),
        guards: &[],
        scalars: Default::default(),
    };
    kernel.launch(&launch, device).unwrap_or_else(|error| panic!("{error}\n{text}"));
    to.read(0, result.bytes_mut());
    if let Some(error) = device.failure() {
        panic!("{error}\n{text}");
    }
    result
}

#[test]
fn every_operation_computes_what_numpy_computes() {
    let Some(device) = device() else { return };
    if let Some(rows) = loops::rows("every_operation_computes_what_numpy_computes") {
        loops::check(&rows, |op, operands, output| run(op.name(), operands, output, &device));
    }
}

#[test]
fn every_cast_converts_as_astype_does() {
    let Some(device) = device() else { return };
    if let Some(data) = Data::find("every_cast_converts_as_astype_does") {
        casts::check(&data, |array, to| run("cast", &[array], to, &device));
    }
}
