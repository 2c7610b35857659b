//! Conversions of arrays to bits and to text, and tests for shared memory.

use crate::calls::arguments::Arguments;
use crate::functions;
use crate::interpreter::errors::value_error;
use crate::interpreter::mistakes::Mistake;
use crate::methods::text::{TextOptions, text_of};
use phalanx::{BitOrder, MemoryOrder};
use pyo3::prelude::*;

functions! { FUNCTIONS, a =>
    "astype(x, dtype, /, *, copy=True, device=None)",
    "The elements cast to a dtype.":
    {
        a.device()?;
        let (array, dtype) = (a.array("x")?, a.dtype("dtype")?);
        let copies = a.truth_or("copy", true)?.then_some(true);
        a.copied("x", phalanx::copy_if_needed(&array, dtype, MemoryOrder::K, copies))?
    };

    "isfortran(a)",
    "Whether the elements are stored in Fortran order and not in C order.":
    phalanx::isfortran(&a.array("a")?);

    "shares_memory(a, b, /, max_work=-1)",
    "Whether two arrays share the memory of an element.":
    phalanx::shares_memory(&a.array("a")?, &a.array("b")?);

    "may_share_memory(a, b, /, max_work=0)",
    "Whether the memory ranges of two arrays overlap.":
    phalanx::may_share_memory(&a.array("a")?, &a.array("b")?);

    "packbits(a, /, axis=None, bitorder='big')",
    "The truth values of the elements, packed as bits into bytes.":
    phalanx::packbits(&a.array("a")?, a.optional_integer("axis")?, bit_order(a)?);

    "unpackbits(a, /, axis=None, count=None, bitorder='big')",
    "The bits of each byte, as elements 0 and 1.":
    phalanx::unpackbits(
        &a.array("a")?,
        a.optional_integer("axis")?,
        a.optional_integer("count")?,
        bit_order(a)?,
    );

    "array_str(a, max_line_width=None, precision=None, suppress_small=None)",
    "The text of the elements, as `str` returns it.":
    text_of(a, "a", TextOptions::Str)?;

    "array_repr(arr, max_line_width=None, precision=None, suppress_small=None)",
    "The text of the array, as `repr` returns it.":
    text_of(a, "arr", TextOptions::Repr)?;

    "array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=' ', \
     prefix='', *, formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, \
     suffix='', legacy=None)",
    "The text of the elements in a chosen format.":
    text_of(a, "a", TextOptions::Free)?;

    "set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, \
     suppress=None, nanstr=None, infstr=None, formatter=None, sign=None, floatmode=None, *, \
     legacy=None, override_repr=None)",
    "Sets the options for printing arrays, including those of NumPy.":
    a.by_numpy()?.unbind();

    "get_printoptions()",
    "The options for printing arrays.":
    a.by_numpy()?.unbind();

    "printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, \
     suppress=None, nanstr=None, infstr=None, formatter=None, sign=None, floatmode=None, *, \
     legacy=None, override_repr=None)",
    "A context manager with other options for printing arrays, including those of NumPy.":
    a.by_numpy()?.unbind();

    "base_repr(number, base=2, padding=0)",
    "The digits of an integer in a base, as text.":
    a.by_numpy()?.unbind();

    "binary_repr(num, width=None)",
    "The binary digits of an integer, as text.":
    a.by_numpy()?.unbind();

    "format_float_positional(x, precision=None, unique=True, fractional=True, trim='k', \
     sign=False, pad_left=None, pad_right=None, min_digits=None)",
    "The text of a number in decimal digits, without an exponent.":
    a.by_numpy()?.unbind();

    "format_float_scientific(x, precision=None, unique=True, trim='k', sign=False, \
     pad_left=None, exp_digits=None, min_digits=None)",
    "The text of a number in decimal digits, with an exponent.":
    a.by_numpy()?.unbind();
}

fn bit_order(a: &Arguments<'_, '_>) -> PyResult<BitOrder> {
    match a.text_or("bitorder", "big")?.as_str() {
        "big" => Ok(BitOrder::Big),
        "little" => Ok(BitOrder::Little),
        _ => Err(value_error(Mistake::Choice, "'order' must be either 'little' or 'big'")),
    }
}
