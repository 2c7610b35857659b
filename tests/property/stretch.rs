//! The same program on longer arrays: its windows have known patterns with other numbers.

use crate::program::{Blocks, Instruction};
use phalanx::Index;

/// The program with every extent of at least 2 longer by `by`, and dependent numbers adjusted.
/// Instructions that no longer apply are skipped when the program runs.
pub fn stretched(program: &[Instruction], by: usize) -> Vec<Instruction> {
    program.iter().map(|instruction| longer(instruction, by)).collect()
}

fn extents(shape: &[usize], by: usize) -> Vec<usize> {
    shape.iter().map(|&extent| if extent < 2 { extent } else { extent + by }).collect()
}

/// The block sizes with the longest block longer by `by`.
fn sizes(of: &[usize], by: usize) -> Vec<usize> {
    let mut sizes = of.to_vec();
    if of.iter().sum::<usize>() > 1
        && let Some(longest) = sizes.iter_mut().max()
    {
        *longest += by;
    }
    sizes
}

fn longer(instruction: &Instruction, by: usize) -> Instruction {
    use Instruction::*;
    match instruction.clone() {
        Full { to, shape, value, dtype } => Full { to, shape: extents(&shape, by), value, dtype },
        Arange { to, start, stop, step } => {
            Arange { to, start, stop: stop + step * by as i64, step }
        }
        FromSlice { to, shape, values, dtype } => {
            let shape = extents(&shape, by);
            let count = shape.iter().product();
            let values = values.iter().copied().cycle().take(count).collect();
            FromSlice { to, shape, values, dtype }
        }
        FromFunction { to, shape, factors } => {
            FromFunction { to, shape: extents(&shape, by), factors }
        }
        Reshape { to, of, shape } => Reshape { to, of, shape: extents(&shape, by) },
        BroadcastTo { to, of, shape } => BroadcastTo { to, of, shape: extents(&shape, by) },
        Slice { to, of, items } => {
            let item = |item: Index| match item {
                // Starts beyond the first elements move too, so that not only extents differ.
                Index::Range { start: Some(start), stop, step } if start > 2 => {
                    Index::Range { start: Some(start + by as i64), stop, step }
                }
                other => other,
            };
            Slice { to, of, items: items.into_iter().map(item).collect() }
        }
        FromLocal { to, of, axis, sizes: blocks } => {
            FromLocal { to, of, axis, sizes: sizes(&blocks, by) }
        }
        Reshard { to, of, axes } => {
            let blocks = |blocks: Blocks| Blocks {
                sizes: blocks.sizes.map(|blocks| sizes(&blocks, by)),
                ..blocks
            };
            let axes = axes.into_iter().map(|axis| axis.map(blocks)).collect();
            Reshard { to, of, axes }
        }
        other => other,
    }
}
