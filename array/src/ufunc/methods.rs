//! The methods of NumPy's ufuncs.

use crate::array::Argument;
use crate::array::Array;
use crate::floating::{
    check_elementwise, check_reduction, check_scan, kind_of_infinity, warn_discarded,
};
use crate::indexing::{AnyIndex, combine_at};
use crate::manipulation::{AxisList, refused};
use crate::recording::try_elementwise;
use crate::reductions::{Axes, reduce_by};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Op};

/// An elementwise operation as an object with methods, which can be called with options. See
/// [`ufunc`] and [`Ufunc::from_name`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ufunc {
    pub(super) name: &'static str,
    /// The operation that computes the only or the first result.
    pub(super) op: Op,
    /// The operation that computes the second result.
    pub(super) second: Option<Op>,
}

/// The ufunc of an elementwise operation: NumPy's `add.reduce` is `ufunc(Op::Add).reduce`.
#[must_use]
pub const fn ufunc(op: Op) -> Ufunc {
    Ufunc { name: op.name(), op, second: None }
}

impl Ufunc {
    /// The error of a method that the operation does not have.
    pub(super) fn refuse(self, method: &'static str, why: &str, site: Site) -> Error {
        refused(method, "ufunc", format!("{} ({why})", self.name), site)
    }

    pub(crate) fn check_binary(self, method: &'static str, site: Site) -> Result<(), Error> {
        match (self.nin(), self.nout()) {
            (2, 1) => Ok(()),
            (2, _) => Err(self.refuse(method, "it has two results", site)),
            _ => Err(self.refuse(method, "it does not have two operands", site)),
        }
    }

    /// NumPy's `ufunc.reduce` over `axes`. NumPy's own default is axis 0.
    ///
    /// Options: those of [`Array::sum`]. An operation without an identity needs `initial` if there
    /// is a mask; if its order matters too, one operation is recorded for each position along the
    /// axis. Local (records nodes). Errors: those of [`Array::sum`], `OpError::Argument` for an
    /// operation with one operand or two results, for several axes of an operation whose order
    /// matters, and for a mask without an initial value, `OpError::Dtype`,
    /// `OpError::EmptyReduction`.
    #[track_caller]
    #[must_use]
    pub fn reduce(self, array: &Array, axes: impl Into<Axes>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        let result = Array::catch((|| {
            self.check_binary("reduce", site)?;
            self.warn_of_reduction(array, &axes, site)?;
            within(site, || reduce_by(self.op, array, &axes, site))
        })());
        check_reduction(array, &axes, &result, kind_of_infinity(self.op), site);
        result
    }

    /// Warns of imaginary parts that a reduction discards: in the cast of the elements to the dtype
    /// of the options, or in the write into their output.
    fn warn_of_reduction(self, array: &Array, axes: &Axes, site: Site) -> Result<(), Error> {
        let to = match (axes.has_dtype(), axes.has_out()) {
            (Some(dtype), _) => dtype,
            (None, Some(out)) if !self.op.is_logical() => out.dtype(),
            _ => return Ok(()),
        };
        warn_discarded(array.dtype(), to, site)
    }

    /// NumPy's `ufunc.accumulate`: the scan of an operation along an axis.
    ///
    /// Shape: that of the array. The axis of a vector may be `()`. Local (records a node).
    /// Collective for integers to the power of integers that may be negative. Errors:
    /// `OpError::Axis`, `OpError::Argument` for several axes, `OpError::Arguments` for a 0-d array,
    /// `OpError::Dtype` if no loop of the operation has one dtype for operands and result.
    #[track_caller]
    #[must_use]
    pub fn accumulate(self, array: &Array, axis: impl Into<AxisList>) -> Array {
        self.accumulated(array, axis.into(), None, call_site())
    }

    /// [`Ufunc::accumulate`] in `dtype`.
    #[track_caller]
    #[must_use]
    pub fn accumulate_as(self, array: &Array, axis: impl Into<AxisList>, dtype: DType) -> Array {
        self.accumulated(array, axis.into(), Some(dtype), call_site())
    }

    fn accumulated(self, array: &Array, axis: AxisList, dtype: Option<DType>, site: Site) -> Array {
        let result = Array::catch((|| {
            self.check_binary("accumulate", site)?;
            let axis = one_axis("accumulate", array, &axis, site)?;
            crate::math::accumulate(self.op, array, axis, dtype, site)
        })());
        check_scan("accumulate", array, &result, site);
        result
    }

    /// NumPy's `ufunc.reduceat`: the reduction of each stretch of an axis from one of the `starts`
    /// to before the next. If the next start is not larger, it is the element at the start.
    ///
    /// Collective if starts may be outside of the axis, and for sums and products of many elements
    /// in a wider dtype; else Local. Errors: those of [`Ufunc::accumulate`], `OpError::Ndim`,
    /// `OpError::Cast`, `DataError::PositionsBeyond`.
    #[track_caller]
    #[must_use]
    pub fn reduceat(self, array: &Array, starts: &Array, axis: impl Into<AxisList>) -> Array {
        self.reduced_at(array, starts, axis.into(), None, call_site())
    }

    /// [`Ufunc::reduceat`] in `dtype`.
    #[track_caller]
    #[must_use]
    pub fn reduceat_as(
        self,
        array: &Array,
        starts: &Array,
        axis: impl Into<AxisList>,
        dtype: DType,
    ) -> Array {
        self.reduced_at(array, starts, axis.into(), Some(dtype), call_site())
    }

    fn reduced_at(
        self,
        array: &Array,
        starts: &Array,
        axis: AxisList,
        dtype: Option<DType>,
        site: Site,
    ) -> Array {
        let result = Array::catch((|| {
            self.check_binary("reduceat", site)?;
            let axis = one_axis("reduceat", array, &axis, site)?;
            crate::math::reduce_at(self.op, array, starts, axis, dtype, site)
        })());
        check_scan("reduceat", array, &result, site);
        result
    }

    /// NumPy's `ufunc.at`: `a[items] = op(a[items], values)` with any items (see
    /// [`ix!`](crate::ix)). An element that the items name several times is combined as often.
    ///
    /// The operation runs in the promoted dtype of the array and the values; a number counts as the
    /// default dtype of its kind. The result is cast back each time, also to another kind.
    /// Collective as [`Array::assign_index`], and for integers to the power of integers that may be
    /// negative. Errors: those of [`Array::assign_index`] and [`Array::apply`], `OpError::Argument`
    /// for an operation with one operand. On GPUs, an operation whose loop has another dtype than
    /// the array runs on the host.
    #[track_caller]
    pub fn at(self, array: &Array, items: impl AsRef<[AnyIndex]>, values: impl Into<Argument>) {
        if let Err(error) = self.try_at(array, items, values) {
            array.poison(error);
        }
    }

    /// [`Ufunc::at`], but on an error the array keeps its elements and the error is returned.
    #[track_caller]
    pub fn try_at(
        self,
        array: &Array,
        items: impl AsRef<[AnyIndex]>,
        values: impl Into<Argument>,
    ) -> Result<(), Error> {
        let (site, values) = (call_site(), values.into());
        self.check_binary("at", site)?;
        combine_at(self.op, array, items.as_ref(), Some(&values), site)
    }

    /// [`Ufunc::at`] for an operation with one operand: `a[items] = op(a[items])`.
    #[track_caller]
    pub fn at_alone(self, array: &Array, items: impl AsRef<[AnyIndex]>) {
        if let Err(error) = self.try_at_alone(array, items) {
            array.poison(error);
        }
    }

    /// [`Ufunc::at_alone`], but on an error the array keeps its elements and the error is returned.
    #[track_caller]
    pub fn try_at_alone(self, array: &Array, items: impl AsRef<[AnyIndex]>) -> Result<(), Error> {
        let site = call_site();
        if (self.nin(), self.nout()) != (1, 1) {
            return Err(self.refuse("at_alone", "it has two operands or results", site));
        }
        combine_at(self.op, array, items.as_ref(), None, site)
    }

    /// NumPy's `ufunc.outer`: the operation on every pair of an element of `a` and an element of
    /// `b`.
    ///
    /// Shape: that of `a` and then that of `b`. Local (records a node). Errors: those of the
    /// operation, `OpError::Argument` for an operation with one operand, `OpError::TooManyAxes`.
    #[track_caller]
    #[must_use]
    pub fn outer(self, a: &Array, b: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.check_binary("outer", site)?;
            let operands = [rows_for(a, b, site)?.into(), b.into()];
            let result = try_elementwise(self.op, &operands, site)?;
            check_elementwise(self.name, &operands, &[(self.op, &result)], None, site);
            Ok(result)
        })())
    }
}

/// The only axis of an argument; `()` stands for that of a vector.
fn one_axis(
    method: &'static str,
    array: &Array,
    axis: &AxisList,
    site: Site,
) -> Result<i64, Error> {
    match (array.ok()?.ndim(), axis.single(method, array.ndim(), site)) {
        (0, _) => {
            let problem = "a 0-d array has no axis";
            Err(Error::op(OpError::Arguments { operation: method, problem }, site))
        }
        (1, Ok(None)) => Ok(0),
        (_, Ok(None)) => Err(refused(method, "axis", "()", site)),
        (_, found) => found.map(|axis| axis.unwrap_or_default() as i64),
    }
}

/// The first operand of an outer operation: with an axis of extent 1 for each axis of the second.
pub(super) fn rows_for(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    let mut shape = a.ok()?.shape().to_vec();
    shape.resize(a.ndim() + b.ok()?.ndim(), 1);
    within(site, || a.reshape(shape).into_result())
}
