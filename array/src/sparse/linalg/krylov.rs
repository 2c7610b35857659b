//! The growth of a Krylov space, and the options and results of the eigensolvers that use it.

use super::basis::{Basis, read_all};
use super::dense::Dense;
use super::numbers::{computed, norm, reciprocal};
use super::operator::{LinearOperator, Prepared};
use crate::array::Array;
use crate::manipulation::refused;
use crate::math::select;
use crate::random::seeded;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, promote};

/// Which eigenvalues are wanted: SciPy's `which`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Which {
    /// `LM`: the largest absolute values.
    #[default]
    LargestMagnitude,
    /// `SM`: the smallest absolute values.
    SmallestMagnitude,
    /// `LA` of `eigsh`, `LR` of `eigs`: the largest real parts.
    LargestReal,
    /// `SA` of `eigsh`, `SR` of `eigs`: the smallest real parts.
    SmallestReal,
    /// `LI` of `eigs`: the largest imaginary parts; their absolute values for a real operator,
    /// whose eigenvalues come in conjugate pairs.
    LargestImaginary,
    /// `SI` of `eigs`: the smallest imaginary parts, or absolute values of them likewise.
    SmallestImaginary,
    /// `BE` of `eigsh`: half from each end of the spectrum, one more from the high end.
    BothEnds,
}

impl Which {
    /// The positions of eigenvalues, the most wanted first.
    pub(super) fn order(self, values: &[Complex64], is_real: bool) -> Vec<usize> {
        let imaginary = |value: Complex64| if is_real { value.im.abs() } else { value.im };
        let key = |value: Complex64| match self {
            Which::LargestMagnitude => -value.norm_sqr(),
            Which::SmallestMagnitude => value.norm_sqr(),
            Which::LargestReal | Which::BothEnds => -value.re,
            Which::SmallestReal => value.re,
            Which::LargestImaginary => -imaginary(value),
            Which::SmallestImaginary => imaginary(value),
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| key(values[a]).total_cmp(&key(values[b])));
        if self == Which::BothEnds {
            let count = order.len();
            let from_ends =
                |at: usize| if at.is_multiple_of(2) { at / 2 } else { count - 1 - at / 2 };
            order = (0..count).map(|at| order[from_ends(at)]).collect();
        }
        order
    }
}

/// The options of `eigsh`, `eigs` and `svds`. The default has SciPy's values.
#[derive(Clone)]
pub struct EigenOptions<'a> {
    pub(super) which: Which,
    pub(super) ncv: Option<usize>,
    pub(super) tol: f64,
    pub(super) maxiter: Option<usize>,
    pub(super) v0: Option<Array>,
    pub(super) shift: Option<(Complex64, &'a dyn LinearOperator)>,
}

impl Default for EigenOptions<'_> {
    fn default() -> Self {
        let which = Which::default();
        EigenOptions { which, ncv: None, tol: 0.0, maxiter: None, v0: None, shift: None }
    }
}

impl<'a> EigenOptions<'a> {
    /// The wanted eigenvalues. The default is those of largest magnitude.
    #[must_use]
    pub fn which(self, which: Which) -> Self {
        EigenOptions { which, ..self }
    }

    /// The dimension of the search space, more than the wanted eigenvalues: by default twice their
    /// number and one, and at least 20.
    #[must_use]
    pub fn ncv(self, ncv: impl Into<Option<usize>>) -> Self {
        EigenOptions { ncv: ncv.into(), ..self }
    }

    /// The allowed norm of the residual of a vector of norm 1, relative to its eigenvalue; 0 stands
    /// for the rounding unit. The default is 0.
    #[must_use]
    pub fn tol(self, tol: f64) -> Self {
        EigenOptions { tol, ..self }
    }

    /// The most restarts. The default is ten for each row.
    #[must_use]
    pub fn maxiter(self, maxiter: impl Into<Option<usize>>) -> Self {
        EigenOptions { maxiter: maxiter.into(), ..self }
    }

    /// The start, a vector. The default is drawn with a fixed seed.
    #[must_use]
    pub fn v0(self, v0: &Array) -> Self {
        EigenOptions { v0: Some(v0.clone()), ..self }
    }

    /// Looks for the eigenvalues near `sigma` by the products of `(A - sigma I)⁻¹`: SciPy's `sigma`
    /// and `OPinv`. `which` then selects among `1 / (λ - sigma)`.
    #[must_use]
    pub fn sigma(self, sigma: impl Into<Complex64>, inverse: &'a dyn LinearOperator) -> Self {
        EigenOptions { shift: Some((sigma.into(), inverse)), ..self }
    }
}

/// Eigenvalues and eigenvectors.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// The eigenvalues `(k)`.
    pub eigenvalues: Array,
    /// The eigenvectors in columns, of norm 1, `(n, k)`.
    pub eigenvectors: Array,
    /// The number of pairs that converged: `k`, unless the limit of restarts came first.
    pub converged: usize,
    /// The number of restarts.
    pub restarts: usize,
    /// The number of products with the operator.
    pub products: usize,
}

/// A Krylov space of an operator.
pub(super) struct Krylov<'a> {
    operator: Prepared<'a>,
    pub(super) mesh: MeshHandle,
    pub(super) dtype: DType,
    pub(super) rows: usize,
    pub(super) site: Site,
    /// The dimension of the space.
    pub(super) most: usize,
    pub(super) basis: Basis,
    /// The Rayleigh quotient, with a row for the vector after the last one.
    pub(super) quotient: Dense,
    pub(super) products: usize,
    seed: u64,
}

impl<'a> Krylov<'a> {
    /// Checks the arguments and starts the space. Local (records nodes). `wanted` is the number of
    /// eigenvalues; `is_complex` asks for complex vectors.
    pub(super) fn new(
        name: &'static str,
        operator: &'a dyn LinearOperator,
        wanted: usize,
        options: &EigenOptions<'a>,
        is_complex: bool,
        mesh: &MeshHandle,
        site: Site,
    ) -> Result<Krylov<'a>, Error> {
        let refuse = |argument, value: String| Err(refused(name, argument, value, site));
        let [rows, columns] = operator.shape();
        if rows != columns {
            return refuse("the shape of the operator", format!("{:?}", operator.shape()));
        }
        if wanted == 0 || wanted > rows {
            return refuse("k", wanted.to_string());
        }
        let most = options.ncv.unwrap_or_else(|| (2 * wanted + 1).max(20).min(rows));
        if most > rows || most < wanted || (most == wanted && wanted < rows) {
            return refuse("ncv", most.to_string());
        }
        let operator = options.shift.map_or(operator, |(_, inverse)| inverse);
        if operator.shape() != [rows, rows] {
            return refuse("the shape of the inverse", format!("{:?}", operator.shape()));
        }
        let mut dtype = computed(operator.dtype());
        if let Some(v0) = &options.v0 {
            if v0.ok()?.shape() != [rows] {
                return refuse("the shape of v0", format!("{:?}", v0.shape()));
            }
            dtype = promote(dtype, computed(v0.dtype()));
        }
        if is_complex {
            dtype = promote(dtype, DType::C64);
        }
        let operator = Prepared::new(operator, dtype, name, site)?;
        let basis = Basis::new(mesh, [rows, most + 1], dtype, site)?;
        let quotient = Dense::zeros(most + 1, most);
        let mut space = Krylov {
            operator,
            mesh: mesh.clone(),
            dtype,
            rows,
            site,
            most,
            basis,
            quotient,
            products: 0,
            seed: 0,
        };
        let start = match &options.v0 {
            Some(v0) => v0.converted(dtype, site),
            None => space.drawn()?,
        };
        space.basis.set(0, &(&start * reciprocal(&norm(&start))))?;
        Ok(space)
    }

    /// A vector of random numbers, the same on any mesh.
    fn drawn(&mut self) -> Result<Array, Error> {
        self.seed += 1;
        drawn(&self.mesh, &[self.rows], self.dtype, self.seed)
    }

    /// Grows the space from some vectors to its dimension, and reads the new columns of the
    /// Rayleigh quotient together. A space that cannot grow goes on with a random vector.
    /// Collective over the mesh.
    pub(super) fn grow(&mut self, from: usize) -> Result<(), Error> {
        let mut from = from;
        while from < self.most {
            let mut v = self.basis.column(from);
            let mut found = Vec::new();
            for at in from..self.most {
                let next = self.basis.orthogonalised(&self.operator.apply(&v)?);
                self.basis.set(at + 1, &next.unit)?;
                v = next.unit;
                found.extend([next.components, next.size]);
            }
            self.products += self.most - from;
            let values = read_all(&found.iter().collect::<Vec<_>>(), self.dtype, self.site)?;
            let rows = self.most + 1;
            let start = from;
            for (at, column) in values.chunks(rows + 1).enumerate() {
                from = start + at;
                // The components along vectors that are not yet set are zero.
                for (row, value) in column[..=from].iter().enumerate() {
                    self.quotient.set(row, from, *value);
                }
                self.quotient.set(from + 1, from, column[rows]);
                from += 1;
                if column[rows].re == 0.0 && from < self.most {
                    self.products -= self.most - from;
                    self.renew(from)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Sets a column to a random vector that is orthogonal to those before it.
    fn renew(&mut self, column: usize) -> Result<(), Error> {
        let random = self.drawn()?;
        // Columns after a zero vector are zero.
        let next = self.basis.orthogonalised(&random);
        self.basis.set(column, &next.unit)
    }

    /// Restarts with some combinations of the vectors, in the columns of a matrix, and the vector
    /// after the last one.
    pub(super) fn restart(&mut self, kept: &Dense) -> Result<(), Error> {
        let last = self.basis.column(self.most);
        let vectors = self.basis.transformed(kept)?;
        let columns = [self.rows, self.most + 1];
        self.basis = Basis::new(&self.mesh, columns, self.dtype, self.site)?;
        self.basis.vectors.slice(crate::s![.., ..kept.columns as i64]).assign(&vectors);
        self.basis.set(kept.columns, &last)
    }

    /// Eigenvalues of the operator of those of an inverse.
    pub(super) fn shifted_back(
        &self,
        values: &[Complex64],
        options: &EigenOptions<'_>,
    ) -> Vec<Complex64> {
        let back = |value: &Complex64| match options.shift {
            Some((sigma, _)) => sigma + value.inv(),
            None => *value,
        };
        values.iter().map(back).collect()
    }
}

/// A random array, the same on any mesh.
pub(super) fn drawn(
    mesh: &MeshHandle,
    shape: &[usize],
    dtype: DType,
    seed: u64,
) -> Result<Array, Error> {
    mesh.enter(|| {
        // A seed that no program of its own is likely to use.
        let generator = seeded(seed ^ 0x6b72_796c_6f76_0000)?;
        let real = generator.standard_normal(shape, dtype.real());
        if !dtype.is_complex() {
            return real.into_result();
        }
        let imaginary = generator.standard_normal(shape, dtype.real());
        (real + imaginary * Complex64::new(0.0, 1.0)).into_result()
    })
}

/// The norms of residuals up to which values have converged. A value counts as at least
/// `unit^(2/3)`, as in ARPACK. Rounding leaves residuals of the unit times the norm of the
/// operator, which the largest value estimates.
pub(super) fn allowed(values: &[Complex64], tol: f64, unit: f64) -> Vec<f64> {
    let tol = if tol > 0.0 { tol } else { unit };
    let sizes: Vec<f64> = values.iter().map(|value| super::dense::absolute(*value)).collect();
    let rounding = unit * sizes.iter().copied().fold(0.0, f64::max);
    let least = cube_root_of_square(unit);
    sizes.iter().map(|size| (tol * size.max(least)).max(rounding)).collect()
}

/// `unit^(2/3)` for the two rounding units, by operations that round alike everywhere.
fn cube_root_of_square(unit: f64) -> f64 {
    let square = unit * unit;
    let mut root = unit;
    for _ in 0..200 {
        root = (2.0 * root + square / (root * root)) / 3.0;
    }
    root
}

/// The error for a `which` that a solver does not have.
pub(super) fn no_such(name: &'static str, which: Which, site: Site) -> Error {
    let value = format!("{which:?}");
    Error::op(OpError::Argument { operation: name, argument: "which", value }, site)
}

/// The columns at norm 1; a column of zeros stays as it is.
pub(super) fn unit_columns(vectors: &Array) -> Array {
    let sizes = super::numbers::squares(vectors).sum(0).sqrt();
    vectors * select(&sizes.equal(0.0), 0.0, 1.0 / sizes)
}
