//! The operators of arrays.

use crate::calls::overrides;
use crate::convert::{self, is_sequence, known, operand};
use crate::interpreter::errors::{raised, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::elements::InPlace;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use crate::records;
use phalanx::{Argument, Array, Op, Ufunc, UfuncOptions};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyString, PyTuple};

impl Ndarray {
    /// `self op other`, or `other op self`.
    fn binary(
        slf: &Bound<'_, Self>,
        op: Op,
        other: &Bound<'_, PyAny>,
        reflected: bool,
    ) -> PyResult<Py<PyAny>> {
        let own = slf.get();
        let pair = if reflected { [other, slf.as_any()] } else { [slf.as_any(), other] };
        if let Some(answer) = overrides::of_operator(op.row().name, &pair)? {
            return Ok(answer);
        }
        let template = subclass::template(pair);
        // Elements that are known need no line of the program.
        if let Some(element) = own.array.element()
            && let Some(known) = known(&own.array, other)
        {
            let own = Argument::Scalar(element);
            let operands = if reflected { [known, own] } else { [own, known] };
            if let Some(result) = slf.get().array.apply_to_known(op, &operands) {
                return subclass::wrap_known(other.py(), result, template.as_ref());
            }
        }
        let (py, _mesh) = (other.py(), call_mesh::of_array(&own.array));
        if op == Op::Multiply && own.array.is_element() && is_repeated(other)? {
            return Ok(py.NotImplemented());
        }
        let Some(other) = operand(other, reflected)? else {
            return Ok(py.NotImplemented());
        };
        let own = Argument::Array(own.array.clone());
        let operands = if reflected { [other, own] } else { [own, other] };
        let result = at_line(py, || Array::apply(op, &operands));
        subclass::wrap_as(py, result, template.as_ref())
    }

    /// The quotient and the remainder.
    fn divided<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = slf.get();
        let (py, _mesh) = (other.py(), call_mesh::of_array(&own.array));
        let pair = if reflected { [other, slf.as_any()] } else { [slf.as_any(), other] };
        if let Some(answer) = overrides::of_operator("divmod", &pair)? {
            return Ok(answer.into_bound(py));
        }
        let template = subclass::template(pair);
        let Some(other) = operand(other, reflected)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let own = Argument::Array(own.array.clone());
        let operands = if reflected { [other, own] } else { [own, other] };
        let options = UfuncOptions::default();
        let parts = at_line(py, || Ufunc::DIVMOD.call(&operands, &options));
        let parts = parts.map_err(|error| raised(py, &error))?.into_iter();
        let wrapped = parts.map(|part| subclass::wrap_as(py, part, template.as_ref()));
        Ok(PyTuple::new(py, wrapped.collect::<PyResult<Vec<_>>>()?)?.into_any())
    }

    /// The matrix product of `self` and `other`, or of `other` and `self`.
    fn product(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        reflected: bool,
    ) -> PyResult<Py<PyAny>> {
        let pair = if reflected { [other, slf.as_any()] } else { [slf.as_any(), other] };
        if let Some(answer) = overrides::of_operator("matmul", &pair)? {
            return Ok(answer);
        }
        let own = &slf.get().array;
        let (py, _mesh) = (other.py(), call_mesh::of_array(own));
        let Some(other) = operand(other, reflected)? else { return Ok(py.NotImplemented()) };
        let other = convert::as_array(py, other)?;
        let [left, right] = if reflected { [&other, own] } else { [own, &other] };
        Ndarray::result(py, at_line(py, || phalanx::matmul(left, right)))
    }

    fn unary(slf: &Bound<'_, Self>, op: Op) -> PyResult<Py<PyAny>> {
        if let Some(answer) = overrides::of_operator(op.row().name, &[slf.as_any()])? {
            return Ok(answer);
        }
        let (py, array) = (slf.py(), &slf.get().array);
        if let Some(element) = array.element()
            && let Some(result) = array.apply_to_known(op, &[Argument::Scalar(element)])
        {
            return subclass::wrap_known(py, result, subclass::template([slf.as_any()]).as_ref());
        }
        let _mesh = call_mesh::of_array(array);
        let result = at_line(py, || Array::apply(op, &[Argument::Array((**array).clone())]));
        subclass::wrap_as(py, result, subclass::template([slf.as_any()]).as_ref())
    }

    /// `self op= other`.
    fn in_place(slf: &Bound<'_, Self>, op: Op, other: &Bound<'_, PyAny>) -> PyResult<()> {
        if overrides::of_operator_in_place(op.row().name, slf.as_any(), other)? {
            return Ok(());
        }
        let (py, target) = (other.py(), &slf.get().array);
        let _mesh = call_mesh::of_array(target);
        let other = convert::argument(other)?;
        let written = at_line(py, || target.try_apply_in_place(op, other));
        written.map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Ndarray {
    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Add, other, false)
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Add, other, true)
    }

    fn __iadd__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::Add, other)
    }

    fn __sub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Subtract, other, false)
    }

    fn __rsub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Subtract, other, true)
    }

    fn __isub__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::Subtract, other)
    }

    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Multiply, other, false)
    }

    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Multiply, other, true)
    }

    fn __imul__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::Multiply, other)
    }

    fn __truediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Divide, other, false)
    }

    fn __rtruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Divide, other, true)
    }

    fn __itruediv__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::Divide, other)
    }

    fn __floordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::FloorDivide, other, false)
    }

    fn __rfloordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::FloorDivide, other, true)
    }

    fn __ifloordiv__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::FloorDivide, other)
    }

    fn __mod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Remainder, other, false)
    }

    fn __rmod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::Remainder, other, true)
    }

    fn __imod__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::Remainder, other)
    }

    fn __and__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseAnd, other, false)
    }

    fn __rand__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseAnd, other, true)
    }

    fn __iand__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::BitwiseAnd, other)
    }

    fn __or__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseOr, other, false)
    }

    fn __ror__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseOr, other, true)
    }

    fn __ior__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::BitwiseOr, other)
    }

    fn __xor__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseXor, other, false)
    }

    fn __rxor__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::BitwiseXor, other, true)
    }

    fn __ixor__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::BitwiseXor, other)
    }

    fn __lshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::LeftShift, other, false)
    }

    fn __rlshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::LeftShift, other, true)
    }

    fn __ilshift__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::LeftShift, other)
    }

    fn __rshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::RightShift, other, false)
    }

    fn __rrshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::binary(slf, Op::RightShift, other, true)
    }

    fn __irshift__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        Ndarray::in_place(slf.0, Op::RightShift, other)
    }

    fn __pow__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        // NumPy's operator squares, and squares of bools have another dtype than their powers.
        if other.is_exact_instance_of::<PyInt>() && other.eq(2)? {
            return Ndarray::unary(slf, Op::Square);
        }
        Ndarray::binary(slf, Op::Power, other, false)
    }

    fn __rpow__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        Ndarray::binary(slf, Op::Power, other, true)
    }

    fn __ipow__(
        slf: InPlace<'_, '_>,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        no_modulo(modulo)?;
        Ndarray::in_place(slf.0, Op::Power, other)
    }

    fn __matmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::product(slf, other, false)
    }

    fn __rmatmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ndarray::product(slf, other, true)
    }

    fn __imatmul__(slf: InPlace<'_, '_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        if overrides::of_operator_in_place("matmul", slf.0.as_any(), other)? {
            return Ok(());
        }
        let target = &slf.0.get().array;
        let (py, _mesh) = (other.py(), call_mesh::of_array(target));
        let other = convert::array(other, None)?;
        let written = at_line(py, || target.try_assign(phalanx::matmul(target, &other)));
        written.map_err(|error| raised(py, &error))
    }

    fn __divmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ndarray::divided(slf, other, false)
    }

    fn __rdivmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ndarray::divided(slf, other, true)
    }

    fn __neg__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ndarray::unary(slf, Op::Negative)
    }

    fn __pos__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ndarray::unary(slf, Op::Positive)
    }

    fn __abs__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ndarray::unary(slf, Op::Absolute)
    }

    fn __invert__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ndarray::unary(slf, Op::Invert)
    }

    fn __richcmp__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        compare: CompareOp,
    ) -> PyResult<Py<PyAny>> {
        if let Some(records) = &slf.get().records {
            let _mesh = call_mesh::of_array(records.bytes());
            return records::compared(records, other, compare);
        }
        let op = match compare {
            CompareOp::Lt => Op::Less,
            CompareOp::Le => Op::LessEqual,
            CompareOp::Eq => Op::Equal,
            CompareOp::Ne => Op::NotEqual,
            CompareOp::Gt => Op::Greater,
            CompareOp::Ge => Op::GreaterEqual,
        };
        let (py, array) = (other.py(), &slf.get().array);
        let asked: &[&str] = match op {
            Op::Equal => &["__eq__"],
            Op::NotEqual => &["__eq__", "__ne__"],
            _ => &[],
        };
        if !asked.is_empty() && is_no_number(other, asked)? {
            return Ndarray::result(py, at_line(py, || array.compared_with_none(op)));
        }
        let answer = Ndarray::binary(slf, op, other, false)?;
        let plain = || py.get_type::<PyAny>().getattr("__ne__");
        let is_asked = op == Op::NotEqual && answer.is(py.NotImplemented());
        if is_asked && other.get_type().getattr("__ne__")?.is(&plain()?) {
            // The class of `other` defines `__eq__` but not `__ne__`: its answer to `__eq__` is
            // inverted, as in NumPy, which asks for each element.
            let equal = other.call_method1("__eq__", (slf,))?;
            if let Ok(equal) = equal.cast::<Ndarray>() {
                return Ndarray::unary(equal, Op::LogicalNot);
            }
        }
        Ok(answer)
    }
}

/// Whether the product of an object and an element repeats the object, as `[0] * n` does. Python
/// repeats it if the element gives no product.
fn is_repeated(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_number =
        object.is_exact_instance_of::<PyFloat>() || object.is_exact_instance_of::<PyInt>();
    if is_number || object.is_instance_of::<Ndarray>() {
        return Ok(false);
    }
    if !is_sequence(object) {
        return Ok(false);
    }
    // A method written in Python multiplies, and gets the element as a number. One of C repeats.
    let Some(product) = object.get_type().getattr_opt("__mul__")? else { return Ok(false) };
    Ok(product.get_type().name()? == "wrapper_descriptor")
}

/// Whether an object is None, a string, bytes, or an object that is no operand and whose class
/// defines none of the methods of a comparison.
fn is_no_number(object: &Bound<'_, PyAny>, methods: &[&str]) -> PyResult<bool> {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    if object.is_none() || is_text {
        return Ok(true);
    }
    let is_array_or_integer =
        object.is_instance_of::<Ndarray>() || object.is_instance_of::<PyInt>();
    if is_array_or_integer || convert::weak(object)?.is_some() {
        return Ok(false);
    }
    let (plain, own) = (object.py().get_type::<PyAny>(), object.get_type());
    for &method in methods {
        if !own.getattr(method)?.is(&plain.getattr(method)?) {
            return Ok(false);
        }
    }
    Ok(!overrides::answers(object)? && operand(object, false)?.is_none())
}

/// Refuses the modulus of `pow`, as NumPy's arrays do.
fn no_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        Some(modulo) if !modulo.is_none() => {
            Err(type_error(Mistake::Count, "pow() of an array takes no third argument"))
        }
        _ => Ok(()),
    }
}
