//! The values of the words of an argument.

use crate::cuda::shape::Shape;
use crate::cuda::text::Field;
use phalanx_ops::Scalar;

/// Addresses that a launch gets in addition to its accesses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Workspace {
    pub scratch: u64,
    pub counters: u64,
}

/// The values of a launch that are not part of its shape.
pub(super) struct Values<'a> {
    pub addresses: &'a [u64],
    pub origins: &'a [i64],
    pub scalars: &'a [Scalar],
    pub workspace: Workspace,
}

/// The bytes of the argument of a launch.
pub(super) fn bytes(fields: &[Field], shape: &Shape, values: &Values<'_>) -> Vec<u8> {
    fields.iter().flat_map(|field| value(*field, shape, values).to_le_bytes()).collect()
}

/// The value of a word in a launch.
fn value(field: Field, shape: &Shape, launch: &Values<'_>) -> u64 {
    let signed = |number: isize| number as i64 as u64;
    match field {
        Field::Pointer(access) => launch.addresses[access.index()],
        Field::GridStride(access, group) => {
            signed(shape.strides[access.index()][shape.grid[group].inner.index()])
        }
        Field::LoopStride(access, number, group) => {
            signed(shape.strides[access.index()][shape.loops[number][group].inner.index()])
        }
        Field::GridExtent(group) => shape.grid[group].extent as u64,
        Field::LoopExtent(number, group) => shape.loops[number][group].extent as u64,
        Field::LoopPoints(number) => shape.loop_points(number) as u64,
        Field::Origin(axis) => launch.origins[axis.index()] as u64,
        Field::Low(guard, at) => shape.bounds[guard.index()][at].0 as u64,
        Field::High(guard, at) => shape.bounds[guard.index()][at].1 as u64,
        Field::Scalar(scalar, word) => {
            let bytes = launch.scalars[scalar.index()].bytes();
            let from = (8 * word).min(bytes.len());
            let bytes = &bytes[from..(from + 8).min(bytes.len())];
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(whole)
        }
        Field::Skew => shape.skew as u64,
        Field::Units => shape.units as u64,
        Field::Chunks => shape.chunks as u64,
        Field::Scratch => launch.workspace.scratch,
        Field::Counters => launch.workspace.counters,
    }
}
