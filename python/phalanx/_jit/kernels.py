"""Kernels that are written in Python: the objects of ``phalanx.x.jit``."""

import collections as _collections
import functools as _functools
import types as _types

import numpy as _numpy

from .. import _phalanx
from . import algorithms as _algorithms
from .documentation import describe as _describe
from .source import source_of as _source_of
from .translate import Program as _Program
from .translate import translate_kernel as _translate_kernel
from .types import (
    INT32, Array, Data, Opaque, Scalar, c_name, known_dtype, spelling,
)
from .._phalanx import _refusal

_OPTIONS = ("--std=c++17",)


class _JitKernel:
    """A kernel, or a function of kernels, that is written in Python.

    ``kernel(grid, block, args, shared_mem=0, stream=None)`` and ``kernel[grid, block](*args)``
    run it. It is translated and compiled at the first call with arguments of new types, and on
    CPUs for each new grid and block.
    """

    def __init__(self, function, mode, device):
        _functools.update_wrapper(self, function)
        self._jit_function, self._jit_device, self._jit_mode = function, device, mode
        self._kernels = {}
        self._codes = {}
        # The texts for launches on CPUs.
        self.host_plans = {}

    def __repr__(self):
        kind = "device function" if self._jit_device else "kernel"
        return f"<jit {kind} {self.__name__!r}>"

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        """Runs the kernel.

        Parameters
        ----------
        grid : int or tuple of ints
            The number of thread blocks along up to 3 axes.
        block : int or tuple of ints
            The number of threads of a thread block along up to 3 axes.
        args : tuple
            The arguments: phalanx arrays, numbers of Python or NumPy.
        shared_mem : int, optional
            The bytes of dynamic shared memory of a thread block.
        stream : Stream, optional
            The stream that runs the kernel.

        Raises
        ------
        TypeError
            The function contains what kernels cannot do; the message names the line.
        NotImplementedError
            The devices are CPUs, and the function contains what needs a GPU; the message names the
            line.
        ValueError
            The devices are CPUs, and a thread reads an element that another one writes.

        Notes
        -----
        Local. Collective on CPUs if the launch is checked: an array is read and written, and the
        indices do not show that each thread has elements of its own. If numbers and shapes decide
        the indices, the first launch with them is checked; if elements decide them, each launch is.
        A launch that is checked cannot be captured.
        """
        if self._jit_device:
            raise _refusal(
                TypeError, "type", f"{self.__name__}() is a device function: only kernels call it",
                "leave out device=True for a kernel",
            )
        if not _has_gpus():
            return self._run_on_cpus(_sizes("grid", grid), _sizes("block", block), args)
        key, flat = _flatten(self.__name__, args)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._compile(_types_of(self.__name__, args))
        kernel(_sizes("grid", grid), _sizes("block", block), flat, shared_mem=shared_mem,
               stream=stream)

    def _run_on_cpus(self, grid, block, args):
        from .host_launch import launch

        key = _key_on_cpus(self.__name__, args)
        types = self._kernels.get(key)
        if types is None:
            types = self._kernels[key] = _types_of(self.__name__, args)
        launch(self, grid, block, args, types)
        self._codes.setdefault(types, None)

    def __getitem__(self, grid_and_block):
        """The kernel with a grid and a block: ``kernel[grid, block](*args)``."""
        if not isinstance(grid_and_block, tuple) or len(grid_and_block) != 2:
            raise _refusal(
                TypeError, "type", f"{self.__name__}[grid, block](*args) takes a grid and a block"
            )
        grid, block = grid_and_block
        return lambda *args, shared_mem=0, stream=None: self(
            grid, block, args, shared_mem=shared_mem, stream=stream
        )

    def _compile(self, types):
        from .. import RawKernel

        code, name, cooperative = kernel_text(self._jit_function, types, self._jit_mode)
        self._codes[types] = code
        more = {"enable_cooperative_groups": True} if cooperative else {}
        return RawKernel(code, name, options=_OPTIONS, **more)

    @property
    def cached_codes(self):
        """The texts in CUDA C++, by the types of the arguments."""
        for types, code in self._codes.items():
            if code is None:
                # Calls on CPUs run another text.
                self._codes[types] = kernel_text(self._jit_function, types, self._jit_mode)[0]
        return dict(self._codes)

    @property
    def cached_code(self):
        """The first of the texts in CUDA C++."""
        if not self._codes:
            raise _refusal(
                ValueError, "state", f"{self.__name__}() has not been called yet, so it has no text"
            )
        return next(iter(self.cached_codes.values()))


def _has_gpus():
    return _phalanx._gpu_count() > 0


def _sizes(name, sizes):
    """The extents of a grid or of a block as a tuple."""
    if type(sizes) is int:
        return (sizes,)
    extents = sizes if isinstance(sizes, tuple) else (sizes,)
    whole = all(isinstance(one, (int, _numpy.integer)) for one in extents)
    if not 1 <= len(extents) <= 3 or not whole or isinstance(sizes, bool):
        raise _refusal(TypeError, "type", f"the {name} is 1 to 3 integers, not {sizes!r}")
    return tuple(int(one) for one in extents)


_NUMBERS = {bool: _numpy.bool_, int: _numpy.int64, float: _numpy.float64,
            complex: _numpy.complex128}


def _flatten(name, args):
    """What a compiled kernel depends on, and the arguments of the kernel in C++."""
    if not isinstance(args, (tuple, list)):
        raise _refusal(
            TypeError, "type", f"{name}(): args is a tuple, not {type(args).__name__}",
            "a tuple of one argument is written (x,)",
        )
    key, flat = [], []
    for one in args:
        if isinstance(one, _phalanx.ndarray):
            key.append((one.dtype, one.ndim, one.flags.c_contiguous))
            flat.append(one)
            flat += map(_numpy.int64, one.shape)
            flat += map(_numpy.int64, one.strides)
        else:
            number = _number(name, one)
            key.append(type(number))
            flat.append(number)
    return tuple(key), tuple(flat)


def _key_on_cpus(name, args):
    """What the types of arguments depend on."""
    if not isinstance(args, (tuple, list)):
        _flatten(name, args)
    return tuple(
        (one.dtype, one.ndim) if isinstance(one, _phalanx.ndarray) else type(_number(name, one))
        for one in args
    )


def _types_of(name, args):
    """The types of the arguments."""
    types = []
    for one in args:
        if not isinstance(one, _phalanx.ndarray):
            types.append(Scalar(known_dtype(_number(name, one).dtype)))
            continue
        dtype = known_dtype(one.dtype)
        if dtype is None:
            raise _refusal(TypeError, "dtype", f"{name}(): {one.dtype} is not there in kernels")
        types.append(Array(dtype, one.ndim, bool(one.flags.c_contiguous)))
    return tuple(types)


def _number(name, value):
    """A number as one of NumPy's."""
    if isinstance(value, _numpy.generic) and known_dtype(value.dtype) is not None:
        return value
    make = _NUMBERS.get(type(value))
    if make is None:
        raise _refusal(
            TypeError, "type",
            f"{name}(): an argument is a phalanx.ndarray or a number, not "
            f"{type(value).__module__}.{type(value).__name__}",
            "make an array with phalanx.asarray, or a number with float() or int()",
        )
    try:
        return make(value)
    except OverflowError:
        raise _refusal(
            OverflowError, "large", f"{name}(): {value} is out of the range of int64"
        ) from None


def rawkernel(function=None, *, mode="cuda", device=False):
    """A decorator that makes a kernel of a Python function.

    Each thread of the grid runs the function on elements that it selects by its indices. The types
    of variables are those of their first values. On GPUs the function becomes a kernel in CUDA C++.
    On CPUs it becomes an elementwise kernel, if its threads do not work together.

    Parameters
    ----------
    function : function, optional
        The function; none for a decorator with options.
    mode : {'cuda', 'numpy'}, optional
        How types meet: with ``'cuda'`` Python's numbers are int32 and float32 and the wider operand
        decides, as in C++; with ``'numpy'`` types meet as in NumPy.
    device : bool, optional
        Whether kernels call the function. It may return a value.

    Returns
    -------
    kernel
        ``kernel(grid, block, args, shared_mem=0, stream=None)`` or ``kernel[grid, block](*args)``
        runs it. ``kernel.cached_code`` is its text in CUDA C++.

    Raises
    ------
    TypeError
        The function contains what kernels cannot do; calls raise it, and name the line.
    NotImplementedError
        The function contains what needs a GPU, and the devices are CPUs; calls raise it, and name
        the line.
    ValueError
        ``mode`` is neither of the two. On CPUs, a thread reads an element that another one writes;
        calls raise it.

    Notes
    -----
    Local.

    Examples
    --------
    >>> import phalanx as np
    >>> from phalanx.x import jit
    >>> @jit.rawkernel()
    ... def double(x, y):
    ...     i = jit.grid(1)
    ...     if i < len(x):
    ...         y[i] = 2 * x[i]
    >>> double
    <jit kernel 'double'>
    """
    if mode not in ("cuda", "numpy"):
        raise _refusal(ValueError, "choice", f"mode is 'cuda' or 'numpy', not {mode!r}")
    if function is None:
        return lambda function: rawkernel(function, mode=mode, device=device)
    if not isinstance(function, _types.FunctionType):
        raise _refusal(TypeError, "type", f"rawkernel() takes a function, not {function!r}")
    return _JitKernel(function, mode, bool(device))


def _checked(function, translate):
    """Runs a translation. An error that is no message of ours is reported as one."""
    try:
        return translate()
    except RecursionError:
        text = "its expressions are nested too deeply"
    except Exception as error:
        if hasattr(error, "code"):
            # The frames of the translation say nothing about the program.
            raise error.with_traceback(None) from None
        text = f"it cannot be translated ({type(error).__name__}: {error})"
    raise _refusal(
        TypeError, "type", f"{function.__name__}(): {text}",
        "docs/kernels.md states what kernels from Python may contain",
    )


def _check_count(function, types):
    expected = _source_of(function).parameters
    if len(expected) != len(types):
        raise _refusal(
            TypeError, "count",
            f"{function.__name__}() takes {len(expected)} arguments, not {len(types)}",
        )


def kernel_text(function, types, mode="cuda"):
    """The text of a kernel, its name, and whether its grid waits for itself.

    ``types`` has a ``types.Array`` or a ``types.Scalar`` for each parameter."""
    name = c_name(function.__name__, set(), "jit_")

    def run():
        _check_count(function, types)
        program = _Program(mode)
        text = _translate_kernel(program, function, types, name)
        return program.assemble(text), name, program.cooperative

    return _checked(function, run)


def compile_scalar(function, dtypes, mode="numpy", plain=False):
    """Translates a function of numbers to a device function of CUDA C++.

    Parameters
    ----------
    function : function
        A Python function of numbers.
    dtypes : sequence of dtypes
        The dtypes of its arguments.
    mode : {'cuda', 'numpy'}, optional
        How types meet.
    plain : bool, optional
        Whether the text leaves out the structures of complex numbers and float16, for a reader that
        has them.

    Returns
    -------
    text, name, result : tuple
        The functions of C++, the name of the last one, and the dtype that it returns, or a tuple of
        dtypes.

    Raises
    ------
    TypeError
        The function contains what kernels cannot do.

    Notes
    -----
    Local.
    """
    def run():
        _check_count(function, dtypes)
        arguments = []
        for one in dtypes:
            dtype = known_dtype(one)
            if dtype is None:
                raise _refusal(TypeError, "dtype", f"{one} is not there in kernels")
            arguments.append(Data("", Scalar(dtype)))
        program = _Program(mode, plain)
        name, result = program.call(_Outside(function, mode), None, function, arguments)
        if result is None:
            raise _refusal(TypeError, "type", f"{function.__name__}() returns no value",
                           "write a return statement")
        dtypes_out = getattr(result, "dtype", None) or tuple(
            one.dtype for one in getattr(result, "members", ())
        )
        return program.assemble(), name, dtypes_out

    return _checked(function, run)


class _Outside:
    """Stands for the caller of a function that no kernel calls."""

    def __init__(self, function, mode):
        self.mode = mode
        self._name = getattr(function, "__name__", repr(function))

    def fail(self, node, text, kind=TypeError, mistake="type", hint=None):
        raise _refusal(kind, mistake, f"{self._name}(): {text}", hint)


ElementwiseText = _collections.namedtuple(
    "ElementwiseText", ("in_params", "out_params", "operation", "preamble")
)


def elementwise_text(function, dtypes, mode="numpy"):
    """The arguments of ``phalanx.ElementwiseKernel`` for a function of numbers.

    Parameters
    ----------
    function : function
        A Python function of numbers that returns a number.
    dtypes : sequence of dtypes
        The dtypes of its arguments.
    mode : {'cuda', 'numpy'}, optional
        How types meet.

    Returns
    -------
    ElementwiseText
        The parameters, the operation, and the function as the preamble.

    Raises
    ------
    TypeError
        The function contains what kernels cannot do, or returns several values.

    Notes
    -----
    Local.
    """
    text, name, result = compile_scalar(function, dtypes, mode, plain=True)
    if isinstance(result, tuple):
        raise _refusal(
            TypeError, "type", f"{function.__name__}() returns {len(result)} values",
            "write one function for each value",
        )
    names = [f"x{number}" for number in range(len(dtypes))]
    inputs = ", ".join(f"{known_dtype(one).name} {name}" for one, name in zip(dtypes, names))
    return ElementwiseText(inputs, f"{result.name} y", f"y = {name}({', '.join(names)})", text)


# Names that stand for values of a thread


class _Coordinates:
    """The members x, y and z of one of CUDA's variables; kernels read them."""

    def __init__(self, name):
        self._name = name

    def _jit_data(self):
        return Data(self._name, Opaque("phalanx::Triple", "triple"))

    def __repr__(self):
        return f"<jit {self._name}>"

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise _outside(f"{self._name}.{name}")
        raise AttributeError(f"{self._name} has x, y and z, but no {name!r}")


class _WarpSize:
    """The number of threads of a warp; kernels read it."""

    def _jit_data(self):
        return Data("warpSize", Scalar(INT32))

    def __repr__(self):
        return "<jit warpsize>"


def _outside(name):
    return _refusal(
        RuntimeError, "state", f"{name} has a value inside of kernels only",
        "use it in a function with @jit.rawkernel()",
    )


threadIdx = _Coordinates("threadIdx")
blockIdx = _Coordinates("blockIdx")
blockDim = _Coordinates("blockDim")
gridDim = _Coordinates("gridDim")
warpsize = _WarpSize()


# Reductions of warps and thread blocks


class _Storage:
    """The dtype of the shared memory of a reduction."""

    def __init__(self, c):
        self._jit_element = Opaque(f"{c}::TempStorage", f"storage of {c}")


class _Reduction:
    """A reduction of values of a dtype over a number of threads; kernels call it."""

    def __init__(self, name, dtype, c):
        self._name, self.dtype, self._jit_c = name, dtype, c
        self.TempStorage = _Storage(c)

    def __call__(self, storage):
        raise _outside(repr(self))

    def __eq__(self, other):
        return isinstance(other, _Reduction) and self._jit_c == other._jit_c

    def __hash__(self):
        return hash(self._jit_c)

    def __repr__(self):
        return f"{self._name}[{self.dtype}]"


class _ReductionKind:
    """``WarpReduce`` and ``BlockReduce``: an index selects the dtype and the number of threads."""

    def __init__(self, name, doc):
        self._name, self.__doc__ = name, doc

    def __repr__(self):
        return f"<jit cub.{self._name}>"

    def __getitem__(self, selected):
        selected = selected if isinstance(selected, tuple) else (selected,)
        dtype, sizes = known_dtype(selected[0]), selected[1:]
        is_block = self._name == "BlockReduce"
        whole = all(isinstance(one, (int, _numpy.integer)) and one > 0 for one in sizes)
        most = 3 if is_block else 1
        if dtype is None or not whole or not is_block <= len(sizes) <= most:
            threads = "numbers of threads" if is_block else "a number of lanes"
            raise _refusal(
                TypeError, "type",
                f"cub.{self._name}[...] takes a dtype and {threads}, not {selected!r}",
            )
        if is_block:
            sizes = [*sizes, 1, 1][:3]
        else:
            sizes = [*sizes, 32][:1]
            if sizes[0] not in (1, 2, 4, 8, 16, 32):
                raise _refusal(
                    ValueError, "value", f"a warp is split into powers of two, not {sizes[0]}"
                )
        arguments = ", ".join(map(str, (spelling(dtype), *sizes)))
        return _Reduction(self._name, dtype, f"phalanx::{self._name}<{arguments}>")


class _Functor:
    """An operation of two values."""

    def __repr__(self):
        return f"cub.{self._jit_functor}()"


class Sum(_Functor):
    """The sum of two values, for reductions and scans."""

    _jit_functor = "Sum"


class Max(_Functor):
    """The greater of two values, for reductions and scans."""

    _jit_functor = "Max"


class Min(_Functor):
    """The lesser of two values, for reductions and scans."""

    _jit_functor = "Min"


WarpReduce = _ReductionKind(
    "WarpReduce",
    "A reduction over the lanes of a warp: ``WarpReduce[dtype]``, or ``WarpReduce[dtype, lanes]``.",
)
BlockReduce = _ReductionKind(
    "BlockReduce",
    "A reduction over the threads of a thread block: ``BlockReduce[dtype, x]``, up to x, y, z.",
)


# Algorithms of one thread


class _Policy:
    """How an algorithm runs: each thread that calls it runs it alone."""

    def __init__(self, name):
        self._jit_policy = name

    def __repr__(self):
        return f"<jit thrust.{self._jit_policy}>"


def inside(name=None):
    """A decorator of a function that is defined inside of kernels only: outside it raises. Its
    docstring becomes the first paragraph of a longer one."""
    def decorate(function):
        full = name or function.__name__

        @_functools.wraps(function)
        def refuse(*args, **kwargs):
            raise _outside(f"{full}()")

        refuse._jit_name = full
        refuse.__module__ = f"phalanx.x.jit.{full}".rpartition(".")[0]
        refuse.__doc__ = _describe(function, full, function.__doc__)
        return refuse

    return decorate


_LETTERS = {"f": "first", "l": "last", "i": "iterator", "v": "value", "o": "operation"}


def _algorithm(name):
    """The function of ``phalanx.x.jit.thrust`` with a name."""
    words = []
    for letter in _algorithms.ALGORITHMS[name][0]:
        word = _LETTERS[letter.lower()]
        words.append(f"[{word}]" if letter.isupper() else word)

    def run(policy, *args):
        pass

    run.__name__ = run.__qualname__ = name
    run.__doc__ = (
        f"Thrust's algorithm of this name, with the arguments "
        f"``policy, {', '.join(words)}``.\n\nEach thread that calls it runs it alone."
    )
    return inside(f"thrust.{name}")(run)


def algorithms():
    """All algorithms of ``phalanx.x.jit.thrust`` by name."""
    return {name: _algorithm(name) for name in _algorithms.ALGORITHMS}


def policies():
    """The policies of ``phalanx.x.jit.thrust`` by name."""
    return {name: _Policy(name) for name in ("seq", "device", "host")}


rawkernel.__module__ = "phalanx.x.jit"
