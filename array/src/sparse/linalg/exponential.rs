//! Products of the exponential of an operator.

use super::numbers::{computed, epsilon, factor, read_real};
use super::one_norm::OneNorm;
use super::operator::{LinearOperator, Prepared};
use crate::array::Array;
use crate::manipulation::refused;
use num_complex::Complex64;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, promote};

/// The highest degree of the Taylor polynomial, and the highest power whose norm is estimated.
const MOST_TERMS: usize = 55;
const MOST_POWERS: usize = 8;
/// Terms between two reads that decide whether the series has converged.
const TERMS_OF_READ: usize = 4;

/// SciPy's `expm_multiply`: the product of the exponential of `t A` with a vector or with the
/// columns of a matrix, without the exponential itself.
///
/// Shapes `(n, n), (n) -> (n)` or `(n, n), (n, k) -> (n, k)`. Dtype: the promotion of both, complex
/// if `t` is. An operator that does not state its 1-norm ([`LinearOperator::one_norm`]) needs its
/// adjoint, with which the norm is estimated. Collective over the mesh: reads norms, once for every
/// four terms of the series. Errors: `OpError::Argument` for other shapes, and the errors of the
/// operator.
///
/// Source: A. H. Al-Mohy, N. J. Higham, "Computing the action of the matrix exponential, with an
/// application to exponential integrators" (2011), algorithm 3.2.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::expm_multiply;
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// expm_multiply(matrix, b, -0.5)
/// # }
/// ```
#[track_caller]
pub fn expm_multiply(
    operator: &dyn LinearOperator,
    b: &Array,
    t: impl Into<Complex64>,
) -> Result<Array, Error> {
    let (site, t) = (call_site(), t.into());
    within(site, || {
        let exponential = Exponential::new(operator, b, t, site)?;
        exponential.applied(&b.converted(exponential.dtype, site), t)
    })
}

/// SciPy's `expm_multiply` with `start`, `stop` and `num`: the products for `num` times, from
/// `start` to `stop` at equal steps, each computed from the one before.
///
/// Shapes: the times come before the axes of `b`. Collectivity and errors: those of
/// [`expm_multiply`], and `OpError::Argument` for no times.
///
/// Source: Al-Mohy and Higham (see [`expm_multiply`]), section 5, without the reuse of products
/// over several steps.
#[track_caller]
pub fn expm_multiply_range(
    operator: &dyn LinearOperator,
    b: &Array,
    [start, stop]: [f64; 2],
    num: usize,
) -> Result<Array, Error> {
    let site = call_site();
    within(site, || {
        if num == 0 {
            return Err(refused("expm_multiply", "num", "0", site));
        }
        let exponential = Exponential::new(operator, b, 1.0.into(), site)?;
        let step = if num > 1 { (stop - start) / (num - 1) as f64 } else { 0.0 };
        let first = exponential.applied(&b.converted(exponential.dtype, site), start.into())?;
        let mut all = vec![first];
        while all.len() < num {
            let next = exponential.applied(&all[all.len() - 1], step.into())?;
            all.push(next);
        }
        crate::manipulation::stack(&all.iter().collect::<Vec<_>>(), 0).into_result()
    })
}

struct Exponential<'a> {
    operator: Prepared<'a>,
    dtype: DType,
    rows: usize,
    /// The mean of the diagonal, which is taken out of the operator; 0 if it is not known.
    mean: Complex64,
    norm: OneNorm,
}

impl<'a> Exponential<'a> {
    fn new(
        operator: &'a dyn LinearOperator,
        b: &Array,
        t: Complex64,
        site: Site,
    ) -> Result<Exponential<'a>, Error> {
        let name = "expm_multiply";
        let [rows, columns] = operator.shape();
        if rows != columns {
            let value = format!("{:?}", operator.shape());
            return Err(refused(name, "the shape of the operator", value, site));
        }
        if !matches!(b.ok()?.ndim(), 1 | 2) || b.shape()[0] != rows {
            let value = format!("{:?}", b.shape());
            return Err(refused(name, "the shape of b", value, site));
        }
        let mut dtype = promote(computed(operator.dtype()), computed(b.dtype()));
        if t.im != 0.0 {
            dtype = promote(dtype, DType::C64);
        }
        let operator = Prepared::new(operator, dtype, name, site)?;
        let mean = match operator.get().trace()? {
            Some(trace) if rows > 0 => trace.item::<Complex64>()? / rows as f64,
            _ => Complex64::default(),
        };
        let norm = OneNorm::new(b.mesh()?, rows, dtype, site);
        Ok(Exponential { operator, dtype, rows, mean, norm })
    }

    /// `(A - mean I) x`.
    fn shifted(&self, x: &Array) -> Result<Array, Error> {
        let product = match x.ndim() {
            1 => self.operator.apply(x)?,
            _ => self.operator.apply_block(x)?,
        };
        if self.mean == Complex64::default() {
            return Ok(product);
        }
        (product - x * factor(self.mean, self.dtype)).into_result()
    }

    fn adjoint_shifted(&self, x: &Array) -> Result<Array, Error> {
        let product = self.operator.apply_adjoint_block(x)?;
        if self.mean == Complex64::default() {
            return Ok(product);
        }
        (product - x * factor(self.mean.conj(), self.dtype)).into_result()
    }

    /// `exp(t A) b`.
    fn applied(&self, b: &Array, t: Complex64) -> Result<Array, Error> {
        if b.size() == 0 || t == Complex64::default() {
            return b.copy().into_result();
        }
        let unit = epsilon(self.dtype) / 2.0;
        let columns = if b.ndim() == 1 { 1 } else { b.shape()[1] };
        let (terms, steps) = self.plan(t, columns, unit)?;
        let growth = (self.mean * t / steps as f64).exp();
        let (mut f, mut b) = (b.clone(), b.clone());
        for _ in 0..steps {
            for term in 1..=terms {
                let scale = t / (steps as f64 * term as f64);
                let before = b.clone();
                b = self.shifted(&b)? * factor(scale, self.dtype);
                f = &f + &b;
                if term % TERMS_OF_READ == 0 {
                    let sizes = read_real(&[&row_norm(&before), &row_norm(&b), &row_norm(&f)])?;
                    if sizes[0] + sizes[1] <= unit * sizes[2] {
                        break;
                    }
                }
            }
            f = &f * factor(growth, self.dtype);
            b = f.clone();
        }
        f.into_result()
    }

    /// The number of terms and of steps with the fewest products. Source: Al-Mohy and Higham (see
    /// [`expm_multiply`]), code fragment 3.1.
    fn plan(&self, t: Complex64, columns: usize, unit: f64) -> Result<(usize, usize), Error> {
        let thetas: Vec<f64> = (1..=MOST_TERMS).map(|terms| theta(terms, unit)).collect();
        let product = |x: &Array| self.shifted(x);
        let adjoint = |x: &Array| self.adjoint_shifted(x);
        let size = t.norm();
        let known = match self.operator.get().one_norm()? {
            // An upper bound of the norm without the mean.
            Some(norm) if self.mean != Complex64::default() => {
                read_real(&[&norm])?[0] + self.mean.norm()
            }
            Some(norm) => read_real(&[&norm])?[0],
            None => self.norm.estimate(&product, &adjoint, 1)?.norm,
        };
        let whole = size * known;
        if whole == 0.0 || self.rows == 0 {
            return Ok((1, 1));
        }
        if !whole.is_finite() {
            return Ok((MOST_TERMS, 1));
        }
        let cost = |norm: f64, terms: usize| (norm / thetas[terms - 1]).ceil().max(1.0) as usize;
        let plain = (1..=MOST_TERMS)
            .map(|terms| (terms * cost(whole, terms), terms, cost(whole, terms)))
            .min()
            .unwrap_or((MOST_TERMS, MOST_TERMS, 1));
        // Estimates of powers pay only if they can save more products than they cost.
        let bound = 2.0 * 2.0 * (MOST_POWERS * (MOST_POWERS + 3)) as f64;
        let few = bound * thetas[MOST_TERMS - 1] / (columns as f64 * MOST_TERMS as f64);
        if whole <= few || !self.has_adjoint()? {
            return Ok((plain.1, plain.2));
        }
        let mut roots = vec![whole];
        for power in 2..=MOST_POWERS + 1 {
            let found = self.norm.estimate(&product, &adjoint, power)?.norm;
            roots.push(size * found.powf(1.0 / power as f64));
        }
        let mut best = plain;
        for power in 2..=MOST_POWERS {
            let alpha = roots[power - 1].max(roots[power]);
            for terms in power * (power - 1) - 1..=MOST_TERMS {
                let steps = cost(alpha, terms);
                best = best.min((terms * steps, terms, steps));
            }
        }
        Ok((best.1, best.2))
    }

    /// Whether products with the adjoint are possible.
    fn has_adjoint(&self) -> Result<bool, Error> {
        let nothing = self.norm.zeros()?;
        Ok(self.operator.get().apply_adjoint(&nothing).is_ok())
    }
}

/// The largest sum of absolute values of a row.
fn row_norm(x: &Array) -> Array {
    if x.ndim() == 1 { x.absolute().max(()) } else { x.absolute().sum(1).max(()) }
}

/// The largest norm for which the Taylor polynomial of a degree has a backward error of at most
/// `unit`: the solution of `Σ |c_k| θ^(k-1) = unit`, for the series `Σ c_k x^k` of
/// `log(exp(-x) T(x))`.
/// To first order, which is exact up to degree `2 m + 1`, `|c_k|` is the binomial coefficient of
/// `k - 1` over `m`, divided by `k!`. Source: Al-Mohy and Higham (see [`expm_multiply`]), (3.4).
fn theta(terms: usize, unit: f64) -> f64 {
    let error = |theta: f64| {
        let mut term = 1.0;
        for k in 1..=terms {
            term *= theta / k as f64;
        }
        let (mut sum, mut k) = (0.0, terms + 1);
        // The term of `k` without its binomial coefficient is θ^(k-1) / k!.
        term /= k as f64;
        let mut binomial = 1.0;
        for _ in 0..200 {
            sum += term * binomial;
            binomial *= k as f64 / (k - terms) as f64;
            k += 1;
            term *= theta / k as f64;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 32.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if error(middle) <= unit { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::theta;

    /// Values of table 3.1 of the paper, for double and single precision.
    #[test]
    fn bounds_are_those_of_the_paper() {
        let near = |terms: usize, unit: f64, wanted: f64| {
            let found = theta(terms, unit);
            assert!((found - wanted).abs() <= 0.06 * wanted, "{terms}: {found}");
        };
        for (terms, wanted) in [(5, 2.4e-3), (10, 1.4e-1), (20, 1.4), (30, 3.5), (55, 9.9)] {
            near(terms, f64::EPSILON / 2.0, wanted);
        }
        near(10, f64::from(f32::EPSILON) / 2.0, 1.0);
    }
}
