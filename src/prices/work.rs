//! The prices of work: the speed of a device at each kind of work, measured with programs of
//! arrays.

use crate::config::{Config, Devices};
use crate::session::Session;
use phalanx_array::linalg::{Triangle, cholesky, eigh};
use phalanx_array::random::seeded;
use phalanx_array::{
    Array, Error, MemoryOrder, argsort, cumsum, eye, fft, matmul, partition, s, sort,
};
use phalanx_collectives::Price;
use phalanx_distributed::Policy;
use phalanx_graph::Limits;
use phalanx_ops::structured::{
    Decomposition, Fft, Matmul, Operand, Order, Ranks, Scan, Sort, Structured, Take, Transform,
    Work,
};
use phalanx_ops::{DType, Op};
use phalanx_scheduler::predict::{Amounts, READ, STRIDED, WRITE, price_name, work_price_name};
use std::time::Instant;

/// The result of measuring a price: the price, or why there is none.
pub type Outcome = Result<Price, String>;

/// The number of repetitions, after one that warms up. The median counts.
const REPEATS: usize = 5;
/// The number of small launches in turn that are timed together.
const LAUNCHES: usize = 32;
/// The number of elements that a small launch visits.
const SMALL: usize = 4096;
/// The rounds of functions of one arithmetic kernel.
const ROUNDS: usize = 8;

/// The sizes of the programs, so that each takes some milliseconds.
struct Sizes {
    /// Elements of vectors.
    elements: usize,
    /// Elements of vectors to sort.
    sorted: usize,
    /// Rows of the matrices of products.
    product: usize,
    /// Extents of a grid to transform.
    grid: [usize; 3],
    /// Rows of the matrices of factorisations.
    factors: usize,
    /// Rows of the matrices whose eigenvalues are computed.
    spectrum: usize,
}

const ON_CPU: Sizes = Sizes {
    elements: 1 << 24,
    sorted: 1 << 22,
    product: 1024,
    grid: [128, 128, 128],
    factors: 1024,
    spectrum: 256,
};
const ON_GPU: Sizes = Sizes {
    elements: 1 << 27,
    sorted: 1 << 27,
    product: 8192,
    grid: [512, 512, 256],
    factors: 8192,
    spectrum: 1024,
};

/// The prices of work on one CPU device with all threads of the process, or on its first GPU.
pub(super) fn of_work(config: &Config, on_gpu: bool) -> Vec<(String, Outcome)> {
    let devices = match (&config.devices, on_gpu) {
        (_, false) => Devices::Cpu(1),
        (Devices::Cuda(numbers), true) => Devices::Cuda(numbers.iter().copied().take(1).collect()),
        (_, true) => Devices::Cuda(vec![0]),
    };
    let alone = Config {
        devices,
        cuda: config.cuda.clone(),
        blas: config.blas.clone(),
        threads: config.threads,
        ..Config::default()
    };
    // All operations are recorded: small ones that run at once have other costs.
    let limits = Limits { at_once: 0, ..Limits::default() };
    let session = match Session::with_options(alone, None, Policy::default(), limits) {
        Ok(session) => session,
        Err(error) => return vec![(price_name(on_gpu, READ), Err(error.to_string()))],
    };
    let sizes = if on_gpu { ON_GPU } else { ON_CPU };
    let found = Measuring { on_gpu, sizes, found: Vec::new(), short: 0.0, latency: 0.0 }.all();
    match session.finish() {
        Ok(()) => found,
        Err(error) => vec![(price_name(on_gpu, READ), Err(error.to_string()))],
    }
}

/// The prices found so far.
struct Measuring {
    on_gpu: bool,
    sizes: Sizes,
    found: Vec<(String, Outcome)>,
    /// Seconds of a program with one small launch, from the program's side.
    short: f64,
    /// Seconds of a small launch among others.
    latency: f64,
}

impl Measuring {
    fn all(mut self) -> Vec<(String, Outcome)> {
        if let Err(error) = self.memory() {
            self.found.push((price_name(self.on_gpu, READ), Err(error.to_string())));
            return self.found;
        }
        for dtype in [DType::F32, DType::F64] {
            self.arithmetic(dtype);
            self.products(dtype);
        }
        self.transforms();
        self.order();
        for dtype in [DType::F32, DType::F64] {
            self.matrices(dtype);
        }
        self.found
    }

    /// The seconds that a program takes beyond the start of its plan.
    fn seconds(&self, program: impl Fn() -> Array) -> Result<f64, Error> {
        let mut times = [0.0; REPEATS + 1];
        for time in &mut times {
            let begun = Instant::now();
            let result = program();
            result.evaluate()?;
            // A GPU may still work; one element waits for it.
            result.at(vec![0; result.ndim()]).to_host()?;
            *time = begun.elapsed().as_secs_f64();
        }
        let times = &mut times[1..];
        times.sort_by(f64::total_cmp);
        let median = times[REPEATS / 2];
        Ok((median - self.short).max(median / 10.0))
    }

    /// Sets a price from the seconds of an amount of work.
    fn note(&mut self, name: String, amount: f64, seconds: Result<f64, Error>) {
        let price = seconds.map(|seconds| Price {
            latency: self.latency,
            rate: amount / (seconds - self.latency).max(seconds / 2.0),
        });
        self.found.push((name, price.map_err(|error| error.to_string())));
    }

    /// Passes over memory, after the latency of a launch.
    fn memory(&mut self) -> Result<(), Error> {
        let small = vector(SMALL, DType::F32)?;
        self.short = self.seconds(|| &small + 1.0)?;
        // Each sum needs the array before it, and each array needs the sum before it.
        let in_turn = self.seconds(|| {
            (0..LAUNCHES).fold(small.clone(), |array, _| &array - array.sum(()) * 1e-9)
        })?;
        self.latency = (in_turn / LAUNCHES as f64).max(1e-7);
        let values = vector(self.sizes.elements, DType::F64)?;
        let bytes = (self.sizes.elements * DType::F64.size()) as f64;
        let reading = self.seconds(|| values.sum(()))? - self.latency;
        let both = self.seconds(|| &values + 1.0)? - self.latency;
        self.note(price_name(self.on_gpu, READ), bytes, Ok(reading + self.latency));
        // A copy that takes no longer than a sum still takes time to write.
        let writing = (both - reading).max(both / 8.0);
        self.note(price_name(self.on_gpu, WRITE), bytes, Ok(writing + self.latency));
        // A power of two: rows that begin at any byte take longer.
        let rows = 1 << (self.sizes.elements.ilog2() / 2);
        let turned = values.slice(s![..(rows * rows) as i64]).reshape([rows, rows]);
        turned.evaluate()?;
        let copying = self.seconds(|| turned.t().in_order(MemoryOrder::C))? - self.latency;
        let part = (rows * rows) as f64 / self.sizes.elements as f64;
        let across = (copying - writing * part).max(copying / 8.0);
        let bytes = (rows * rows * DType::F64.size()) as f64;
        self.note(price_name(self.on_gpu, STRIDED), bytes, Ok(across + self.latency));
        Ok(())
    }

    fn arithmetic(&mut self, dtype: DType) {
        let ops = [Op::Exp, Op::Sqrt, Op::Add, Op::Log, Op::Divide];
        let each: u32 = ops.into_iter().map(Op::flops).sum();
        let elements = self.sizes.elements / 8;
        let flops = ROUNDS as f64 * f64::from(each) * elements as f64;
        let seconds = vector(elements, dtype).and_then(|values| {
            let round = |array: Array, _| ((array.exp().sqrt() + 1.0).log()) / &values;
            self.seconds(|| (0..ROUNDS).fold(values.clone(), round))
        });
        self.note(work_price_name(self.on_gpu, Work::Arithmetic, dtype), flops, seconds);
    }

    /// Sets the price of a structured operation, from the seconds of applying it to one operand
    /// once for each of `ops`.
    fn structured(
        &mut self,
        ops: &[Structured],
        operands: &[Operand<'_>],
        seconds: Result<f64, Error>,
    ) {
        let amounts = ops.iter().map(|op| {
            let (shape, dtype) = op.result(operands);
            Amounts::of(op, operands, (&shape, dtype))
        });
        let amounts: Vec<Amounts> = amounts.collect();
        let amount = amounts.iter().map(Amounts::amount).sum();
        self.note(amounts[0].price_name(self.on_gpu), amount, seconds);
    }

    fn products(&mut self, dtype: DType) {
        let shape = [self.sizes.product; 2];
        let seconds = vector(shape[0] * shape[1], dtype).and_then(|values| {
            let matrix = values.reshape(shape);
            self.seconds(|| matmul(&matrix, &matrix))
        });
        let op = Structured::Matmul(Matmul::default());
        self.structured(&[op], &[(&shape[..], dtype); 2], seconds);
    }

    fn transforms(&mut self) {
        let shape = self.sizes.grid;
        let seconds = vector(shape.iter().product(), DType::F32).and_then(|values| {
            let grid = values.reshape(shape).astype(DType::C64);
            grid.evaluate()?;
            self.seconds(|| fft::fftn(&grid, ()))
        });
        let along = |axis| Structured::Fft(Fft::new(axis, Transform::Forward));
        self.structured(&[0, 1, 2].map(along), &[(&shape, DType::C64)], seconds);
    }

    /// Sorts, selections, scans and reads at positions.
    fn order(&mut self) {
        let count = self.sizes.elements;
        let sorted = self.sizes.sorted;
        let (keys, numbers) = (vector(sorted, DType::F32), vector(count, DType::F64));
        let shape = [count];
        let seconds = |array: &Result<Array, Error>, program: &dyn Fn(&Array) -> Array| {
            array.as_ref().map_err(Clone::clone).and_then(|array| self.seconds(|| program(array)))
        };
        let middle = Ranks { first: sorted / 2, last: sorted / 2 };
        let sorts = seconds(&keys, &|keys| sort(keys, -1));
        let selects = seconds(&keys, &|keys| partition(keys, &[sorted as i64 / 2], -1));
        let scans = seconds(&numbers, &|numbers| cumsum(numbers, None));
        let positions = seconds(&keys, &|keys| argsort(keys, -1));
        let some = [count / 4];
        let takes = seeded(1).and_then(|generator| {
            let positions = generator.integers(0, count as i64, &some[..]);
            positions.evaluate()?;
            seconds(&numbers, &|numbers| numbers.take(&positions, 0))
        });
        let of_keys = [sorted];
        let operand = [(&of_keys[..], DType::F32)];
        self.structured(&[Structured::Sort(Sort::new(0, Order::Values))], &operand, sorts);
        let op = Structured::Sort(Sort::new(0, Order::Positions));
        self.structured(&[op], &operand, positions);
        let select = Sort::partition(0, Order::Values, middle, sorted, DType::F32);
        self.structured(&[Structured::Sort(select)], &operand, selects);
        let scan = Scan { op: Op::Add, axis: 0, in_order: false };
        self.structured(&[Structured::Scan(scan)], &[(&shape, DType::F64)], scans);
        let operands = [(&shape[..], DType::F64), (&some[..], DType::I64)];
        self.structured(&[Structured::Take(Take { axis: 0 })], &operands, takes);
    }

    fn matrices(&mut self, dtype: DType) {
        let shape = [self.sizes.factors; 2];
        let seconds =
            positive(shape[0], dtype).and_then(|matrix| self.seconds(|| cholesky(&matrix, false)));
        let op = Structured::Decomposition(Decomposition::Cholesky);
        self.structured(&[op], &[(&shape, dtype)], seconds);
        let shape = [self.sizes.spectrum; 2];
        let seconds = positive(shape[0], dtype)
            .and_then(|matrix| self.seconds(|| eigh(&matrix, Triangle::Lower).eigenvectors));
        let op = Structured::Decomposition(Decomposition::Eigh { lower: true });
        self.structured(&[op], &[(&shape, dtype)], seconds);
    }
}

/// Numbers between 1 and 2.
fn vector(elements: usize, dtype: DType) -> Result<Array, Error> {
    let values = seeded(0)?.random([elements], dtype) + 1.0;
    values.evaluate()?;
    Ok(values)
}

/// A symmetric positive definite matrix.
fn positive(rows: usize, dtype: DType) -> Result<Array, Error> {
    let values = vector(rows * rows, dtype)?.reshape([rows, rows]);
    let matrix = &values + values.t() + eye(rows, None, 0, dtype) * (4 * rows) as f64;
    matrix.evaluate()?;
    Ok(matrix)
}
