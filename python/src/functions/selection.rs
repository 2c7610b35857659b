//! Elements at positions and where conditions hold.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::callback::Callback;
use crate::calls::options::mode_of;
use crate::calls::writing::written;
use crate::convert;
use crate::functions;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::{AnyIndex, Argument, Array, Casting, DType, MemoryOrder, Mode, Piece};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

functions! { FUNCTIONS, a =>
    "where(condition, x=None, y=None, /)",
    "The values of `x` where a condition holds and of `y` elsewhere; without both, the indices at \
     which it holds.":
    {
        match (a.find("x"), a.find("y")) {
            (Some(_), Some(_)) => {
                let (x, y) = (a.argument("x")?, a.argument("y")?);
                phalanx::select(&a.array("condition")?, x, y).into()
            }
            (None, None) => Answer::from(phalanx::nonzero(&a.array("condition")?)),
            _ => return Err(value_error(
                Mistake::Together,
                "either both or neither of x and y should be given",
            )),
        }
    };

    "take(a, indices, axis=None, out=None, mode='raise')",
    "The elements at positions along an axis.":
    {
        let positions = positions(a, "indices")?;
        let axis = a.optional_integer("axis")?;
        let (array, mode) = (a.array("a")?, a.mode("mode")?);
        match a.out()? {
            Some(out) => {
                let taken = phalanx::take_into(&array, &positions, axis, mode, &out);
                taken.map_err(|error| raised(a.py(), &error))?;
                a.written_out(out)?
            }
            None => phalanx::take(&array, &positions, axis, mode).into(),
        }
    };

    "put(a, ind, v, mode='raise')",
    "Writes values at positions, which count all elements in C order.":
    put(a, "ind", "v")?;

    "take_along_axis(arr, indices, axis=-1)",
    "The elements at positions along an axis; each vector along it has its own positions.":
    {
        let axis = match a.find("axis") {
            Some(_) => a.optional_integer("axis")?,
            None => Some(-1),
        };
        phalanx::take_along_axis(&a.array("arr")?, &a.array("indices")?, axis)
    };

    "put_along_axis(arr, indices, values, axis)",
    "Writes values at positions along an axis; each vector along it has its own positions.":
    {
        let (array, positions) = (a.target("arr")?, a.array("indices")?);
        let values = a.argument("values")?;
        let axis = a.optional_integer("axis")?;
        written(a.py(), || phalanx::try_put_along_axis(&array, &positions, values, axis))?;
    };

    "choose(a, choices, out=None, mode='raise')",
    "The elements of several choices; an array of integers selects the choice of each.":
    {
        let choices = a.object("choices")?;
        let choices: Vec<Argument> =
            choices.try_iter()?.map(|choice| convert::argument(&choice?)).collect::<PyResult<_>>()?;
        taken(a, phalanx::choose(&positions(a, "a")?, &choices, a.mode("mode")?))?
    };

    "compress(condition, a, axis=None, out=None)",
    "The slices along an axis for which a condition holds.":
    {
        let (condition, array) = (a.array("condition")?, a.array("a")?);
        taken(a, phalanx::compress(&condition, &array, a.optional_integer("axis")?))?
    };

    "extract(condition, arr)",
    "The elements for which a condition holds.":
    phalanx::extract(&a.array("condition")?, &a.array("arr")?);

    "place(arr, mask, vals)",
    "Writes values in turn to the elements at which a mask holds.":
    {
        let (array, mask) = (a.target("arr")?, a.array("mask")?);
        let values = a.object("vals")?;
        // As in NumPy, all but arrays is converted to the dtype of the array.
        let is_array = values.hasattr("dtype")? && !convert::is_element(values)?;
        let values = convert::array(values, (!is_array).then(|| array.dtype()))?;
        written(a.py(), || phalanx::try_place(&array, &mask, &values))?;
    };

    "copyto(dst, src, casting='same_kind', where=True)",
    "Writes an array into another.":
    copied_to(a)?;

    "putmask(a, /, mask, values)",
    "Writes values to the elements at which a mask holds, each from the same position.":
    {
        let (array, mask) = (a.target("a")?, a.array("mask")?);
        let values = a.values("values", array.dtype())?;
        written(a.py(), || phalanx::putmask(&array, &mask, values))?;
    };

    "fill_diagonal(a, val, wrap=False)",
    "Writes the main diagonal in place.":
    {
        let array = a.target("a")?;
        let value = a.values("val", array.dtype())?;
        let wraps = a.truth_or("wrap", false)?;
        written(a.py(), || phalanx::fill_diagonal(&array, value, wraps))?;
    };

    "nonzero(a)",
    "The indices of the elements that are not zero, with one vector for each axis.":
    phalanx::nonzero(&a.array("a")?);

    "flatnonzero(a)",
    "The positions of the elements that are not zero.":
    phalanx::flatnonzero(&a.array("a")?);

    "argwhere(a)",
    "The indices of the elements that are not zero, one in each row.":
    phalanx::argwhere(&a.array("a")?);

    "unravel_index(indices, shape, order='C')",
    "The indices along each axis of positions, which count elements in C or Fortran order.":
    {
        let (positions, shape) = (positions(a, "indices")?, a.extents("shape")?);
        phalanx::unravel_index_in(&positions, &shape, order(a)?)
    };

    "ravel_multi_index(multi_index, dims, mode='raise', order='C')",
    "The positions, which count elements in C or Fortran order, of indices along each axis.":
    raveled(a)?;

    "ix_(*args)",
    "Indices along each axis that together select a grid.":
    {
        let mut vectors = Vec::new();
        for object in a.object("args")?.try_iter()? {
            let object = object?;
            let is_empty = object.is_instance_of::<PyList>() && object.len()? == 0;
            vectors.push(convert::array(&object, is_empty.then_some(DType::I64))?);
        }
        let items = phalanx::ix_(&vectors).map_err(|error| raised(a.py(), &error))?;
        Answer::tuple(items.into_iter().filter_map(|item| match item {
            AnyIndex::Array(array) => Some(array),
            AnyIndex::Basic(_) => None,
        }))
    };

    "select(condlist, choicelist, default=0)",
    "The elements of several choices: at each position, of the first choice whose condition holds.":
    {
        let conditions = a.arrays("condlist")?;
        let choices: Vec<Argument> = a
            .object("choicelist")?
            .try_iter()?
            .map(|choice| convert::argument(&choice?))
            .collect::<PyResult<_>>()?;
        let default = a.optional_argument("default")?.unwrap_or(Argument::from(0));
        phalanx::select_list(&conditions.iter().collect::<Vec<_>>(), &choices, default)
    };

    "piecewise(x, condlist, funclist, *args, **kw)",
    "For each element the function, or the value, whose condition is the last to hold.":
    piecewise(a)?;
}

functions! { METHODS, a =>
    "put(a, indices, values, mode='raise')",
    "Writes values at positions, which count all elements in C order.":
    put(a, "indices", "values")?;

    "compress(a, condition, axis=None, out=None)",
    "The slices along an axis for which a condition holds.":
    {
        let (condition, array) = (a.array("condition")?, a.array("a")?);
        taken(a, phalanx::compress(&condition, &array, a.optional_integer("axis")?))?
    };
}

/// The taken elements, written into `out` if it is given.
fn taken(a: &Arguments<'_, '_>, elements: Array) -> PyResult<Answer> {
    let Some(out) = a.out()? else { return Ok(elements.into()) };
    elements.store_taken(&out).map_err(|error| raised(a.py(), &error))?;
    a.written_out(out)
}

/// An array of positions; an empty list gives none.
fn positions(a: &Arguments<'_, '_>, name: &str) -> PyResult<Array> {
    let object = a.object(name)?;
    let is_empty = object.is_instance_of::<PyList>() && object.len()? == 0;
    convert::array(object, is_empty.then_some(DType::I64))
}

fn put(a: &Arguments<'_, '_>, indices: &str, values: &str) -> PyResult<()> {
    let (array, positions) = (a.target("a")?, positions(a, indices)?);
    let (values, mode) = (a.values(values, array.dtype())?, a.mode("mode")?);
    written(a.py(), || array.try_put(&positions, values, mode))
}

fn order(a: &Arguments<'_, '_>) -> PyResult<MemoryOrder> {
    match a.text_or("order", "C")?.as_str() {
        "C" | "c" => Ok(MemoryOrder::C),
        "F" | "f" => Ok(MemoryOrder::F),
        _ => Err(value_error(Mistake::Choice, "only 'C' or 'F' order is permitted")),
    }
}

fn copied_to(a: &Arguments<'_, '_>) -> PyResult<()> {
    let (target, value) = (a.target("dst")?, a.argument("src")?);
    let casting = a.casting("casting", Casting::SameKind)?;
    let mask = a.elements_that_count()?;
    written(a.py(), || phalanx::copyto(&target, value, mask.as_ref(), casting))
}

fn raveled(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let (indices, shape) = (a.arrays("multi_index")?, a.extents("dims")?);
    let is_several = |object: &Bound<'_, PyAny>| {
        object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>()
    };
    let modes = match a.given("mode") {
        Some(object) if is_several(object) => {
            object.try_iter()?.map(|one| mode_of(&one?)).collect::<PyResult<_>>()?
        }
        Some(object) => vec![mode_of(object)?; shape.len()],
        None => vec![Mode::Raise; shape.len()],
    };
    Ok(phalanx::ravel_multi_index_in(&indices, &shape, &modes, order(a)?))
}

fn piecewise(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let (x, list) = (a.array("x")?, a.object("condlist")?);
    let is_list = |object: &Bound<'_, PyAny>| -> PyResult<bool> {
        Ok(object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || object.hasattr("ndim")? && object.getattr("ndim")?.extract::<usize>()? > 0)
    };
    let holds_lists = is_list(list)? && list.len()? > 0 && is_list(&list.get_item(0)?)?;
    let is_many = is_list(list)? && (holds_lists || x.ndim() == 0);
    let conditions = if is_many { a.arrays("condlist")? } else { vec![a.array("condlist")?] };
    let conditions: Vec<&Array> = conditions.iter().collect();
    let functions: Vec<Bound<'_, PyAny>> =
        a.object("funclist")?.try_iter()?.collect::<PyResult<_>>()?;
    if !functions.iter().any(|function| function.is_callable()) {
        let values: Vec<Argument> =
            functions.iter().map(convert::argument).collect::<PyResult<_>>()?;
        return Ok(phalanx::piecewise(&x, &conditions, &values));
    }
    let callback = |function| Callback::new(function, a.given("args"), a.given("kw"));
    let callbacks: Vec<Callback<'_>> = functions.iter().map(callback).collect::<PyResult<_>>()?;
    let pieces = functions.iter().zip(&callbacks).map(|(function, callback)| {
        Ok(if function.is_callable() {
            Piece::function(|taken: &Array| callback.argument(std::slice::from_ref(taken)))
        } else {
            Piece::from(convert::argument(function)?)
        })
    });
    let found = {
        let pieces: Vec<Piece<'_>> = pieces.collect::<PyResult<_>>()?;
        phalanx::piecewise_by(&x, &conditions, &pieces)
    };
    callbacks.into_iter().try_fold(found, |found, callback| callback.raise(found))
}
