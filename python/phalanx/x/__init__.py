"""CuPy's functions beyond NumPy's: those of cupyx, and those of cupy that NumPy lacks."""

import contextlib as _contextlib
import functools as _functools
import math as _math
import sys as _sys

from .. import _phalanx
from .._phalanx import _refusal
from .. import _profiler as profiler
from .._documentation import describe as _describe
from .._generalized import GeneralizedUFunc as GeneralizedUFunc
from .._synchronization import (
    DeviceSynchronized as DeviceSynchronized,
    allow_synchronize as allow_synchronize,
)

# The module is importable by its path, too, as if this were a package.
_sys.modules["phalanx.x.profiler"] = profiler


def _target(a, name):
    """The array that is written."""
    if isinstance(a, _phalanx.ndarray):
        return a
    raise _refusal(
        TypeError,
        "type",
        f"{name}(): a is written in place and must be a phalanx.ndarray, not "
        f"{type(a).__module__}.{type(a).__name__}: make one with phalanx.asarray(a)",
    )


def scatter_add(a, slices, value):
    """Adds values at positions, once for each time that a position is named: ``numpy.add.at``."""
    _phalanx.add.at(_target(a, "scatter_add"), slices, value)


def scatter_max(a, slices, value):
    """Writes the greater of the element and a value at positions: ``numpy.maximum.at``."""
    _phalanx.maximum.at(_target(a, "scatter_max"), slices, value)


def scatter_min(a, slices, value):
    """Writes the lesser of the element and a value at positions: ``numpy.minimum.at``."""
    _phalanx.minimum.at(_target(a, "scatter_min"), slices, value)


def rsqrt(x, /, out=None):
    """The reciprocal of the square root."""
    return _phalanx.reciprocal(_phalanx.sqrt(x), out=out)


class errstate(_contextlib.ContextDecorator):
    """A context manager that sets the modes of floating-point errors, as ``phalanx.errstate``, and
    the mode of matrices that cannot be factorised: they raise an error, or with
    ``linalg="ignore"`` their results are NaN."""

    def __init__(self, *, divide=None, over=None, under=None, invalid=None, linalg=None,
                 fallback_mode=None):
        _check_modes(linalg, fallback_mode)
        modes = {"divide": divide, "over": over, "under": under, "invalid": invalid}
        self._modes = {name: mode for name, mode in modes.items() if mode is not None}
        self._linalg = linalg
        self._blocks = []

    def __enter__(self):
        block = _phalanx.errstate(**self._modes)
        block.__enter__()
        self._blocks.append((block, _check_matrices(self._linalg)))

    def __exit__(self, *exception):
        block, checks = self._blocks.pop()
        _phalanx._checks_matrices(checks)
        return block.__exit__(*exception)


def geterr():
    """The modes of errors: those of ``phalanx.geterr``, and those of CuPy's own kinds."""
    linalg = "raise" if _phalanx._checks_matrices() else "ignore"
    return {**_phalanx.geterr(), "linalg": linalg, "fallback_mode": None}


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    """Sets the modes of errors; returns the previous ones."""
    _check_modes(linalg, fallback_mode)
    before = geterr()
    _phalanx.seterr(divide=divide, over=over, under=under, invalid=invalid)
    _check_matrices(linalg)
    return before


def _check_matrices(linalg):
    """Sets the mode of matrices, if one is given; returns whether they were checked before."""
    return _phalanx._checks_matrices(None if linalg is None else linalg == "raise")


def _check_modes(linalg, fallback_mode):
    if linalg not in (None, "raise", "ignore"):
        raise _refusal(
            ValueError, "choice", f"linalg can only be 'raise' or 'ignore', not {linalg!r}"
        )
    if fallback_mode is not None:
        raise _refusal(
            ValueError,
            "choice",
            f"fallback_mode can only be None, not {fallback_mode!r}: see PHALANX_FALLBACK",
        )


_memoized = []


def memoize(for_each_device=False):
    """A decorator that caches the results of a function of hashable arguments."""

    def decorate(function):
        kept = _functools.lru_cache(maxsize=None)(function)
        _memoized.append(kept)
        return kept

    return decorate


def clear_memo():
    """Clears the results that functions under ``memoize`` have cached."""
    for kept in _memoized:
        kept.cache_clear()


def get_runtime_info(*, full=True):
    """The devices, the processes and the mesh of the session as a line of text; ``phalanx info``
    prints more."""
    mesh = _phalanx.mesh()
    return f"Phalanx: {mesh.devices} devices, {_phalanx.size()} processes, mesh {mesh!r}"


def empty_pinned(shape, dtype=float, order="C"):
    """A NumPy array in pinned memory, which GPUs access directly, so that copies are fast. On CPUs
    it is ordinary memory."""
    import numpy

    if not _phalanx._gpus():
        return numpy.empty(shape, dtype, order)
    from .. import cuda

    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = numpy.dtype(dtype)
    count = _math.prod(shape)
    if count == 0:
        return numpy.empty(shape, dtype, order)
    memory = cuda.alloc_pinned_memory(count * dtype.itemsize)
    return numpy.frombuffer(memory, dtype, count).reshape(shape, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    """As ``empty_pinned``, filled with zeros."""
    made = empty_pinned(shape, dtype, order)
    made.fill(0)
    return made


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As ``empty_pinned``, with the shape and dtype of another array."""
    return empty_pinned(a.shape if shape is None else shape, dtype or a.dtype, _order(order))


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As ``zeros_pinned``, with the shape and dtype of another array."""
    return zeros_pinned(a.shape if shape is None else shape, dtype or a.dtype, _order(order))


def _order(order):
    """An order for NumPy's constructors: 'F', or 'C' for any other."""
    return "F" if order == "F" else "C"


def __getattr__(name):
    # They need modules that an import of phalanx does not load.
    if name in ("jit", "optimizing", "scipy", "time"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_describe(__name__)
_describe(profiler.__name__, "phalanx.x.profiler")
