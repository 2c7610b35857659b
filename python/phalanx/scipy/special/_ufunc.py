"""Functions with the calls of NumPy's ufuncs: operands, loops and outputs."""

import phalanx as np

from ... import _phalanx
from ..._phalanx import _refusal
from .._arguments import beside

# What a number of Python may become, and its dtype where it decides that of the result.
_WEAK = {int: ("lefdFD", "int64"), float: ("efdFD", "float64"), complex: ("FD", "complex128")}
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_DTYPES = {
    "l": "int64", "e": "float16", "f": "float32", "d": "float64", "F": "complex64",
    "D": "complex128",
}
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}


class _Docstring:
    """The docstring of a function, composed when it is read, and that of the class."""

    def __get__(self, instance, owner):
        if instance is None:
            return (
                "A special function of numbers, which broadcasts arrays as NumPy's ufuncs do.\n\n"
                "The first loop in the attribute types that takes the dtypes computes, as in "
                "SciPy: arrays of\nfloat32 give float32.\n"
            )
        return instance._doc()


class SpecialUfunc:
    __doc__ = _Docstring()

    def __init__(self, name, parameters, loops, compute, results=(), doc=lambda: None,
                 native=None):
        """`compute` takes the operands in the dtypes of a loop; `doc` composes the docstring.

        `native`, if there is one, takes real arrays of one dtype, and numbers of Python beside them.
        """
        self.__name__ = name
        self.__module__, self.__qualname__ = "phalanx.scipy.special", name
        self.nin, self.nout = len(parameters), max(1, len(results))
        self.nargs = self.nin + self.nout
        self.types, self.ntypes = loops, len(loops)
        self.identity = self.signature = None
        self._compute, self._compute_beside, self._doc = compute, beside(compute), doc
        # The dtypes of arrays that a loop of floating-point or complex numbers takes as they are.
        inputs = (loop.partition("->")[0] for loop in loops)
        self._exact = {tuple(chars) for chars in inputs if not set(chars) - set("fdFD")}
        self._native, self._takes = native, {}

    def __repr__(self):
        return f"<ufunc {self.__name__!r}>"

    def __reduce__(self):
        return _found, (self.__qualname__,)

    def __call__(self, *args, **options):
        # Most calls: arrays of the dtypes of a loop, and no options.
        if (
            not options
            and self.nout == 1
            and all(type(one) is _phalanx.ndarray for one in args)
            and tuple(one.dtype.char for one in args) in self._exact
        ):
            return self._compute_beside(*args)
        if self._native is not None and not options and self._takes_natively(args):
            return self._native(*args)
        return self._called(*args, **options)

    def _takes_natively(self, args):
        """Whether arguments are real arrays of the dtype of a loop, and numbers beside them."""
        kinds = tuple(
            one.dtype.char if type(one) is _phalanx.ndarray else type(one) for one in args
        )
        if kinds not in self._takes:
            chars = {one for one in kinds if isinstance(one, str)}
            self._takes[kinds] = (
                len(args) == self.nin and chars in ({"f"}, {"d"})
                and all(one in (*chars, float, int) for one in kinds)
                and self._loop(args).partition("->")[0] == chars.pop() * self.nin
            )
        return self._takes[kinds]

    @beside
    def _called(self, *args, out=None, where=True, casting="same_kind", order="K", dtype=None,
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
        given = [one if type(one) in _WEAK else _array(one) for one in args]
        loop = self._named_loop(given, dtype, signature, casting) or self._loop(given)
        operands = self._operands(given, loop, casting)
        if order == "A":
            arrays = [one for one in given if type(one) not in _WEAK]
            order = "F" if all(one.flags.f_contiguous for one in arrays) else "C"
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

    def _named_loop(self, given, dtype, signature, casting):
        """The loop that options of a call name; None if they name none."""
        if dtype is None and signature is None:
            return None
        if dtype is not None:
            if signature is not None:
                raise _refusal(TypeError, "count",
                               "cannot specify both 'signature' and 'dtype'")
            wanted = np.dtype(dtype).char
        elif isinstance(signature, str):
            if signature in self.types:
                return signature
            is_whole = len(signature) == self.nargs + 2 and signature[self.nin:][:2] == "->"
            if len(signature) != 1 and not is_whole:
                raise _refusal(ValueError, "choice",
                               f"a signature of {self.__name__} has one typecode, or {self.nin} "
                               f"before and {self.nout} after ->, not {signature!r}")
            wanted = None if is_whole else signature
        else:
            chars = [np.dtype(one).char for one in signature if one is not None]
            wanted = chars[-1] if chars else None
            if wanted is None:
                return None
        loops = [loop for loop in self.types if loop.rpartition("->")[2][0] == wanted]
        for loop in loops:
            if all(_castable(one, char, casting) for one, char in zip(given, loop)):
                return loop
        if loops:
            # Its operands are refused by what they are.
            return loops[-1]
        raise _refusal(TypeError, "dtype",
                       "No loop matching the specified signature and casting was found for ufunc "
                       f"{self.__name__}", "use one of the loops in the attribute types")

    def _operands(self, given, loop, casting):
        """The inputs as arrays in the dtypes of a loop."""
        operands = []
        for number, (one, char) in enumerate(zip(given, loop)):
            # Native functions take integers as numbers of double precision.
            dtype = "float64" if char == "l" else _DTYPES[char]
            if type(one) in _WEAK:
                if isinstance(one, complex) and char not in "FD":
                    self._refuse("complex")
                operands.append(_phalanx.asarray(one, dtype))
                continue
            if not _castable(one, char, casting):
                raise _refusal(TypeError, "conversion",
                               f"Cannot cast ufunc {self.__name__!r} input {number} from "
                               f"{one.dtype} to {_DTYPES[char]} with casting rule {casting!r}")
            operands.append(one if one.dtype == dtype else one.astype(dtype))
        return operands

    def _loop(self, given):
        """The first loop for the inputs; before others that of just their dtypes."""
        chars = [None if type(one) in _WEAK else one.dtype.char for one in given]
        for loop in self.types:
            if all(one == char for one, char in zip(chars, loop)):
                return loop
        kinds = [_RANKS[one.dtype.kind] for one in given if type(one) not in _WEAK]
        # Numbers of Python do not count beside arrays of their kind or a higher one.
        is_weak = all(
            _RANKS[np.dtype(_WEAK[type(one)][1]).kind] <= max(kinds, default=-1)
            for one in given if type(one) in _WEAK
        )
        for loop in self.types:
            if all(_fits(one, char, is_weak) for one, char in zip(given, loop)):
                return loop
        if any(_is_complex(one) for one in given):
            self._refuse("complex")
        dtypes = ", ".join(
            _WEAK[type(one)][1] if type(one) in _WEAK else str(one.dtype) for one in given
        )
        raise _refusal(TypeError, "dtype", f"ufunc {self.__name__!r} has no loop for {dtypes}",
                       "use dtypes of one of the loops in the attribute types")

    def _refuse(self, kind):
        raise _refusal(TypeError, "dtype",
                       f"ufunc {self.__name__!r} has no loop for {kind} numbers",
                       "SciPy has no loop for complex numbers either")

    def _finished(self, result, out, where, casting, order):
        """A result, or the output after it was written where a condition holds."""
        is_everywhere = where is True or where is None
        if is_everywhere and out is None:
            return _phalanx.asarray(result, order=order) if order in "CF" else result
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


def _array(x):
    """An argument as an array. Types that NumPy has not are computed as float32."""
    x = _phalanx.asarray(x)
    return x.astype("float32") if x.dtype.kind == "V" else x


def _fits(one, char, is_weak):
    """Whether an input is taken by a loop without a loss."""
    if type(one) not in _WEAK:
        return _phalanx.can_cast(one.dtype, _DTYPES[char])
    chars, dtype = _WEAK[type(one)]
    return char in chars if is_weak else _phalanx.can_cast(dtype, _DTYPES[char])


def _castable(one, char, casting):
    """Whether a casting rule allows an input in a loop."""
    if type(one) in _WEAK:
        return char in _WEAK[type(one)][0]
    return one.dtype == _DTYPES[char] or _phalanx.can_cast(one.dtype, _DTYPES[char], casting)


def _is_complex(one):
    return isinstance(one, complex) if type(one) in _WEAK else one.dtype.kind == "c"


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
