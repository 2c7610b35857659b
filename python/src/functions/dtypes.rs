//! Dtypes: casts, promotion, kinds, limits.

use crate::calls::arguments::Arguments;
use crate::convert;
use crate::convert::dtypes::{from_python, numpy, to_python};
use crate::functions;
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::{Argument, Casting, DType, DTypeKind, Scalar, Weak};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

functions! { FUNCTIONS, a =>
    "can_cast(from_, to, casting='safe')",
    "Whether a rule allows a cast.":
    {
        if convert::weak(a.object("from_")?)?.is_some() {
            return Err(type_error(Mistake::Type,
                "can_cast() does not support Python ints, floats, and complex because the result \
                 used to depend on the value.",
            ));
        }
        let casting = a.casting("casting", Casting::Safe)?;
        phalanx::can_cast(dtype_of(a.object("from_")?)?, a.dtype("to")?, casting)
    };

    "promote_types(type1, type2, /)",
    "The smallest dtype to which both can be cast safely.":
    phalanx::promote_types(a.dtype("type1")?, a.dtype("type2")?);

    "result_type(*arrays_and_dtypes)",
    "The dtype to which arrays, dtypes and numbers promote.":
    {
        let objects = a.object("arrays_and_dtypes")?.try_iter()?;
        let arguments: Vec<Argument> =
            objects.map(|object| typed(&object?)).collect::<PyResult<_>>()?;
        phalanx::result_type(&arguments)
    };

    "min_scalar_type(a, /)",
    "The smallest dtype that holds a number.":
    {
        let dtype = phalanx::min_scalar_type(&a.argument("a")?);
        dtype.map_err(|error| raised(a.py(), &error))?
    };

    "common_type(*arrays)",
    "The floating-point or complex type to which arrays promote.":
    {
        let dtype = phalanx::common_type(&a.arrays("arrays")?.iter().collect::<Vec<_>>());
        let dtype = dtype.map_err(|error| raised(a.py(), &error))?;
        to_python(a.py(), dtype)?.getattr("type")?.unbind()
    };

    "isdtype(dtype, kind)",
    "Whether a dtype is of a kind, or of one of several kinds.":
    {
        let kind = a.object("kind")?;
        let kinds: Vec<DTypeKind> = match kind.cast::<PyTuple>() {
            Ok(kinds) => kinds.iter().map(|kind| kind_of(&kind)).collect::<PyResult<_>>()?,
            Err(_) => vec![kind_of(kind)?],
        };
        let dtype = a.object("dtype")?;
        if dtype.is_instance_of::<PyString>() {
            return Err(type_error(
                Mistake::Type,
                "dtype argument must be a NumPy dtype, but it is a str",
            ));
        }
        phalanx::isdtype(from_python(dtype)?, &kinds)
    };

    "issubdtype(arg1, arg2)",
    "Whether a dtype belongs to a class of dtypes.":
    a.by_numpy()?.unbind();

    "typename(char)",
    "The description of a type, from its character.":
    a.by_numpy()?.unbind();

    "mintypecode(typechars, typeset='GDFgdf', default='d')",
    "The character of the smallest type to which types can be cast.":
    a.by_numpy()?.unbind();

    "isscalar(element)",
    "Whether an object is a scalar: a number, a string or a single element.":
    match a.object("element")?.cast::<Ndarray>() {
        Ok(array) => array.get().array.is_element(),
        Err(_) => a.by_numpy()?.is_truthy()?,
    };

    "iterable(y)",
    "Whether an object can be iterated over.":
    match a.object("y")?.cast::<Ndarray>() {
        Ok(array) => array.get().array.ndim() > 0,
        Err(_) => a.object("y")?.try_iter().is_ok(),
    };

    "finfo(dtype)",
    "The limits of a floating-point dtype.":
    limits(a, "dtype", "finfo")?.unbind();

    "iinfo(int_type)",
    "The limits of an integer dtype.":
    limits(a, "int_type", "iinfo")?.unbind();
}

/// The dtype that an object has, or names.
fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    match object.cast::<Ndarray>() {
        Ok(array) => Ok(array.get().array.dtype()),
        // The attribute `dtype` of a scalar type is no dtype.
        Err(_) if object.is_instance_of::<pyo3::types::PyType>() => from_python(object),
        Err(_) => match object.getattr("dtype") {
            Ok(dtype) => from_python(&dtype),
            Err(_) => from_python(object),
        },
    }
}

/// An operand of promotion: an array, a number, or a dtype, which is replaced by a number of it.
fn typed(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    if let Ok(array) = object.cast::<Ndarray>() {
        return Ok(Argument::Array(array.get().array.clone()));
    }
    if let Some(weak) = convert::weak(object)? {
        return Ok(Argument::Weak(weak));
    }
    if object.is_instance_of::<pyo3::types::PyList>() {
        return convert::argument(object);
    }
    Ok(Argument::Scalar(Scalar::from_weak(dtype_of(object)?, Weak::Int(0))))
}

fn kind_of(object: &Bound<'_, PyAny>) -> PyResult<DTypeKind> {
    let Ok(name) = object.cast::<PyString>() else {
        return from_python(object).map(DTypeKind::Is);
    };
    let name = name.to_cow()?;
    DTypeKind::from_name(&name).ok_or_else(|| {
        value_error(
            Mistake::Choice,
            format!("kind argument is a string, but {name:?} is not a known kind name."),
        )
    })
}

/// NumPy's object for the limits of a dtype; the object of `ml_dtypes` for bfloat16.
fn limits<'py>(a: &Arguments<'_, 'py>, argument: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let object = a.object(argument)?;
    let py = a.py();
    let dtype = match convert::weak(object)? {
        None | Some(Weak::Bool(_)) => dtype_of(object)?,
        Some(number) => {
            phalanx::result_type(&[number.into()]).map_err(|error| raised(py, &error))?
        }
    };
    let of_package = if dtype == DType::BF16 { Some(py.import("ml_dtypes")?) } else { None };
    let class = match of_package {
        Some(package) => package.getattr(name)?,
        None => numpy(py)?.getattr(name)?,
    };
    class.call1((to_python(py, dtype)?,))
}
