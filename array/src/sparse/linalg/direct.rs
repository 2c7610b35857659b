//! Factorisations of sparse matrices, complete and incomplete. Large matrices are factorised
//! completely on the devices. *Gathered* for others: every process reads the matrix and right-hand
//! sides to its host, and computes the same there.

use super::multifrontal::{FrontReport, Multifrontal};
use super::numbers::{computed, read_real};
use super::operator::LinearOperator;
use crate::array::Array;
use crate::creation::{from_slice, ones};
use crate::manipulation::{refused, span, try_concatenate};
use crate::math::select;
use crate::products::conjugated;
use crate::recording::taken;
use crate::sparse::Csr;
use num_complex::Complex64;
use phalanx_graph::{DataError, Error, HostMemory, MeshHandle, Site, call_site, within};
use phalanx_numerics::sparse::{Columns, Factorise, Factors, Scalar, Solver, Unfactorised};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Element, Index, Op, promote};
use std::sync::{Arc, OnceLock};

pub use phalanx_numerics::sparse::{
    ColumnOrder, Dropping, Method as Factorisation, Options as FactorOptions, System,
};

/// A factorised square matrix: its inverse, or nearly that for an incomplete factorisation, as an
/// operator.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Factorisation, Factorised, System};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// Factorised::new(matrix, Factorisation::complete())?.solve(b, System::Matrix)
/// # }
/// ```
#[derive(Clone)]
pub struct Factorised {
    by: Arc<By>,
    dtype: DType,
    mesh: MeshHandle,
}

enum By {
    /// On the host of every process.
    Host(Box<Either>),
    /// On the devices.
    Fronts(Box<OnDevices>),
}

/// Factors on the devices.
struct OnDevices {
    factors: Multifrontal,
    /// The matrix that they are of, and what multiplied its rows and its columns.
    scaled: Csr,
    scales: [Array; 2],
    matrix: Csr,
    /// Those on the host, which are made if a program reads them.
    host: OnceLock<Either>,
}

#[derive(Debug)]
enum Either {
    Real(Solver<f64>),
    Complex(Solver<Complex64>),
}

/// Computes with the solver of either kind of numbers.
macro_rules! of_either {
    ($solvers:expr, $solver:ident => $result:expr) => {
        match $solvers {
            Either::Real($solver) => $result,
            Either::Complex($solver) => $result,
        }
    };
}

impl Factorised {
    /// Factorises a square matrix. Numbers are computed in double precision. Collective over the
    /// mesh.
    ///
    /// Errors: `OpError::Argument` for a matrix that is not square, `OpError::TooLarge` for one
    /// with more rows or entries than 32 bits can count, `DataError::Singular` for a column without
    /// a pivot, PX038 if the host has too little memory.
    #[track_caller]
    pub fn new(matrix: &Csr, how: Factorisation) -> Result<Factorised, Error> {
        let site = call_site();
        within(site, || {
            let [rows, columns] = matrix.shape();
            if rows != columns {
                let shape = format!("{:?}", matrix.shape());
                return Err(refused("Factorised", "the shape of the matrix", shape, site));
            }
            if i32::try_from(rows.max(matrix.nnz())).is_err() {
                return Err(Error::op(OpError::TooLarge { shape: vec![rows, columns] }, site));
            }
            let matrix = matrix.summed()?;
            let dtype = computed(matrix.dtype());
            let mesh = matrix.values().mesh()?;
            let by = match on_devices(&matrix, how, site)? {
                Some(by) => by,
                None => By::Host(Box::new(Either::of(&matrix, how, site)?)),
            };
            Ok(Factorised { by: Arc::new(by), dtype, mesh })
        })
    }

    /// The solutions for a vector, or for the columns of a matrix. Dtype: that of the factors,
    /// promoted with that of the right-hand sides. Collective over the mesh.
    ///
    /// Errors: `OpError::Argument` for another number of rows or axes, and those of
    /// [`Factorised::new`] if factors on the devices do not suffice for these right-hand sides, so
    /// that the host factorises the matrix.
    #[track_caller]
    pub fn solve(&self, b: &Array, system: System) -> Result<Array, Error> {
        let site = call_site();
        let shape = b.ok()?.shape();
        if !matches!(shape.len(), 1 | 2) || shape[0] != self.shape()[0] {
            return Err(refused(
                "solve",
                "the shape of the right side",
                format!("{shape:?}"),
                site,
            ));
        }
        let found = match &*self.by {
            By::Host(_) => None,
            By::Fronts(own) => within(site, || own.refined(b, system, site))?,
        };
        if let Some(x) = found {
            let dtype = promote(self.dtype, computed(b.dtype()));
            return x.converted(dtype, site).into_result();
        }
        let solver = within(site, || self.on_host(site))?;
        within(site, || {
            let columns: usize = shape[1..].iter().product();
            let is_complex = b.dtype().is_complex() || self.dtype.is_complex();
            let found = if is_complex {
                let b = b.converted(DType::C128, site);
                let mut numbers = b.to_vec::<Complex64>()?;
                match solver {
                    Either::Complex(solver) => {
                        Complex64::solve(solver, &mut numbers, columns, system);
                    }
                    // Real and imaginary parts are columns of their own.
                    Either::Real(solver) => {
                        let parts = numbers.iter().flat_map(|number| [number.re, number.im]);
                        let mut parts: Vec<f64> = parts.collect();
                        f64::solve(solver, &mut parts, 2 * columns, system);
                        let pairs = parts.chunks_exact(2);
                        numbers = pairs.map(|pair| Complex64::new(pair[0], pair[1])).collect();
                    }
                }
                self.uploaded(&numbers, shape)
            } else {
                let mut numbers = b.converted(DType::F64, site).to_vec::<f64>()?;
                match solver {
                    Either::Real(solver) => f64::solve(solver, &mut numbers, columns, system),
                    Either::Complex(_) => unreachable!("bug: real numbers for complex factors"),
                }
                self.uploaded(&numbers, shape)
            };
            let dtype = promote(self.dtype, computed(b.dtype()));
            found.converted(dtype, site).into_result()
        })
    }

    /// What factors on the devices take; `None` for factors on the host. Local.
    pub fn fronts(&self) -> Option<FrontReport> {
        match &*self.by {
            By::Host(_) => None,
            By::Fronts(own) => Some(own.factors.report()),
        }
    }

    /// The number of entries of both factors, of which the ones on the diagonal of `L` count too.
    /// Local. Errors: `DataError::Singular`, if rounding made the factors possible only in blocks.
    #[track_caller]
    pub fn nnz(&self) -> Result<usize, Error> {
        let site = call_site();
        of_either!(self.on_host(site)?, solver => {
            let factors = factors(solver, site)?;
            Ok(factors.lower.rows.len() + factors.upper.rows.len())
        })
    }

    /// `L`, with ones on its diagonal, transposed. Collective over the mesh. Errors: as
    /// [`Factorised::nnz`].
    #[track_caller]
    pub fn lower_transposed(&self) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            of_either!(self.on_host(site)?, solver => {
                self.turned(&factors(solver, site)?.lower, site)
            })
        })
    }

    /// `U`, transposed. Collective over the mesh. Errors: as [`Factorised::nnz`].
    #[track_caller]
    pub fn upper_transposed(&self) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            of_either!(self.on_host(site)?, solver => {
                self.turned(&factors(solver, site)?.upper, site)
            })
        })
    }

    /// Where each row of the matrix, and each column, stands in the product of the factors (`i32`).
    /// Collective over the mesh. Errors: as [`Factorised::nnz`].
    #[track_caller]
    pub fn positions(&self) -> Result<[Array; 2], Error> {
        let site = call_site();
        within(site, || {
            let (rows, columns) = of_either!(self.on_host(site)?, solver => {
                let factors = factors(solver, site)?;
                (&factors.row_positions, &factors.column_positions)
            });
            let narrow = |numbers: &[u32]| -> Array {
                let numbers: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
                self.uploaded(&numbers, &[numbers.len()])
            };
            Ok([narrow(rows), narrow(columns)])
        })
    }

    /// The factors on the host, which are made if there are none.
    fn on_host(&self, site: Site) -> Result<&Either, Error> {
        match &*self.by {
            By::Host(solver) => Ok(solver),
            By::Fronts(own) => {
                if own.host.get().is_none() {
                    let made = Either::of(&own.matrix, Factorisation::complete(), site)?;
                    let _ = own.host.set(made);
                }
                Ok(own
                    .host
                    .get()
                    .unwrap_or_else(|| unreachable!("bug: factors that were just made")))
            }
        }
    }

    /// The transposed matrix of one in columns, which has them as its rows.
    fn turned<T: Scalar + Element>(&self, columns: &Columns<T>, site: Site) -> Result<Csr, Error> {
        let starts: Vec<i64> = columns.starts.iter().map(|&start| start as i64).collect();
        let rows: Vec<i32> = columns.rows.iter().map(|&row| row as i32).collect();
        let count = [rows.len()];
        let values = self.uploaded(&columns.values, &count).converted(self.dtype, site);
        let starts = self.uploaded(&starts, &[starts.len()]);
        Csr::from_parts(&starts, &self.uploaded(&rows, &count), &values, self.shape())
    }

    /// An array of numbers that are equal on all processes.
    fn uploaded<T: Element>(&self, numbers: &[T], shape: &[usize]) -> Array {
        self.mesh.enter(|| from_slice(numbers, shape))
    }
}

impl Either {
    /// The factors of a matrix whose rows have no duplicates. Collective over the mesh.
    fn of(matrix: &Csr, how: Factorisation, site: Site) -> Result<Either, Error> {
        Ok(if matrix.dtype().is_complex() {
            Either::Complex(factorised(matrix, DType::C128, how, site)?)
        } else {
            Either::Real(factorised(matrix, DType::F64, how, site)?)
        })
    }
}

/// Matrices with fewer rows are factorised on the host.
const MANY_ROWS: usize = 10_000;
/// On CPUs, matrices are factorised on the host that have fewer rows, or that one device has, if
/// their fronts take fewer multiplications.
const ROWS_TO_SHARE: usize = 100_000;
const MANY_PRODUCTS: f64 = 1e10;
/// Solutions are refined until their residuals are smaller, relative to what is computed with.
const ROUNDING: f64 = 1e-14;
/// Factors whose solutions have larger residuals, before they are refined, are not used.
const WRONG: f64 = 1e-5;
/// Solutions whose residuals stay larger are computed by the host.
const LOST: f64 = 1e-10;
/// How often rows and columns are scaled: each time halves the exponents of their largest elements.
const SCALINGS: usize = 5;
/// The most refinements of a solution.
const REFINEMENTS: usize = 3;

/// The factors of a large matrix on the devices, if the method may choose pivots and their order,
/// and if such factors are few enough and right. Collective over the mesh.
fn on_devices(matrix: &Csr, how: Factorisation, site: Site) -> Result<Option<By>, Error> {
    let rows = matrix.shape()[0];
    let is_asked = how == Factorisation::Fronts;
    let is_free = matches!(how, Factorisation::Columns(options) if options.allows_blocks());
    // A matrix with fewer entries than rows is singular.
    if matrix.nnz() < rows || rows == 0 || !(is_asked || is_free && rows >= MANY_ROWS) {
        return Ok(None);
    }
    let mesh = matrix.values().mesh()?;
    // On CPUs the host's method takes as long, unless there is much to share.
    let is_shared = mesh.mesh().devices() > 1 && rows >= ROWS_TO_SHARE;
    let pays = |work| is_asked || mesh.has_gpus() || is_shared || work >= MANY_PRODUCTS;
    let pattern = || within(site, || matrix.pattern_on_host(site));
    let Some(plan) = matrix.fronts.of(mesh.clone(), pattern, pays, site)? else {
        return Ok(None);
    };
    let dtype = if matrix.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let (scaled, scales) = equilibrated(&matrix.astype(dtype)?, site)?;
    let Some(factors) = Multifrontal::new(&scaled, dtype, plan, site)? else { return Ok(None) };
    let b = mesh.enter(|| ones([rows, 1], dtype));
    let x = factors.solve(&b, System::Matrix, site)?;
    let (size, _) = residual(&scaled, &x, &b, System::Matrix)?;
    let (matrix, host) = (matrix.clone(), OnceLock::new());
    let own = OnDevices { factors, scaled, scales, matrix, host };
    Ok((size < WRONG).then(|| By::Fronts(Box::new(own))))
}

/// The matrix with rows and columns multiplied by powers of two, so that the largest element of
/// each is about one, and these factors. Local (records nodes), but for the transpose.
///
/// Source: D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices",
/// RAL-TR-2001-034 (2001).
fn equilibrated(matrix: &Csr, site: Site) -> Result<(Csr, [Array; 2]), Error> {
    let rows = matrix.shape()[0];
    let real = matrix.dtype().real();
    let mesh = matrix.values().mesh()?;
    let (mut scaled, mut scales) =
        (matrix.clone(), [0, 1].map(|_| mesh.enter(|| ones([rows], real))));
    let columns = matrix.columns().converted(DType::I64, site);
    for _ in 0..SCALINGS {
        let factors = |matrix: &Csr| {
            let largest = matrix.fold(Op::Maximum, &matrix.values().abs(), site)?;
            let exact = (largest.log2() * -0.5).rint().exp2();
            select(&largest.equal(0.0), 1.0, exact).into_result()
        };
        let own = [factors(&scaled)?, factors(&scaled.transpose()?)?];
        let both = matrix.spread(&own[0], site)? * taken(&own[1], &columns, site)?;
        scaled = scaled.of_values(scaled.values() * both);
        scales = [0, 1].map(|axis| &scales[axis] * &own[axis]);
    }
    Ok((scaled, scales))
}

impl OnDevices {
    /// The solutions for a vector or the columns of a matrix, refined by their residuals. `None` if
    /// these stay large, as those of a nearly singular matrix may: products with an inverse are
    /// less exact than substitutions.
    ///
    /// Source: J. H. Wilkinson, "Rounding Errors in Algebraic Processes" (1963), section 3.
    fn refined(&self, b: &Array, system: System, site: Site) -> Result<Option<Array>, Error> {
        let (factors, matrix) = (&self.factors, &self.scaled);
        let [before, behind] = match system {
            System::Matrix => [&self.scales[0], &self.scales[1]],
            _ => [&self.scales[1], &self.scales[0]],
        };
        let shape = b.shape().to_vec();
        let rows = shape[0];
        let count: usize = shape[1..].iter().product();
        let is_split = b.dtype().is_complex() && !matrix.dtype().is_complex();
        let columns = if is_split {
            // Real and imaginary parts are columns of their own.
            let wide = b.converted(DType::C128, site).reshape([rows, count]);
            let parts = [wide.real().copy(), wide.imag().copy()];
            try_concatenate(&[&parts[0], &parts[1]], &1.into(), None, site)?
        } else {
            b.converted(matrix.dtype(), site).reshape([rows, count])
        };
        let columns = columns * before.expand_dims(1);
        let mut x = factors.solve(&columns, system, site)?;
        if count > 0 {
            let (mut size, mut rest) = residual(matrix, &x, &columns, system)?;
            for _ in 0..REFINEMENTS {
                if size <= ROUNDING || !size.is_finite() {
                    break;
                }
                let next = &x + factors.solve(&rest, system, site)?;
                let (next_size, next_rest) = residual(matrix, &next, &columns, system)?;
                // A refinement that makes it worse is not kept.
                if next_size >= size {
                    break;
                }
                let is_last = next_size > size / 2.0;
                (x, size, rest) = (next, next_size, next_rest);
                if is_last {
                    break;
                }
            }
            if size > LOST {
                return Ok(None);
            }
        }
        x *= behind.expand_dims(1);
        if is_split {
            let [real, imaginary] = [0..count, count..2 * count]
                .map(|range| x.slice([Index::Ellipsis, span(range.start, range.end)]));
            x = real + imaginary * Complex64::i();
        }
        x.reshape(shape).into_result().map(Some)
    }
}

/// The largest element of `b - A x`, in each column relative to the largest ones of what is added
/// to it, so that a small right-hand side counts as much as a large one beside it; and the
/// residuals. Columns of `b` that are not finite do not count.
fn residual(matrix: &Csr, x: &Array, b: &Array, system: System) -> Result<(f64, Array), Error> {
    let product = match system {
        System::Matrix => matrix.dot(x),
        System::Transpose => matrix.transpose()?.dot(x),
        System::Adjoint => conjugated(&matrix.transpose()?.dot(&conjugated(x))),
    };
    let rest = b - product;
    let largest = |array: &Array| array.abs().max(0);
    let (solution, right) = (largest(x), largest(b));
    let added = matrix.values().abs().max(()) * &solution + &right;
    let sizes = largest(&rest) / added.maximum(f64::MIN_POSITIVE);
    let sizes = select(&solution.isfinite(), sizes, f64::INFINITY);
    let size = select(&right.isfinite(), sizes, 0.0).max(());
    let size = read_real(&[&size])?[0];
    Ok((if size.is_nan() { f64::INFINITY } else { size }, rest))
}

fn factors<T: Scalar>(solver: &Solver<T>, site: Site) -> Result<&Factors<T>, Error> {
    solver.factors().map_err(refusal(site))
}

fn refusal(site: Site) -> impl Fn(Unfactorised) -> Error {
    move |why| match why {
        Unfactorised::Singular { .. } => Error::data(DataError::Singular, site),
        Unfactorised::Memory { bytes } => Error::failure(HostMemory { bytes }, Some(site)),
    }
}

/// Factorises a matrix whose rows are sorted and have no duplicates.
fn factorised<T: Factorise + Element>(
    matrix: &Csr,
    dtype: DType,
    how: Factorisation,
    site: Site,
) -> Result<Solver<T>, Error> {
    let (starts, columns) = matrix.pattern_on_host(site)?;
    let values = matrix.values().converted(dtype, site).to_vec::<T>()?;
    // Rows are the columns of the transposed matrix.
    let turned = Columns { starts, rows: columns, values };
    T::factorise(turned.transposed(), how).map_err(refusal(site))
}

impl LinearOperator for Factorised {
    fn shape(&self) -> [usize; 2] {
        match &*self.by {
            By::Host(solver) => [of_either!(&**solver, solver => solver.extent()); 2],
            By::Fronts(own) => [own.factors.extent(); 2],
        }
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    /// Collective over the mesh.
    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        self.solve(x, System::Matrix)
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.solve(x, System::Adjoint)
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        self.solve(x, System::Matrix)
    }

    #[track_caller]
    fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        self.solve(x, System::Adjoint)
    }
}
