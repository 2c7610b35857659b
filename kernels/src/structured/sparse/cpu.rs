//! Products of a sparse matrix in rows and a vector on the CPU.

use crate::structured::{Block, Plain};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use phalanx_ops::DType;
use rayon::prelude::*;

/// The number of rows of a job.
const ROWS: usize = 512;

/// `to = A x` for the operands (starts, ends, columns, values, x) of `Structured::Spmv`.
///
/// The entries of a row are summed in their order: integers wrapping, f16 and bf16 in f32 and
/// rounded once, bools by "or". Entries outside of the blocks, and entries of columns that the
/// vector lacks, are skipped.
pub fn run(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    if to.is_empty() {
        return;
    }
    let rows = Rows::new(operands);
    macro_rules! sums {
        ($($integer:ident $type:ty;)*) => {
            match to.dtype {
                $(DType::$integer => rows.sum::<$type, $type>(
                    operands,
                    to,
                    pool,
                    0,
                    |sum, value, x| sum.wrapping_add(value.wrapping_mul(x)),
                    |sum| sum,
                ),)*
                DType::Bool => {
                    rows.sum::<u8, u8>(operands, to, pool, 0, |sum, a, x| sum | (a & x), |sum| sum);
                }
                DType::F16 => rows.sum::<f16, f32>(
                    operands,
                    to,
                    pool,
                    0.0,
                    |sum, value, x| sum + value.to_f32() * x.to_f32(),
                    f16::from_f32,
                ),
                DType::BF16 => rows.sum::<bf16, f32>(
                    operands,
                    to,
                    pool,
                    0.0,
                    |sum, value, x| sum + value.to_f32() * x.to_f32(),
                    bf16::from_f32,
                ),
                DType::F32 => floating::<f32>(&rows, operands, to, pool, 0.0),
                DType::F64 => floating::<f64>(&rows, operands, to, pool, 0.0),
                DType::C64 => {
                    floating::<Complex32>(&rows, operands, to, pool, Complex32::new(0.0, 0.0));
                }
                DType::C128 => {
                    floating::<Complex64>(&rows, operands, to, pool, Complex64::new(0.0, 0.0));
                }
            }
        };
    }
    sums! { I8 i8; I16 i16; I32 i32; I64 i64; U8 u8; U16 u16; U32 u32; U64 u64; }
}

fn floating<T: Plain + std::ops::Add<Output = T> + std::ops::Mul<Output = T>>(
    rows: &Rows<'_>,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    zero: T,
) {
    rows.sum::<T, T>(operands, to, pool, zero, |sum, value, x| sum + value * x, |sum| sum);
}

/// The ranges of the entries of rows.
struct Rows<'a> {
    starts: &'a [i64],
    ends: &'a [i64],
    columns: Columns<'a>,
}

/// The columns of entries.
enum Columns<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> Rows<'a> {
    fn new(operands: &'a [Block<'_>]) -> Rows<'a> {
        // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
        let indices = |operand: usize| unsafe { operands[operand].elements::<i64>() };
        let columns = match operands[2].dtype {
            // SAFETY: as above.
            DType::I32 => Columns::Narrow(unsafe { operands[2].elements::<i32>() }),
            _ => Columns::Wide(indices(2)),
        };
        Rows { starts: indices(0), ends: indices(1), columns }
    }

    /// The entries of a row in the blocks, which have `count` entries.
    fn entries(&self, row: usize, count: usize) -> std::ops::Range<usize> {
        let within = |position: i64| {
            let position = position.saturating_sub(self.starts[0]).max(0);
            usize::try_from(position).map_or(count, |at| at.min(count))
        };
        let start = within(self.starts[row]);
        start..within(self.ends[row]).max(start)
    }

    /// Adds the products of the entries of each row to `zero`.
    fn sum<T: Plain, S: Copy + Sync>(
        &self,
        operands: &[Block<'_>],
        to: &Block<'_>,
        pool: Option<&rayon::ThreadPool>,
        zero: S,
        add: impl Fn(S, T, T) -> S + Sync,
        narrow: impl Fn(S) -> T + Sync,
    ) {
        match self.columns {
            Columns::Narrow(columns) => self.sum_at(columns, operands, to, pool, zero, add, narrow),
            Columns::Wide(columns) => self.sum_at(columns, operands, to, pool, zero, add, narrow),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "those of `sum`, and the columns")]
    fn sum_at<C: Copy + Sync + TryInto<usize>, T: Plain, S: Copy + Sync>(
        &self,
        columns: &[C],
        operands: &[Block<'_>],
        to: &Block<'_>,
        pool: Option<&rayon::ThreadPool>,
        zero: S,
        add: impl Fn(S, T, T) -> S + Sync,
        narrow: impl Fn(S) -> T + Sync,
    ) {
        // SAFETY: nothing writes the operands meanwhile, and the output is the plan's alone
        // (condition 2 of `Buffer`).
        let (values, x, to) = unsafe {
            (operands[3].elements::<T>(), operands[4].elements::<T>(), to.elements_mut::<T>())
        };
        assert!(
            [self.starts.len(), self.ends.len()] == [to.len(); 2] && columns.len() == values.len(),
            "bug: {} starts, {} ends, {} columns and {} values for {} rows",
            self.starts.len(),
            self.ends.len(),
            columns.len(),
            values.len(),
            to.len()
        );
        let row = |row: usize| {
            let entries = self.entries(row, columns.len());
            let columns = columns[entries.clone()].iter();
            let sum = columns.zip(&values[entries]).fold(zero, |sum, (&column, &value)| {
                let x = column.try_into().ok().and_then(|column: usize| x.get(column));
                x.map_or(sum, |&x| add(sum, value, x))
            });
            narrow(sum)
        };
        let job = |(job, rows): (usize, &mut [T])| {
            rows.iter_mut().enumerate().for_each(|(at, to)| *to = row(job * ROWS + at));
        };
        match pool.filter(|pool| pool.current_num_threads() > 1 && to.len() > ROWS) {
            Some(pool) => pool.install(|| to.par_chunks_mut(ROWS).enumerate().for_each(job)),
            None => to.chunks_mut(ROWS).enumerate().for_each(job),
        }
    }
}
