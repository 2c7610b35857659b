//! The list of cases.

use crate::inputs::{Input, Precision, unit};

/// Elements of a case of one axis.
const MANY: usize = 1 << 24;
/// Rows and columns of a case of two axes.
const SIDE: usize = 1 << 12;
/// Rows and columns of the factors of a product.
const FACTOR: usize = 1 << 11;
/// The number of points of k-means, and of their coordinates.
const POINTS: [usize; 2] = [1 << 20, 16];

/// The allowed difference between two ways to sum a checksum, for each unit of magnitude.
const SUMMING: f64 = 1e-13;

/// The programs, each in `programs.rs` and in `numpy_peer.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Add,
    Chain,
    BlackScholes,
    Sum,
    SumAxis0,
    SumAxis1,
    Var,
    Argmax,
    Sqdiff,
    Transpose,
    AddTranspose,
    Stencil5,
    CgMatfree,
    Kmeans,
    Gemm,
    Tiny,
}

/// The work that gives a lower bound on the time of a case.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// The number of elements read or written.
    Moves(usize),
    /// The number of floating-point operations.
    Computes(usize),
    /// Neither: the case measures the path on the host.
    Path,
}

/// A case.
pub struct Case {
    pub name: &'static str,
    pub program: Program,
    pub precisions: &'static [Precision],
    pub inputs: &'static [Input],
    pub work: Work,
    /// Devices of the meshes to run on.
    pub ranks: &'static [usize],
    /// The target ratio to NumPy in single and double precision.
    pub goal: Option<[f64; 2]>,
    /// The allowed effect of rounding, in units of the last place of the precision.
    rounding: f64,
}

impl Case {
    /// The name, and the precision if there are several.
    pub fn title(&self, precision: Precision) -> String {
        format!("{} {}", self.name, precision.name())
    }

    /// The allowed difference of the checksums, for each unit of magnitude.
    pub fn tolerance(&self, precision: Precision) -> f64 {
        self.rounding * precision.epsilon() + SUMMING
    }
}

const BOTH: &[Precision] = &[Precision::Single, Precision::Double];

/// A case in both precisions on one device, whose results differ in the last places only.
const fn case(name: &'static str, program: Program, inputs: &'static [Input], work: Work) -> Case {
    Case { name, program, precisions: BOTH, inputs, work, ranks: &[1], goal: None, rounding: 16.0 }
}

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        ranks: &[1, 4],
        goal: Some([2.0, 2.0]),
        ..case("add", Program::Add, &[unit(&[MANY]), unit(&[MANY])], Work::Moves(3 * MANY))
    },
    Case {
        ranks: &[1, 4],
        goal: Some([4.0, 6.0]),
        ..case("chain", Program::Chain, &[unit(&[MANY]), unit(&[MANY])], Work::Moves(3 * MANY))
    },
    Case {
        goal: Some([14.0, 18.0]),
        // The price is a small difference of large terms.
        rounding: 256.0,
        ..case("black_scholes", Program::BlackScholes, OPTIONS, Work::Moves(4 * MANY))
    },
    Case {
        ranks: &[1, 4],
        goal: Some([2.7, 2.0]),
        ..case("sum", Program::Sum, &[unit(&[MANY])], Work::Moves(MANY))
    },
    Case {
        // NumPy adds the rows one by one.
        rounding: 4096.0,
        ..case("sum_axis_0", Program::SumAxis0, &[unit(&[SIDE, SIDE])], Work::Moves(SIDE * SIDE))
    },
    case("sum_axis_1", Program::SumAxis1, &[unit(&[SIDE, SIDE])], Work::Moves(SIDE * SIDE)),
    Case {
        goal: Some([11.0, 8.0]),
        ..case("var", Program::Var, &[unit(&[MANY])], Work::Moves(MANY))
    },
    Case {
        goal: Some([1.8, 1.8]),
        rounding: 0.0,
        ..case("argmax", Program::Argmax, &[unit(&[MANY])], Work::Moves(MANY))
    },
    Case {
        goal: Some([7.0, 7.0]),
        ..case("sqdiff", Program::Sqdiff, &[unit(&[MANY]), unit(&[MANY])], Work::Moves(2 * MANY))
    },
    Case {
        goal: Some([3.5, 3.5]),
        rounding: 0.0,
        ..case("transpose", Program::Transpose, SQUARE, Work::Moves(2 * SIDE * SIDE))
    },
    case("addtranspose", Program::AddTranspose, SQUARE, Work::Moves(2 * SIDE * SIDE)),
    Case {
        ranks: &[1, 4],
        goal: Some([5.0, 5.0]),
        ..case("stencil5", Program::Stencil5, SQUARE, Work::Moves(50 * 2 * SIDE * SIDE))
    },
    Case {
        goal: Some([5.0, 5.0]),
        // Rounding errors grow with each step; each step reads and writes x, r and p.
        rounding: 65536.0,
        ..case("cg_matfree", Program::CgMatfree, SQUARE, Work::Moves(25 * 6 * SIDE * SIDE))
    },
    Case {
        goal: Some([4.0, 4.0]),
        // A point between two centres may be assigned to either.
        rounding: 65536.0,
        ..case("kmeans", Program::Kmeans, &[unit(&POINTS)], Work::Moves(5 * POINTS[0] * POINTS[1]))
    },
    Case {
        goal: Some([1.0, 1.0]),
        rounding: 256.0,
        ..case("gemm", Program::Gemm, FACTORS, Work::Computes(2 * FACTOR * FACTOR * FACTOR))
    },
    Case {
        precisions: &[Precision::Double],
        ..case("tiny", Program::Tiny, &[unit(&[1000])], Work::Path)
    },
];

/// The inputs of `black_scholes`: spot price, strike price and time.
const OPTIONS: &[Input] = &[
    Input { shape: &[MANY], low: 5.0, high: 30.0 },
    Input { shape: &[MANY], low: 1.0, high: 100.0 },
    Input { shape: &[MANY], low: 0.25, high: 10.0 },
];

const SQUARE: &[Input] = &[unit(&[SIDE, SIDE])];
const FACTORS: &[Input] = &[unit(&[FACTOR, FACTOR]), unit(&[FACTOR, FACTOR])];
