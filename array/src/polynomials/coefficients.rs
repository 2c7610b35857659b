//! Polynomials as vectors of coefficients, highest power first.

use crate::array::Array;
use crate::creation::{arange, eye, zeros};
use crate::indexing::nonzero;
use crate::linalg::eigvals;
use crate::manipulation::{refused, try_concatenate};
use crate::math::{ConvolveMode, convolve};
use crate::recording::{in_place_on_mesh_of, on_mesh_of};
use crate::s;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Kind, Op, promote};

/// Refuses coefficients without an axis, as Python refuses `len` of a number.
fn check_sequence(operation: &'static str, p: &Array, site: Site) -> Result<(), Error> {
    if p.ok()?.ndim() > 0 {
        return Ok(());
    }
    let problem = "the coefficients must have an axis";
    Err(Error::op(OpError::Arguments { operation, problem }, site))
}

/// The coefficients of one polynomial as a vector. A 0-d array is one coefficient.
fn vector(operation: &'static str, p: &Array, site: Site) -> Result<Array, Error> {
    match p.ok()?.ndim() {
        0 | 1 => Ok(p.reshape([-1])),
        ndim => Err(Error::op(OpError::Ndim { operation, expected: "at most 1", ndim }, site)),
    }
}

/// NumPy's `polyval`: the polynomial with the coefficients `p` at each element of `x`, by Horner's
/// rule. With several axes, the coefficients are along the first axis.
///
/// Shape: that of `x`, broadcast with the other axes of `p`; dtype `promote(p, x)`. Local (records
/// two nodes for each coefficient, which fuse). Errors: `OpError::Arguments` for a `p` without
/// axes, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn polyval(p: &Array, x: &Array) -> Array {
    let site = call_site();
    in_place_on_mesh_of(x, site, || {
        check_sequence("polyval", p, site)?;
        let mut value = zeros(x.shape(), x.dtype());
        for place in 0..p.shape()[0] as i64 {
            value = value * x + p.slice([Index::At(place)]);
        }
        value.into_result()
    })
}

/// NumPy's `roots`: the roots of the polynomial, with their multiplicities and unordered, as the
/// eigenvalues of its companion matrix.
///
/// Shape `(n)`, where `n + 1` is the number of coefficients without leading zeros. Dtype: as of
/// [`eigvals`](crate::linalg::eigvals). Collective over the mesh. Errors: `OpError::Ndim`,
/// `DataError::NotConverged`.
#[track_caller]
#[must_use]
pub fn roots(p: &Array) -> Array {
    let site = call_site();
    on_mesh_of(p, site, || {
        let p = vector("roots", p, site)?;
        let places = nonzero(&p)?.swap_remove(0).to_vec::<i64>()?;
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
            return zeros([0], DType::F64).into_result();
        };
        let dtype = match p.dtype().kind() {
            Kind::Float | Kind::Complex => p.dtype(),
            _ => DType::F64,
        };
        let leading = p.slice(s![first..last + 1]).astype(dtype);
        let degree = last - first;
        let zero_roots = p.size() as i64 - last - 1;
        let found = if degree == 0 {
            zeros([0], DType::F64)
        } else {
            let companion = eye(degree as usize, None, -1, dtype);
            companion.slice(s![0]).try_assign(-leading.slice(s![1..]) / leading.at([0]))?;
            eigvals(&companion)
        };
        found.ok()?;
        let none = zeros([zero_roots], found.dtype());
        try_concatenate(&[&found, &none], &0.into(), None, site)
    })
}

/// NumPy's `polyadd`: the sum of two polynomials. A number is a polynomial of degree 0. Local
/// (records nodes). Errors: `OpError::Broadcast` for arrays of several axes that do not broadcast.
#[track_caller]
#[must_use]
pub fn polyadd(a: &Array, b: &Array) -> Array {
    combined(Op::Add, a, b, call_site())
}

/// NumPy's `polysub`: the difference of two polynomials. See [`polyadd`].
#[track_caller]
#[must_use]
pub fn polysub(a: &Array, b: &Array) -> Array {
    combined(Op::Subtract, a, b, call_site())
}

fn combined(op: Op, a: &Array, b: &Array, site: Site) -> Array {
    on_mesh_of(a, site, || {
        a.ok()?;
        b.ok()?;
        let (a, b) = (crate::atleast_1d(a), crate::atleast_1d(b));
        let length = a.shape()[0].max(b.shape()[0]);
        let lengthened = |p: &Array| {
            if p.shape()[0] == length {
                return Ok(p.clone());
            }
            let zeros = zeros(length - p.shape()[0], p.dtype());
            try_concatenate(&[&zeros, p], &0.into(), None, site)
        };
        Array::apply(op, &[lengthened(&a)?.into(), lengthened(&b)?.into()]).into_result()
    })
}

/// NumPy's `polymul`: the product of two polynomials without leading zeros. A number is a
/// polynomial of degree 0.
///
/// Collective over the mesh: the length depends on data. Otherwise as [`convolve`].
#[track_caller]
#[must_use]
pub fn polymul(a: &Array, b: &Array) -> Array {
    let site = call_site();
    on_mesh_of(a, site, || {
        let (a, b) = (vector("polymul", a, site)?, vector("polymul", b, site)?);
        let (a, b) = (without_leading_zeros(&a)?, without_leading_zeros(&b)?);
        convolve(&a, &b, ConvolveMode::Full).into_result()
    })
}

/// The polynomial without leading zeros; one zero if all coefficients are zero.
fn without_leading_zeros(p: &Array) -> Result<Array, Error> {
    if p.size() == 0 {
        return Ok(zeros(1usize, p.dtype()));
    }
    let nonzero = p.not_equal(0);
    // The first read closes the window, which computes both.
    let (any, first) = (nonzero.any(()), nonzero.argmax(()));
    if !any.item::<bool>()? {
        return Ok(zeros(1usize, p.dtype()));
    }
    Ok(p.slice(s![first.item::<i64>()?..]))
}

/// NumPy's `polyder`: the derivative of order `m`. Local (records nodes). Errors:
/// `OpError::Argument` for a negative order, `OpError::Arguments` for a `p` without axes.
#[track_caller]
#[must_use]
pub fn polyder(p: &Array, m: i64) -> Array {
    let site = call_site();
    on_mesh_of(p, site, || {
        if m < 0 {
            return Err(refused("polyder", "m", m.to_string(), site));
        }
        check_sequence("polyder", p, site)?;
        let next = |p: &Array| {
            let degree = p.ok()?.shape()[0] as i64 - 1;
            Ok::<Array, Error>(p.slice(s![..-1]) * arange(degree, 0, -1))
        };
        let mut derivative = p.clone();
        for _ in 0..m.min(p.shape()[0] as i64 + 1) {
            derivative = next(&derivative)?;
        }
        // NumPy computes one more order, so axes that do not broadcast there are refused.
        next(&derivative)?.ok()?;
        derivative.into_result()
    })
}

/// NumPy's `polyint`: the integral of order `m`. `k` are the integration constants, one for each
/// order or one for all; the default is zero.
///
/// Dtype: at least `f64` for integers. Local (records nodes). Errors: `OpError::Argument` for a
/// negative order or too few constants, `OpError::Arguments` for a `p` without axes.
#[track_caller]
#[must_use]
pub fn polyint(p: &Array, m: i64, k: Option<&Array>) -> Array {
    let site = call_site();
    on_mesh_of(p, site, || {
        if m < 0 {
            return Err(refused("polyint", "m", m.to_string(), site));
        }
        let constants = match k {
            None => zeros(m as usize, DType::F64),
            Some(k) if k.ok()?.size() == 1 && k.ndim() < 2 && m > 1 => {
                k.reshape([-1i64]).broadcast_to([m as usize]).astype(promote(k.dtype(), DType::F64))
            }
            Some(k) => crate::atleast_1d(k),
        };
        if (constants.ok()?.shape()[0] as i64) < m {
            let given = format!("{} constants", constants.shape()[0]);
            return Err(refused("polyint", "k", given, site));
        }
        let mut integral = p.ok()?.clone();
        for order in 0..m {
            check_sequence("polyint", &integral, site)?;
            let divided = &integral / arange(integral.shape()[0] as i64, 0, -1);
            let constant = constants.slice(s![order..order + 1]);
            integral = try_concatenate(&[&divided, &constant], &0.into(), None, site)?;
        }
        Ok(integral)
    })
}
