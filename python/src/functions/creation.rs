//! New arrays, and arrays of host data.

use crate::convert;
use crate::functions;
use phalanx::DType;

functions! { FUNCTIONS, a =>
    "array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0)",
    "An array of an object: an array, a number, nested lists, or whatever NumPy's array takes.":
    {
        let array = convert::array(a.object("object")?, a.optional_dtype("dtype")?)?;
        let array = if a.truth_or("copy", true)? { array.copy() } else { array };
        let missing = a.size_or("ndmin", 0)?.saturating_sub(array.ndim());
        let shape: Vec<usize> =
            std::iter::repeat_n(1, missing).chain(array.shape().iter().copied()).collect();
        if missing > 0 { array.reshape(shape) } else { array }
    };

    "asarray(a, dtype=None, order=None, *, device=None, copy=None)",
    "An array of an object, which is itself if it is an array of the dtype.":
    {
        let array = convert::array(a.object("a")?, a.optional_dtype("dtype")?)?;
        if a.truth_or("copy", false)? { array.copy() } else { array }
    };

    "zeros(shape, dtype=float, order='C', *, device=None)",
    "An array of zeros.":
    phalanx::zeros(a.shape("shape")?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "ones(shape, dtype=None, order='C', *, device=None)",
    "An array of ones.":
    phalanx::ones(a.shape("shape")?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "arange(start, stop=None, step=None, dtype=None, *, device=None)",
    "Numbers from `start` to before `stop`, `step` apart.":
    {
        let is_one = !a.has("stop");
        let (start, stop) = if is_one { (None, "start") } else { (Some("start"), "stop") };
        let weak = |name: &str| {
            let number = convert::weak(a.object(name)?)?;
            number.ok_or_else(|| a.wrong(name, "a number"))
        };
        let start = start.map_or(Ok(phalanx::Weak::Int(0)), weak)?;
        let step = if a.has("step") { weak("step")? } else { phalanx::Weak::Int(1) };
        match a.optional_dtype("dtype")? {
            Some(dtype) => phalanx::arange_as(start, weak(stop)?, step, dtype),
            None => phalanx::arange(start, weak(stop)?, step),
        }
    };
}

functions! { METHODS, a =>
    "reshape(a, *shape, order='C', copy=None)",
    "The elements in another shape.":
    {
        let shape = a.integers_of_rest("shape")?;
        a.array("a")?.reshape(shape.as_slice())
    };

    "astype(a, dtype, order='K', casting='unsafe', subok=True, copy=True)",
    "The elements cast to a dtype.":
    {
        let array = a.array("a")?;
        let dtype = a.dtype("dtype")?;
        match a.truth_or("copy", true)? || dtype != array.dtype() {
            true => array.astype(dtype),
            false => array,
        }
    };

    "copy(a)",
    "A copy.":
    a.array("a")?.copy();
}
