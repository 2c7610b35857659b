//! Products of vectors, matrices and stacks of them.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, integers, is_integer};
use crate::calls::asked::Asked;
use crate::convert;
use crate::functions;
use crate::interpreter::errors::{for_type_error, raised, type_error, value_error, warn};
use crate::interpreter::mistakes::Mistake;
use phalanx::{
    Array, Casting, ContractedAxes, MemoryOrder, Product, ProductOptions, cross, dot, dot_into,
    einsum_with, inner, kron, outer, tensordot, vdot,
};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyList, PyString, PyTuple};

/// The axes of a product that is a ufunc in NumPy: a list with an entry for each array.
fn axes(a: &Arguments<'_, '_>) -> PyResult<Option<Vec<Vec<i64>>>> {
    let Some(object) = a.given("axes") else { return Ok(None) };
    let wrong = || a.wrong("axes", "a list of tuples of integers");
    let entries = object.cast::<PyList>().map_err(|_| wrong())?;
    entries.iter().map(|entry| integers(&entry)).collect::<PyResult<_>>().map(Some)
}

/// A product that is a ufunc in NumPy.
fn product(a: &Arguments<'_, '_>, product: Product) -> PyResult<Answer> {
    if product != Product::Vecdot {
        check_no_axis(a)?;
    }
    let (first, second) = (a.array("x1")?, a.array("x2")?);
    let Asked { dtype, signature } = Asked::of(a, 2, 1)?;
    let options = ProductOptions {
        axes: axes(a)?,
        axis: a.optional_integer("axis")?,
        dtype,
        signature,
        casting: a.casting("casting", Casting::SameKind)?,
        out: a.out()?,
        keepdims: a.truth_or("keepdims", false)?,
        order: a.order_or("order", MemoryOrder::K)?,
    };
    a.written_out(phalanx::product(product, &first, &second, &options))
}

/// Refuses `axis` and `keepdims` for products over several axes, whatever their values, as in
/// NumPy.
fn check_no_axis(a: &Arguments<'_, '_>) -> PyResult<()> {
    let name = a.name();
    match (a.find("axis"), a.find("keepdims")) {
        (Some(_), _) if a.has("axes") => {
            Err(type_error(Mistake::Together, "cannot specify both 'axis' and 'axes'"))
        }
        (Some(_), _) => {
            let text = format!("{name}: axis can only be used with a single shared core dimension");
            Err(type_error(Mistake::Choice, text))
        }
        (_, Some(_)) => {
            Err(type_error(Mistake::Choice, format!("{name} does not support keepdims")))
        }
        (None, None) => Ok(()),
    }
}

/// The axes that `tensordot` sums over.
pub fn contracted(a: &Arguments<'_, '_>) -> PyResult<ContractedAxes> {
    let Some(object) = a.find("axes") else { return Ok(ContractedAxes::Count(2)) };
    if is_integer(object)? {
        // As in NumPy, a negative number counts as 0.
        let count = usize::try_from(a.integer("axes")?).unwrap_or(0);
        return Ok(ContractedAxes::Count(count));
    }
    let both = object.try_iter().map_err(|_| a.wrong("axes", "a number or a pair"))?;
    let both = both.collect::<PyResult<Vec<_>>>()?;
    match both.as_slice() {
        [first, second] => Ok(ContractedAxes::Pairs(integers(first)?, integers(second)?)),
        _ => Err(value_error(
            Mistake::Value,
            "axes are a number, or those of one array and those of the other",
        )),
    }
}

/// A list of numbers and ellipses, which are `None`.
fn numbers(list: &Bound<'_, PyAny>) -> PyResult<Vec<Option<i64>>> {
    let py = list.py();
    let refused =
        || type_error(Mistake::Type, "each subscript must be either an integer or an ellipsis");
    let number = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        if item.is_instance_of::<PyEllipsis>() {
            return Ok(None);
        }
        item.extract().map(Some).map_err(|error| for_type_error(py, error, refused))
    };
    list.try_iter().map_err(|error| for_type_error(py, error, refused))?.map(number).collect()
}

/// The subscripts in letters and the arrays of `einsum`, which may be given in two forms.
fn terms(given: &Bound<'_, PyTuple>) -> PyResult<(String, Vec<Array>)> {
    let items: Vec<_> = given.iter().collect();
    let Some(first) = items.first() else {
        return Err(value_error(
            Mistake::Count,
            "must specify the einstein sum subscripts and an operand",
        ));
    };
    if let Ok(subscripts) = first.cast::<PyString>() {
        let arrays = items[1..].iter().map(|item| convert::array(item, None));
        return Ok((subscripts.to_cow()?.into_owned(), arrays.collect::<PyResult<_>>()?));
    }
    if items.len() < 2 {
        return Err(value_error(
            Mistake::Count,
            "must provide at least an operand and a subscripts list to einsum",
        ));
    }
    let (mut inputs, mut arrays) = (Vec::new(), Vec::new());
    let pairs = items.chunks_exact(2);
    let output = pairs.remainder().first().map(numbers).transpose()?;
    for pair in pairs {
        arrays.push(convert::array(&pair[0], None)?);
        inputs.push(numbers(&pair[1])?);
    }
    let subscripts = phalanx::numbered_subscripts(&inputs, output.as_deref());
    Ok((subscripts.map_err(|error| raised(first.py(), &error))?, arrays))
}

fn summed(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let (subscripts, arrays) = terms(a.object("operands")?.cast::<PyTuple>()?)?;
    let options = ProductOptions {
        dtype: a.optional_dtype("dtype")?,
        casting: a.casting("casting", Casting::Safe)?,
        out: a.out()?,
        order: a.order_or("order", MemoryOrder::K)?,
        ..ProductOptions::default()
    };
    let arrays: Vec<&Array> = arrays.iter().collect();
    a.written_out(einsum_with(&subscripts, &arrays, &options))
}

functions! { FUNCTIONS, a =>
    "matmul(x1, x2, /, out=None, *, axes=None, axis=None, keepdims=False, casting='same_kind', \
     order='K', dtype=None, subok=True, signature=None, sig=None)",
    "The products of matrices, or of vectors as matrices.":
    product(a, Product::Matmul);

    "matvec(x1, x2, /, out=None, *, axes=None, axis=None, keepdims=False, casting='same_kind', \
     order='K', dtype=None, subok=True, signature=None, sig=None)",
    "The products of matrices with vectors.":
    product(a, Product::Matvec);

    "vecmat(x1, x2, /, out=None, *, axes=None, axis=None, keepdims=False, casting='same_kind', \
     order='K', dtype=None, subok=True, signature=None, sig=None)",
    "The products of conjugated vectors with matrices.":
    product(a, Product::Vecmat);

    "vecdot(x1, x2, /, out=None, *, axes=None, axis=-1, keepdims=False, casting='same_kind', \
     order='K', dtype=None, subok=True, signature=None, sig=None)",
    "The inner products of vectors along an axis; the first vectors are conjugated.":
    product(a, Product::Vecdot);

    "dot(a, b, out=None)",
    "The sums of products over the last axis of `a` and the last but one, or only, axis of `b`.":
    {
        let (first, second) = (a.array("a")?, a.array("b")?);
        match a.out()? {
            Some(out) => {
                dot_into(&first, &second, &out).map_err(|error| raised(a.py(), &error))?;
                a.written_out(out)
            }
            None => Ok(dot(&first, &second).into()),
        }
    };

    "vdot(a, b, /)",
    "The inner product of all elements; the elements of `a` are conjugated.":
    vdot(&a.array("a")?, &a.array("b")?);

    "inner(a, b, /)",
    "The sums of products over the last axes.":
    inner(&a.array("a")?, &a.array("b")?);

    "outer(a, b, out=None)",
    "The products of each element of `a` with each element of `b`.":
    a.stored(outer(&a.array("a")?, &a.array("b")?));

    "tensordot(a, b, axes=2)",
    "The sums of products over pairs of axes.":
    tensordot(&a.array("a")?, &a.array("b")?, contracted(a)?);

    "einsum(*operands, out=None, optimize=False, dtype=None, order='K', casting='safe')",
    "The sum of products that subscripts describe.":
    summed(a);

    "kron(a, b)",
    "The Kronecker product.":
    kron(&a.array("a")?, &a.array("b")?);

    "cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)",
    "The cross products of vectors of two or three components.":
    {
        let axes = match a.optional_integer("axis")? {
            Some(axis) => [axis; 3],
            None => {
                let of = |name: &str| a.integer_or(name, -1);
                [of("axisa")?, of("axisb")?, of("axisc")?]
            }
        };
        let (first, second) = (a.array("a")?, a.array("b")?);
        let is_of_two = |array: &Array, axis: i64| {
            array.axis_place(axis).is_ok_and(|place| array.shape()[place] == 2)
        };
        if is_of_two(&first, axes[0]) || is_of_two(&second, axes[1]) {
            let text = "Arrays of 2-dimensional vectors are deprecated. Use arrays of \
                        3-dimensional vectors instead. (deprecated in NumPy 2.0)";
            warn(a.py(), "DeprecationWarning", text)?;
        }
        cross(&first, &second, axes)
    };

    "trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None)",
    "The sum along a diagonal.":
    {
        let (array, offset) = (a.array("a")?, a.integer_or("offset", 0)?);
        let (first, second) = (a.integer_or("axis1", 0)?, a.integer_or("axis2", 1)?);
        let sum = match a.optional_dtype("dtype")? {
            Some(dtype) => array.trace_as(offset, first, second, dtype),
            None => array.trace(offset, first, second),
        };
        a.stored_by(sum, Casting::Unsafe)
    };
}
