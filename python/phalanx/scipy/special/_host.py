"""Functions of few numbers, such as zeros and quadrature nodes: SciPy's own, on the host."""

import functools
import inspect

import phalanx as np

from .. import _host
from ._described import HOST, PARAMETERS, composed
from ._host_table import CLASSES, TABLE
from ._parameters import OF_FUNCTIONS

# Elements of an argument that may be copied to the host.
LONGEST = 1 << 22
_RAISES = {
    "ValueError": f"An argument has more than {LONGEST} elements, or a value is not allowed.",
    "TypeError": "An argument has a type that the function does not take.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}


def scipy_special(name):
    """SciPy's module; an ImportError that names the package if it is missing."""
    return _host.module("special", name)


def to_host(name, x):
    """An argument for SciPy: our arrays as NumPy's."""
    if isinstance(x, np.ndarray):
        return _host.copied(x, LONGEST, f"phalanx.scipy.special.{name}")
    if isinstance(x, (list, tuple)):
        return type(x)(to_host(name, one) for one in x)
    return x


def from_host(x):
    """A result of SciPy: its arrays and numbers of NumPy as arrays of ours."""
    import numpy

    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return np.asarray(x) if x.dtype.kind in "biufc" else _plain(x)
    if type(x) in (list, tuple):
        return type(x)(map(from_host, x))
    return x


def _plain(x):
    """Objects as numbers, as far as arrays have them."""
    import numpy

    numbers = numpy.array(x.tolist())
    return np.asarray(numbers) if numbers.dtype.kind in "biufc" else x


def call(name, *args, **options):
    """A call of SciPy's function of a name."""
    found = getattr(scipy_special(name), name)
    args = [to_host(name, one) for one in args]
    options = {key: to_host(name, one) for key, one in options.items()}
    return from_host(found(*args, **options))


def function(name, signature, returns, summary):
    """A function that calls SciPy's of the same name."""

    def made(*args, **options):
        return call(name, *args, **options)

    parameters = list(signature.parameters.values())
    own = OF_FUNCTIONS.get(name, {})
    table = {one.name: own.get(one.name) or PARAMETERS[one.name] for one in parameters}
    made.__name__ = made.__qualname__ = name
    made.__module__ = "phalanx.scipy.special"
    made.__signature__ = signature
    made.__doc__ = composed(
        f"{summary} It is SciPy's function on the host.", parameters, returns, _RAISES, HOST, table,
        {},
    )
    return made


@functools.cache
def _rows():
    rows = {}
    for line in TABLE.strip().replace("\n    ", " ").splitlines():
        name, signature, returns, summary = (part.strip() for part in line.split("|"))
        rows[name] = signature, returns, summary
    return rows


def elementwise(name, row, summary):
    """A ufunc of SciPy that no native part computes."""
    kind = inspect.Parameter
    parameters = [kind(one, kind.POSITIONAL_ONLY) for one in row.parameters]
    parameters.append(kind("kwargs", kind.VAR_KEYWORD))
    returns = "ndarray: The values, in the shape to which the arguments broadcast."
    if row.results:
        names = ", ".join(f"`{one}`" for one in row.results)
        returns = f"tuple of ndarray: {names}, in the shape to which the arguments broadcast."
    return function(name, inspect.Signature(parameters), returns, summary)


def found(name):
    """The function or class of a name; None if it is none of SciPy's here."""
    if name in CLASSES:
        return getattr(scipy_special(name), name)
    row = _rows().get(name)
    if row is None:
        return None
    signature, returns, summary = row
    # The signature is written in the table, so that SciPy is imported by the first call only.
    signature = inspect.signature(eval(f"lambda {signature}: None"))
    return function(name, signature, returns, summary)


def names():
    """The names that are SciPy's own functions."""
    return [*_rows(), *CLASSES]
