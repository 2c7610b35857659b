//! Operations on the rows and entries of sparse matrices on a GPU.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::Block;
use crate::structured::sort::radix::MOST;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::{Semiring, Sparse};
use phalanx_ops::{DType, Op};

static BY_ENTRIES: &str = concat!(include_str!("inside.cu"), include_str!("rows.cu"));
static BY_TEAMS: &str =
    concat!(include_str!("inside.cu"), include_str!("rows.cu"), include_str!("teams.cu"));
static PRODUCTS: &str =
    concat!(include_str!("inside.cu"), include_str!("rows.cu"), include_str!("spgemm.cu"));
/// Threads of a thread block; the texts have the same number.
const THREADS: usize = 256;
/// Threads of a team, for rows that are short and for others.
const TEAMS: [usize; 2] = [1, 8];
/// Rows with fewer entries are short.
const SHORT: usize = 8;
/// As many entries are sorted together, whatever the lengths of their rows.
const MANY: usize = 1 << 15;

/// The type of values in a text.
#[derive(Clone, Copy)]
enum Values {
    /// None.
    Absent,
    /// Bytes that are only copied.
    Bytes(usize),
    /// Numbers that are combined by operations.
    Numbers(DType),
    /// Numbers that are multiplied and combined.
    Products(DType, Semiring),
}

/// A matrix's rows: starts, ends, columns, and the number of entries.
#[derive(Clone, Copy, Default)]
struct Pattern {
    starts: u64,
    ends: u64,
    columns: u64,
    rows: usize,
    entries: usize,
}

/// A launch of a kernel.
pub(super) struct Call {
    text: &'static str,
    /// The definition that selects the kernel, and its name.
    kernel: (&'static str, &'static str),
    columns: DType,
    values: Values,
    ops: Vec<Op>,
    fold: Option<Op>,
    /// Threads of a row of a product, and of other operations.
    lanes: usize,
    team: usize,
    result: Pattern,
    a: Pattern,
    b: Pattern,
    /// The result, x, the values of A and of B.
    memory: [u64; 4],
    /// The elements of x.
    count: usize,
    threads: usize,
}

fn address(block: &Block<'_>) -> u64 {
    block.buffer.as_ptr() as u64
}

impl Call {
    /// The launch that computes an operation; `None` if there is no kernel for it.
    pub fn of(op: Sparse, operands: &[Block<'_>], to: &Block<'_>) -> Option<Call> {
        let at = |operand: usize| address(&operands[operand]);
        let rows = |first: usize, entries: usize| Pattern {
            starts: at(first),
            ends: at(first + 1),
            columns: 0,
            rows: operands[first].len(),
            entries,
        };
        // Starts, ends and columns.
        let matrix = |first: usize| Pattern {
            columns: at(first + 2),
            ..rows(first, operands[first + 2].len())
        };
        // Columns, starts and ends.
        let wanted = || Pattern { columns: at(0), ..rows(1, to.len()) };
        let entries = || Pattern { columns: at(0), entries: to.len(), ..Pattern::default() };
        let mut call = Call {
            text: BY_ENTRIES,
            kernel: ("", ""),
            columns: DType::I32,
            values: Values::Absent,
            ops: Vec::new(),
            fold: None,
            lanes: 1,
            team: 1,
            result: Pattern::default(),
            a: Pattern::default(),
            b: Pattern::default(),
            memory: [address(to), 0, 0, 0],
            count: 0,
            threads: to.len(),
        };
        let bytes = Values::Bytes(to.dtype.size());
        match op {
            Sparse::Product { .. }
            | Sparse::ProductRows { .. }
            | Sparse::SampledProduct { .. }
            | Sparse::Group
            | Sparse::NeededCount
            | Sparse::Needed
            | Sparse::AddFronts { .. }
            | Sparse::Place => return None,
            Sparse::Spread => {
                call.kernel = ("SPREAD", "spread");
                (call.values, call.result, call.memory[1]) = (bytes, wanted(), at(3));
            }
            Sparse::Order => {
                call.kernel = ("ORDER", "order");
                (call.columns, call.result) = (operands[0].dtype, wanted());
                call.threads = call.result.rows;
            }
            Sparse::Rises => {
                call.kernel = ("RISES", "rises");
                (call.columns, call.result) = (operands[0].dtype, wanted());
            }
            Sparse::Pick => {
                call.kernel = ("PICK", "pick");
                (call.values, call.result, call.memory[1]) = (bytes, entries(), at(1));
                call.count = operands[1].len();
            }
            Sparse::Join => {
                call.kernel = ("JOIN", "join");
                (call.values, call.result) = (bytes, entries());
                (call.memory, call.count) = ([address(to), at(1), at(2), 0], operands[1].len());
            }
            Sparse::Renumber => {
                call.kernel = ("RENUMBER", "renumber");
                (call.columns, call.result) = (operands[0].dtype, entries());
                (call.memory[1], call.count) = (at(1), operands[1].len());
            }
            Sparse::CountKept => {
                call.kernel = ("COUNT_KEPT", "count_kept");
                (call.a, call.memory[1]) = (rows(0, operands[2].len()), at(2));
            }
            Sparse::Keep => {
                call.kernel = ("KEEP", "keep");
                (call.values, call.result) = (bytes, rows(1, to.len()));
                (call.a, call.memory) =
                    (rows(3, operands[5].len()), [address(to), at(5), at(6), 0]);
            }
            Sparse::CopyRows => {
                call.kernel = ("COPY_ROWS", "copy_rows");
                (call.values, call.result) = (bytes, rows(1, to.len()));
                (call.memory, call.count) = ([address(to), at(3), at(4), 0], operands[4].len());
            }
            Sparse::Fold { op } => {
                call.kernel = ("FOLD", "fold");
                (call.values, call.fold) = (Values::Numbers(to.dtype), Some(op));
                (call.a, call.memory[2]) = (rows(0, operands[2].len()), at(2));
            }
            Sparse::UnionCount => {
                call.kernel = ("UNION_COUNT", "union_count");
                (call.columns, call.a, call.b) = (operands[2].dtype, matrix(0), matrix(3));
            }
            Sparse::Union => {
                call.kernel = ("UNION", "union_columns");
                (call.columns, call.result) = (to.dtype, rows(1, to.len()));
                (call.a, call.b) = (matrix(3), matrix(6));
            }
            Sparse::Align => {
                call.kernel = ("ALIGN", "align");
                (call.columns, call.values) = (operands[0].dtype, Values::Numbers(to.dtype));
                (call.ops, call.result) = (vec![Op::Add], wanted());
                (call.a, call.memory[2]) = (matrix(3), at(6));
            }
            Sparse::ProductCount => {
                call.kernel = ("PRODUCT_COUNT", "product_count");
                (call.columns, call.a, call.b) = (operands[5].dtype, matrix(0), matrix(3));
            }
            Sparse::ProductColumns => {
                call.kernel = ("PRODUCT_COLUMNS", "product_columns");
                (call.columns, call.result) = (to.dtype, rows(1, to.len()));
                (call.a, call.b) = (matrix(3), matrix(6));
            }
            Sparse::ProductValues { semiring } => {
                call.kernel = ("PRODUCT_VALUES", "product_values");
                call.values = Values::Products(to.dtype, semiring);
                (call.columns, call.result) = (operands[0].dtype, wanted());
                (call.a, call.b) = (matrix(3), matrix(7));
                (call.memory[2], call.memory[3]) = (at(6), at(10));
            }
        }
        match op {
            Sparse::ProductCount | Sparse::ProductColumns | Sparse::ProductValues { .. } => {
                // Threads of a row share its entries.
                let long = call.a.entries > 16 * call.a.rows;
                (call.text, call.lanes) = (PRODUCTS, if long { 32 } else { 8 });
                call.threads = call.a.rows * call.lanes;
            }
            Sparse::CountKept
            | Sparse::Keep
            | Sparse::Fold { .. }
            | Sparse::UnionCount
            | Sparse::Union => {
                // A row of a union has those of two matrices.
                let longest = call.a.entries.max(call.b.entries);
                call.team = TEAMS[usize::from(longest >= SHORT * call.a.rows)];
                (call.text, call.threads) = (BY_TEAMS, call.a.rows * call.team);
            }
            _ => {}
        }
        Some(call)
    }

    /// The launch that computes the keys by which entries are sorted, for operands (columns,
    /// starts, ends) of `Sparse::Order`; `None` if a thread sorts each row. The keys (`u64`) still
    /// need memory.
    pub fn keys(operands: &[Block<'_>]) -> Option<Call> {
        let (columns, rows) = (&operands[0], operands[1].len());
        let entries = columns.len();
        let fits = columns.dtype == DType::I32 && u32::try_from(rows).is_ok();
        if !fits || !(MANY..MOST).contains(&entries) {
            return None;
        }
        let mut call = Call::of(Sparse::Order, operands, columns)?;
        (call.kernel, call.threads) = (("KEYS", "keys"), entries);
        Some(call)
    }

    /// The launch with other memory for its result.
    pub fn into(mut self, address: u64) -> Call {
        self.memory[0] = address;
        self
    }

    /// The text of the kernel.
    pub fn routine(&self) -> Routine {
        let mut uses = Uses::default();
        let mut defines = vec![
            (self.kernel.0, String::new()),
            ("I", String::from(self.columns.name())),
            ("LANES", self.lanes.to_string()),
            ("TEAM", self.team.to_string()),
        ];
        match self.values {
            Values::Absent => {}
            Values::Bytes(bytes) => defines.push(("T", String::from(word(bytes)))),
            Values::Numbers(dtype) => {
                let all = self.ops.iter().chain(&self.fold).copied();
                let (own, needed) = numbers(dtype, all);
                defines.extend(own);
                uses = needed;
            }
            Values::Products(dtype, semiring) => {
                let (own, needed) = products(dtype, semiring);
                defines.extend(own);
                uses = needed;
            }
        }
        if let Some(op) = self.fold {
            defines.push(("COMBINE", format!("op_{op}")));
        }
        Routine::new(self.text, defines, uses)
    }

    /// Launches the kernel. Errors: those of the compiler.
    pub fn run(&self, device: &CudaDevice) -> Result<(), DeviceError> {
        if self.threads == 0 {
            return Ok(());
        }
        let mut words = Vec::with_capacity(20);
        for pattern in [&self.result, &self.a, &self.b] {
            words.extend([pattern.starts, pattern.ends, pattern.columns]);
            words.extend([pattern.rows as u64, pattern.entries as u64]);
        }
        words.extend(self.memory);
        words.push(self.count as u64);
        let size = (self.threads.div_ceil(THREADS), THREADS as u32);
        // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the
        // kernel touches nothing outside of them.
        unsafe { self.routine().launch(self.kernel.1, device, size, &words) }
    }
}

/// The definitions of the types of values and sums, and what operations on sums need.
pub(super) fn numbers(
    dtype: DType,
    ops: impl IntoIterator<Item = Op>,
) -> (Vec<(&'static str, String)>, Uses) {
    let is_half = matches!(dtype, DType::F16 | DType::BF16);
    let sum = if is_half { DType::F32 } else { dtype };
    let cast = |to: DType| if is_half { format!("cast_{to}") } else { String::new() };
    let mut uses = Uses::default();
    if is_half {
        uses.casts.extend([(dtype, sum), (sum, dtype)]);
    }
    uses.ops.extend(ops.into_iter().map(|op| (op, vec![sum; 2])));
    let defines = vec![
        ("T", String::from(dtype.name())),
        ("S", String::from(sum.name())),
        ("WIDE", cast(sum)),
        ("NARROW", cast(dtype)),
    ];
    (defines, uses)
}

/// As `numbers`, with the definitions of the operations of a semiring.
pub(super) fn products(dtype: DType, semiring: Semiring) -> (Vec<(&'static str, String)>, Uses) {
    let (monoid, multiply) = (semiring.add(), semiring.multiply());
    let (mut defines, mut uses) = numbers(dtype, [multiply]);
    let sum = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    uses.monoids.insert((monoid, sum));
    defines.extend([
        ("ADD", format!("combine_{monoid}")),
        ("MULTIPLY", format!("op_{multiply}")),
        ("ZERO", format!("identity_{monoid}_{sum}()")),
    ]);
    (defines, uses)
}

/// The dtypes and semirings whose texts are compiled by tests: the ordinary product of every dtype,
/// and other ones of some.
pub(super) fn of_products() -> impl Iterator<Item = (DType, Semiring)> {
    let some = [DType::Bool, DType::F16, DType::F32, DType::I64];
    Semiring::ALL.iter().flat_map(move |&semiring| {
        let is_kept = move |dtype: &&DType| {
            semiring.accepts(**dtype) && (semiring == Semiring::PlusTimes || some.contains(dtype))
        };
        DType::ALL.iter().filter(is_kept).map(move |&dtype| (dtype, semiring))
    })
}

/// The texts of every operation and dtype.
pub fn sources() -> Vec<String> {
    use phalanx_device::Buffer;
    let nowhere = Buffer::without_memory(0);
    let block = |dtype| Block { buffer: &nowhere, dtype, shape: &[1], origin: &[0] };
    let mut sources = Vec::new();
    let mut add = |op: Sparse, dtypes: &[DType]| {
        for &dtype in dtypes {
            let operands: Vec<Block<'_>> = (0..11).map(|_| block(DType::I32)).collect();
            let call = Call::of(op, &operands, &block(dtype));
            sources.extend(call.map(|call| call.routine().source()));
        }
    };
    let sizes = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];
    for op in [Sparse::Spread, Sparse::Pick, Sparse::Join, Sparse::Keep, Sparse::CopyRows] {
        add(op, &sizes);
    }
    for op in [Sparse::Align, Sparse::Fold { op: Op::Maximum }] {
        add(op, DType::ALL);
    }
    for (dtype, semiring) in of_products() {
        add(Sparse::ProductValues { semiring }, &[dtype]);
    }
    let of_columns = [Sparse::Union, Sparse::ProductColumns, Sparse::ProductCount];
    for op in of_columns.into_iter().chain([Sparse::UnionCount, Sparse::Order, Sparse::Rises]) {
        add(op, &[DType::I32]);
    }
    add(Sparse::CountKept, &[DType::I64]);
    add(Sparse::Renumber, &[DType::I32]);
    let columns = block(DType::I32);
    let many = Block { shape: &[MANY], ..columns };
    sources.extend(Call::keys(&[many, columns, columns]).map(|call| call.routine().source()));
    sources
}
