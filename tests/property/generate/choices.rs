//! Random names, shapes, values and operands.

use super::writer::Writer;
use crate::program::{Name, Operand};
use crate::reference::{Plain, Value};
use phalanx::DType;

/// The most elements of an array.
pub(super) const LARGEST: usize = 1000;
/// The number of names of a program; a new array under a used name replaces the old one.
pub(super) const NAMES: usize = 8;

impl Writer<'_> {
    pub(super) fn name(&mut self) -> Name {
        Name(self.random.below(NAMES))
    }

    pub(super) fn array(&mut self) -> Option<Name> {
        let names = self.reference.names();
        (!names.is_empty()).then(|| self.random.pick(&names))
    }

    /// An array for which `holds` is true, if some tries find one.
    pub(super) fn array_where(&mut self, holds: impl Fn(&Plain) -> bool) -> Option<Name> {
        let names = self.reference.names();
        let fit = |name: &Name| self.reference.get(*name).is_some_and(&holds);
        let names: Vec<Name> = names.into_iter().filter(fit).collect();
        (!names.is_empty()).then(|| self.random.pick(&names))
    }

    pub(super) fn shape_of(&self, name: Name) -> Vec<usize> {
        self.reference.get(name).map_or(Vec::new(), |array| array.shape().to_vec())
    }

    /// An extent: zero, one, two, few or many elements, or as many as another axis has.
    pub(super) fn extent(&mut self) -> usize {
        match self.random.below(20) {
            0 => 0,
            1..4 => 1,
            4 | 5 => 2,
            6 | 7 => self.random.below(10),
            8 => self.random.between(10, 60) as usize,
            _ => self.random.pick(&self.palette),
        }
    }

    pub(super) fn shape(&mut self) -> Vec<usize> {
        let ndim = self.random.pick(&[0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4]);
        let mut shape: Vec<usize> = (0..ndim).map(|_| self.extent()).collect();
        // The reference also visits the indices of empty arrays.
        let points = |shape: &[usize]| shape.iter().map(|&extent| extent.max(1)).product::<usize>();
        while points(&shape) > LARGEST {
            let axis = self.random.below(ndim);
            shape[axis] = shape[axis].div_ceil(2);
        }
        shape
    }

    pub(super) fn value(&mut self, dtype: DType) -> Value {
        match dtype {
            DType::Bool => Value::Bool(self.random.chance(50)),
            DType::I64 => Value::Int(self.random.between(-4, 9)),
            _ => Value::Float(self.random.between(-8, 18) as f64 / 2.0),
        }
    }

    pub(super) fn number(&mut self) -> Value {
        let dtype = self.random.pick(&[DType::Bool, DType::I64, DType::I64, DType::F64]);
        self.value(dtype)
    }

    /// An array that may broadcast with another, or a number.
    pub(super) fn operand(&mut self) -> Option<Operand> {
        if self.random.chance(20) {
            return Some(Operand::Number(self.number()));
        }
        self.array().map(Operand::Array)
    }

    /// An array that fits into one of the given shape, or a number.
    pub(super) fn operand_within(&mut self, shape: &[usize]) -> Option<Operand> {
        if self.random.chance(25) {
            return Some(Operand::Number(self.number()));
        }
        self.array_where(|array| array.broadcast_to(shape).is_some()).map(Operand::Array)
    }
}
