//! Reductions over any axes.

use crate::array::Array;
use crate::elementwise::{in_order, memory_order, record};
use crate::error::{Error, Site, call_site};
use crate::graph::NodeOp;
use crate::operand::Operand;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::normalize_axis;
use phalanx_ops::{DType, Kind, Monoid, Scalar, Shape};
use smallvec::SmallVec;

/// The axes of a reduction: `()` for all, one axis, or several; see also [`keepdims`].
#[derive(Clone, Debug)]
pub struct Axes {
    axes: Option<SmallVec<[i64; 4]>>,
    pub(crate) keepdims: bool,
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes { axes: None, keepdims: false }
    }
}
impl From<i64> for Axes {
    fn from(axis: i64) -> Axes {
        Axes { axes: Some(smallvec::smallvec![axis]), keepdims: false }
    }
}
impl<const N: usize> From<[i64; N]> for Axes {
    fn from(axes: [i64; N]) -> Axes {
        Axes { axes: Some(axes.iter().copied().collect()), keepdims: false }
    }
}
impl From<&[i64]> for Axes {
    fn from(axes: &[i64]) -> Axes {
        Axes { axes: Some(axes.into()), keepdims: false }
    }
}

/// The axes of a reduction that leaves them with extent 1.
pub fn keepdims(axes: impl Into<Axes>) -> Axes {
    Axes { keepdims: true, ..axes.into() }
}

impl Axes {
    pub(crate) fn resolve(&self, ndim: usize, site: Site) -> Result<SmallVec<[u8; 4]>, Error> {
        let Some(axes) = &self.axes else { return Ok((0..ndim as u8).collect()) };
        let mut resolved = SmallVec::new();
        for &axis in axes {
            let axis = normalize_axis(axis, ndim).map_err(|error| Error::op(error, site))?;
            if resolved.contains(&(axis as u8)) {
                return Err(Error::op(OpError::DuplicateAxis { axis }, site));
            }
            resolved.push(axis as u8);
        }
        resolved.sort_unstable();
        Ok(resolved)
    }
}

impl Array {
    /// Records a reduction of this array, which is `given` in the dtype of the combination.
    fn reduce(
        &self,
        given: &Array,
        monoid: Monoid,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        self.ok()?;
        let removed = axes.resolve(self.ndim(), site)?;
        let count: usize = removed.iter().map(|&axis| self.shape()[axis as usize]).product();
        let has_identity = !matches!(
            monoid,
            Monoid::Min | Monoid::Max | Monoid::ArgMin | Monoid::ArgMax | Monoid::LogAddExp
        );
        if count == 0 && !has_identity {
            return Err(Error::op(OpError::EmptyReduction { operation: monoid.name() }, site));
        }
        let finds_index = matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
        let dtype = if finds_index { DType::I64 } else { self.dtype() };
        let mesh = self.mesh()?;
        if removed.is_empty() {
            // Every element is combined with nothing.
            if !finds_index {
                return record(NodeOp::Cast, &[self.into()], &[dtype], dtype, site);
            }
            let zero = Operand::Scalar(Scalar::new(0i64));
            let node = mesh.record(NodeOp::Fill, &[zero], self.shape().into(), dtype, site)?;
            return Ok(Array::from_node(mesh, node));
        }
        // The result keeps the order of axes in memory (rule K), except where positions are found:
        // that of what was given, for NumPy converts elements on the way.
        let order = if finds_index { None } else { memory_order(&[given.into()], self.shape())? };
        let seen = match &order {
            Some(order) => {
                self.with_view(self.base_view()?.transpose(order, &self.base_shape()?))?
            }
            None => self.clone(),
        };
        let is_removed = |axis: usize| removed.contains(&(axis as u8));
        let order: SmallVec<[usize; 4]> =
            order.map_or_else(|| (0..self.ndim()).collect(), SmallVec::from_vec);
        let axes_seen = (0..self.ndim())
            .filter(|&place| is_removed(order[place]))
            .map(|place| place as u8)
            .collect();
        // Of each axis that stays, how many before it stay.
        let rank = |axis: usize| (0..axis).filter(|&before| !is_removed(before)).count();
        let kept = order.iter().filter(|&&axis| !is_removed(axis));
        let shape: Shape = kept.clone().map(|&axis| self.shape()[axis]).collect();
        let kept: Vec<usize> = kept.map(|&axis| rank(axis)).collect();
        let op = NodeOp::Reduce { monoid, axes: axes_seen };
        let node = mesh.record(op, &[seen.operand(site)?], shape, dtype, site)?;
        let result = in_order(mesh, node, (!kept.is_sorted()).then_some(kept.as_slice()))?;
        result.with_kept_axes(self.shape(), axes, site)
    }

    fn reduce_as(&self, monoid: Monoid, dtype: DType, axes: Axes, site: Site) -> Array {
        Array::catch(self.converted(dtype, site).reduce(self, monoid, &axes, site))
    }

    /// Whether any element is not zero, recorded for the call at `site`.
    pub(crate) fn any_at(&self, site: Site) -> Result<Array, Error> {
        self.converted(DType::Bool, site).reduce(self, Monoid::Any, &().into(), site)
    }

    /// The dtype in which NumPy sums and multiplies: small integers and bools widen to 64 bits.
    fn accumulator(&self) -> DType {
        match self.dtype().kind() {
            Kind::Bool | Kind::Signed => DType::I64,
            Kind::Unsigned => DType::U64,
            Kind::Float | Kind::Complex => self.dtype(),
        }
    }

    /// Sum over `axes`. Integers narrower than 64 bits and bools are summed in 64 bits.
    ///
    /// Accuracy: pairwise summation within a shard, then over shards. Sharding: split reduced axes
    /// give partial sums. Local (records nodes). Errors: `OpError::Axis`, `OpError::DuplicateAxis`.
    #[track_caller]
    #[must_use]
    pub fn sum(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::Add, self.accumulator(), axes.into(), call_site())
    }

    /// Product over `axes`; as [`Array::sum`].
    #[track_caller]
    #[must_use]
    pub fn prod(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::Multiply, self.accumulator(), axes.into(), call_site())
    }

    /// Smallest element over `axes`; NaN wins. Errors: also `OpError::EmptyReduction`.
    #[track_caller]
    #[must_use]
    pub fn min(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::Min, self.dtype(), axes.into(), call_site())
    }

    /// Largest element over `axes`; NaN wins. Errors: also `OpError::EmptyReduction`.
    #[track_caller]
    #[must_use]
    pub fn max(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::Max, self.dtype(), axes.into(), call_site())
    }

    /// Whether any element over `axes` is not zero.
    #[track_caller]
    #[must_use]
    pub fn any(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::Any, DType::Bool, axes.into(), call_site())
    }

    /// Whether all elements over `axes` are not zero.
    #[track_caller]
    #[must_use]
    pub fn all(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::All, DType::Bool, axes.into(), call_site())
    }

    /// Index of the first smallest element along an axis, or in C order for `()`; the first NaN
    /// wins.
    #[track_caller]
    #[must_use]
    pub fn argmin(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::ArgMin, self.dtype(), axes.into(), call_site())
    }

    /// Index of the first largest element along an axis, or in C order for `()`; the first NaN
    /// wins.
    #[track_caller]
    #[must_use]
    pub fn argmax(&self, axes: impl Into<Axes>) -> Array {
        self.reduce_as(Monoid::ArgMax, self.dtype(), axes.into(), call_site())
    }

    /// The number of elements over `axes` that are not zero, as `i64`.
    #[track_caller]
    #[must_use]
    pub fn count_nonzero(&self, axes: impl Into<Axes>) -> Array {
        let site = call_site();
        // NumPy counts in a copy, whose axes lie in memory as those of copies do.
        let is_bool = self.dtype() == DType::Bool;
        let nonzero = if is_bool { self.clone() } else { self.astype_at(DType::Bool, site) };
        nonzero.reduce_as(Monoid::Add, DType::I64, axes.into(), site)
    }

    /// Mean over `axes`; integers and bools in `f64`, `f16` and `bf16` summed in `f32`. The mean of
    /// nothing is NaN.
    #[track_caller]
    #[must_use]
    pub fn mean(&self, axes: impl Into<Axes>) -> Array {
        Array::catch(self.try_mean(&axes.into(), call_site()))
    }

    fn try_mean(&self, axes: &Axes, site: Site) -> Result<Array, Error> {
        let dtype = self.mean_dtype();
        let sum = self.widened(site).reduce(self, Monoid::Add, axes, site)?;
        let mean = sum.over(self.reduced_count(axes, site)? as f64, site)?;
        Ok(mean.converted(dtype, site))
    }

    /// Quotient of this array and a number of elements.
    fn over(&self, count: f64, site: Site) -> Result<Array, Error> {
        crate::elementwise::try_elementwise(
            phalanx_ops::Op::Divide,
            &[self.into(), phalanx_ops::Weak::Float(count).into()],
            site,
        )
    }

    fn mean_dtype(&self) -> DType {
        if self.dtype().is_inexact() { self.dtype() } else { DType::F64 }
    }

    /// The array in the dtype that means are computed in.
    fn widened(&self, site: Site) -> Array {
        let dtype = match self.dtype() {
            DType::F16 | DType::BF16 => DType::F32,
            dtype if dtype.is_inexact() => dtype,
            _ => DType::F64,
        };
        self.converted(dtype, site)
    }

    fn reduced_count(&self, axes: &Axes, site: Site) -> Result<usize, Error> {
        Ok(axes
            .resolve(self.ndim(), site)?
            .iter()
            .map(|&axis| self.shape()[axis as usize])
            .product())
    }

    /// Variance over `axes` with `ddof` degrees of freedom taken off, by two passes over the
    /// elements (the second in the same kernel where the axes are not split). Dtype as
    /// [`Array::mean`], real for complex.
    #[track_caller]
    #[must_use]
    pub fn var(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        Array::catch(self.try_var(&axes.into(), ddof, call_site()))
    }

    fn try_var(&self, axes: &Axes, ddof: f64, site: Site) -> Result<Array, Error> {
        self.ok()?;
        let count = self.reduced_count(axes, site)? as f64;
        let wide = self.widened(site);
        let sum = wide.reduce(self, Monoid::Add, &keepdims(axes.clone()), site)?;
        let mean = sum.over(count, site)?;
        let op = |op, arguments: &[crate::operand::Argument]| {
            crate::elementwise::try_elementwise(op, arguments, site)
        };
        let deviation = op(phalanx_ops::Op::Subtract, &[(&wide).into(), (&mean).into()])?;
        let squares = if deviation.dtype().is_complex() {
            let modulus = op(phalanx_ops::Op::Absolute, &[(&deviation).into()])?;
            op(phalanx_ops::Op::Multiply, &[(&modulus).into(), (&modulus).into()])?
        } else {
            op(phalanx_ops::Op::Multiply, &[(&deviation).into(), (&deviation).into()])?
        };
        let sum = squares.reduce(&squares, Monoid::Add, axes, site)?;
        let var = sum.over((count - ddof).max(0.0), site)?;
        let dtype = self.mean_dtype().real();
        Ok(var.converted(dtype, site))
    }

    /// Standard deviation: the square root of [`Array::var`].
    #[track_caller]
    #[must_use]
    pub fn std(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        let site = call_site();
        Array::catch(self.try_var(&axes.into(), ddof, site).and_then(|var| {
            crate::elementwise::try_elementwise(phalanx_ops::Op::Sqrt, &[(&var).into()], site)
        }))
    }
}
