"""Statistics of SciPy and of ours that are equal, and the comparison of results.

A case is an expression of the module as `sp`, whose arrays are NumPy's for SciPy and ours for us.
"""

import warnings

import numpy
import scipy.special
import scipy.stats

import phalanx
import phalanx.scipy.stats as own

_DRAW = numpy.random.default_rng(1)
ARRAYS = {"x": _DRAW.normal(size=(9, 4))}
ARRAYS["y"] = _DRAW.normal(size=(9, 4)) + 0.3 * ARRAYS["x"] + 0.4
ARRAYS["z"] = _DRAW.normal(size=(7, 4))
ARRAYS["p"] = abs(ARRAYS["x"]) + 0.1
ARRAYS["i"] = _DRAW.integers(0, 4, size=(9, 4))
ARRAYS["j"] = _DRAW.integers(0, 4, size=(9, 4))
ARRAYS["n"] = ARRAYS["x"].copy()
ARRAYS["n"][2, 1] = ARRAYS["n"][5, 3] = numpy.nan
ARRAYS["m"] = ARRAYS["y"].copy()
ARRAYS["m"][0, 0] = numpy.nan
ARRAYS["pn"] = abs(ARRAYS["n"]) + 0.1
ARRAYS["f"] = ARRAYS["x"].astype("f")
ARRAYS["g"] = ARRAYS["y"].astype("f")
ARRAYS["v"], ARRAYS["w"] = ARRAYS["x"][:, 0].copy(), ARRAYS["y"][:, 0].copy()
ARRAYS["long"] = _DRAW.normal(size=(40, 3))
ARRAYS["uniform"] = scipy.special.ndtr(ARRAYS["x"])
ARRAYS["ones"] = numpy.ones((9, 4))


def _normal(x):
    if isinstance(x, phalanx.ndarray):
        return phalanx.asarray(scipy.special.ndtr(x.get()))
    return scipy.special.ndtr(x)


def _names(module, wrap):
    names = {name: wrap(value) for name, value in ARRAYS.items()}
    return {"sp": module, "normal": _normal, "np": numpy, "array": wrap, **names}


def evaluated(expression, is_own):
    """The value of an expression, or its error."""
    names = _names(own, phalanx.asarray) if is_own else _names(scipy.stats, numpy.asarray)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(expression, names)
        except Exception as error:
            return error


def parts(value):
    """The numbers of a result, with the names of fields."""
    if hasattr(value, "_fields"):
        return {f"{name}{inner}": part for name in value._fields
                for inner, part in parts(getattr(value, name)).items()}
    if isinstance(value, (tuple, list)):
        return {f"[{place}]{inner}": part for place, one in enumerate(value)
                for inner, part in parts(one).items()}
    if isinstance(value, (phalanx.ndarray, numpy.ndarray, numpy.generic, int, float)):
        return {"": value.get() if isinstance(value, phalanx.ndarray) else numpy.asarray(value)}
    if value is None or callable(value):
        return {}
    return {f".{name}{inner}": part for name, one in vars(value).items()
            if not name.startswith("_") for inner, part in parts(one).items()}


def _named(found, name):
    return found.get(name, found.get(name.lstrip(".")))


def compare(expression, tolerance=1e-11):
    """Compares the results of an expression, or the classes of its errors."""
    want, found = evaluated(expression, False), evaluated(expression, True)
    if isinstance(want, Exception) or isinstance(found, Exception):
        assert isinstance(want, Exception), f"only ours fails: {found!r}"
        assert isinstance(found, type(want)), f"{found!r} is no {want!r}"
        return
    wanted, found = parts(want), parts(found)
    assert wanted
    for name, value in wanted.items():
        own_value = _named(found, name)
        assert own_value is not None, f"{name} is missing"
        assert own_value.shape == value.shape, name
        single = value.dtype == numpy.float32
        near = max(tolerance, 1e-4) if single else tolerance
        numpy.testing.assert_allclose(
            own_value, value, rtol=near, atol=near * (1 if single else 1e-2), err_msg=name
        )


def cases(text):
    """The expressions of a text, which are separated by lines or two spaces."""
    lines = (line for line in text.strip().splitlines())
    return [one.strip() for line in lines for one in line.split("  ") if one.strip()]


def policies(names, arrays, extra=""):
    """Calls of functions for each axis and each policy for NaNs; for arrays after the second one
    along one axis."""
    return [
        f"sp.{name}({given}{extra}, axis={axis}, nan_policy='{policy}')"
        for name in names.split()
        for place, given in enumerate(arrays)
        for axis in ((0, 1, None) if place < 2 else (0,))
        for policy in ("propagate", "omit", "raise")
        if place < 2 or policy != "raise"
    ]
