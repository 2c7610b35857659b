"""What CuPy has beyond NumPy: the functions of cupyx and of cupy that NumPy lacks."""

import functools as _functools
import math as _math
import sys as _sys

from . import _phalanx
from ._phalanx import _refusal
from . import _profiler as profiler
from ._documentation import describe as _describe

# By its path, too, as if this were a folder.
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
    """Adds at positions, each as often as it is named: ``numpy.add.at``."""
    _phalanx.add.at(_target(a, "scatter_add"), slices, value)


def scatter_max(a, slices, value):
    """The greater of what is there and a value at positions: ``numpy.maximum.at``."""
    _phalanx.maximum.at(_target(a, "scatter_max"), slices, value)


def scatter_min(a, slices, value):
    """The lesser of what is there and a value at positions: ``numpy.minimum.at``."""
    _phalanx.minimum.at(_target(a, "scatter_min"), slices, value)


def rsqrt(x, /, out=None):
    """The reciprocal of the square root."""
    return _phalanx.reciprocal(_phalanx.sqrt(x), out=out)


_memoized = []


def memoize(for_each_device=False):
    """A decorator that keeps the results of a function of hashable arguments."""

    def decorate(function):
        kept = _functools.lru_cache(maxsize=None)(function)
        _memoized.append(kept)
        return kept

    return decorate


def clear_memo():
    """Forgets the results that functions under ``memoize`` have kept."""
    for kept in _memoized:
        kept.cache_clear()


def get_runtime_info(*, full=True):
    """What the session runs on: the text of ``phalanx info`` in short."""
    mesh = _phalanx.mesh()
    return f"Phalanx: {mesh.devices} devices, {_phalanx.size()} processes, mesh {mesh!r}"


def empty_pinned(shape, dtype=float, order="C"):
    """An array of NumPy whose memory GPUs reach by themselves, so that copies are fast; on CPUs all
    memory is as good."""
    import numpy

    if not _phalanx._gpus():
        return numpy.empty(shape, dtype, order)
    from . import cuda

    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = numpy.dtype(dtype)
    count = _math.prod(shape)
    if count == 0:
        return numpy.empty(shape, dtype, order)
    memory = cuda.alloc_pinned_memory(count * dtype.itemsize)
    return numpy.frombuffer(memory, dtype, count).reshape(shape, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    """As ``empty_pinned``, of zeros."""
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
    """An order of NumPy's constructors: what is kept is C."""
    return "F" if order == "F" else "C"


class GeneralizedUFunc:
    """A function of inner arrays, called for all outer positions: NumPy's generalized ufunc.

    ``GeneralizedUFunc(function, "(m,n),(n)->(m)")``. The function gets whole arrays with the outer
    axes first and must broadcast over them. ``supports_batched=False``, CuPy's default, makes no
    difference to a function that does.
    """

    def __init__(self, func, signature, *, name=None, doc=None, supports_batched=False,
                 supports_out=False, signatures=(), order="KRC"):
        inputs, _, outputs = signature.replace(" ", "").partition("->")
        if not outputs:
            raise _refusal(ValueError, "value", f"not a signature: {signature!r}")
        self._function = func
        self._inputs = _cores(inputs)
        self._outputs = _cores(outputs)
        self.signature = signature
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = doc or getattr(func, "__doc__", None)

    def __call__(self, *arrays):
        if len(arrays) != len(self._inputs):
            raise _refusal(
                TypeError,
                "type",
                f"{self.__name__}() takes {len(self._inputs)} arrays, not {len(arrays)}",
            )
        extents = {}
        arrays = [_phalanx.asarray(array) for array in arrays]
        for array, core in zip(arrays, self._inputs):
            if array.ndim < len(core):
                raise _refusal(
                    ValueError,
                    "together",
                    f"{self.__name__}(): an array lacks the axes {core}",
                )
            for name, extent in zip(core, array.shape[array.ndim - len(core):]):
                if extents.setdefault(name, extent) != extent:
                    raise _refusal(
                        ValueError,
                        "value",
                        f"{self.__name__}(): {name} is both {extents[name]} and {extent}",
                    )
        return _phalanx._agreed_call(self._function, *arrays)


def _cores(text):
    return [
        tuple(name for name in part.strip("()").split(",") if name)
        for part in text.replace("),(", ")|(").split("|")
    ]


_describe(__name__)
_describe(profiler.__name__, "phalanx.x.profiler")
