"""`reduce`, `accumulate` and `reduceat` of every ufunc of two operands with `dtype`, `initial`,
`where`, several axes and lines of no or one element, and `dtype` and `casting` of calls, against
NumPy. The seed determines a case."""

import random
import warnings

import numpy as np
import phalanx as px
import pytest

DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16"]
BINARY = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)
          and (getattr(np, name).nin, getattr(np, name).nout) == (2, 1)
          and getattr(np, name).signature is None and isinstance(getattr(px, name, None), px.ufunc)]
UNARY = ["sin", "sqrt", "absolute", "negative", "isnan", "floor", "sign", "invert", "square",
         "logical_not", "reciprocal", "conjugate", "signbit", "rint", "exp"]


def numbers(draw, make, shape, dtype=None):
    dtype = dtype or draw.choice(DTYPES)
    low = 0 if dtype[0] in "u?" else -3
    whole = make.integers(low, 5, shape)
    if dtype[0] in "fc" and draw.random() < 0.5:
        whole = whole * 0.5
    return np.array(whole).astype(dtype)


def case(seed):
    """The ufunc, the method, and the arguments."""
    draw, make = random.Random(seed), np.random.default_rng(seed)
    method = draw.choice(["reduce", "reduce", "reduce", "accumulate", "reduceat", "call"])
    shape = draw.choice([(), (0,), (1,), (2,), (5,), (3, 4), (1, 3), (3, 1), (0, 2), (2, 3, 2)])
    array = numbers(draw, make, shape)
    keywords = {}
    if draw.random() < 0.3:
        keywords["dtype"] = draw.choice(DTYPES)
    if method == "call":
        if draw.random() < 0.4:
            keywords["casting"] = draw.choice(["safe", "same_kind", "unsafe"])
        name = draw.choice(BINARY + UNARY)
        if name in UNARY:
            return name, method, (array,), keywords
        other = draw.choice([numbers(draw, make, shape), 2, 300, -1, 1.5, 1j, True])
        return name, method, (array, other), keywords
    name = draw.choice(BINARY)
    if method == "accumulate":
        return name, method, (array, draw.randrange(max(array.ndim, 1))), keywords
    if method == "reduceat":
        extent = shape[0] if shape else 1
        starts = [draw.randrange(max(extent, 1)) for _ in range(draw.randrange(1, 4))]
        return name, method, (array, np.array(starts)), keywords
    axes = [0, -1] if array.ndim else [0]
    keywords["axis"] = draw.choice(axes + [None, tuple(range(array.ndim)), ()])
    if draw.random() < 0.3:
        keywords["initial"] = draw.choice([0, 1, 2, -1, 0.5, True])
    if draw.random() < 0.3:
        keywords["where"] = numbers(draw, make, shape, "?")
    if draw.random() < 0.3:
        keywords["keepdims"] = True
    return name, method, (array,), keywords


def outcome(module, convert, seed):
    name, method, arguments, keywords = case(seed)
    arguments = [convert(one) if isinstance(one, np.ndarray) else one for one in arguments]
    if "where" in keywords:
        keywords["where"] = convert(keywords["where"])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function = getattr(module, name)
            function = function if method == "call" else getattr(function, method)
            return function(*arguments, **keywords)
        except (TypeError, ValueError, OverflowError, IndexError) as error:
            return error


# Cases in which NumPy's answer is wrong or undefined.
def is_numpys_own(name, method, arguments, keywords):
    array = arguments[0]
    if method != "call" and name in ("power", "pow", "arctan2", "atan2", "ldexp"):
        return True
    if method != "call" and name in ("float_power", "remainder", "mod", "fmod", "floor_divide"):
        # Division of integers by zero.
        return array.dtype.kind in "iub" or "dtype" in keywords
    return False


def check(seed):
    what = f"seed {seed}: {case(seed)!r}"
    if is_numpys_own(*case(seed)):
        return
    expected = outcome(np, lambda array: array, seed)
    found = outcome(px, px.asarray, seed)
    if isinstance(expected, Exception) or isinstance(found, Exception):
        assert isinstance(expected, Exception) and isinstance(found, Exception), (
            what, expected, found)
        return
    expected = np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), (what, expected, found)
    near = {"e": 1e-2, "f": 1e-5, "F": 1e-5}.get(expected.dtype.char, 1e-12)
    with np.errstate(all="ignore"):
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(found.get(), expected, rtol=near, atol=near, err_msg=what)
        else:
            np.testing.assert_array_equal(found.get(), expected, err_msg=what)


@pytest.mark.parametrize("start", range(0, 800, 100))
def test_options_as_numpy(start):
    for seed in range(start, start + 100):
        check(seed)
