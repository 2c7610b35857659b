"""The elementwise functions, with the calls of NumPy's ufuncs.

Native parts compute them on every device, each element on the device that has it.
"""

import phalanx as np

from ... import _phalanx
from . import _complex, _edges, _host, _loops, _table
from ._loops import native
from ._table import ROWS, SUMMARIES
from ._ufunc import SpecialUfunc


def natives():
    """The native functions: by their names, the number of arguments and the definition."""
    module = getattr(_phalanx, "special", None)
    if module is None:
        return {}
    return {name: (count, text) for name, count, text in module._functions()}


_NATIVES = natives()

# Functions whose first argument is a whole number: fractions are left out, as in SciPy.
_WHOLE = ("expn", "kn", "pdtri", "smirnov", "smirnovi", "yn")


def has(name):
    """Whether there is a native function."""
    return name in _NATIVES


def _of_natives(name, row):
    """The computation by native functions; None if one is missing."""
    own = {"jn": "jv", "digamma": "psi"}.get(name, name)
    parts = [f"{own}_{suffix}" for suffix in row.results] if row.results else [own]
    if any(part not in _NATIVES for part in parts):
        return None
    if row.results:
        return lambda *arrays: tuple(native(part, *arrays) for part in parts)
    edges = _edges.VALUES.get(name)
    if name in _WHOLE:
        return lambda n, *arrays: native(own, np.trunc(n), *arrays)
    if edges is None:
        return _alone(own)

    def compute(*arrays):
        with np.errstate(all="ignore"):
            return edges(native(own, *arrays), *arrays)

    return compute


def _alone(name):
    """A native function of arrays and numbers."""

    def compute(*given):
        return native(name, *given)

    compute.is_native = True
    return compute


def made(name):
    """The function of a name; None if parts of it are missing."""
    row = ROWS.get(name)
    if row is None:
        return None
    compute, loops = _loops.found(name, _NATIVES)
    compute = compute or _of_natives(name, row) or _loops.OTHERWISE.get(name)
    if compute is None and name != "wofz":
        return None
    loops = loops or _table.loops(name)
    # A single native function, whose result needs no corrections.
    of_reals = compute if hasattr(compute, "is_native") else None
    if row.is_complex:
        compute = _with_complex(name, compute)
    return SpecialUfunc(name, row.parameters, loops, compute, row.results,
                        lambda: doc(name, row, loops), of_reals)


def _with_complex(name, of_real):
    """The computation of a function that takes real and complex numbers."""

    def compute(*arrays):
        if all(one.dtype.kind != "c" for one in arrays):
            return of_real(*arrays)
        of_complex = _complex.VALUES.get(name)
        if of_complex is None:
            return _host.call(name, *arrays)
        with np.errstate(all="ignore"):
            found = of_complex(*[one.astype("complex128") for one in arrays])
        is_wide = any(one.dtype.name in ("float64", "complex128") for one in arrays)
        if is_wide:
            return found
        if isinstance(found, tuple):
            return tuple(one.astype("complex64") for one in found)
        return found.astype("complex64")

    return compute


def inner(name, parameters, order="fd"):
    """A function that is no ufunc of SciPy, for functions in Python; None if it is missing."""
    if name not in _NATIVES:
        return None
    loops = [f"{char * parameters}->{char}" for char in order]
    compute = _alone(name)
    return SpecialUfunc(name, "x" * parameters, loops, compute, native=compute)


def summary(name):
    """The definition of a function."""
    if name in SUMMARIES:
        return SUMMARIES[name]
    return _NATIVES[name][1] if name in _NATIVES else f"The function {name} of SciPy."


def doc(name, row, loops):
    """The docstring of a function."""
    import inspect

    from ._described import PARAMETERS, RECORDED, composed

    own = _own_parameters(name)
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(one, kind) for one in row.parameters]
    table = {one: own.get(one) or PARAMETERS[one] for one in row.parameters}
    options = {
        "out": ("ndarray or tuple of ndarray", "The arrays that are written and returned."),
        "**kwargs": ("object", "`where`, `casting`, `order`, `dtype` and `signature`, as ufuncs of "
                     "NumPy take them."),
    }
    parameters += [
        inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
    table["out"], table["kwargs"] = options["out"], options["**kwargs"]
    notes = RECORDED + " Each element is computed on the device that has it."
    if row.is_complex and name not in _complex.VALUES:
        notes += (
            " Complex numbers: SciPy's function computes them on the host, for up to "
            f"{_host.LONGEST} elements. Collective then, because the arrays are copied."
        )
    returns = "ndarray: The values, in the shape to which the arguments broadcast."
    if row.results:
        names = ", ".join(f"`{one}`" for one in row.results)
        returns = f"tuple of ndarray: {names}, in the shape to which the arguments broadcast."
    returns += (
        f" The loops are {', '.join(loops)}: the first that takes the dtypes computes, before "
        "others that of just these dtypes."
    )
    raises = {
        "TypeError": "There is no loop for the dtypes, or `casting` does not allow a cast.",
        "ValueError": "Shapes do not broadcast.",
    }
    head = f"{name}({', '.join(row.parameters)}, /, out=None, **kwargs)\n\n"
    return head + composed(summary(name), parameters, returns, raises, notes, table, {})


def _own_parameters(name):
    from ._parameters import OF_FUNCTIONS

    return OF_FUNCTIONS.get(name, {})
