//! Approximate inverses for the solvers: operators that are applied to residuals.

use super::entries::diagonal;
use super::numbers::computed;
use super::operator::{LinearOperator, Prepared};
use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::manipulation::{concatenate, refused};
use crate::math::select;
use crate::products::conjugated;
use crate::sparse::Csr;
use crate::sparse::sums::sums_at;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::DType;

/// The inverse of the diagonal of a matrix.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Jacobi, LinearOperator};
/// # fn example(matrix: &Csr, r: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// Jacobi::new(matrix)?.apply(r)
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Jacobi {
    inverse: Array,
}

impl Jacobi {
    /// The inverse of the diagonal of a square matrix. Where the diagonal is 0, residuals stay as
    /// they are. Local (records nodes). Errors: `OpError::Argument` for a matrix that is not
    /// square.
    #[track_caller]
    pub fn new(matrix: &Csr) -> Result<Jacobi, Error> {
        let site = call_site();
        within(site, || {
            let [rows, columns] = matrix.shape();
            if rows != columns {
                let shape = format!("{:?}", matrix.shape());
                return Err(refused("Jacobi", "the shape of the matrix", shape, site));
            }
            Jacobi::of_diagonal(&diagonal(&matrix.astype(computed(matrix.dtype()))?)?)
        })
    }

    /// The inverse of a diagonal, given as a vector. Local (records nodes). Errors:
    /// `OpError::Argument` for another number of axes.
    #[track_caller]
    pub fn of_diagonal(diagonal: &Array) -> Result<Jacobi, Error> {
        let site = call_site();
        within(site, || {
            if diagonal.ok()?.ndim() != 1 {
                let shape = format!("{:?}", diagonal.shape());
                return Err(refused("Jacobi", "the shape of the diagonal", shape, site));
            }
            let diagonal = diagonal.converted(computed(diagonal.dtype()), site);
            let inverse = select(&diagonal.equal(0.0), 1.0, 1.0 / &diagonal);
            Ok(Jacobi { inverse: inverse.into_result()? })
        })
    }
}

impl LinearOperator for Jacobi {
    fn shape(&self) -> [usize; 2] {
        [self.inverse.size(); 2]
    }

    fn dtype(&self) -> DType {
        self.inverse.dtype()
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        (&self.inverse * x).into_result()
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || (conjugated(&self.inverse) * x).into_result())
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || (self.inverse.expand_dims(1) * x).into_result())
    }
}

/// The inverses of the square blocks on the diagonal of a matrix.
#[derive(Clone, Debug)]
pub struct BlockJacobi {
    /// `(blocks, extent, extent)`; the last block may be padded with an identity.
    inverses: Array,
    rows: usize,
}

impl BlockJacobi {
    /// The inverses of the blocks of `extent` rows on the diagonal of a square matrix; the last
    /// block may be smaller. Collective over the mesh. Errors: `OpError::Argument` for a matrix
    /// that is not square and for an extent of 0, `DataError::Singular` for a block without an
    /// inverse.
    #[track_caller]
    pub fn new(matrix: &Csr, extent: usize) -> Result<BlockJacobi, Error> {
        let site = call_site();
        within(site, || {
            let refuse = |argument, value| Err(refused("BlockJacobi", argument, value, site));
            let [size, columns] = matrix.shape();
            if size != columns {
                return refuse("the shape of the matrix", format!("{:?}", matrix.shape()));
            }
            if extent == 0 {
                return refuse("extent", String::from("0"));
            }
            let (block, rows) = (extent as i64, matrix.rows());
            let values = matrix.values().converted(computed(matrix.dtype()), site);
            let columns = matrix.columns().astype(DType::I64);
            let is_inside = rows.floor_divide(block).equal(columns.floor_divide(block));
            let positions = &rows * block + columns.remainder(block);
            let padded = size.div_ceil(extent) * extent;
            // An identity in the rows that pad the last block.
            let added_rows = values.mesh()?.enter(|| arange(size as i64, padded as i64, 1));
            let padding = &added_rows * block + added_rows.remainder(block);
            let units = crate::creation::ones_like(&added_rows, values.dtype());
            let positions = concatenate(&[&select(&is_inside, positions, 0), &padding], 0);
            let values = concatenate(&[&select(&is_inside, values, 0.0), &units], 0);
            let blocks = sums_at(padded * extent, values.dtype(), &positions, &values, site)?;
            let blocks = blocks.reshape([padded / extent, extent, extent]);
            Ok(BlockJacobi { inverses: crate::linalg::inv(&blocks).into_result()?, rows: size })
        })
    }

    fn product(&self, x: &Array, is_adjoint: bool) -> Result<Array, Error> {
        let shape = self.inverses.shape();
        let padded = shape[0] * shape[1];
        let x = if padded == self.rows {
            x.clone()
        } else {
            let rest = padded - self.rows;
            concatenate(&[x, &x.mesh()?.enter(|| zeros([rest], x.dtype()))], 0)
        };
        let x = x.reshape([shape[0], shape[1]]);
        let product = if is_adjoint {
            (conjugated(&self.inverses) * x.expand_dims(2)).sum(1)
        } else {
            (&self.inverses * x.expand_dims(1)).sum(2)
        };
        product.reshape([-1]).slice(crate::s![..self.rows as i64]).copy().into_result()
    }
}

impl LinearOperator for BlockJacobi {
    fn shape(&self) -> [usize; 2] {
        [self.rows; 2]
    }

    fn dtype(&self) -> DType {
        self.inverses.dtype()
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || self.product(x, false))
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || self.product(x, true))
    }
}

/// Steps of Chebyshev's iteration for a Hermitian positive definite operator: a polynomial of the
/// operator that is nearly its inverse on an interval. It needs no inner products, so applying it
/// never waits.
///
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 12.1.
pub struct Chebyshev<'a> {
    operator: Prepared<'a>,
    dtype: DType,
    interval: [f64; 2],
    steps: usize,
}

impl<'a> Chebyshev<'a> {
    /// `steps` steps for an operator with eigenvalues in an interval `[low, high]` of positive
    /// numbers. Local. Errors: `OpError::Argument` for an operator that is not square, an interval
    /// that is empty or not positive, and no steps.
    #[track_caller]
    pub fn new(
        operator: &'a dyn LinearOperator,
        interval: [f64; 2],
        steps: usize,
    ) -> Result<Chebyshev<'a>, Error> {
        let (site, name) = (call_site(), "Chebyshev");
        let refuse = |argument, value| Err(refused(name, argument, value, site));
        let [rows, columns] = operator.shape();
        if rows != columns {
            return refuse("the shape of the operator", format!("{:?}", operator.shape()));
        }
        let [low, high] = interval;
        if !(low > 0.0 && high >= low && high.is_finite()) {
            return refuse("interval", format!("{interval:?}"));
        }
        if steps == 0 {
            return refuse("steps", String::from("0"));
        }
        let dtype = computed(operator.dtype());
        let operator = within(site, || Prepared::new(operator, dtype, name, site))?;
        Ok(Chebyshev { operator, dtype, interval, steps })
    }
}

impl LinearOperator for Chebyshev<'_> {
    fn shape(&self) -> [usize; 2] {
        self.operator.shape()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || {
            let [low, high] = self.interval;
            let (centre, radius) = ((high + low) / 2.0, (high - low) / 2.0);
            let mut r = x.clone();
            let mut direction = x * (1.0 / centre);
            let mut solution = direction.clone();
            let mut rho = radius / centre;
            for _ in 1..self.steps {
                // Not in place: it would change the argument.
                r = &r - self.operator.apply(&direction)?;
                let next = 1.0 / (2.0 * centre / radius - rho);
                // With an interval of one point the first step is exact.
                let factors = if radius == 0.0 {
                    [0.0, 1.0 / centre]
                } else {
                    [next * rho, 2.0 * next / radius]
                };
                direction = direction * factors[0] + &r * factors[1];
                solution = &solution + &direction;
                rho = next;
            }
            solution.into_result()
        })
    }

    /// The polynomial has real factors and the operator is Hermitian, so it is its own adjoint.
    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.apply(x)
    }
}
