//! The operators of arrays.

use crate::call_mesh;
use crate::convert::{self, operand};
use crate::errors::{raised, type_error};
use crate::errors_met::check;
use crate::errstate;
use crate::mistakes::Mistake;
use crate::ndarray::Ndarray;
use crate::site::at_line;
use phalanx::{Argument, Array, DType, Op};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

impl Ndarray {
    /// `self op other`, or `other op self`.
    fn binary(&self, op: Op, other: &Bound<'_, PyAny>, reflected: bool) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let Some(other) = operand(other)? else { return Ok(py.NotImplemented()) };
        let own = Argument::Array(self.array.clone());
        let operands = if reflected { [other, own] } else { [own, other] };
        let result = at_line(py, || Array::apply(op, &operands));
        check(py, op.name(), &operands, &[(op, &result)]);
        Ndarray::wrap(py, result)
    }

    /// The quotient and the remainder.
    fn divided<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let Some(other) = operand(other)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let own = Argument::Array(self.array.clone());
        let operands = if reflected { [other, own] } else { [own, other] };
        let apply = |op| at_line(py, || Array::apply(op, &operands));
        let (quotient, remainder) = (apply(Op::FloorDivide), apply(Op::Remainder));
        let results = [(Op::FloorDivide, &quotient), (Op::Remainder, &remainder)];
        check(py, "divmod", &operands, &results);
        let parts = [Ndarray::wrap(py, quotient)?, Ndarray::wrap(py, remainder)?];
        Ok(PyTuple::new(py, parts)?.into_any())
    }

    fn unary(&self, py: Python<'_>, op: Op) -> PyResult<Py<PyAny>> {
        let _mesh = call_mesh::of_array(&self.array);
        let operand = [Argument::Array(self.array.clone())];
        let result = at_line(py, || Array::apply(op, &operand));
        check(py, op.name(), &operand, &[(op, &result)]);
        Ndarray::wrap(py, result)
    }

    /// `self op= other`.
    fn in_place(&self, op: Op, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let other = convert::argument(other)?;
        let operands = [Argument::Array(self.array.clone()), other.clone()];
        if errstate::is_on() {
            // What is met shows in the result before it is written.
            let result = at_line(py, || Array::apply(op, &operands));
            check(py, op.name(), &operands, &[(op, &result)]);
        }
        let written = at_line(py, || self.array.try_apply_in_place(op, other));
        written.map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Ndarray {
    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Add, other, false)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Add, other, true)
    }

    fn __iadd__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::Add, other)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Subtract, other, false)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Subtract, other, true)
    }

    fn __isub__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::Subtract, other)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Multiply, other, false)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Multiply, other, true)
    }

    fn __imul__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::Multiply, other)
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Divide, other, false)
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Divide, other, true)
    }

    fn __itruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::Divide, other)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::FloorDivide, other, false)
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::FloorDivide, other, true)
    }

    fn __ifloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::FloorDivide, other)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Remainder, other, false)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::Remainder, other, true)
    }

    fn __imod__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::Remainder, other)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseAnd, other, false)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseAnd, other, true)
    }

    fn __iand__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::BitwiseAnd, other)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseOr, other, false)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseOr, other, true)
    }

    fn __ior__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::BitwiseOr, other)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseXor, other, false)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::BitwiseXor, other, true)
    }

    fn __ixor__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::BitwiseXor, other)
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::LeftShift, other, false)
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::LeftShift, other, true)
    }

    fn __ilshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::LeftShift, other)
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::RightShift, other, false)
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(Op::RightShift, other, true)
    }

    fn __irshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(Op::RightShift, other)
    }

    fn __pow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        self.binary(Op::Power, other, false)
    }

    fn __rpow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        self.binary(Op::Power, other, true)
    }

    fn __ipow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        no_modulo(modulo)?;
        self.in_place(Op::Power, other)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let Some(other) = operand(other)? else { return Ok(py.NotImplemented()) };
        let other = convert::as_array(py, other)?;
        Ndarray::wrap(py, at_line(py, || phalanx::matmul(&self.array, &other)))
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let Some(other) = operand(other)? else { return Ok(py.NotImplemented()) };
        let other = convert::as_array(py, other)?;
        Ndarray::wrap(py, at_line(py, || phalanx::matmul(&other, &self.array)))
    }

    fn __imatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
        let other = convert::array(other, None)?;
        let written = at_line(py, || self.array.try_assign(phalanx::matmul(&self.array, &other)));
        written.map_err(|error| raised(py, &error))
    }

    fn __divmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.divided(other, false)
    }

    fn __rdivmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.divided(other, true)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unary(py, Op::Negative)
    }

    fn __pos__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unary(py, Op::Positive)
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unary(py, Op::Absolute)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unary(py, Op::Invert)
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, compare: CompareOp) -> PyResult<Py<PyAny>> {
        let op = match compare {
            CompareOp::Lt => Op::Less,
            CompareOp::Le => Op::LessEqual,
            CompareOp::Eq => Op::Equal,
            CompareOp::Ne => Op::NotEqual,
            CompareOp::Gt => Op::Greater,
            CompareOp::Ge => Op::GreaterEqual,
        };
        let is_nothing = other.is_none() || other.is_instance_of::<PyString>();
        if is_nothing && matches!(op, Op::Equal | Op::NotEqual) {
            // No number equals what is none.
            let unequal = f64::from(u8::from(op == Op::NotEqual));
            let (py, _mesh) = (other.py(), call_mesh::of_array(&self.array));
            let answer = at_line(py, || phalanx::full_like(&self.array, unequal, DType::Bool));
            return Ndarray::wrap(py, answer);
        }
        self.binary(op, other, false)
    }
}

/// Arrays have no powers by a modulus, and neither have NumPy's.
fn no_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        Some(modulo) if !modulo.is_none() => {
            Err(type_error(Mistake::Count, "pow() of an array takes no third argument"))
        }
        _ => Ok(()),
    }
}
