//! The methods of NumPy's ufuncs.

use crate::array::Array;
use crate::elementwise::try_elementwise;
use crate::error::{Error, Site, call_site, within};
use crate::indexing::combine_at;
use crate::manipulation::{along, refused, span};
use crate::operand::Argument;
use crate::reductions::Axes;
use phalanx_ops::error::OpError;
use phalanx_ops::{Arg, Casting, DType, Index, Monoid, Op, Scalar, Weak};

/// An elementwise operation as an object with methods; see [`ufunc`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ufunc {
    pub(crate) op: Op,
}

/// The methods of an elementwise operation of two operands: NumPy's `add.reduce` is
/// `ufunc(Op::Add).reduce`.
#[must_use]
pub const fn ufunc(op: Op) -> Ufunc {
    Ufunc { op }
}

impl Ufunc {
    /// The error of a method that the operation does not have.
    fn refuse(self, method: &'static str, why: &str, site: Site) -> Error {
        refused(method, "ufunc", format!("{} ({why})", self.op.name()), site)
    }

    pub(crate) fn check_binary(self, method: &'static str, site: Site) -> Result<(), Error> {
        if self.op.arity() == 2 {
            return Ok(());
        }
        Err(self.refuse(method, "it has not two operands", site))
    }

    /// NumPy's `ufunc.reduce` over `axes` (which NumPy takes to be 0 if they are not said).
    ///
    /// Options and errors as [`Array::sum`] where the operation is associative. Local (records
    /// nodes). Errors: `OpError::Argument` for an operation of one operand, for several axes of one
    /// whose order matters, and for one that cannot be reduced yet.
    #[track_caller]
    #[must_use]
    pub fn reduce(self, array: &Array, axes: impl Into<Axes>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        Array::catch(within(site, || self.try_reduce(array, &axes, site)))
    }

    fn try_reduce(self, array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
        self.check_binary("reduce", site)?;
        axes.resolve(array.ok()?.ndim(), site)?;
        let reduced = match self.op {
            Op::Add => array.sum(axes.clone()),
            Op::Multiply => array.prod(axes.clone()),
            Op::Minimum => array.min(axes.clone()),
            Op::Maximum => array.max(axes.clone()),
            Op::LogicalAnd => array.all(axes.clone()),
            Op::LogicalOr => array.any(axes.clone()),
            Op::Fmin => crate::reductions::nanmin(array, axes.clone()),
            Op::Fmax => crate::reductions::nanmax(array, axes.clone()),
            Op::BitwiseAnd => return self.monoid(Monoid::BitAnd, array, axes, site),
            Op::BitwiseOr => return self.monoid(Monoid::BitOr, array, axes, site),
            Op::BitwiseXor => return self.monoid(Monoid::BitXor, array, axes, site),
            Op::LogAddExp => return self.monoid(Monoid::LogAddExp, array, axes, site),
            Op::LogAddExp2 => return logaddexp2(array, axes, site),
            Op::LogicalXor => {
                axes.allow("reduce", &["masked", "out"], site)?;
                let truth = array.converted(DType::Bool, site);
                return truth.reduce_into(Monoid::BitXor, DType::Bool, axes, site);
            }
            Op::Subtract => return self.subtract(array, axes, site),
            _ => return self.reduce_by_scan(array, axes, site),
        };
        reduced.ok().cloned()
    }

    /// A reduction by a monoid that no other function has.
    fn monoid(
        self,
        monoid: Monoid,
        array: &Array,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        axes.allow("reduce", &["masked", "dtype", "out"], site)?;
        let given = Arg::Strong(axes.has_dtype().unwrap_or(array.dtype()));
        let signature = self.op.resolve(&[given, given]).map_err(|error| Error::op(error, site))?;
        let dtype = signature.output;
        if monoid == Monoid::LogAddExp && array.size() == 0 {
            // A sum of nothing is the logarithm of zero.
            let nothing =
                array.converted(dtype, site).reduce_with(Monoid::Add, dtype, axes, site)?;
            let identity = Scalar::from_weak(dtype, Weak::Float(f64::NEG_INFINITY));
            return Ok(nothing + identity);
        }
        array.reduce_with(monoid, dtype, axes, site)?.into_out(axes, Casting::Unsafe, site)
    }

    /// The first element along an axis less the sum of the others.
    fn subtract(self, array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
        axes.allow("reduce", &["out"], site)?;
        let removed = axes.resolve(array.ndim(), site)?;
        if array.dtype() == DType::Bool {
            let (operation, dtypes) = ("subtract", vec![DType::Bool]);
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        if removed.is_empty() {
            let same = try_elementwise(Op::Positive, &[array.into()], site)?;
            return same.into_out(axes, Casting::Unsafe, site);
        }
        let &[axis] = removed.as_slice() else {
            return Err(self.refuse("reduce", "its order matters: name one axis", site));
        };
        if array.shape()[axis as usize] == 0 {
            return Err(Error::op(OpError::EmptyReduction { operation: "subtract" }, site));
        }
        let axis = usize::from(axis);
        let sum = |start: usize, stop: usize| {
            let part = array.slice(along(array.ndim(), axis, span(start, stop)));
            part.reduce_with(Monoid::Add, array.dtype(), &axes.plain(), site)
        };
        let (first, others) = (sum(0, 1)?, sum(1, array.shape()[axis])?);
        (first - others).ok()?.clone().into_out(axes, Casting::Unsafe, site)
    }

    /// A reduction by an operation whose order matters: the last of the running combinations along
    /// one axis.
    fn reduce_by_scan(self, array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
        axes.allow("reduce", &["dtype", "out"], site)?;
        let removed = axes.resolve(array.ndim(), site)?;
        let [axis] = removed.as_slice() else {
            return Err(self.refuse(
                "reduce",
                "its order matters, so that it takes one axis",
                site,
            ));
        };
        let axis = usize::from(*axis);
        if array.shape()[axis] == 0 {
            return Err(Error::op(OpError::EmptyReduction { operation: self.op.name() }, site));
        }
        let given = match axes.has_dtype() {
            Some(dtype) => array.converted(dtype, site),
            None => array.clone(),
        };
        let running = crate::scans::accumulate(self.op, &given, axis as i64, site)?;
        let last = within(site, || {
            running.slice(along(running.ndim(), axis, Index::At(-1))).copy().ok().cloned()
        })?;
        last.with_kept_axes(array.shape(), axes, site)?.into_out(axes, Casting::Unsafe, site)
    }

    /// NumPy's `ufunc.accumulate`: the running combinations along an axis.
    ///
    /// Shape: that of the array. Local (records a node). Errors: `OpError::Axis`, `OpError::Dtype`
    /// for an operation without a loop from and to one dtype.
    #[track_caller]
    #[must_use]
    pub fn accumulate(self, array: &Array, axis: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.check_binary("accumulate", site)?;
            crate::scans::accumulate(self.op, array, axis, site)
        })())
    }

    /// NumPy's `ufunc.reduceat`: combinations of the stretches of an axis that begin at `starts`;
    /// where the next start is not larger, the element at the start.
    ///
    /// Collective where starts may be outside of the axis, else Local. Errors as
    /// [`Ufunc::accumulate`], `OpError::Ndim`, `OpError::Cast`, `DataError::PositionsBeyond`.
    #[track_caller]
    #[must_use]
    pub fn reduceat(self, array: &Array, starts: &Array, axis: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.check_binary("reduceat", site)?;
            crate::scans::reduce_at(self.op, array, starts, axis, site)
        })())
    }

    /// NumPy's `ufunc.at`: `a[positions] = op(a[positions], values)` along the first axis, for each
    /// position as often as it stands there.
    ///
    /// Collective where positions may be outside of the axis, else Local. Errors as
    /// [`Array::assign`], `OpError::Indices`, `DataError::IndexRange`.
    #[track_caller]
    pub fn at(self, array: &Array, positions: &Array, values: impl Into<Argument>) {
        if let Err(error) = self.try_at(array, positions, values) {
            array.poison(error);
        }
    }

    /// As [`Ufunc::at`], but an error is returned and leaves the array as it was.
    #[track_caller]
    pub fn try_at(
        self,
        array: &Array,
        positions: &Array,
        values: impl Into<Argument>,
    ) -> Result<(), Error> {
        let (site, values) = (call_site(), values.into());
        self.check_binary("at", site)?;
        combine_at(self.op, array, positions, &values, site)
    }

    /// NumPy's `ufunc.outer`: the operation on every pair of an element of `a` and one of `b`.
    ///
    /// Shape that of `a` and then that of `b`. Local (records a node). Errors: as the operation,
    /// `OpError::Argument` for an operation of one operand, `OpError::TooManyAxes`.
    #[track_caller]
    #[must_use]
    pub fn outer(self, a: &Array, b: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.check_binary("outer", site)?;
            let mut shape = a.ok()?.shape().to_vec();
            shape.resize(a.ndim() + b.ok()?.ndim(), 1);
            let rows = within(site, || a.reshape(shape));
            try_elementwise(self.op, &[rows.into(), b.into()], site)
        })())
    }
}

/// By the natural exponential, which has a monoid.
fn logaddexp2(array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
    let given = Arg::Strong(array.dtype());
    let signature =
        Op::LogAddExp2.resolve(&[given, given]).map_err(|error| Error::op(error, site))?;
    let natural = array.converted(signature.output, site) * std::f64::consts::LN_2;
    let reduced = ufunc(Op::LogAddExp).try_reduce(&natural, &axes.plain(), site)?;
    axes.allow("reduce", &["out"], site)?;
    (reduced * std::f64::consts::LOG2_E).ok()?.clone().into_out(axes, Casting::Unsafe, site)
}
