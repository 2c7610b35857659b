//! A factorised matrix.

use super::supernodal::Supernodal;
use super::{Columns, Factors, Options, Scalar, System, Unfactorised, by_columns, on_pattern};
use faer::traits::ComplexField;
use num_complex::Complex64;
use std::sync::OnceLock;

/// How a matrix is factorised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// By columns, with options; in blocks where the default options allow and blocks pay.
    Columns(Options),
    /// Completely, by dense matrices (fronts). Factors here are those of the default options.
    Fronts,
    /// Incompletely, on the pattern of the matrix.
    Pattern,
    /// Incompletely, on the pattern of the lower triangle of a Hermitian matrix.
    HermitianPattern,
    /// As a step of symmetric successive over-relaxation, with a factor between 0 and 2.
    Relaxation {
        /// The factor.
        factor: f64,
    },
}

impl Method {
    /// Completely, with the default options.
    pub fn complete() -> Method {
        Method::Columns(Options::default())
    }
}

/// A factorised square matrix.
#[derive(Debug)]
pub struct Solver<T> {
    matrix: Columns<T>,
    method: Method,
    blocks: Option<Supernodal<T>>,
    factors: OnceLock<Factors<T>>,
}

/// A matrix whose factors take more multiplications by columns is factorised in blocks.
const MOST_PRODUCTS: usize = 3_000_000;

impl<T: Scalar + ComplexField> Solver<T> {
    fn new(matrix: Columns<T>, method: Method) -> Result<Solver<T>, Unfactorised> {
        let method = if method == Method::Fronts { Method::complete() } else { method };
        let mut solver = Solver { matrix, method, blocks: None, factors: OnceLock::new() };
        if let Method::Columns(options) = &method
            && options.allows_blocks()
        {
            match by_columns::factorise(&solver.matrix, options, MOST_PRODUCTS)? {
                Some(factors) => solver.factors = factors.into(),
                None => solver.blocks = Supernodal::new(&solver.matrix)?,
            }
        }
        if solver.blocks.is_none() {
            solver.factors()?;
        }
        Ok(solver)
    }
}

impl<T: Scalar> Solver<T> {
    /// The number of rows.
    pub fn extent(&self) -> usize {
        self.matrix.extent()
    }

    /// The factors. Those in blocks cannot be read: the matrix is then factorised by columns at the
    /// first call.
    pub fn factors(&self) -> Result<&Factors<T>, Unfactorised> {
        if let Some(factors) = self.factors.get() {
            return Ok(factors);
        }
        let made = match &self.method {
            Method::Fronts => unreachable!("bug: factors of no options"),
            Method::Columns(options) => by_columns::factorise(&self.matrix, options, usize::MAX)?
                .unwrap_or_else(|| unreachable!("bug: more products than numbers")),
            Method::Pattern => on_pattern::factorise(&self.matrix)?,
            Method::HermitianPattern => on_pattern::factorise_hermitian(&self.matrix)?,
            Method::Relaxation { factor } => on_pattern::relaxation(&self.matrix, *factor)?,
        };
        Ok(self.factors.get_or_init(|| made))
    }
}

impl<T: Scalar + ComplexField> Solver<T> {
    fn solve_in_place(&self, right: &mut [T], columns: usize, system: System) {
        match (&self.blocks, self.factors.get()) {
            (Some(blocks), _) => blocks.solve(right, columns, system),
            (None, Some(factors)) => factors.solve(right, columns, system),
            (None, None) => unreachable!("bug: a matrix without factors"),
        }
    }
}

impl Options {
    /// Whether pivots and the order of columns are the method's choice.
    pub fn allows_blocks(&self) -> bool {
        self.order == super::ColumnOrder::OfProduct
            && self.diagonal_threshold == 1.0
            && self.dropping.is_none()
    }
}

/// A number whose matrices can be factorised. Its methods are compiled here, once.
pub trait Factorise: Scalar {
    /// Factorises a square matrix whose columns have no duplicates.
    fn factorise(matrix: Columns<Self>, method: Method) -> Result<Solver<Self>, Unfactorised>;

    /// Solves a system for the columns of a matrix in C order, in place.
    fn solve(solver: &Solver<Self>, right: &mut [Self], columns: usize, system: System);
}

macro_rules! factorise {
    ($($type:ty)*) => {
        $(impl Factorise for $type {
            fn factorise(
                matrix: Columns<$type>,
                method: Method,
            ) -> Result<Solver<$type>, Unfactorised> {
                Solver::new(matrix, method)
            }

            fn solve(solver: &Solver<$type>, right: &mut [$type], columns: usize, system: System) {
                solver.solve_in_place(right, columns, system);
            }
        })*
    };
}

factorise! { f64 Complex64 }
