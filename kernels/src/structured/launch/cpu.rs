//! Launches on the host.

use super::super::Block;
use super::host::{HostCall, HostKernel, HostParameter};
use phalanx_ops::Scalar;
use phalanx_ops::structured::{Code, Launch, LaunchParameter, LaunchSize, ShardPlace};

/// Calls the function of a kernel. Nothing is done for an empty mark: the kernel runs on another
/// device.
pub fn run(launch: &Launch, operands: &[Block<'_>], scalars: &[Scalar], to: &Block<'_>) {
    if to.is_empty() {
        return;
    }
    let Code::Host(_, code) = &launch.entry.program.code else {
        unreachable!("bug: a kernel of a GPU on the host")
    };
    let Some(kernel) = code.as_any().downcast_ref::<HostKernel>() else {
        unreachable!("bug: a host kernel of another type")
    };
    let (lent, read) = operands.split_at(usize::from(launch.entry.lent));
    let (size, parameters) = arguments(launch, operands, scalars);
    let mut call = HostCall {
        size,
        parameters,
        // SAFETY: lent memory is used by nothing else while the kernel runs (condition 2 of
        // `Buffer`), and each lent value has its own memory.
        written: lent.iter().map(|block| unsafe { block.bytes_mut() }).collect(),
        // SAFETY: nothing writes operands while the kernel runs (condition 2 of `Buffer`).
        read: read.iter().map(|block| unsafe { block.bytes() }).collect(),
        extents: operands.iter().map(|block| block.shape.to_vec()).collect(),
        origins: operands.iter().map(|block| block.origin.to_vec()).collect(),
    };
    kernel.run(&mut call);
}

/// The size and the parameters that the numbers of a call state.
fn arguments(
    launch: &Launch,
    operands: &[Block<'_>],
    scalars: &[Scalar],
) -> (LaunchSize, Vec<HostParameter>) {
    let (size, mut numbers) = numbers(scalars);
    let parameters = launch.entry.parameters.iter().map(|parameter| {
        let own: Vec<u64> = numbers.by_ref().take(parameter.numbers()).collect();
        match *parameter {
            LaunchParameter::Address(array) => {
                HostParameter::Place { array: array.into(), byte: own[0] as usize }
            }
            LaunchParameter::Place(array) => {
                let place = place(&operands[usize::from(array)]);
                HostParameter::Bytes(place.numbers().iter().flat_map(|n| n.to_le_bytes()).collect())
            }
            LaunchParameter::Bytes(bytes) => {
                let mut all: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
                all.truncate(bytes.into());
                HostParameter::Bytes(all)
            }
        }
    });
    (size, parameters.collect())
}

/// The place of a block in its array.
pub(super) fn place(block: &Block<'_>) -> ShardPlace {
    ShardPlace::new(block.shape, block.origin)
}

/// The size of a launch, and the numbers of its parameters.
pub(super) fn numbers(scalars: &[Scalar]) -> (LaunchSize, impl Iterator<Item = u64> + '_) {
    let word = |scalar: &Scalar| {
        let mut word = [0; 8];
        word.copy_from_slice(scalar.bytes());
        u64::from_le_bytes(word)
    };
    let (size, rest) = scalars.split_at(LaunchSize::NUMBERS);
    let size = std::array::from_fn(|at| word(&size[at]));
    (LaunchSize::of(size), rest.iter().map(word))
}
