//! Launches on GPUs.

use super::super::Block;
use super::cpu::{numbers, place};
use super::guards::Guards;
use super::programs::loaded;
use phalanx_device::DeviceError;
use phalanx_device::cuda::{Coming, CudaDevice, GridSize};
use phalanx_ops::Scalar;
use phalanx_ops::structured::{Launch, LaunchParameter, ShardPlace};
use smallvec::SmallVec;

/// Enqueues a kernel. Nothing is done for an empty mark: the kernel runs on another device.
///
/// Errors: those of the compiler and of a launch.
pub fn run(
    launch: &Launch,
    operands: &[Block<'_>],
    scalars: &[Scalar],
    to: &Block<'_>,
    gpu: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let entry = launch.entry;
    let refused = |log: &str| DeviceError::Compile {
        kernel: entry.symbol.clone(),
        log: String::from(log),
        is_users: true,
    };
    let Some((function, sizes)) = loaded(entry.program, gpu)?.function(&entry.symbol, gpu)? else {
        return Err(refused("the program has no kernel of this name"));
    };
    let bytes = |parameter: &LaunchParameter| match *parameter {
        LaunchParameter::Address(_) => size_of::<u64>(),
        LaunchParameter::Bytes(bytes) => usize::from(bytes),
        LaunchParameter::Place(_) => size_of::<ShardPlace>(),
    };
    if !sizes.is_some_and(|sizes| entry.parameters.iter().map(bytes).eq(sizes.iter().copied())) {
        return Err(refused("the arguments are not those of its parameters"));
    }
    let guards = if gpu.options().check_kernels {
        gpu.handle().map(|gpu| Guards::around(entry, operands, &gpu)).transpose()?
    } else {
        None
    };
    let (size, numbers) = numbers(scalars);
    let mut numbers = numbers;
    // The words of all parameters, and where those of each end.
    let (mut words, mut ends) = (SmallVec::<[u64; 24]>::new(), SmallVec::<[usize; 16]>::new());
    for parameter in &entry.parameters {
        match *parameter {
            LaunchParameter::Address(operand) => {
                let guarded = guards.as_ref().and_then(|guards| guards.address(operand));
                let own = || operands[usize::from(operand)].buffer.device_pointer();
                let start = guarded.unwrap_or_else(own).address();
                words.extend(numbers.next().map(|offset| start + offset));
            }
            LaunchParameter::Bytes(_) => words.extend(numbers.by_ref().take(parameter.numbers())),
            LaunchParameter::Place(operand) => {
                let place = place(&operands[usize::from(operand)]).numbers();
                words.extend(place.map(i64::cast_unsigned));
            }
        }
        ends.push(words.len());
    }
    let mut start = 0;
    let parameters: SmallVec<[&[u8]; 16]> = ends
        .iter()
        .map(|&end| {
            let own = &words[std::mem::replace(&mut start, end)..end];
            // SAFETY: the bytes of numbers, which outlive the launch.
            unsafe { std::slice::from_raw_parts(own.as_ptr().cast::<u8>(), size_of_val(own)) }
        })
        .collect();
    if let Some(at) = entry.last_call() {
        gpu.context().suspect(&entry.symbol, at);
    }
    let size = GridSize {
        blocks: size.blocks,
        threads: size.threads,
        shared: size.shared,
        blocks_come: if entry.is_cooperative { Coming::Together } else { Coming::InTurn },
    };
    // SAFETY: there is a value of the right size for each of the kernel's parameters. What the
    // kernel does with the addresses is the promise of the user who wrote it.
    unsafe { function.launch_with(gpu.context(), size, &parameters)? };
    guards.map_or(Ok(()), |guards| guards.check(entry, operands, gpu))
}
