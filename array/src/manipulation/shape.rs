//! Manipulation: other shapes and orders of axes.

use crate::array::{Array, form_operand};
use crate::creation::ShapeArgument;
use crate::indexing::IndexItems;
use crate::recording::check_shape;
use crate::reductions::Axes;
use phalanx_graph::{Error, Form, Operand, Site, View, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{normalize_axis, resolve_reshape};
use phalanx_ops::{Index, Shape};

impl Array {
    /// The same elements in C order with another shape, of which one extent may be -1. The result
    /// is a view where NumPy gives a view, else a copy. Local (a copy records nodes). Errors:
    /// `OpError::Reshape`.
    #[track_caller]
    #[must_use]
    pub fn reshape(&self, shape: impl Into<ShapeArgument>) -> Array {
        let site = call_site();
        let shape = shape.into();
        Array::catch(self.try_reshape(&shape.0, site))
    }

    fn try_reshape(&self, shape: &[i64], site: Site) -> Result<Array, Error> {
        self.ok()?;
        let shape = resolve_reshape(self.shape(), shape).map_err(|error| Error::op(error, site))?;
        check_shape(&shape, self.dtype(), site)?;
        if let Some(view) = self.base_view()?.reshape(&shape, self.base_shape()?) {
            let view = self.with_view(view)?;
            // No computed value decides the split of an unplaced value. Recording the reshape in
            // the window of the value lets the value be split along whole rows of this shape.
            // Otherwise each plan that reads the view would move elements.
            if view.has_form() && self.mesh()?.is_unplaced(&*self.base_node()?) {
                view.operand(site)?;
            }
            return Ok(view);
        }
        let mesh = self.mesh()?;
        let form = Form { shape, dtype: self.dtype() };
        let operand = form_operand(&mesh, self.operand(site)?, &form, site)?;
        match operand {
            Operand::Value { node, .. } => Ok(Array::from_node(mesh, node.node())),
            Operand::Scalar(_) => unreachable!("bug: an array is a value"),
        }
    }

    /// All elements in C order along one axis: a view of a C-ordered array, else a copy. Local (a
    /// copy records a node).
    #[track_caller]
    #[must_use]
    pub fn ravel(&self) -> Array {
        let site = call_site();
        Array::catch((|| {
            let is_contiguous = self.base_view()?.is_contiguous();
            let whole = if is_contiguous { self.clone() } else { self.copy_at(site) };
            whole.try_reshape(&[-1], site)
        })())
    }

    /// The view with the axes in reverse order. Local.
    #[must_use]
    pub fn t(&self) -> Array {
        let axes: Vec<i64> = (0..self.ndim() as i64).rev().collect();
        self.transpose(axes)
    }

    /// The view whose axis `k` is axis `axes[k]` of this array. Local. Errors:
    /// `OpError::Permutation`.
    #[track_caller]
    #[must_use]
    pub fn transpose(&self, axes: impl AsRef<[i64]>) -> Array {
        let (site, axes) = (call_site(), axes.as_ref());
        Array::catch((|| {
            self.ok()?;
            let ndim = self.ndim();
            let wrong = || Error::op(OpError::Permutation { axes: axes.to_vec(), ndim }, site);
            let permutation: Vec<usize> = axes
                .iter()
                .map(|&axis| normalize_axis(axis, ndim))
                .collect::<Result<_, _>>()
                .map_err(|_| wrong())?;
            let mut sorted = permutation.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..ndim) {
                return Err(wrong());
            }
            self.with_view(self.base_view()?.transpose(&permutation, self.base_shape()?))
        })())
    }

    /// The view repeated to `shape` without copying. Local. Errors: `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(&self, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            self.ok()?;
            let target: Shape = shape.resolve(self.dtype().size(), site)?;
            let view = self.base_view()?.broadcast_to(&target, self.base_shape()?);
            self.with_view(view.map_err(|error| Error::op(error, site))?)
        })())
    }

    /// The view without the repetition of broadcasting: an axis with stride 0 has extent 1.
    pub(crate) fn unrepeated(&self) -> Array {
        if self.base_view().is_ok_and(View::is_whole) {
            return self.clone();
        }
        let shape = self.shape().iter().zip(self.strides());
        let repeats: Vec<bool> = shape.map(|(&extent, stride)| extent > 1 && stride == 0).collect();
        if !repeats.contains(&true) {
            return self.clone();
        }
        let one =
            |repeats| Index::Range { start: None, stop: Some(1).filter(|_| repeats), step: 1 };
        self.slice(repeats.into_iter().map(one).collect::<Vec<_>>())
    }

    /// An array of a shape with these elements, repeated as in broadcasting.
    pub(crate) fn repeated_to(&self, shape: &[usize]) -> Array {
        if self.shape() == shape { self.clone() } else { self.broadcast_to(shape).copy() }
    }

    /// The view without its axes of extent 1. Local.
    #[track_caller]
    #[must_use]
    pub fn squeeze(&self) -> Array {
        let shape: Vec<i64> = self.shape().iter().filter(|&&e| e != 1).map(|&e| e as i64).collect();
        Array::catch(self.try_reshape(&shape, call_site()))
    }

    /// The view at the given basic index (see [`s!`](crate::s), or a single range): NumPy's
    /// `a[...]` with integers, slices, new axes and an ellipsis. An index with an integer for every
    /// axis gives a 0-d view; [`Array::at`] gives the 0-d copy that NumPy returns for it.
    ///
    /// Local. Errors: `OpError::Index`, `OpError::TooManyIndices`, `OpError::ZeroStep`,
    /// `OpError::Ellipses`, `OpError::TooManyAxes`.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, items: impl IndexItems) -> Array {
        let (site, items) = (call_site(), items.into_items());
        Array::catch((|| {
            self.ok()?;
            let view = self
                .base_view()?
                .index(items.as_ref(), self.base_shape()?)
                .map_err(|error| Error::op(error, site))?;
            self.with_view(view)
        })())
    }

    /// As [`Array::slice`], but `None` where that gives an array with an error. A binding that
    /// calls this first saves the search for the calling line, which only errors need. Local.
    #[must_use]
    pub fn slice_if_valid(&self, items: &[Index]) -> Option<Array> {
        let view = self.base_view().ok()?.index(items, self.base_shape().ok()?).ok()?;
        self.with_view(view).ok()
    }

    /// The result of a reduction, with the reduced axes restored at extent 1 if `axes` keeps them.
    pub(crate) fn with_kept_axes(
        &self,
        from: &[usize],
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        if !axes.keepdims {
            return Ok(self.clone());
        }
        let removed = axes.resolve(from.len(), site)?;
        let shape: Vec<i64> = from
            .iter()
            .enumerate()
            .map(|(axis, &e)| if removed.contains(&(axis as u8)) { 1 } else { e as i64 })
            .collect();
        self.try_reshape(&shape, site)
    }
}

/// A basic index: `s![1..-1, .., 3, ..;2, NewAxis]`.
///
/// An integer selects one position and removes the axis. `a..b` is a slice; either bound may be
/// absent or negative. `a..b;step` is a slice with a step. `NewAxis` adds an axis. `Ellipsis`
/// stands for all axes that are not named.
#[macro_export]
macro_rules! s {
    ($($item:tt)*) => { $crate::s_items!([] $($item)*) };
}

/// Splits the items of [`s!`] at commas.
#[doc(hidden)]
#[macro_export]
macro_rules! s_items {
    ([$($done:expr,)*]) => {{
        #[allow(clippy::reversed_empty_ranges, reason = "`1..-1` counts from the end, as in NumPy")]
        let items: [$crate::Index; _] = [$($done),*];
        items
    }};
    ([$($done:expr,)*] $item:expr; $step:expr, $($rest:tt)*) => {
        $crate::s_items!([$($done,)* $crate::indexing::with_step($item, $step),] $($rest)*)
    };
    ([$($done:expr,)*] $item:expr; $step:expr) => {
        $crate::s_items!([$($done,)* $crate::indexing::with_step($item, $step),])
    };
    ([$($done:expr,)*] $item:expr, $($rest:tt)*) => {
        $crate::s_items!([$($done,)* $crate::indexing::IndexItem::into_index($item),] $($rest)*)
    };
    ([$($done:expr,)*] $item:expr) => {
        $crate::s_items!([$($done,)* $crate::indexing::IndexItem::into_index($item),])
    };
}
