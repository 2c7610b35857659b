//! The order of axes in memory, as requested by a call.

use crate::array::Argument;
use crate::array::{Array, Flags, form_operand};
use crate::creation::ShapeArgument;
use crate::manipulation::argument::refused;
use crate::recording::{copy_order, memory_order, record_as};
use phalanx_graph::{Error, Form, NodeOp, Operand, Site, call_site, in_place_of, within};
use phalanx_ops::DType;

/// An order of axes in memory, NumPy's argument `order`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryOrder {
    /// The last axis changes fastest.
    #[default]
    C,
    /// The first axis changes fastest.
    F,
    /// `F` if the array is in Fortran order and not in C order, else `C`.
    A,
    /// As close as possible to the order of the array.
    K,
}

impl MemoryOrder {
    /// C or Fortran order for a new array that follows an object: `A` and `K` are Fortran order if
    /// the object is in Fortran order and not in C order (`is_fortran`), else C order.
    #[must_use]
    pub const fn following(self, is_fortran: bool) -> MemoryOrder {
        match self {
            MemoryOrder::A | MemoryOrder::K if is_fortran => MemoryOrder::F,
            MemoryOrder::A | MemoryOrder::K => MemoryOrder::C,
            order => order,
        }
    }

    /// Whether an array with these flags is in the order; `A` is C or Fortran order.
    pub fn is_of(self, flags: Flags) -> bool {
        match self {
            MemoryOrder::C => flags.c_contiguous,
            MemoryOrder::F => flags.f_contiguous,
            MemoryOrder::A => flags.c_contiguous || flags.f_contiguous,
            MemoryOrder::K => true,
        }
    }
}

fn c_order(_: &[Argument], _: &[usize]) -> Result<Option<Vec<usize>>, Error> {
    Ok(None)
}

fn f_order(_: &[Argument], shape: &[usize]) -> Result<Option<Vec<usize>>, Error> {
    Ok((shape.len() > 1).then(|| (0..shape.len()).rev().collect()))
}

impl Array {
    /// Whether the array is in Fortran order and not in C order.
    pub(crate) fn is_fortran(&self) -> Result<bool, Error> {
        let view = self.base_view()?;
        let reversed: Vec<usize> = (0..self.ndim()).rev().collect();
        Ok(!view.is_contiguous() && view.transpose(&reversed, self.base_shape()?).is_contiguous())
    }

    /// This result of some operands, in the order of axes that a call requests. `A` means `F` if
    /// all operands are in Fortran order. `K` keeps the order of the result. A view of an operand
    /// stays a view, as in NumPy.
    pub(crate) fn ordered_as(
        &self,
        order: MemoryOrder,
        operands: &[&Array],
    ) -> Result<Array, Error> {
        let wants_fortran = match order {
            MemoryOrder::K => return Ok(self.clone()),
            MemoryOrder::C => false,
            MemoryOrder::F => true,
            MemoryOrder::A => {
                let mut all = true;
                for operand in operands {
                    all &= operand.flags()?.f_contiguous;
                }
                all
            }
        };
        if operands.iter().any(|operand| self.has_base_of(operand)) {
            return Ok(self.clone());
        }
        self.in_order(if wants_fortran { MemoryOrder::F } else { MemoryOrder::C }).into_result()
    }

    /// Whether the array already is in a memory order; `A` is C or Fortran order. Local. Errors:
    /// the error that the array carries.
    pub fn is_in_order(&self, order: MemoryOrder) -> Result<bool, Error> {
        self.flags().map(|flags| order.is_of(flags))
    }

    /// The array itself if it is in a memory order, else a copy in that order. Local (a copy
    /// records a node).
    #[track_caller]
    #[must_use]
    pub fn in_order(&self, order: MemoryOrder) -> Array {
        let site = call_site();
        match self.is_in_order(order) {
            Ok(false) => within(site, || self.copy_in(order)),
            _ => self.clone(),
        }
    }

    /// A copy in another dtype and in a memory order: NumPy's `a.astype(dtype, order)`. Local
    /// (records nodes).
    #[track_caller]
    #[must_use]
    pub fn astype_in(&self, dtype: DType, order: MemoryOrder) -> Array {
        in_place_of(call_site(), || {
            if dtype == self.dtype() {
                self.copy_in(order)
            } else {
                self.astype(dtype).in_order(order)
            }
        })
    }

    fn resolve_order(&self, order: MemoryOrder) -> Result<MemoryOrder, Error> {
        Ok(match order {
            MemoryOrder::A if self.is_fortran()? => MemoryOrder::F,
            MemoryOrder::A => MemoryOrder::C,
            other => other,
        })
    }

    /// A copy with the requested order of axes in memory, NumPy's `a.copy(order=…)`. Local (records
    /// a node).
    #[track_caller]
    #[must_use]
    pub fn copy_in(&self, order: MemoryOrder) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            let dtype = self.dtype();
            let rule = match self.resolve_order(order)? {
                MemoryOrder::F => f_order,
                MemoryOrder::K => copy_order,
                MemoryOrder::C | MemoryOrder::A => c_order,
            };
            record_as(NodeOp::Cast, &[self.into()], &[dtype], dtype, rule, site)
        })())
    }

    /// The elements, read in `order`, as an array of `shape` in that order: NumPy's
    /// `a.reshape(shape, order=…)`. Local. Errors: `OpError::Reshape`, `OpError::Argument` for the
    /// order K.
    #[track_caller]
    #[must_use]
    pub fn reshape_in(&self, shape: impl Into<ShapeArgument>, order: MemoryOrder) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            self.ok()?;
            match self.resolve_order(order)? {
                MemoryOrder::K => Err(refused("reshape", "order", "K", site)),
                MemoryOrder::F => {
                    let mut reversed = shape.0.clone();
                    reversed.reverse();
                    Ok(within(site, || self.t().reshape(reversed.as_slice()).t()))
                }
                MemoryOrder::C | MemoryOrder::A => {
                    Ok(within(site, || self.reshape(shape.0.as_slice())))
                }
            }
        })())
    }

    /// As [`Array::reshape_in`]. The result is a copy if `copies` is true. If `copies` is false,
    /// the result is a view. Local. Errors: also `OpError::Argument` if `copies` is false and the
    /// elements must be copied.
    #[track_caller]
    #[must_use]
    pub fn reshape_copied(
        &self,
        shape: impl Into<ShapeArgument>,
        order: MemoryOrder,
        copies: bool,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let reshaped = self.reshape_in(shape.0.as_slice(), order).into_result()?;
            match (copies, reshaped.has_base_of(self)) {
                (true, true) => reshaped.copy_in(MemoryOrder::K).into_result(),
                (false, false) if self.size() > 0 => {
                    let value = "false (the elements are not in the order of the shape)";
                    Err(refused("reshape", "copy", value, site))
                }
                _ => Ok(reshaped),
            }
        }))
    }

    /// All elements along one axis, read in an order: a view if that is their order in memory, else
    /// a copy. Local.
    #[track_caller]
    #[must_use]
    pub fn ravel_in(&self, order: MemoryOrder) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            Ok(match self.resolve_order(order)? {
                MemoryOrder::F => within(site, || self.t().ravel()),
                MemoryOrder::K => {
                    // An axis with stride 0 or extent 1 does not influence the order.
                    let order = memory_order(&[self.into()], self.shape())?;
                    let axes = order.map(|order| order.iter().map(|&axis| axis as i64).collect());
                    let axes: Vec<i64> = axes.unwrap_or((0..self.ndim() as i64).collect());
                    within(site, || self.transpose(&axes).ravel())
                }
                MemoryOrder::C | MemoryOrder::A => within(site, || self.ravel()),
            })
        })())
    }

    /// A copy of all elements along one axis, in C order. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn flatten(&self) -> Array {
        self.flatten_in(MemoryOrder::C)
    }

    /// A copy of all elements along one axis, read in an order. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn flatten_in(&self, order: MemoryOrder) -> Array {
        let site = call_site();
        Array::catch((|| {
            let flat = within(site, || self.ravel_in(order));
            flat.ok()?;
            Ok(if flat.has_base_of(self) { flat.copy_at(site) } else { flat })
        })())
    }

    /// A copy of the elements in C order, as an array of another shape of the same size.
    pub(crate) fn copied_as(&self, shape: &[usize], site: Site) -> Result<Array, Error> {
        self.copy_at(site).reformed(shape, site)
    }

    /// The elements in C order as a new array of another shape of the same size. Later writes to
    /// either array do not change the other.
    pub(crate) fn reformed(&self, shape: &[usize], site: Site) -> Result<Array, Error> {
        self.ok()?;
        crate::recording::check_shape(shape, self.dtype(), site)?;
        let form = Form { shape: shape.into(), dtype: self.dtype() };
        let mesh = self.mesh()?;
        match form_operand(&mesh, self.operand(site)?, &form, site)? {
            Operand::Value { node, .. } => Ok(Array::from_node(mesh, node.node())),
            Operand::Scalar(_) => unreachable!("bug: an array is a value"),
        }
    }
}
