//! The workspace of routines on the host: memory beside their operands and results.
//!
//! The routines and their libraries allocate it while they run, and a failed allocation ends the
//! process. So a bound on it is checked before.

use super::Block;
use phalanx_ops::structured::{Decomposition, Order};
use phalanx_ops::{Bytes, DType, Structured};

/// Bytes of a complex number of two `f64`.
const COMPLEX: usize = 16;
/// Lines that are transformed together if their elements are not neighbours in memory.
const TOGETHER: usize = 8;
/// Columns that a library works on together.
const BLOCKED: usize = 128;

/// An approximate upper bound on the workspace of a routine on the host with `threads` threads, by
/// the machine's library of matrices or by our own. The memory of the blocks does not matter.
pub fn workspace(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    threads: usize,
    library: bool,
) -> Bytes {
    let elements =
        |extents: &[usize]| extents.iter().fold(1, |all: usize, &n| all.saturating_mul(n));
    let first = operands.first().map_or(to.shape, |operand| operand.shape);
    // The threads that work on lines along an axis, and the lines of a thread at a time.
    let lines = |axis: u8| {
        let axis = usize::from(axis);
        let inner = elements(&first[axis + 1..]);
        let (at_once, together) = if inner == 1 { (1, 1) } else { (inner, TOGETHER.min(inner)) };
        (threads.min(elements(&first[..axis]).saturating_mul(at_once)), together)
    };
    Bytes(match op {
        Structured::Matmul(_) if to.dtype.size() == 2 => {
            // Halves are computed as `f32`.
            let all = operands.iter().chain([to]).map(Block::len);
            size_of::<f32>().saturating_mul(all.fold(0, usize::saturating_add))
        }
        Structured::Fft(fft) => {
            let axis = usize::from(fft.axis);
            let (workers, together) = lines(fft.axis);
            let longest = first[axis].max(to.shape[axis]).saturating_mul(COMPLEX);
            // Lines and their results, the scratch of the transform, and the factors of its plan,
            // which are those of more than twice the length if the length is prime.
            let of_worker = longest.saturating_mul(2 * together + 2);
            workers.saturating_mul(of_worker).saturating_add(longest.saturating_mul(6))
        }
        Structured::Sort(sort) => {
            let (workers, _) = lines(sort.axis);
            let key = match (sort.order, operands[0].dtype) {
                (_, DType::C128) => 2 * COMPLEX,
                (Order::Values, dtype) if dtype != DType::C64 => dtype.size(),
                (_, dtype) if dtype.size() < size_of::<u64>() => size_of::<u64>(),
                _ => COMPLEX,
            };
            // The keys of a line, and room for merging them.
            let line = first[usize::from(sort.axis)].saturating_mul(2 * key);
            workers.saturating_mul(line)
        }
        Structured::Decomposition(decomposition) => {
            let (stack, matrix) = first.split_at(first.len() - 2);
            let (m, n, count) = (matrix[0], matrix[1], elements(stack));
            let (smaller, area) = (m.min(n), m.saturating_mul(n));
            let square = smaller.saturating_mul(smaller);
            let result = to.len() / count.max(1);
            let of_matrix = match decomposition {
                Decomposition::Cholesky | Decomposition::Determinant => area.saturating_mul(2),
                Decomposition::Solve => area.saturating_mul(3).saturating_add(result),
                Decomposition::Inverse => area.saturating_mul(3),
                Decomposition::Qr { .. } => area.saturating_mul(2).saturating_add(result),
                Decomposition::Eigh { .. } => area.saturating_mul(6),
                // Complex even for a real matrix.
                Decomposition::Eig { .. } => area.saturating_mul(12),
                Decomposition::Svd { .. } => {
                    let area = area.saturating_mul(if library { 3 } else { 2 });
                    area.saturating_add(square.saturating_mul(5)).saturating_add(result)
                }
            };
            // The blocks of columns that a library works on.
            let blocks = if library { m.saturating_add(n).saturating_mul(BLOCKED) } else { 0 };
            let bytes = of_matrix.saturating_add(blocks).saturating_mul(to.dtype.size());
            threads.min(count).saturating_mul(bytes)
        }
        // The ends, the parent and the root of each run: at most half of the elements begin one,
        // where neighbours in a row are connected.
        Structured::Components(_) => to.len().saturating_mul(2 * to.dtype.size()),
        Structured::TreeSearch(search) => {
            let found = (search.count as usize).saturating_mul(2 * size_of::<f64>());
            threads.saturating_mul(found)
        }
        Structured::Matmul(_)
        | Structured::Route(_)
        | Structured::Scan(_)
        | Structured::ReduceAt(_)
        | Structured::Take(_)
        | Structured::TakeAlong(_)
        | Structured::Put(_)
        | Structured::SearchSorted(_)
        | Structured::Neighbourhood(_)
        | Structured::Interpolate(_)
        | Structured::Recurrence(_)
        | Structured::Nearest(_)
        | Structured::Sparse(_)
        | Structured::Lend(_)
        | Structured::Launch(_)
        | Structured::Returned(_) => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_device::Buffer;
    use phalanx_ops::structured::{Fft, Sort, Transform};

    fn of(op: Structured, dtype: DType, shape: &[usize], threads: usize) -> usize {
        let nowhere = Buffer::without_memory(0);
        let (result, result_dtype) = op.result(&[(shape, dtype)]);
        let block = |dtype, shape| Block { buffer: &nowhere, dtype, shape, origin: &[0; 4] };
        workspace(&op, &[block(dtype, shape)], &block(result_dtype, &result), threads, false).0
    }

    #[test]
    fn each_thread_has_lines_of_its_own_while_there_are_any() {
        let sort = |axis| Structured::Sort(Sort::new(axis, Order::Values));
        assert_eq!(of(sort(0), DType::F64, &[1000], 8), 16_000);
        assert_eq!(of(sort(1), DType::F64, &[3, 1000], 8), 3 * 16_000);
        assert_eq!(of(sort(1), DType::F64, &[30, 1000], 8), 8 * 16_000);
        assert_eq!(of(sort(0), DType::F64, &[1000, 30], 8), 8 * 16_000);
        let fft = Structured::Fft(Fft::new(0, Transform::Forward));
        assert_eq!(of(fft, DType::C128, &[1000], 8), 16_000 * 10);
        let eig = Structured::Decomposition(Decomposition::Eig { real: true });
        assert_eq!(of(eig, DType::C128, &[0, 5, 5], 4), 0);
    }
}
