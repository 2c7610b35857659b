//! Recording of reductions: their axes, the order of axes in memory, and the options.

use super::axes::{Axes, keepdims};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::index_of;
use crate::floating::warn_discarded;
use crate::manipulation::refused;
use crate::math::complex;
use crate::math::select;
use crate::recording::{in_order, memory_order, record, try_elementwise};
use phalanx_graph::{Error, NodeOp, Operand, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Kind, Monoid, Op, Scalar, Shape, Weak, promote};
use smallvec::SmallVec;

impl Array {
    /// Records a reduction of this array. `given` is the array before its cast to the dtype of the
    /// combination.
    pub(crate) fn reduce(
        &self,
        given: &Array,
        monoid: Monoid,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        tracing::trace!(target: "phalanx::path", file = file!());
        if let Some(result) = self.reduce_reproducibly(given, monoid, axes, site)? {
            return Ok(result);
        }
        let extreme = self.reduce_in_any_order(given, monoid, axes, site)?;
        let is_extreme = matches!(monoid, Monoid::Min | Monoid::Max) && self.size() > 0;
        if !is_extreme || !self.dtype().is_complex() || axes.resolve(self.ndim(), site)?.is_empty()
        {
            return Ok(extreme);
        }
        // The first NaN is the result, as in NumPy: complex NaNs differ in their parts.
        let first = self.first_nan(axes, site)?;
        within(site, || extreme.try_assign(select(&extreme.isnan(), first, &extreme)))?;
        Ok(extreme)
    }

    /// The first complex element over `axes`, in C order, that is NaN; unspecified if there is no
    /// NaN. It is found by reductions alone, so no device needs the elements of another.
    pub(super) fn first_nan(&self, axes: &Axes, site: Site) -> Result<Array, Error> {
        let removed = axes.resolve(self.ndim(), site)?;
        let [first, others @ ..] = removed.as_slice() else { return Ok(self.clone()) };
        let (mesh, shape) = (self.mesh()?, Shape::from_slice(self.shape()));
        let along = |axis: u8| index_of(&shape, usize::from(axis), &mesh, site);
        let nan = within(site, || self.isnan());
        // The position over the axes. It is computed from the elements, so it is split as they are.
        let mut position = within(site, || select(&nan, along(*first)?, 0).into_result())?;
        for &axis in others {
            let index = along(axis)?;
            position = within(site, || position * shape[usize::from(axis)] as i64 + index);
        }
        within(site, || {
            let removed: Vec<i64> = removed.iter().map(|&axis| axis.into()).collect();
            let place = select(&nan, &position, i64::MAX).min(keepdims(removed.as_slice()));
            let is_first = position.equal(&place).logical_and(&nan);
            let part = |part: Array| select(&is_first, part, f64::NEG_INFINITY).max(axes.plain());
            complex(part(self.real()), part(self.imag())).into_result()
        })
    }

    /// As [`Array::reduce`], but any NaN may be the result.
    pub(super) fn reduce_in_any_order(
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
            // Without reduced axes, each element is its own result.
            if !finds_index {
                return record(NodeOp::Cast, &[self.into()], &[dtype], dtype, site);
            }
            let zero = Operand::Scalar(Scalar::new(0i64));
            let node = mesh.record(NodeOp::Fill, &[zero], self.shape().into(), dtype, site)?;
            return Ok(Array::from_node(mesh, node));
        }
        // The result keeps the order of axes in memory (rule K) of `given`, because NumPy converts
        // the elements during the reduction. Positions are in C order.
        let order = if finds_index { None } else { memory_order(&[given.into()], self.shape())? };
        let seen = match &order {
            Some(order) => {
                self.with_view(self.base_view()?.transpose(order, self.base_shape()?))?
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
        // The number of remaining axes before each remaining axis.
        let rank = |axis: usize| (0..axis).filter(|&before| !is_removed(before)).count();
        let kept = order.iter().filter(|&&axis| !is_removed(axis));
        let shape: Shape = kept.clone().map(|&axis| self.shape()[axis]).collect();
        let kept: Vec<usize> = kept.map(|&axis| rank(axis)).collect();
        let op = NodeOp::Reduce { monoid, axes: axes_seen };
        let node = mesh.record(op, &[seen.operand(site)?], shape, dtype, site)?;
        let result = in_order(mesh, node, (!kept.is_sorted()).then_some(kept.as_slice()))?;
        result.with_kept_axes(self.shape(), axes, site)
    }

    /// Records a reduction of this array in `dtype` with the options of `axes` except `out`.
    pub(crate) fn reduce_with(
        &self,
        monoid: Monoid,
        dtype: DType,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        self.ok()?;
        let (initial, mask) = (axes.has_initial(), axes.has_mask());
        if let Some(mask) = mask {
            check_bools(mask, site)?;
        }
        axes.resolve(self.ndim(), site)?;
        warn_discarded(self.dtype(), dtype, site)?;
        if initial.is_none() && mask.is_none() {
            return self.converted(dtype, site).reduce(self, monoid, axes, site);
        }
        let initial = initial.map(|value| initial_value(value, dtype, site)).transpose()?;
        let elements = match mask {
            None => self.converted(dtype, site),
            Some(mask) => {
                self.check_mask(mask, site)?;
                let neutral = match (&initial, identity(monoid)) {
                    (_, Some(weak)) => Argument::Scalar(Scalar::from_weak(dtype, weak)),
                    (Some(initial), None) => initial.clone(),
                    (None, None) => {
                        let value = "none, with a mask";
                        return Err(refused(monoid.name(), "initial", value, site));
                    }
                };
                let elements = self.converted(dtype, site);
                within(site, || select(mask, elements, neutral))
            }
        };
        let Some(initial) = initial else {
            return elements.reduce(self, monoid, axes, site);
        };
        let removed = axes.resolve(self.ndim(), site)?;
        if removed.iter().any(|&axis| self.shape()[axis as usize] == 0) {
            // The result is the initial value, computed as an empty sum, which is zero, plus that
            // value.
            let nothing = elements.reduce(self, Monoid::Add, axes, site)?;
            return try_elementwise(Op::Add, &[nothing.into(), initial], site);
        }
        let reduced = elements.reduce(self, monoid, axes, site)?;
        // Reproducible sums are compound.
        let op = monoid.operation().unwrap_or(Op::Add);
        // The initial value is the first operand, so that its NaN is the result.
        try_elementwise(op, &[initial, reduced.into()], site)
    }

    /// As `reduce_with`, into `out` if there is one. An option may replace `dtype`.
    pub(crate) fn reduce_into(
        &self,
        monoid: Monoid,
        dtype: DType,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        self.ok()?;
        let dtype = match (axes.has_dtype(), axes.has_out()) {
            (Some(dtype), _) => dtype,
            (None, Some(out)) if dtype != DType::Bool => {
                out.ok()?;
                promote(out.dtype(), self.dtype())
            }
            _ => dtype,
        };
        self.reduce_with(monoid, dtype, axes, site)?.into_out(axes, Casting::Unsafe, site)
    }

    /// This result; or, if the options have an output, the output after the result is written to
    /// it.
    pub(crate) fn into_out(
        self,
        axes: &Axes,
        casting: Casting,
        site: Site,
    ) -> Result<Array, Error> {
        let Some(out) = axes.has_out() else { return Ok(self) };
        out.check_out(self.shape(), site)?;
        out.assign_at(&self, casting, site)?;
        Ok(out.clone())
    }

    /// Checks that `mask` is of bools and broadcasts to the shape of this array.
    pub(super) fn check_mask_of_bools(&self, mask: &Array, site: Site) -> Result<(), Error> {
        check_bools(mask, site)?;
        self.check_mask(mask, site)
    }

    /// Checks that `mask` broadcasts to the shape of this array.
    pub(crate) fn check_mask(&self, mask: &Array, site: Site) -> Result<(), Error> {
        let fits = mask.ndim() <= self.ndim()
            && mask
                .shape()
                .iter()
                .rev()
                .zip(self.shape().iter().rev())
                .all(|(&m, &extent)| m == extent || m == 1);
        if fits {
            return Ok(());
        }
        let (value, target) = (mask.shape().into(), self.shape().into());
        Err(Error::op(OpError::BroadcastInto { value, target }, site))
    }

    /// Whether any element is nonzero, recorded for the call at `site`.
    pub(crate) fn any_at(&self, site: Site) -> Result<Array, Error> {
        self.converted(DType::Bool, site).reduce(self, Monoid::Any, &().into(), site)
    }

    /// The dtype of NumPy's sums and products: narrow integers and bools widen to 64 bits.
    pub(crate) fn accumulator(&self) -> DType {
        match self.dtype().kind() {
            Kind::Bool | Kind::Signed => DType::I64,
            Kind::Unsigned => DType::U64,
            Kind::Float | Kind::Complex => self.dtype(),
        }
    }

    /// The product of the extents that a reduction removes.
    pub(crate) fn reduced_count(&self, axes: &Axes, site: Site) -> Result<usize, Error> {
        let removed = axes.resolve_strictly(self.ndim(), site)?;
        Ok(removed.iter().map(|&axis| self.shape()[axis as usize]).product())
    }
}

fn check_bools(mask: &Array, site: Site) -> Result<(), Error> {
    match mask.ok()?.dtype() {
        DType::Bool => Ok(()),
        dtype => Err(Error::op(OpError::Mask { argument: String::from("where"), dtype }, site)),
    }
}

/// The value that changes no element when combined with it; `None` if there is none.
fn identity(monoid: Monoid) -> Option<Weak> {
    match monoid {
        Monoid::Add | Monoid::BitOr | Monoid::BitXor => Some(Weak::Int(0)),
        Monoid::Multiply => Some(Weak::Int(1)),
        Monoid::BitAnd => Some(Weak::Int(-1)),
        Monoid::Any => Some(Weak::Bool(false)),
        Monoid::All => Some(Weak::Bool(true)),
        Monoid::LogAddExp => Some(Weak::Float(f64::NEG_INFINITY)),
        Monoid::Min
        | Monoid::Max
        | Monoid::ArgMin
        | Monoid::ArgMax
        | Monoid::Moments
        | Monoid::Binned => None,
    }
}

/// The initial value in the dtype of a reduction.
pub(super) fn initial_value(value: &Argument, dtype: DType, site: Site) -> Result<Argument, Error> {
    match value {
        Argument::Weak(weak) => {
            let scalar = Scalar::assigned(dtype, *weak).map_err(|error| Error::op(error, site))?;
            Ok(Argument::Scalar(scalar))
        }
        Argument::Scalar(scalar) => Ok(Argument::Scalar(scalar.cast(dtype))),
        Argument::Array(array) => {
            array.ok()?;
            if array.ndim() > 0 {
                let ndim = array.ndim();
                let error = OpError::Ndim { operation: "initial", expected: "0", ndim };
                return Err(Error::op(error, site));
            }
            Ok(Argument::Array(array.converted(dtype, site)))
        }
    }
}
