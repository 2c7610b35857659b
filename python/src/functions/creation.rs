//! New arrays, and arrays of host data.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::callback::Callback;
use crate::convert;
use crate::functions;
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::{Argument, Array, DType, FillOptions, Grid, Indexing, MemoryOrder, Samples, Weak};
use pyo3::prelude::*;

functions! { FUNCTIONS, a =>
    "array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)",
    "An array of the elements of an object: an array, a number, nested lists, or another object \
     that NumPy's `array` accepts.":
    {
        let (least, most) = (a.size_or("ndmin", 0)?, a.size_or("ndmax", 0)?);
        match converted(a, "object", a.optional_dtype("dtype")?, Some(true))? {
            Answer::Array(array) if most > 0 && array.ndim() > most => {
                return Err(value_error(
                    Mistake::Elements,
                    format!(
                        "setting an array element with a sequence. The requested array would \
                         exceed the maximum number of dimension of {most}."
                    ),
                ));
            }
            Answer::Array(array) => phalanx::atleast_nd(&array, least).into(),
            // The object itself, which may have too few axes.
            own => {
                let array = a.array("object")?;
                if array.ndim() < least { phalanx::atleast_nd(&array, least).into() } else { own }
            }
        }
    };

    "asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)",
    "An array of the elements of an object; an array of the dtype is returned itself.":
    {
        a.device()?;
        converted(a, "a", a.optional_dtype("dtype")?, None)?
    };

    "asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)",
    "An array of the elements of an object; an array of the dtype is returned itself.":
    {
        a.device()?;
        converted(a, "a", a.optional_dtype("dtype")?, None)?
    };

    "ascontiguousarray(a, dtype=None, *, like=None)",
    "An array in C order with at least one axis.":
    laid_out(a, MemoryOrder::C, phalanx::ascontiguousarray)?;

    "asfortranarray(a, dtype=None, *, like=None)",
    "An array in Fortran order with at least one axis.":
    laid_out(a, MemoryOrder::F, phalanx::asfortranarray)?;

    "asarray_chkfinite(a, dtype=None, order=None)",
    "As `asarray`; a number that is not finite is an error.":
    {
        let array = convert::array(a.object("a")?, a.optional_dtype("dtype")?)?;
        let array = phalanx::asarray_chkfinite(&array, None);
        match a.order_or("order", MemoryOrder::K)? {
            MemoryOrder::A => array,
            order => array.in_order(order),
        }
    };

    "require(a, dtype=None, requirements=None, *, like=None)",
    "An array that meets requirements on its memory: 'C', 'F', 'O' or 'W'.":
    required(a)?;

    "copy(a, order='K', subok=False)",
    "A copy of an array.":
    a.array("a")?.copy_in(a.order_or("order", MemoryOrder::K)?);

    "zeros(shape, dtype=None, order='C', *, device=None, like=None)",
    "An array of zeros.":
    new(a, 0)?;

    "ones(shape, dtype=None, order='C', *, device=None, like=None)",
    "An array of ones.":
    new(a, 1)?;

    "empty(shape, dtype=None, order='C', *, device=None, like=None)",
    "An array whose elements are unspecified until the program writes them.":
    new(a, 0)?;

    "full(shape, fill_value, dtype=None, order='C', *, device=None, like=None)",
    "An array filled with a value, which is broadcast to the shape.":
    {
        a.device()?;
        let dtype = a.optional_dtype("dtype")?;
        let value = match dtype {
            Some(dtype) => a.value("fill_value", dtype)?,
            None => a.argument("fill_value")?,
        };
        let options =
            FillOptions::default().dtype(dtype).order(a.order_or("order", MemoryOrder::C)?);
        phalanx::full_as(a.shape("shape")?.as_slice(), value, options)
    };

    "zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)",
    "An array of zeros with the shape and dtype of another array.":
    like(a, "a", |_| Ok(Argument::Weak(Weak::Int(0))))?;

    "ones_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)",
    "An array of ones with the shape and dtype of another array.":
    like(a, "a", |_| Ok(Argument::Weak(Weak::Int(1))))?;

    "empty_like(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None)",
    "An array with the shape and dtype of another array and unspecified elements.":
    like(a, "prototype", |_| Ok(Argument::Weak(Weak::Int(0))))?;

    "full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None)",
    "An array filled with a value, with the shape and dtype of another array.":
    like(a, "a", |dtype| a.value("fill_value", dtype))?;

    "arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None)",
    "Numbers from `start` (by default 0) up to but not including `stop`, at distances of `step`. A \
     single argument is `stop`.":
    {
        a.device()?;
        if a.positional() == 0 && a.find("stop").is_none() {
            return Err(type_error(Mistake::Count, "arange() requires stop to be specified."));
        }
        let (start, stop) = match (a.has("start"), a.has("stop")) {
            (true, true) => (a.number("start")?, a.number("stop")?),
            (false, true) => (Weak::Int(0), a.number("stop")?),
            _ => (Weak::Int(0), a.number("start")?),
        };
        let step = if a.has("step") { a.number("step")? } else { Weak::Int(1) };
        match a.optional_dtype("dtype")? {
            Some(dtype) => phalanx::arange_as(start, stop, step, dtype),
            None => phalanx::arange(start, stop, step),
        }
    };

    "linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, \
     device=None)",
    "Numbers at equal distances from `start` to `stop`.":
    {
        a.device()?;
        let (start, stop) = (a.argument("start")?, a.argument("stop")?);
        let samples = samples(a)?;
        let line = phalanx::linspace(start.clone(), stop.clone(), samples);
        if a.truth_or("retstep", false)? {
            Answer::tuple([line, phalanx::linspace_step(start, stop, samples)])
        } else {
            line.into()
        }
    };

    "logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0)",
    "Powers of a base, whose exponents run at equal distances from `start` to `stop`.":
    {
        let (start, stop) = (a.argument("start")?, a.argument("stop")?);
        let base = match a.find("base") {
            Some(_) => a.argument("base")?,
            None => Argument::Weak(Weak::Float(10.0)),
        };
        phalanx::logspace(start, stop, samples(a)?, base)
    };

    "geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0)",
    "Numbers with equal ratios from `start` to `stop`.":
    {
        let (start, stop) = (a.argument("start")?, a.argument("stop")?);
        phalanx::geomspace(start, stop, samples(a)?)
    };

    "eye(N, M=None, k=0, dtype=float, order='C', *, device=None, like=None)",
    "A matrix of zeros with ones on one diagonal.":
    {
        a.device()?;
        let (rows, columns) = (a.count("N")?, side(a, "M")?);
        let (offset, dtype) = (a.integer_or("k", 0)?, a.dtype_or("dtype", DType::F64)?);
        phalanx::eye_in(rows, columns, offset, dtype, a.order_or("order", MemoryOrder::C)?)
    };

    "identity(n, dtype=None, *, like=None)",
    "The identity matrix with `n` rows.":
    phalanx::identity(a.count("n")?, a.dtype_or("dtype", DType::F64)?);

    "tri(N, M=None, k=0, dtype=float, *, like=None)",
    "A matrix of ones whose elements above a diagonal are 0.":
    phalanx::tri(
        a.count("N")?,
        side(a, "M")?,
        a.integer_or("k", 0)?,
        a.dtype_or("dtype", DType::F64)?,
    );

    "tril(m, k=0)",
    "The matrices with zeros in place of the elements above a diagonal.":
    phalanx::tril(&a.array("m")?, a.integer_or("k", 0)?);

    "triu(m, k=0)",
    "The matrices with zeros in place of the elements below a diagonal.":
    phalanx::triu(&a.array("m")?, a.integer_or("k", 0)?);

    "diag(v, k=0)",
    "The diagonal of a matrix, or a matrix with a vector on its diagonal.":
    phalanx::diag(&a.array("v")?, a.integer_or("k", 0)?);

    "diagflat(v, k=0)",
    "A square matrix with all elements of an array on a diagonal.":
    phalanx::diagflat(&a.array("v")?, a.integer_or("k", 0)?);

    "vander(x, N=None, increasing=False)",
    "The Vandermonde matrix, whose columns are powers of the elements of a vector.":
    phalanx::vander(&a.array("x")?, side(a, "N")?, a.truth_or("increasing", false)?);

    "indices(dimensions, dtype=int, sparse=False)",
    "The indices of all positions in a shape, with one array for each axis.":
    {
        let (shape, dtype) = (a.shape("dimensions")?, a.dtype_or("dtype", DType::I64)?);
        if a.truth_or("sparse", false)? {
            let found = phalanx::sparse_indices_as(shape.as_slice(), dtype);
            Answer::tuple(found.map_err(|error| raised(a.py(), &error))?)
        } else {
            phalanx::indices_as(shape.as_slice(), dtype).into()
        }
    };

    "meshgrid(*xi, copy=True, sparse=False, indexing='xy')",
    "The coordinates of all points of a grid, from the coordinates along each axis.":
    {
        let arrays = a.arrays("xi")?;
        let indexing = match a.text_or("indexing", "xy")?.as_str() {
            "xy" => Indexing::Xy,
            "ij" => Indexing::Ij,
            _ => return Err(value_error(
                Mistake::Choice,
                "Valid values for `indexing` are 'xy' and 'ij'.",
            )),
        };
        let copies = a.truth_or("copy", true)?;
        let is_open = a.truth_or("sparse", false)?;
        let grid = Grid::from(indexing).sparse(is_open).copy(copies);
        let grid = phalanx::meshgrid(&arrays.iter().collect::<Vec<_>>(), grid);
        let grid = grid.map_err(|error| raised(a.py(), &error))?;
        // As in NumPy, the views of a sparse grid are a list.
        if copies || !is_open { Answer::tuple(grid) } else { Answer::list(grid) }
    };

    "tril_indices(n, k=0, m=None)",
    "The indices of the elements on and below a diagonal.":
    phalanx::tril_indices(a.count("n")?, a.integer_or("k", 0)?, side(a, "m")?);

    "triu_indices(n, k=0, m=None)",
    "The indices of the elements on and above a diagonal.":
    phalanx::triu_indices(a.count("n")?, a.integer_or("k", 0)?, side(a, "m")?);

    "tril_indices_from(arr, k=0)",
    "The indices of a matrix's elements on and below a diagonal.":
    phalanx::tril_indices_from(&a.array("arr")?, a.integer_or("k", 0)?);

    "triu_indices_from(arr, k=0)",
    "The indices of a matrix's elements on and above a diagonal.":
    phalanx::triu_indices_from(&a.array("arr")?, a.integer_or("k", 0)?);

    "diag_indices(n, ndim=2)",
    "The indices of the main diagonal of an array with equal extents.":
    {
        // A negative number gives no indices, as in NumPy's `arange`.
        let (size, ndim) = (a.integer("n")?.max(0), a.integer_or("ndim", 2)?.max(0));
        phalanx::diag_indices(size as usize, ndim as usize)
    };

    "diag_indices_from(arr)",
    "The indices of the main diagonal of an array.":
    phalanx::diag_indices_from(&a.array("arr")?);

    "mask_indices(n, mask_func, k=0)",
    "The indices of the elements of a square matrix that a masking function keeps.":
    {
        let callback = Callback::new(a.object("mask_func")?, None, None)?;
        let masked = |array: &Array, offset: i64| {
            callback.array(std::slice::from_ref(array), Some(offset))
        };
        let found = phalanx::mask_indices(a.count("n")?, masked, a.integer_or("k", 0)?);
        callback.finish(found)?
    };

    "hanning(M)",
    "The Hann window.":
    phalanx::hanning(length(a)?);

    "hamming(M)",
    "The Hamming window.":
    phalanx::hamming(length(a)?);

    "blackman(M)",
    "The Blackman window.":
    phalanx::blackman(length(a)?);

    "bartlett(M)",
    "The Bartlett window.":
    phalanx::bartlett(length(a)?);

    "kaiser(M, beta)",
    "The Kaiser window.":
    phalanx::kaiser(length(a)?, a.float("beta")?);

    "fromfunction(function, shape, *, dtype=float, like=None, **kwargs)",
    "The result of a function that receives the indices along each axis as arrays.":
    {
        let (shape, dtype) = (a.shape("shape")?, a.dtype_or("dtype", DType::F64)?);
        let indices = phalanx::whole_indices_as(shape.as_slice(), dtype);
        let indices = indices.map_err(|error| raised(a.py(), &error))?;
        let callback = Callback::new(a.object("function")?, None, a.given("kwargs"))?;
        callback.agreed(&indices)?.unbind()
    };

    "frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None)",
    "A vector of the elements in a buffer of bytes.":
    a.uploaded()?;

    "fromiter(iter, dtype, count=-1, *, like=None)",
    "A vector of the numbers of an iterator.":
    a.uploaded()?;

    "fromstring(string, dtype=float, count=-1, *, sep, like=None)",
    "A vector of the numbers in a text.":
    a.uploaded()?;

    "fromfile(file, dtype=float, count=-1, sep='', offset=0, *, like=None)",
    "A vector of the elements in a file.":
    a.uploaded()?;
}

functions! { METHODS, a =>
    "astype(a, dtype, order='K', casting='unsafe', subok=True, copy=True)",
    "The elements cast to a dtype.":
    {
        let (array, dtype) = (a.array("a")?, a.dtype("dtype")?);
        let casting = a.casting("casting", phalanx::Casting::Unsafe)?;
        phalanx::check_casting(array.dtype(), dtype, casting)
            .map_err(|error| raised(a.py(), &error))?;
        let order = a.order_or("order", MemoryOrder::K)?;
        let copies = a.truth_or("copy", true)?.then_some(true);
        a.copied("a", phalanx::copy_if_needed(&array, dtype, order, copies))?
    };

    "copy(a, order='C')",
    "A copy of an array.":
    a.array("a")?.copy_in(a.order_or("order", MemoryOrder::C)?);
}

fn new(a: &Arguments<'_, '_>, value: i64) -> PyResult<Array> {
    a.device()?;
    let options = FillOptions::default().dtype(a.dtype_or("dtype", DType::F64)?);
    let options = options.order(a.order_or("order", MemoryOrder::C)?);
    Ok(phalanx::full_as(a.shape("shape")?.as_slice(), value, options))
}

fn like(
    a: &Arguments<'_, '_>,
    name: &str,
    value: impl FnOnce(DType) -> PyResult<Argument>,
) -> PyResult<Array> {
    a.device()?;
    let prototype = a.array(name)?;
    let dtype = a.dtype_or("dtype", prototype.dtype())?;
    let value = value(dtype)?;
    let mut options = FillOptions::default().dtype(dtype);
    options = options.order(a.order_or("order", MemoryOrder::K)?);
    if a.has("shape") {
        options = options.shape(a.shape("shape")?.as_slice());
    }
    Ok(phalanx::full_like_as(&prototype, value, options))
}

fn samples(a: &Arguments<'_, '_>) -> PyResult<Samples> {
    let count = a.size_or("num", 50)?;
    let samples = Samples::from(count).endpoint(a.truth_or("endpoint", true)?);
    let samples = samples.axis(a.integer_or("axis", 0)?);
    Ok(match a.optional_dtype("dtype")? {
        Some(dtype) => samples.dtype(dtype),
        None => samples,
    })
}

/// An extent that may be left out.
fn side(a: &Arguments<'_, '_>, name: &str) -> PyResult<Option<usize>> {
    if a.has(name) { a.count(name).map(Some) } else { Ok(None) }
}

/// The length of a window, at least 0.
fn length(a: &Arguments<'_, '_>) -> PyResult<usize> {
    Ok(a.float("M")?.max(0.0) as usize)
}

/// Whether an object of another library is an array in Fortran order and not in C order.
fn is_fortran(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_exact_instance_of::<pyo3::types::PyList>() || !object.hasattr("flags")? {
        return Ok(false);
    }
    let flag = |name: &str| object.getattr("flags")?.getattr(name)?.is_truthy();
    Ok(flag("f_contiguous").unwrap_or(false) && !flag("c_contiguous").unwrap_or(true))
}

/// `array` and `asarray`.
fn converted(
    a: &Arguments<'_, '_>,
    name: &str,
    dtype: Option<DType>,
    copies: Option<bool>,
) -> PyResult<Answer> {
    let (object, copies) = (a.object(name)?, a.copies("copy", copies)?);
    let order = a.order_or("order", MemoryOrder::K)?;
    let refused = || {
        value_error(
            Mistake::Value,
            "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, \
             copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed.",
        )
    };
    let Ok(array) = object.cast::<Ndarray>() else {
        let shared = match copies {
            Some(true) => None,
            _ => convert::on_gpu(object, true)?,
        };
        let made = match shared {
            Some((made, true)) if dtype.is_none_or(|dtype| dtype == made.dtype()) => made,
            _ if copies == Some(false) => return Err(refused()),
            Some((made, _)) => made.astype(dtype.unwrap_or(made.dtype())),
            None => convert::array(object, dtype)?,
        };
        return Ok(match order.following(made.ndim() > 1 && is_fortran(object)?) {
            MemoryOrder::F => made.in_order(MemoryOrder::F),
            _ => made,
        }
        .into());
    };
    a.copied(name, phalanx::copy_if_needed(&array.get().array, dtype, order, copies))
}

/// An array of at least one axis in a memory order: the object itself if it is one.
fn laid_out(
    a: &Arguments<'_, '_>,
    order: MemoryOrder,
    with_axes: fn(&Array) -> Array,
) -> PyResult<Answer> {
    let (object, dtype) = (a.object("a")?, a.optional_dtype("dtype")?);
    match object.cast_exact::<Ndarray>() {
        Ok(own) if own.get().array.ndim() > 0 => {
            a.copied("a", phalanx::copy_if_needed(&own.get().array, dtype, order, None))
        }
        _ => Ok(with_axes(&convert::array(object, dtype)?).into()),
    }
}

/// `require`: the requirements are NumPy's letters or words.
fn required(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let array = convert::array(a.object("a")?, a.optional_dtype("dtype")?)?;
    let Some(object) = a.given("requirements") else { return Ok(array.into()) };
    let words: Vec<String> = match object.extract::<String>() {
        Ok(word) => vec![word],
        Err(_) => object.try_iter()?.map(|word| word?.extract()).collect::<PyResult<_>>()?,
    };
    // Only the object knows that it is a view if it shows all elements of its memory.
    let is_view = a.object("a")?.cast::<Ndarray>().is_ok_and(|own| !own.get().owns_data);
    let is_own = |word: &String| ["O", "OWNDATA"].iter().any(|own| own.eq_ignore_ascii_case(word));
    let array = if is_view && words.iter().any(is_own) { array.copy() } else { array };
    Ok(phalanx::require(&array, &words).into())
}
