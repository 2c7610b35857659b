//! The axes of a reduction, and its other options.

use crate::array::Argument;
use crate::array::Array;
use crate::manipulation::{axis_of, refused};
use phalanx_graph::{Error, Site};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use smallvec::SmallVec;
use std::fmt;

/// The axes of a reduction with its options: `()` for all axes, one axis, or several.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::{Array, axis};
/// # use phalanx_ops::DType;
/// # fn example(a: &Array, mask: &Array) {
/// let all = a.sum(());
/// let rows = a.sum(axis([0, -1]).keepdims().dtype(DType::F32));
/// let largest = a.max(axis(1).initial(0.0).masked(mask));
/// # }
/// ```
#[derive(Clone)]
pub struct Axes {
    axes: Option<SmallVec<[i64; 4]>>,
    /// Whether the axis was given as one number, and not as a list.
    is_one: bool,
    pub(crate) keepdims: bool,
    options: Option<Box<Options>>,
}

/// The options that most reductions do not use.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) initial: Option<Argument>,
    pub(crate) mask: Option<Array>,
    pub(crate) dtype: Option<DType>,
    pub(crate) out: Option<Array>,
    pub(crate) mean: Option<Array>,
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes { axes: None, is_one: false, keepdims: false, options: None }
    }
}
impl From<i64> for Axes {
    fn from(axis: i64) -> Axes {
        Axes { is_one: true, ..[axis].into() }
    }
}
impl<const N: usize> From<[i64; N]> for Axes {
    fn from(axes: [i64; N]) -> Axes {
        axes.as_slice().into()
    }
}
impl From<&[i64]> for Axes {
    fn from(axes: &[i64]) -> Axes {
        Axes { axes: Some(axes.into()), ..().into() }
    }
}

/// The axes of a reduction, as a value to which options can be added.
#[must_use]
pub fn axis(axes: impl Into<Axes>) -> Axes {
    axes.into()
}

/// The axes of a reduction that keeps them with extent 1.
#[must_use]
pub fn keepdims(axes: impl Into<Axes>) -> Axes {
    Axes { keepdims: true, ..axes.into() }
}

impl Axes {
    /// Keeps the reduced axes with extent 1.
    #[must_use]
    pub fn keepdims(self) -> Axes {
        Axes { keepdims: true, ..self }
    }

    /// Combines this number with the elements, too: for `sum`, `prod`, `min`, `max` and their nan
    /// variants. It must fit the dtype of the result.
    #[must_use]
    pub fn initial(self, value: impl Into<Argument>) -> Axes {
        self.with(|options| options.initial = Some(value.into()))
    }

    /// Skips the elements at which `mask` (bool, broadcast to the shape of the array) is false:
    /// NumPy's `where`. `min` and `max` then need [`Axes::initial`].
    #[must_use]
    pub fn masked(self, mask: &Array) -> Axes {
        self.with(|options| options.mask = Some(mask.clone()))
    }

    /// The dtype of the computation: for `sum`, `prod`, `mean`, `var`, `std` and their nan
    /// variants.
    #[must_use]
    pub fn dtype(self, dtype: DType) -> Axes {
        self.with(|options| options.dtype = Some(dtype))
    }

    /// Writes the result into an array of the result's shape, which the reduction then returns.
    #[must_use]
    pub fn out(self, out: &Array) -> Axes {
        self.with(|options| options.out = Some(out.clone()))
    }

    /// The mean of the elements, with the reduced axes kept at extent 1, if it is already computed:
    /// for `var` and `std`.
    #[must_use]
    pub fn mean(self, mean: &Array) -> Axes {
        self.with(|options| options.mean = Some(mean.clone()))
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Options)) -> Axes {
        change(self.options.get_or_insert_default());
        self
    }

    /// The options without the output, and the output.
    pub(crate) fn split_out(mut self) -> (Axes, Option<Array>) {
        let out = self.options.as_deref_mut().and_then(|options| options.out.take());
        (self, out)
    }

    /// The axes and `keepdims`, without other options.
    pub(crate) fn plain(&self) -> Axes {
        Axes { options: None, ..self.clone() }
    }

    pub(crate) fn options(&self) -> Option<&Options> {
        self.options.as_deref()
    }

    pub(crate) fn has_dtype(&self) -> Option<DType> {
        self.options().and_then(|options| options.dtype)
    }

    pub(crate) fn has_initial(&self) -> Option<&Argument> {
        self.options().and_then(|options| options.initial.as_ref())
    }

    pub(crate) fn has_mask(&self) -> Option<&Array> {
        self.options().and_then(|options| options.mask.as_ref())
    }

    pub(crate) fn has_out(&self) -> Option<&Array> {
        self.options().and_then(|options| options.out.as_ref())
    }

    /// Whether no axis is named, which selects all axes.
    pub(crate) fn is_all(&self) -> bool {
        self.axes.is_none()
    }

    /// The axes in the order in which they were named.
    pub(crate) fn in_order(&self, ndim: usize, site: Site) -> Result<Vec<usize>, Error> {
        self.resolve(ndim, site)?;
        let Some(axes) = &self.axes else { return Ok((0..ndim).collect()) };
        axes.iter().map(|&axis| axis_of(axis, ndim, site)).collect()
    }

    /// Returns an error for an option that `operation` does not have.
    pub(crate) fn allow(
        &self,
        operation: &'static str,
        allowed: &[&str],
        site: Site,
    ) -> Result<(), Error> {
        let Some(options) = self.options() else { return Ok(()) };
        let given = [
            ("initial", options.initial.is_some()),
            ("masked", options.mask.is_some()),
            ("dtype", options.dtype.is_some()),
            ("out", options.out.is_some()),
            ("mean", options.mean.is_some()),
        ];
        match given.iter().find(|(name, is_given)| *is_given && !allowed.contains(name)) {
            Some((name, _)) => Err(refused(operation, "option", *name, site)),
            None => Ok(()),
        }
    }

    /// The axes of a reduction, ascending. As in NumPy, a 0-d array may be reduced along axis 0,
    /// which it does not have.
    pub(crate) fn resolve(&self, ndim: usize, site: Site) -> Result<SmallVec<[u8; 4]>, Error> {
        if ndim == 0 && self.is_one && matches!(self.axes.as_deref(), Some([-1 | 0])) {
            return Ok(SmallVec::new());
        }
        self.resolve_strictly(ndim, site)
    }

    /// The axes, ascending; each of them must exist.
    pub(crate) fn resolve_strictly(
        &self,
        ndim: usize,
        site: Site,
    ) -> Result<SmallVec<[u8; 4]>, Error> {
        let Some(axes) = &self.axes else { return Ok((0..ndim as u8).collect()) };
        let mut resolved = SmallVec::new();
        for &axis in axes {
            let axis = axis_of(axis, ndim, site)?;
            if resolved.contains(&(axis as u8)) {
                return Err(Error::op(OpError::DuplicateAxis { axis }, site));
            }
            resolved.push(axis as u8);
        }
        resolved.sort_unstable();
        Ok(resolved)
    }
}

impl fmt::Debug for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arrays among the options are omitted, because printing an array computes it.
        f.debug_struct("Axes")
            .field("axes", &self.axes)
            .field("keepdims", &self.keepdims)
            .field("dtype", &self.has_dtype())
            .finish_non_exhaustive()
    }
}
