//! Shapes, views, joins and splits.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, integers};
use crate::calls::callback::Callback;
use crate::calls::options::as_numpy;
use crate::calls::writing::written;
use crate::convert::dtypes::numpy;
use crate::convert::{self, on_host};
use crate::functions;
use crate::functions::padding;
use crate::interpreter::errors::{as_numpy_raises, raised, type_error, value_error, warn};
use crate::interpreter::mistakes::Mistake;
use crate::methods::construct;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass::view_as;
use phalanx::{Argument, Array, AxisList, Casting, Index, MemoryOrder, Nested, Trim};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyTuple};

functions! { FUNCTIONS, a =>
    "reshape(a, /, shape, order='C', *, copy=None)",
    "The elements in another shape.":
    reshaped(a, &a.shape("shape")?)?;

    "ravel(a, order='C')",
    "All elements as a vector.":
    a.array("a")?.ravel_in(a.order_or("order", MemoryOrder::C)?);

    "transpose(a, axes=None)",
    "The array with its axes in another order, by default reversed.":
    transposed(&a.array("a")?, a.optional_integers("axes")?);

    "permute_dims(a, axes=None)",
    "The array with its axes in another order, by default reversed.":
    transposed(&a.array("a")?, a.optional_integers("axes")?);

    "matrix_transpose(x, /)",
    "The array with its last two axes swapped.":
    phalanx::matrix_transpose(&a.array("x")?);

    "squeeze(a, axis=None)",
    "The array without axes of extent 1.":
    match a.optional_integers("axis")? {
        Some(axes) => a.array("a")?.squeeze_axes(axes),
        None => a.array("a")?.squeeze(),
    };

    "expand_dims(a, axis)",
    "The array with new axes of extent 1.":
    {
        let object = a.object("axis")?;
        let is_several = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        let axes = if is_several { a.integers("axis")? } else { vec![a.integer("axis")?] };
        a.array("a")?.expand_dims(axes)
    };

    "broadcast_to(array, shape, subok=False)",
    "A view of the array, broadcast to another shape.":
    a.array("array")?.broadcast_to(a.shape("shape")?.as_slice());

    "broadcast_arrays(*args, subok=False)",
    "Views of the arrays, broadcast to their common shape.":
    phalanx::broadcast_arrays(&refer(&a.arrays("args")?));

    "broadcast_shapes(*args)",
    "The shape to which several shapes broadcast.":
    {
        let mut shapes: Vec<Vec<usize>> = Vec::new();
        for object in a.object("args")?.try_iter()? {
            let object = object?;
            let extents = integers(&object).map_err(|error| {
                as_numpy_raises(a.py(), Mistake::Type, a.no_extent(error))
            })?;
            let extent = |extent: i64| {
                let refused = |_| value_error(
                    Mistake::Value,
                    "negative dimensions are not allowed",
                );
                usize::try_from(extent).map_err(refused)
            };
            shapes.push(extents.into_iter().map(extent).collect::<PyResult<_>>()?);
        }
        phalanx::broadcast_shapes(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };

    "shape(a)",
    "The extents of the axes.":
    a.array("a")?.shape().to_vec();

    "ndim(a)",
    "The number of axes.":
    a.array("a")?.ndim();

    "size(a=None, axis=None)",
    "The number of elements, of all axes or of some; without an array, the number of processes.":
    if a.find("a").is_none() {
        phalanx::size()
    } else {
        let size = a.array("a")?.size_along(a.axis_list("axis")?);
        size.map_err(|error| raised(a.py(), &error))?
    };

    "moveaxis(a, source, destination)",
    "The array with axes moved to other positions.":
    phalanx::moveaxis(&a.array("a")?, a.integers("source")?, a.integers("destination")?);

    "rollaxis(a, axis, start=0)",
    "The array with one axis moved before another.":
    phalanx::rollaxis(&a.array("a")?, a.integer("axis")?, a.integer_or("start", 0)?);

    "swapaxes(a, axis1, axis2)",
    "The array with two axes swapped.":
    a.array("a")?.swapaxes(a.integer("axis1")?, a.integer("axis2")?);

    "atleast_1d(*arys)",
    "Arrays with at least one axis.":
    each(a, phalanx::atleast_1d)?;

    "atleast_2d(*arys)",
    "Arrays with at least two axes.":
    each(a, phalanx::atleast_2d)?;

    "atleast_3d(*arys)",
    "Arrays with at least three axes.":
    each(a, phalanx::atleast_3d)?;

    "concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')",
    "Arrays joined along an axis.":
    concatenated(a)?;

    "concat(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')",
    "Arrays joined along an axis.":
    concatenated(a)?;

    "stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')",
    "Arrays joined along a new axis.":
    {
        let axis = a.integer_or("axis", 0)?;
        joined(a, "arrays", |arrays| phalanx::stack(arrays, axis))?
    };

    "vstack(tup, *, dtype=None, casting='same_kind')",
    "Arrays joined along the first axis, with vectors as rows.":
    joined(a, "tup", phalanx::vstack)?;

    "row_stack(tup, *, dtype=None, casting='same_kind')",
    "Arrays joined along the first axis, with vectors as rows.":
    {
        let text = "`row_stack` alias is deprecated. Use `vstack` directly.";
        warn(a.py(), "DeprecationWarning", text)?;
        joined(a, "tup", phalanx::row_stack)?
    };

    "hstack(tup, *, dtype=None, casting='same_kind')",
    "Arrays joined along the second axis; vectors are joined along their only axis.":
    joined(a, "tup", phalanx::hstack)?;

    "dstack(tup)",
    "Arrays joined along the third axis.":
    phalanx::dstack(&refer(&parts(a, "tup")?));

    "column_stack(tup)",
    "Matrices joined along the second axis, with vectors as columns.":
    phalanx::column_stack(&refer(&parts(a, "tup")?));

    "block(arrays)",
    "One array composed of nested lists of blocks.":
    phalanx::block(nested(a.object("arrays")?)?);

    "array_split(ary, indices_or_sections, axis=0)",
    "Parts of an array along an axis; a given number of parts need not divide the extent.":
    list(a, phalanx::array_split(&a.array("ary")?, a.sections("indices_or_sections")?, axis(a)?))?;

    "split(ary, indices_or_sections, axis=0)",
    "Parts of an array along an axis; a given number of parts must divide the extent.":
    list(a, phalanx::split(&a.array("ary")?, a.sections("indices_or_sections")?, axis(a)?))?;

    "hsplit(ary, indices_or_sections)",
    "Parts of an array along the second axis, or of a vector along its only axis.":
    list(a, phalanx::hsplit(&a.array("ary")?, a.sections("indices_or_sections")?))?;

    "vsplit(ary, indices_or_sections)",
    "Parts of an array along the first axis.":
    list(a, phalanx::vsplit(&a.array("ary")?, a.sections("indices_or_sections")?))?;

    "dsplit(ary, indices_or_sections)",
    "Parts of an array along the third axis.":
    list(a, phalanx::dsplit(&a.array("ary")?, a.sections("indices_or_sections")?))?;

    "unstack(x, /, *, axis=0)",
    "The slices along an axis.":
    phalanx::unstack(&a.array("x")?, axis(a)?);

    "flip(m, axis=None)",
    "The elements in reverse order along axes.":
    phalanx::flip(&a.array("m")?, a.axis_list("axis")?);

    "fliplr(m)",
    "The columns in reverse order.":
    phalanx::fliplr(&a.array("m")?);

    "flipud(m)",
    "The rows in reverse order.":
    phalanx::flipud(&a.array("m")?);

    "rot90(m, k=1, axes=(0, 1))",
    "The array turned by right angles in the plane of two axes.":
    {
        let axes = a.optional_integers("axes")?.unwrap_or_else(|| vec![0, 1]);
        let Ok(axes) = <[i64; 2]>::try_from(axes) else {
            return Err(value_error(Mistake::Value, "len(axes) must be 2."));
        };
        phalanx::rot90(&a.array("m")?, a.integer_or("k", 1)?, axes)
    };

    "roll(a, shift, axis=None)",
    "The elements shifted cyclically along axes.":
    rolled(a)?;

    "repeat(a, repeats, axis=None)",
    "The array with each element repeated.":
    {
        let (array, counts) = (a.array("a")?, repetitions(a)?);
        let axis = AxisList::from(a.optional_integer("axis")?);
        match counts {
            Repetitions::Few(counts) => phalanx::repeat_each(&array, &counts, axis),
            Repetitions::Many(counts) => phalanx::repeat_by(&array, &counts, axis),
        }
    };

    "tile(A, reps)",
    "The array repeated along each axis.":
    phalanx::tile(&a.array("A")?, a.host_integers("reps")?.as_slice());

    "resize(a, new_shape)",
    "An array of another shape, filled with the elements in C order, which repeat as needed.":
    phalanx::resize(&a.array("a")?, a.shape("new_shape")?.as_slice());

    "append(arr, values, axis=None)",
    "A copy with values after the last element.":
    phalanx::append(
        &a.array("arr")?,
        &a.array("values")?,
        AxisList::from(a.optional_integer("axis")?),
    );

    "delete(arr, obj, axis=None)",
    "A copy without the elements at positions.":
    phalanx::delete(
        &a.array("arr")?,
        a.positions("obj")?,
        AxisList::from(a.optional_integer("axis")?),
    );

    "insert(arr, obj, values, axis=None)",
    "A copy with values before the elements at positions.":
    {
        let (array, positions) = (a.array("arr")?, a.positions("obj")?);
        let axis = AxisList::from(a.optional_integer("axis")?);
        let values = inserted_values(a, &array).map_err(|refusal| {
            // As in NumPy, a wrong axis or position is refused before a wrong value.
            let zero = phalanx::zeros((), array.dtype());
            let inserted = phalanx::insert(&array, positions.clone(), &zero, axis.clone());
            inserted.ok().map_or_else(|error| raised(a.py(), &error), |_| refusal)
        })?;
        phalanx::insert(&array, positions, &values, axis)
    };

    "trim_zeros(filt, trim='fb', axis=None)",
    "The array without the zeros at its ends.":
    {
        let trim = match a.text_or("trim", "fb")?.to_lowercase().as_str() {
            "fb" | "bf" => Trim::Both,
            "f" => Trim::Front,
            "b" => Trim::Back,
            _ => return Err(value_error(Mistake::Choice, "unexpected character(s) in `trim`")),
        };
        phalanx::trim_zeros(&a.array("filt")?, trim, a.axis_list("axis")?)
    };

    "pad(array, pad_width, mode='constant', *, stat_length=None, constant_values=0, \
     end_values=0, reflect_type='even', **kwargs)",
    "The array with elements added at the ends of its axes.":
    padding::padded(a)?;

    "diagonal(a, offset=0, axis1=0, axis2=1)",
    "A view of a diagonal.":
    {
        let (first, second) = (a.integer_or("axis1", 0)?, a.integer_or("axis2", 1)?);
        a.array("a")?.diagonal(a.integer_or("offset", 0)?, first, second)
    };

    "apply_along_axis(func1d, axis, arr, *args, **kwargs)",
    "The results of a function for each vector along an axis.":
    {
        let (axis, array) = (a.integer("axis")?, a.array("arr")?);
        let callback =
            Callback::new(a.object("func1d")?, a.given("args"), a.given("kwargs"))?;
        let line = |line: &Array| callback.array(std::slice::from_ref(line), None);
        let applied = phalanx::apply_along_axis(line, axis, &array);
        callback.finish(applied)?
    };

    "apply_over_axes(func, a, axes)",
    "A function applied along each of several axes in turn.":
    {
        let (array, axes) = (a.array("a")?, a.integers("axes")?);
        let callback = Callback::new(a.object("func")?, None, None)?;
        let over =
            |array: &Array, axis: i64| callback.array(std::slice::from_ref(array), Some(axis));
        let applied = phalanx::apply_over_axes(over, &array, &axes);
        callback.finish(applied)?
    };
}

functions! { METHODS, a =>
    "reshape(a, *shape, order='C', copy=None)",
    "The elements in another shape.":
    {
        let shape = a.object("shape")?.cast::<PyTuple>()?;
        if shape.is_empty() {
            return Err(type_error(Mistake::Count, "reshape() takes exactly 1 argument (0 given)"));
        }
        reshaped(a, &a.integers_of_rest("shape").map_err(|error| a.no_extent(error))?)?
    };

    "transpose(a, *axes)",
    "The array with its axes in another order, by default reversed.":
    {
        let axes = a.object("axes")?.cast::<PyTuple>()?;
        let is_none = axes.is_empty() || (axes.len() == 1 && axes.get_item(0)?.is_none());
        let axes = if is_none { None } else { Some(a.integers_of_rest("axes")?) };
        transposed(&a.array("a")?, axes)
    };

    "flatten(a, order='C')",
    "A copy of all elements as a vector.":
    a.array("a")?.flatten_in(a.order_or("order", MemoryOrder::C)?);

    "resize(a, *new_shape, refcheck=True)",
    "Changes the shape in place; the number of elements stays the same.":
    {
        let rest = a.object("new_shape")?.cast::<PyTuple>()?;
        let keeps = rest.is_empty() || rest.len() == 1 && rest.get_item(0)?.is_none();
        if !keeps {
            let shape = a.integers_of_rest("new_shape")?;
            match a.object("a")?.cast::<Ndarray>() {
                Ok(array) => construct::resize(a.py(), array.get(), &shape)?,
                Err(_) => return Err(a.wrong("a", "a phalanx.ndarray")),
            }
        }
    };

    "view(a, dtype=None, type=None)",
    "A view of the same bytes, of another dtype if one is given.":
    {
        let array = a.array("a")?;
        let (class, dtype) = a.class_and_dtype()?;
        let view = match dtype {
            Some(dtype) => array.view(dtype),
            None => array.slice(&[Index::Ellipsis][..]),
        };
        match class {
            Some(class) => Answer::Object(view_as(&class, view, a.object("a")?)?),
            None => view.into(),
        }
    };

    "_strided(a, shape, strides)",
    "The elements at multiples of strides from the first element.":
    a.array("a")?.strided(&a.extents("shape")?, &steps(a)?);

    "_with_strides_of_windows(a, strides)",
    "A read-only form of the array, with the strides of the windows from which it was copied.":
    a.array("a")?.with_strides_of_windows(&steps(a)?);

    "byteswap(a, inplace=False)",
    "The elements with their bytes in the other order.":
    {
        let array = a.array("a")?;
        let swapped = phalanx::byteswap(&array);
        if a.truth_or("inplace", false)? {
            written(a.py(), || array.try_assign(swapped))?;
            Answer::Object(a.object("a")?.clone().unbind())
        } else {
            swapped.into()
        }
    };

    "fill(a, value)",
    "Writes one value to all elements.":
    {
        let array = a.array("a")?;
        let value = a.value("value", array.dtype())?;
        if matches!(&value, Argument::Array(value) if value.ndim() > 0) {
            let text = "setting an array element with a sequence.";
            return Err(value_error(Mistake::Elements, text));
        }
        written(a.py(), || array.try_assign(value))?;
    };

    "to_device(a, device, /, *, stream=None)",
    "The array itself, because there is only one kind of device.":
    {
        a.device()?;
        a.array("a")?
    };
}

/// Strides in bytes.
fn steps(a: &Arguments<'_, '_>) -> PyResult<Vec<isize>> {
    Ok(a.integers("strides")?.into_iter().map(|step| step as isize).collect())
}

/// Arrays as references.
fn refer(arrays: &[Array]) -> Vec<&Array> {
    arrays.iter().collect()
}

fn axis(a: &Arguments<'_, '_>) -> PyResult<i64> {
    a.integer_or("axis", 0)
}

fn transposed(array: &Array, axes: Option<Vec<i64>>) -> Array {
    match axes {
        Some(axes) => array.transpose(axes),
        None => array.t(),
    }
}

fn reshaped(a: &Arguments<'_, '_>, shape: &[i64]) -> PyResult<Array> {
    let array = a.array("a")?;
    let order = a.order_or("order", MemoryOrder::C)?;
    Ok(match a.copies("copy", None)? {
        Some(copies) => array.reshape_copied(shape, order, copies),
        None => array.reshape_in(shape, order),
    })
}

/// Applies a function to each array. The answer is one result for one array, else all results.
fn each(a: &Arguments<'_, '_>, function: fn(&Array) -> Array) -> PyResult<Answer> {
    let mut answers: Vec<Array> = a.arrays("arys")?.iter().map(function).collect();
    Ok(match answers.len() {
        1 => answers.remove(0).into(),
        _ => answers.into(),
    })
}

/// The arrays of a sequence, which may be an array but not an iterator.
fn parts(a: &Arguments<'_, '_>, name: &str) -> PyResult<Vec<Array>> {
    if !a.object(name)?.hasattr("__getitem__")? {
        return Err(type_error(
            Mistake::Type,
            "arrays to stack must be passed as a \"sequence\" type such as list or tuple.",
        ));
    }
    a.arrays(name)
}

/// Joins arrays, with the options that all joins have.
fn joined(
    a: &Arguments<'_, '_>,
    name: &str,
    join: impl Fn(&[&Array]) -> Array,
) -> PyResult<Answer> {
    let arrays = parts(a, name)?;
    let casting = a.casting("casting", Casting::SameKind)?;
    let out = match a.signature().place("out") {
        Some(_) => a.given("out"),
        None => None,
    };
    if let Some(dtype) = a.optional_dtype("dtype")? {
        if out.is_some() {
            return Err(type_error(
                Mistake::Type,
                "concatenate() only takes `out` or `dtype` as an argument, but both were provided.",
            ));
        }
        return Ok(phalanx::join_as(&refer(&arrays), Some(dtype), casting, join).into());
    }
    match out {
        Some(out) => a.stored_in(out, join(&refer(&arrays)), casting),
        None => Ok(phalanx::join_as(&refer(&arrays), None, casting, join).into()),
    }
}

/// The elements shifted. As in NumPy, shifts are converted to integers, from floats and from
/// strings, too.
fn rolled(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let (py, array) = (a.py(), a.array("a")?);
    let shifts = numpy(py)?.call_method1("asarray", (on_host(a.object("shift")?)?,))?;
    if shifts.getattr("ndim")?.extract::<usize>()? > 1 {
        return Err(value_error(
            Mistake::Value,
            "'shift' and 'axis' should be scalars or 1D sequences",
        ));
    }
    let whole = py.import("builtins")?.getattr("int")?;
    let period = phalanx::roll_period(&array);
    let shift = |item: PyResult<Bound<'_, PyAny>>| -> PyResult<i64> {
        let number =
            whole.call1((item?,)).map_err(|error| as_numpy_raises(py, Mistake::Value, error))?;
        number.extract().or_else(|_| number.rem(period)?.extract())
    };
    let flat = shifts.call_method0("ravel")?.call_method0("tolist")?;
    let shifts = flat.try_iter()?.map(shift).collect::<PyResult<Vec<_>>>()?;
    Ok(phalanx::roll(&array, shifts, a.axis_list("axis")?))
}

/// Numbers of repetitions.
enum Repetitions {
    Few(Vec<i64>),
    Many(Array),
}

/// The numbers of repetitions: one number, which may be a Python float, or a vector of integers.
fn repetitions(a: &Arguments<'_, '_>) -> PyResult<Repetitions> {
    const FEW: usize = 32;
    let object = a.object("repeats")?;
    if let Ok(number) = object.cast_exact::<PyFloat>() {
        return Ok(Repetitions::Few(vec![number.extract::<f64>()?.trunc() as i64]));
    }
    let array = match object.is_instance_of::<Ndarray>() {
        true => object.clone(),
        false => as_numpy(&on_host(object)?)?,
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    match shape[..] {
        // An array has a dtype, which must be one of integers.
        [count] if count >= FEW || object.hasattr("dtype")? => {
            convert::array(&array, None).map(Repetitions::Many)
        }
        [] | [_] => a.host_integers("repeats").map(Repetitions::Few),
        _ => Err(value_error(Mistake::Value, "object too deep for desired array")),
    }
}

/// The values to insert. Python numbers are converted to the array's dtype; those that it does not
/// hold are refused.
fn inserted_values(a: &Arguments<'_, '_>, array: &Array) -> PyResult<Array> {
    match a.values("values", array.dtype())? {
        Argument::Array(values) => Ok(values),
        Argument::Weak(_) => convert::array(a.object("values")?, Some(array.dtype())),
        Argument::Scalar(_) => a.array("values"),
    }
}

fn concatenated(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let axis = match a.find("axis") {
        Some(axis) if axis.is_none() => None,
        _ => Some(a.integer_or("axis", 0)?),
    };
    joined(a, "arrays", |arrays| phalanx::concat(arrays, AxisList::from(axis)))
}

/// Parts as a list.
fn list(a: &Arguments<'_, '_>, parts: Result<Vec<Array>, phalanx::Error>) -> PyResult<Answer> {
    Ok(Answer::list(parts.map_err(|error| raised(a.py(), &error))?))
}

fn nested(object: &Bound<'_, PyAny>) -> PyResult<Nested> {
    if object.is_instance_of::<PyTuple>() {
        return Err(type_error(
            Mistake::Type,
            "only lists can be used to arrange blocks, not tuples",
        ));
    }
    match object.cast::<PyList>() {
        Ok(items) => {
            Ok(Nested::List(items.iter().map(|item| nested(&item)).collect::<PyResult<_>>()?))
        }
        Err(_) => convert::array(object, None).map(Nested::Array),
    }
}
