"""Calls of ``vectorize`` on the devices: the function is translated to an elementwise kernel."""

import types as _types

from . import _phalanx
from ._kernels import ElementwiseKernel as _ElementwiseKernel

# From this many elements on, a call is worth the translation.
LEAST = 10_000

# Functions whose results or errors for some numbers are Python's own.
_OF_PYTHON = {"math", "int", "float", "round", "divmod", "pow", "complex", "print"}

# Kernels by the texts that they were made of.
_kernels = {}


def translated(host, args):
    """The result of a call of NumPy's ``vectorize`` object ``host``; None if it must be called on the
    host. Local, but for the first element, which is fetched (Collective) unless there is ``otypes``.
    """
    arrays = [one for one in args if isinstance(one, _phalanx.ndarray)]
    if not arrays or max(one.size for one in arrays) < LEAST or not _is_plain(host, args):
        return None
    shape = _phalanx.broadcast_shapes(*(one.shape for one in arrays))
    kernel = _kernel_of(host.pyfunc, [_dtype_of(one) for one in args])
    if kernel is None:
        return None
    wanted = host.otypes[0] if host.otypes else _first(host.pyfunc, args, shape)
    if wanted != kernel.out_params[0].dtype:
        return None
    try:
        return kernel(*args)
    except (ValueError, TypeError):
        # The text is no arithmetic for these dtypes.
        return None


def _is_plain(host, args):
    function = host.pyfunc
    return (
        isinstance(function, _types.FunctionType)
        and not host.excluded and host.signature is None and not host.cache
        and len(host.otypes or "x") == 1
        and _is_pure(function, set())
        and all(isinstance(one, (_phalanx.ndarray, bool, int, float)) for one in args)
        and all(one.dtype.fields is None for one in args if isinstance(one, _phalanx.ndarray))
    )


def _is_pure(function, seen):
    """Whether a function only computes: what it reads from outside cannot change by a call."""
    if function in seen:
        return True
    seen.add(function)
    code = function.__code__
    if _OF_PYTHON.intersection(code.co_names):
        return False
    try:
        held = dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ())))
    except ValueError:
        return False
    for name in code.co_names:
        if name in function.__globals__:
            held[name] = function.__globals__[name]
    return all(_is_harmless(value, seen) for value in held.values())


def _is_harmless(value, seen):
    import numpy

    if isinstance(value, tuple):
        return all(_is_harmless(one, seen) for one in value)
    if isinstance(value, _types.FunctionType):
        return value.__module__.split(".")[0] in ("numpy", "phalanx") or _is_pure(value, seen)
    if isinstance(value, _types.ModuleType):
        return value.__name__.split(".")[0] in ("numpy", "phalanx")
    kinds = (bool, int, float, numpy.generic, numpy.dtype, numpy.ufunc, type(_phalanx.add), type)
    return isinstance(value, kinds)


def _dtype_of(argument):
    """The dtype with which NumPy would pass an argument."""
    if isinstance(argument, _phalanx.ndarray):
        return argument.dtype
    kinds = ((bool, "bool"), (int, "int64"), (float, "float64"))
    return next(name for kind, name in kinds if isinstance(argument, kind))


def _kernel_of(function, dtypes):
    """The kernel of a function; None if it cannot be translated. It is translated anew at each call,
    because the values that it reads from outside may have changed."""
    from ._jit import kernels

    try:
        text = kernels.elementwise_text(function, dtypes)
    except (TypeError, ValueError, NotImplementedError):
        return None
    key = tuple(text)
    if key not in _kernels:
        inputs, outputs, operation, preamble = key
        try:
            made = _ElementwiseKernel(inputs, outputs, operation, "vectorized", preamble=preamble)
        except (ValueError, NotImplementedError):
            made = None
        _kernels[key] = made
    return _kernels[key]


def _first(function, args, shape):
    """The dtype of the first result, as NumPy finds it."""
    import numpy

    def first(one):
        if not isinstance(one, _phalanx.ndarray):
            return numpy.asarray(one)[()]
        value = _phalanx.broadcast_to(one, shape)[(0,) * len(shape)]
        return value.get()[()] if hasattr(value, "get") else value

    return numpy.asarray(function(*map(first, args))).dtype
