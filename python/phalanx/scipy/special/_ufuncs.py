"""The elementwise functions, with the calls of NumPy's ufuncs.

Native parts compute them on every device, each element on the device that has it.
"""

import phalanx as np

from ... import _phalanx
from ..._phalanx import _refusal
from . import _loops
from ._loops import native
from ._table import ROWS, SUMMARIES

_WEAK = (bool, int, float, complex)
_SINGLE = {"float32": True, "float16": True, "bfloat16": True, "complex64": True}
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_DTYPES = {"f": "float32", "d": "float64", "F": "complex64", "D": "complex128"}


def natives():
    """The native functions: by their names, the number of arguments and the definition."""
    module = getattr(_phalanx, "special", None)
    if module is None:
        return {}
    return {name: (count, text) for name, count, text in module._functions()}


_NATIVES = natives()


def has(name):
    """Whether there is a native function."""
    return name in _NATIVES


class _Docstring:
    """The docstring of a function, composed when it is read, and that of the class."""

    def __get__(self, instance, owner):
        if instance is None:
            return (
                "A special function of numbers, which broadcasts arrays as NumPy's ufuncs do.\n\n"
                "Arrays of float32 and float16 give float32. Arrays of float64, integers and bools "
                "give float64.\nA number of Python takes the dtype of the arrays.\n"
            )
        return doc(instance.__name__, ROWS[instance.__name__], instance.types)


class _SpecialUfunc:
    __doc__ = _Docstring()

    def __init__(self, name, parameters, loops, compute, results=()):
        self.__name__ = name
        self.__module__, self.__qualname__ = "phalanx.scipy.special", name
        self.nin, self.nout = len(parameters), max(1, len(results))
        self.nargs = self.nin + self.nout
        self.types, self.ntypes = loops, len(loops)
        self.identity = self.signature = None
        self._compute = compute

    def __repr__(self):
        return f"<ufunc {self.__name__!r}>"

    def __reduce__(self):
        return _found, (self.__qualname__,)

    def __call__(self, *args, out=None, where=True, casting="same_kind", order="K", dtype=None,
                 subok=True, signature=None, sig=None):
        args, outs = self._divided(args, out)
        if casting not in _CASTINGS:
            raise _refusal(ValueError, "choice",
                           f"casting must be one of {', '.join(map(repr, _CASTINGS))} (got "
                           f"{casting!r})")
        if order not in ("C", "F", "A", "K"):
            raise _refusal(ValueError, "choice",
                           f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
        signature = sig if signature is None else signature
        loop = self._named_loop(dtype, signature)
        operands = self._operands(args, loop, casting)
        results = self._compute(*operands)
        if self.nout == 1:
            return self._finished(results, outs[0], where, casting, order)
        return tuple(
            self._finished(result, out, where, casting, order)
            for result, out in zip(results, outs)
        )

    def outer(self, a, b, /, **options):
        """The values for all pairs of an element of ``a`` and one of ``b``.

        Parameters
        ----------
        a, b : array_like
            The elements.
        **options : object
            The options of a call.

        Returns
        -------
        ndarray
            The values: the axes of ``a``, then those of ``b``.

        Raises
        ------
        ValueError
            The function has not two arguments.

        Notes
        -----
        Local: recorded, and computed when a value is observed.
        """
        if self.nin != 2:
            raise _refusal(ValueError, "count",
                           f"outer needs a function of two arguments, and {self.__name__} has "
                           f"{self.nin}")
        a, b = _phalanx.asarray(a), _phalanx.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    def _divided(self, args, out):
        """The inputs and the outputs of a call."""
        if not self.nin <= len(args) <= self.nargs:
            raise _refusal(TypeError, "count",
                           f"{self.__name__}() takes from {self.nin} to {self.nargs} positional "
                           f"arguments but {len(args)} were given")
        args, outs = args[:self.nin], args[self.nin:]
        if outs and out is not None:
            raise _refusal(TypeError, "count",
                           "cannot specify 'out' as both a positional and keyword argument")
        if out is not None:
            if not isinstance(out, tuple):
                if self.nout > 1:
                    raise _refusal(TypeError, "type", "'out' must be a tuple of arrays")
                out = (out,)
            elif len(out) != self.nout:
                raise _refusal(ValueError, "count",
                               "The 'out' tuple must have exactly one entry per ufunc output")
            outs = out
        outs = (*outs, *[None] * (self.nout - len(outs)))
        for one in outs:
            if one is not None and not isinstance(one, _phalanx.ndarray):
                raise _refusal(TypeError, "type", "return arrays must be of phalanx.ndarray")
        return args, outs

    def _named_loop(self, dtype, signature):
        """The loop that options of a call name; None if they name none."""
        if dtype is None and signature is None:
            return None
        if dtype is not None:
            if signature is not None:
                raise _refusal(TypeError, "count",
                               "cannot specify both 'signature' and 'dtype'")
            wanted = np.dtype(dtype).char
        elif isinstance(signature, str):
            wanted = signature.rpartition("->")[2][:1]
            loops = (loop for loop in self.types if loop == signature)
            if "->" in signature and not any(loops):
                wanted = "?"
        else:
            chars = [np.dtype(one).char for one in signature if one is not None]
            wanted = chars[-1] if chars else None
        if wanted is None:
            return None
        for loop in self.types:
            if loop.rpartition("->")[2][0] == wanted:
                return loop
        raise _refusal(TypeError, "dtype",
                       "No loop matching the specified signature and casting was found for ufunc "
                       f"{self.__name__}", "use one of the loops in the attribute types")

    def _operands(self, args, loop, casting):
        """The inputs as arrays in the dtypes of a loop."""
        given = [one if type(one) in _WEAK else _phalanx.asarray(one) for one in args]
        if loop is None:
            loop = self._loop(given)
        operands = []
        for number, (one, char) in enumerate(zip(given, loop)):
            dtype = _DTYPES[char]
            if type(one) in _WEAK:
                if isinstance(one, complex) and char in "fd":
                    self._refuse("complex")
                operands.append(_phalanx.asarray(one, dtype))
                continue
            if one.dtype != dtype and not _phalanx.can_cast(one.dtype, dtype, casting):
                raise _refusal(TypeError, "conversion",
                               f"Cannot cast ufunc {self.__name__!r} input {number} from "
                               f"{one.dtype} to {dtype} with casting rule {casting!r}")
            operands.append(one if one.dtype == dtype else one.astype(dtype))
        return operands

    def _loop(self, given):
        """The first loop for the inputs."""
        arrays = [one.dtype for one in given if type(one) not in _WEAK]
        is_single = bool(arrays) and all(dtype.name in _SINGLE for dtype in arrays)
        complexes = [
            isinstance(one, complex) if type(one) in _WEAK else one.dtype.kind == "c"
            for one in given
        ]
        for loop in self.types:
            inputs = loop.partition("->")[0]
            if (inputs[-1] in "fF") == is_single and all(
                char in "FD" or not is_complex for char, is_complex in zip(inputs, complexes)
            ):
                return loop
        self._refuse("complex")

    def _refuse(self, kind):
        row = ROWS.get(self.__name__)
        hint = "SciPy has no loop for complex numbers"
        if row is not None and row.is_complex:
            hint = f"scipy.special.{self.__name__} of NumPy arrays has a loop for complex numbers"
        raise _refusal(TypeError, "dtype",
                       f"ufunc {self.__name__!r} has no loop for {kind} numbers", hint)

    def _finished(self, result, out, where, casting, order):
        """A result, or the output after it was written where a condition holds."""
        is_everywhere = where is True or where is None
        if is_everywhere and out is None:
            return _phalanx.asarray(result, order="F") if order == "F" else result
        where = True if is_everywhere else _condition(self.__name__, where)
        shape = result.shape
        if not is_everywhere:
            shape = _phalanx.broadcast_shapes(shape, where.shape)
        if out is None:
            out = _phalanx.zeros(shape, result.dtype)
        pairs = zip(reversed(shape), reversed(out.shape))
        if len(shape) > out.ndim or any(one not in (1, extent) for one, extent in pairs):
            raise _refusal(ValueError, "together",
                           f"non-broadcastable output operand with shape {out.shape} doesn't match "
                           f"the broadcast shape {shape}")
        if not _phalanx.can_cast(result.dtype, out.dtype, casting):
            raise _refusal(TypeError, "conversion",
                           f"Cannot cast ufunc {self.__name__!r} output from {result.dtype} to "
                           f"{out.dtype} with casting rule {casting!r}")
        _phalanx.copyto(out, result, where=where, casting=casting)
        return out


def _condition(name, where):
    where = _phalanx.asarray(where)
    if where.dtype.kind != "b":
        raise _refusal(TypeError, "type",
                       f"{name}(): where must be an array of bool, not of {where.dtype}: compare "
                       "its elements, as in x != 0")
    return where


def _found(name):
    """A function by its name, as pickles need."""
    from .. import special

    return getattr(special, name)


def _of_natives(name, row):
    """The computation by native functions; None if one is missing."""
    own = {"jn": "jv", "digamma": "psi"}.get(name, name)
    parts = [f"{own}_{suffix}" for suffix in row.results] if row.results else [own]
    if any(part not in _NATIVES for part in parts):
        return None
    if row.results:
        return lambda *arrays: tuple(native(part, *arrays) for part in parts)
    return lambda *arrays: native(own, *arrays)


def made(name):
    """The function of a name; None if parts of it are missing."""
    row = ROWS.get(name)
    if row is None:
        return None
    compute, loops = _loops.found(name, _NATIVES)
    if compute is None:
        compute = _of_natives(name, row) or _loops.OTHERWISE.get(name)
    if compute is None:
        return None
    if loops is None:
        count, several = len(row.parameters), max(1, len(row.results))
        loops = [f"{char * count}->{char * several}" for char in "fd"]
    return _SpecialUfunc(name, row.parameters, loops, compute, row.results)


def inner(name, parameters):
    """A function that is no ufunc of SciPy, for functions in Python; None if it is missing."""
    if name not in _NATIVES:
        return None
    loops = [f"{char * parameters}->{char}" for char in "fd"]
    return _SpecialUfunc(name, "x" * parameters, loops, lambda *arrays: native(name, *arrays))


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
    if row.is_complex and not any(char in "FD" for loop in loops for char in loop.split("->")[0]):
        notes += " Arguments are real: the loops of SciPy for complex numbers are missing."
    returns = "ndarray: The values, in the shape to which the arguments broadcast."
    if row.results:
        names = ", ".join(f"`{one}`" for one in row.results)
        returns = f"tuple of ndarray: {names}, in the shape to which the arguments broadcast."
    returns += " float32 for float32 and float16, else float64."
    if loops[0][-1] == "F":
        returns = returns.replace("float32 for", "complex64 for").replace("float64", "complex128")
    raises = {
        "TypeError": "There is no loop for the dtypes, or `casting` does not allow a cast.",
        "ValueError": "Shapes do not broadcast.",
    }
    head = f"{name}({', '.join(row.parameters)}, /, out=None, **kwargs)\n\n"
    return head + composed(summary(name), parameters, returns, raises, notes, table, {})


def _own_parameters(name):
    from ._parameters import OF_FUNCTIONS

    return OF_FUNCTIONS.get(name, {})
