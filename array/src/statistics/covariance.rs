//! Covariances and correlations.

use super::average::try_average;
use crate::array::Argument;
use crate::array::Array;
use crate::floating::{warn, warn_discarded, warn_where, warns};
use crate::manipulation::try_concatenate;
use crate::math::select;
use crate::products::matmul;
use crate::recording::try_elementwise;
use crate::reductions::{EMPTY_SLICE, NO_DEGREES};
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Op, Weak, promote};

/// Options of a covariance: NumPy's keyword arguments of `cov` and `corrcoef`.
///
/// `()` is the default.
#[derive(Clone, Default)]
pub struct CovarianceOptions {
    more: Option<Array>,
    has_variables_in_columns: bool,
    is_biased: bool,
    ddof: Option<i64>,
    fweights: Option<Array>,
    aweights: Option<Array>,
    dtype: Option<DType>,
}

impl From<()> for CovarianceOptions {
    fn from((): ()) -> CovarianceOptions {
        CovarianceOptions::default()
    }
}

impl CovarianceOptions {
    /// More variables of the same observations: NumPy's `y`.
    #[must_use]
    pub fn with(self, more: &Array) -> CovarianceOptions {
        CovarianceOptions { more: Some(more.clone()), ..self }
    }

    /// Every column is a variable and every row an observation: NumPy's `rowvar=False`.
    #[must_use]
    pub fn columns(self) -> CovarianceOptions {
        CovarianceOptions { has_variables_in_columns: true, ..self }
    }

    /// The divisor is the number of observations: NumPy's `bias=True`.
    #[must_use]
    pub fn biased(self) -> CovarianceOptions {
        CovarianceOptions { is_biased: true, ..self }
    }

    /// Subtracts `ddof` from the number of observations to get the divisor.
    #[must_use]
    pub fn ddof(self, ddof: i64) -> CovarianceOptions {
        CovarianceOptions { ddof: Some(ddof), ..self }
    }

    /// The number of times that each observation was made.
    #[must_use]
    pub fn fweights(self, weights: &Array) -> CovarianceOptions {
        CovarianceOptions { fweights: Some(weights.clone()), ..self }
    }

    /// The weight of each observation.
    #[must_use]
    pub fn aweights(self, weights: &Array) -> CovarianceOptions {
        CovarianceOptions { aweights: Some(weights.clone()), ..self }
    }

    /// The dtype of the result.
    #[must_use]
    pub fn dtype(self, dtype: DType) -> CovarianceOptions {
        CovarianceOptions { dtype: Some(dtype), ..self }
    }

    /// Warns of imaginary parts that the requested dtype discards.
    fn warn_of_dtype(&self, array: &Array, site: Site) -> Result<(), Error> {
        self.dtype.map_or(Ok(()), |dtype| warn_discarded(array.dtype(), dtype, site))
    }

    /// The number that is subtracted from the number of observations.
    fn subtracted(&self) -> i64 {
        self.ddof.unwrap_or(i64::from(!self.is_biased))
    }
}

/// NumPy's `cov`: the covariances of the variables in the rows of a matrix; 0-d for one variable.
///
/// Dtype: at least `f64`, unless the options give a dtype. Local; with weights Collective over the
/// mesh, see [`deferred_errors`](crate::deferred_errors). Errors: `OpError::Ndim`,
/// `OpError::Weights` for weights of the wrong shape, `OpError::Dtype` for `fweights` that are not
/// whole numbers, `OpError::Cast` for a dtype of integers, `DataError::Negative` and
/// `DataError::ZeroWeights` for weights.
#[track_caller]
#[must_use]
pub fn cov(array: &Array, options: impl Into<CovarianceOptions>) -> Array {
    let (site, options) = (call_site(), options.into());
    let covariance = Array::catch((|| {
        options.warn_of_dtype(array, site)?;
        let mesh = array.mesh()?;
        mesh.enter(|| within(site, || try_cov(array, &options, site)))
    })());
    if options.fweights.is_none() && options.aweights.is_none() {
        warn_of_observations(array, &options, options.subtracted(), &covariance, site);
    }
    covariance
}

/// NumPy's `corrcoef`: the correlations of the variables in the rows of a matrix; 0-d for one
/// variable. Options, collectivity and errors: as for [`cov`].
#[track_caller]
#[must_use]
pub fn corrcoef(array: &Array, options: impl Into<CovarianceOptions>) -> Array {
    let (site, options) = (call_site(), options.into());
    let correlation = Array::catch((|| {
        options.warn_of_dtype(array, site)?;
        let mesh = array.mesh()?;
        mesh.enter(|| within(site, || try_corrcoef(array, &options, site)))
    })());
    warn_of_observations(array, &options, 1, &correlation, site);
    correlation
}

/// Warns of covariances of at most `ddof` observations.
fn warn_of_observations(
    array: &Array,
    options: &CovarianceOptions,
    ddof: i64,
    result: &Array,
    site: Site,
) {
    let (variables, observations) = match *array.shape() {
        [] => (1, 1),
        [observations] => (1, observations),
        [first, second, ..] if options.has_variables_in_columns => (second, first),
        [first, second, ..] => (first, second),
    };
    if !warns() || result.ok().is_err() || variables == 0 {
        return;
    }
    if observations == 0 {
        warn(EMPTY_SLICE, result, site);
    }
    if observations as i64 <= ddof {
        warn(NO_DEGREES, result, site);
    }
}

fn try_corrcoef(array: &Array, options: &CovarianceOptions, site: Site) -> Result<Array, Error> {
    let covariance = try_cov(array, options, site)?;
    if covariance.ndim() == 0 {
        // The correlation of one variable with itself is 1, or NaN without variance.
        let itself = covariance.clone();
        return Ok(covariance / itself);
    }
    let variables = covariance.shape()[0];
    let is_diagonal =
        crate::creation::from_function([variables, variables], |index| index[0].equal(&index[1]));
    // Each row of the selection has one nonzero element, so its sum is the diagonal element.
    let diagonal = select(&is_diagonal, covariance.real(), 0.0).sum(1);
    let deviation = diagonal.sqrt();
    let scaled = covariance / deviation.expand_dims(1) / deviation.expand_dims(0);
    // Rounding may give a value outside -1 to 1; NumPy clips it.
    if scaled.dtype().is_complex() {
        let (real, imaginary) = (scaled.real(), scaled.imag());
        return Ok(crate::math::complex(
            real.maximum(-1.0).minimum(1.0),
            imaginary.maximum(-1.0).minimum(1.0),
        )
        .converted(scaled.dtype(), site));
    }
    Ok(scaled.maximum(-1.0).minimum(1.0))
}

/// The matrix with variables in rows, in the dtype of the result.
fn rows(array: &Array, by_columns: bool, dtype: DType, site: Site) -> Array {
    let wide = array.converted(dtype, site);
    match wide.ndim() {
        0 => wide.reshape([1usize, 1]),
        1 => wide.expand_dims(0),
        _ if by_columns => wide.t(),
        _ => wide,
    }
}

fn try_cov(array: &Array, options: &CovarianceOptions, site: Site) -> Result<Array, Error> {
    array.ok()?;
    let mut dtype = promote(array.dtype(), options.dtype.unwrap_or(DType::F64));
    for matrix in std::iter::once(array).chain(&options.more) {
        matrix.ok()?;
        if matrix.ndim() > 2 {
            let (operation, ndim) = ("cov", matrix.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected: "at most 2", ndim }, site));
        }
        dtype = promote(dtype, matrix.dtype());
    }
    if let Some(wanted) = options.dtype {
        dtype = wanted;
    }
    let by_columns = options.has_variables_in_columns;
    let mut variables = rows(array, by_columns, dtype, site);
    // As in NumPy, a first argument without variables ignores further variables and the dtype.
    if variables.ok()?.shape()[0] == 0 {
        return Ok(crate::creation::zeros([0usize, 0], DType::F64));
    }
    if let Some(more) = &options.more {
        // NumPy takes a single row as one variable, whatever the axes of the first argument are.
        let by_columns = by_columns && more.ndim() == 2 && more.shape()[0] != 1;
        let more = rows(more, by_columns, dtype, site);
        variables = try_concatenate(&[&variables, &more], &0.into(), Some(dtype), site)?;
    }
    let observations = variables.shape()[1];
    if let Some(to) = options.dtype.filter(|dtype| !dtype.is_inexact()) {
        // The means, which are subtracted, are floats.
        return Err(Error::op(OpError::cast(DType::F64, to), site));
    }
    let ddof = options.subtracted() as f64;
    let weights = weights(options, observations, site)?;
    let (mean, sum) = try_average(&variables, &1.into(), weights.as_ref(), site)?;
    let least = |divisor: Array| {
        if warns() {
            warn_where(NO_DEGREES, divisor.less_equal(0), site);
        }
        divisor.maximum(0.0).into()
    };
    let divisor: Argument = match (&weights, &options.aweights) {
        (None, _) => Weak::Float((observations as f64 - ddof).max(0.0)).into(),
        (Some(_), None) => least(sum.at([0]).add(-ddof)),
        (Some(weights), Some(aweights)) => {
            let sum = sum.at([0]);
            let lost = (weights * aweights).sum(()) * ddof / &sum;
            least(sum.subtract(lost))
        }
    };
    let deviations = variables - mean.expand_dims(1);
    let weighted = match &weights {
        Some(weights) => &deviations * weights,
        None => deviations.clone(),
    };
    let product = matmul(&deviations, &weighted.t().conjugate());
    let covariance = try_elementwise(Op::Divide, &[product.into(), divisor], site)?;
    Ok(covariance.converted(dtype, site).squeeze())
}

/// The product of the weights of the observations; `None` without weights.
fn weights(
    options: &CovarianceOptions,
    observations: usize,
    site: Site,
) -> Result<Option<Array>, Error> {
    let mut product: Option<Array> = None;
    for (argument, weights) in [("fweights", &options.fweights), ("aweights", &options.aweights)] {
        let Some(weights) = weights else { continue };
        weights.ok()?;
        if argument == "fweights" && weights.dtype().is_inexact() {
            let dtypes = vec![weights.dtype()];
            let error = Error::op(OpError::Dtype { operation: "fweights", dtypes }, site);
            if weights.dtype().is_complex() {
                return Err(error);
            }
            weights.not_equal(weights.rint()).any(()).refuse(error, site)?;
        }
        if weights.shape() != [observations] {
            let (operation, shape) = ("cov", weights.shape().into());
            let error = OpError::Weights { operation, argument, shape, observations };
            return Err(Error::op(error, site));
        }
        let negative = weights.less(0).any(());
        let error = DataError::Negative { operation: "cov", argument };
        negative.refuse(Error::data(error, site), site)?;
        let wide = weights.converted(DType::F64, site);
        product = Some(product.map_or(wide.clone(), |other| other * wide));
    }
    Ok(product)
}
