"""Kernels of the user's own: CuPy's ``ElementwiseKernel`` and ``ReductionKernel``."""

import functools as _functools

from . import _phalanx
from ._phalanx import _refusal

# The code of an error about a text.
_TEXT = "PX138"


class ParameterInfo:
    """A parameter of a kernel: its name, its dtype or its placeholder (``ctype``), and whether it is
    a raw array, and whether the text only reads it."""

    def __init__(self, described, is_const):
        self.name, self.dtype, self.ctype, self.raw = described
        self.is_const = is_const

    def __repr__(self):
        raw = "raw " if self.raw else ""
        return f"<ParameterInfo {raw}{self.ctype} {self.name}>"


def _refuse_unknown(kind, options):
    for name in options:
        raise _refusal(TypeError, "keyword", f"{kind}() got an unexpected keyword argument {name!r}")


def _check_outputs(name, outputs):
    for output in outputs:
        if not isinstance(output, _phalanx.ndarray):
            raise _refusal(
                TypeError, "type",
                f"{name}: an output is a phalanx.ndarray, not "
                f"{type(output).__module__}.{type(output).__name__}",
            )


def _after_loop(name):
    """The refusal to record statements that run at the end of each thread."""
    refused = _refusal(
        NotImplementedError, "absent",
        f"kernel '{name}': after_loop runs at the end of each thread of a GPU, and the devices of "
        "this session are CPUs: write it as a kernel of its own",
    )
    if _phalanx._gpu_count() > 0:
        refused.code = _TEXT
    return refused


class _Kernel:
    """What both kinds of kernels have."""

    # Members of the class, with their descriptions.
    __slots__ = {
        "name": "The name, which errors state.",
        "__name__": "The name.",
        "preamble": "Functions that the text calls.",
        "in_params": "The inputs.",
        "out_params": "The outputs.",
        "params": "The inputs and the outputs.",
        "nin": "The number of inputs.",
        "nout": "The number of outputs.",
        "nargs": "The number of inputs and outputs.",
        "reduce_dims": "Without effect.",
        "_native": "",
        "_program": "",
        "_make_program": "",
        "__weakref__": "",
    }

    def _describe(self, make, program, name, preamble, reduce_dims):
        """Parses the texts. Those that are no plain arithmetic become a program where there are
        GPUs."""
        self.preamble, self.reduce_dims = preamble, reduce_dims
        self.name = self.__name__ = name
        self._make_program, self._program = program, None
        try:
            self._native = make()
            inputs, outputs = self._native.inputs(), self._native.outputs()
        except (ValueError, NotImplementedError) as error:
            self._compile_after(error)
            inputs = [one.described() for one in self._program.inputs]
            outputs = [one.described() for one in self._program.outputs]
        self.in_params = tuple(ParameterInfo(one, True) for one in inputs)
        self.out_params = tuple(ParameterInfo(one, False) for one in outputs)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout

    def _compile_after(self, error):
        """Makes the texts a program, after they were refused as arithmetic."""
        if getattr(error, "code", None) != _TEXT or _phalanx._gpu_count() == 0:
            raise error
        self._program = self._make_program()
        # Known to be no arithmetic for the arguments of this call, so for those of others.
        self._native = None

    @property
    def cached_codes(self):
        """The texts in CUDA C++ that have been compiled, by the forms of the arguments; none for
        texts that are recorded as operations."""
        return {} if self._program is None else dict(self._program.texts)

    @property
    def cached_code(self):
        """The text in CUDA C++ that has been compiled.

        Raises
        ------
        RuntimeError
            If there is not exactly one.
        """
        codes = self.cached_codes
        if len(codes) != 1:
            raise _refusal(
                RuntimeError, "state",
                f"kernel '{self.name}' has {len(codes)} compiled texts; cached_codes has all",
            )
        return next(iter(codes.values()))

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r}>"


class ElementwiseKernel(_Kernel):
    """An elementwise operation that a text in C++ defines.

    ``ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "name")`` takes the inputs, the outputs
    and the text. ``T`` and other single letters stand for the dtype of the argument. The text reads
    the inputs of an element and assigns its outputs; ``raw`` parameters are whole arrays, which it
    indexes. ``i`` is the number of the element in C order, ``n`` the number of all elements.

    Calls take the inputs, and then the outputs if they are to be written, and return the outputs.
    With raw parameters alone, ``size=`` is the number of elements. The text is plain arithmetic,
    which runs on every device, split like its operands and fused with other operations; see
    docs/kernels.md. Statements before the loop are ``loop_prep=``, functions that the text calls
    ``preamble=``. ``options``, ``reduce_dims`` and ``block_size`` change nothing here.

    >>> square = np.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    >>> square(np.arange(4.0))
    array([0., 1., 4., 9.])
    """

    # Members of the class, with their descriptions.
    __slots__ = {
        "operation": "The text.",
        "no_return": "Whether calls return None.",
        "return_tuple": "Whether calls return a tuple for one output.",
        "kwargs": "The other options.",
    }

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True,
                 preamble="", no_return=False, return_tuple=False, loop_prep="", after_loop="",
                 options=(), **other):
        _refuse_unknown("ElementwiseKernel", other)

        def make():
            if after_loop.strip():
                raise _after_loop(name)
            return _phalanx._ElementwiseKernel(
                name, (in_params, out_params), operation, preamble, loop_prep
            )

        def program():
            from ._kernel_programs import Elementwise

            return Elementwise(name, (in_params, out_params), operation, preamble, loop_prep,
                               after_loop, options)

        self._describe(make, program, name, preamble, reduce_dims)
        self.operation, self.no_return, self.return_tuple = operation, no_return, return_tuple
        self.kwargs = {"loop_prep": loop_prep, "after_loop": after_loop, "options": options}

    def __call__(self, *args, size=None, block_size=128, stream=None):
        """The outputs for these inputs."""
        if len(args) > self.nin:
            _check_outputs(self.name, args[self.nin :])
        native = self._native
        if native is None:
            results = self._program.call(list(args), size, block_size)
        else:
            try:
                results = native.call(args, size)
            except ValueError as error:
                self._compile_after(error)
                results = self._program.call(list(args), size, block_size)
        if self.no_return:
            return None
        return results[0] if self.nout == 1 and not self.return_tuple else results


class ReductionKernel(_Kernel):
    """A reduction that texts in C++ define.

    ``ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")`` takes the inputs,
    the outputs, the value of an element, the combination of two values ``a`` and ``b``, the
    statements that assign the outputs from the combination ``a`` of all, and the value of no
    element, or None. The combination is associative. ``reduce_type=`` is the type of the values,
    otherwise that of the first output. ``across=`` is a second text for the same combination, which
    combines the values that the devices have reduced; see docs/kernels.md.

    Calls take the inputs, ``axis=`` (all axes without it), ``keepdims=`` and ``out=``. The result is
    the same for every number of devices, up to the order in which floats are combined.

    >>> norm = np.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(np.array([[3.0, 4.0], [5.0, 12.0]]), axis=1)
    array([ 5., 13.])
    """

    # Members of the class, with their descriptions.
    __slots__ = {
        "map_expr": "The value of an element.",
        "reduce_expr": "The combination of two values.",
        "post_map_expr": "The statements that assign the outputs.",
        "identity": "The value of no element.",
        "reduce_type": "The type of the values, if it is given.",
        "options": "Without effect.",
        "across": "The combination of values of several devices, if it is given.",
    }

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                 name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="",
                 options=(), *, across=None):
        identity = None if identity is None else str(identity)
        expressions = [map_expr, reduce_expr, post_map_expr]

        def native(across):
            return _phalanx._ReductionKernel(
                name, (in_params, out_params), expressions, (identity, across), reduce_type,
                preamble,
            )

        def make():
            return native(across)

        def program():
            from ._kernel_programs import Reduction

            if across is not None:
                try:
                    native(None)
                except (ValueError, NotImplementedError):
                    pass
                else:
                    # The mistake, if there is one, is in the text of `across`.
                    make()
            return Reduction(name, (in_params, out_params), expressions, identity, reduce_type,
                             preamble, options)

        self._describe(make, program, name, preamble, reduce_dims)
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity, self.reduce_type, self.options = identity, reduce_type, options
        self.across = across

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        """The outputs for these inputs."""
        inputs, outputs = list(args[: self.nin]), list(args[self.nin :])
        if out is not None:
            outputs = list(out) if isinstance(out, tuple) else [out]
        _check_outputs(self.name, outputs)
        if axis is not None:
            axis = [int(one) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]
        results = self._computed(inputs, axis, bool(keepdims), outputs)
        return results[0] if self.nout == 1 else results

    def _computed(self, inputs, axes, keepdims, outputs):
        if self._native is not None:
            try:
                return self._native.call(inputs, axes, keepdims, outputs)
            except ValueError as error:
                self._compile_after(error)
        return self._program.call(inputs, axes, keepdims, outputs)


class _Fusion:
    """A function whose operations are fused, as those of every function are."""

    def __init__(self, function, kernel_name):
        if not callable(function):
            raise _refusal(TypeError, "type", f"fuse(): {function!r} is not callable")
        _functools.update_wrapper(self, function)
        self._function = function
        self.kernel_name = kernel_name or getattr(function, "__name__", "fused")

    def __repr__(self):
        return f"<Fusion {self.kernel_name!r}>"

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else _functools.partial(self, instance)

    def clear_cache(self):
        """Does nothing: plans are kept for patterns of operations, not for functions."""


def fuse(*args, kernel_name=None):
    """A decorator that changes nothing, for programs that use CuPy's: ``@fuse``, ``@fuse()`` or
    ``@fuse(kernel_name="name")``.

    Every function is fused here, without a decorator: elementwise operations that read the same
    elements become one kernel, with a reduction at their end, on every device; ``explain()`` shows
    it. So a function may also do what CuPy's ``fuse`` refuses.

    Parameters
    ----------
    *args : callable
        The function; none for a decorator with options.
    kernel_name : str, optional
        A name, which the result has as an attribute.

    Returns
    -------
    callable
        A function that calls the given one, or a decorator.

    Raises
    ------
    TypeError
        Several arguments are given, or one that is not callable.

    Notes
    -----
    Local.

    Examples
    --------
    >>> import phalanx as np
    >>> @np.fuse(kernel_name="squared_difference")
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(np.arange(3.0), 1.0)
    array([1., 0., 1.])
    """
    if len(args) > 1:
        raise _refusal(TypeError, "count", f"fuse() takes one function, not {len(args)}")
    if not args:
        return lambda function: _Fusion(function, kernel_name)
    return _Fusion(args[0], kernel_name)


for _class in (ElementwiseKernel, ReductionKernel, ParameterInfo, fuse):
    _class.__module__ = "phalanx"
