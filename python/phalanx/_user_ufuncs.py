"""Ufuncs of the user's own: ``phalanx.ufunc_from``."""

import operator as _operator
import re as _re

from . import _phalanx
from ._phalanx import _refusal

_NO_VALUE = object()
# A name that is no member, and neither called nor the name of a namespace or a template.
_INPUT = _re.compile(
    r"(?<![\w.])(?<!::)([A-Za-z_]\w*)\b(?!\s*(?:\(|::|<[^<>]*>\s*\())"
)
# Words of an expression that are no inputs.
_WORDS = frozenset(
    "true false bool char short int long unsigned signed float double size_t M_PI INFINITY NAN T "
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
    .split()
)
# The dtypes whose conversions are those of a number of Python, which takes the dtype of the others.
_WEAK = ((bool, "bool"), (int, "uint8"), (float, "float16"), (complex, "complex64"))


class UserUfunc:
    """A ufunc that an expression in C++ defines. ``phalanx.ufunc_from`` makes it.

    Calls take the inputs, ``out=``, ``where=`` and ``dtype=`` as NumPy's ufuncs do. ``reduce``,
    ``accumulate`` and ``at`` need two inputs and an associative expression: values are combined in
    their order, but grouped as the devices need. As in NumPy, calls and ``outer`` convert to other
    dtypes by the rule ``"same_kind"``; the other methods convert to any dtype.
    """

    # Members of the class, with their descriptions.
    __slots__ = {
        "__name__": "The name.",
        "expression": "The expression.",
        "nin": "The number of inputs.",
        "nout": "The number of results: 1.",
        "nargs": "The number of inputs and results.",
        "identity": "The value of no element, or None.",
        "_native": "",
        "_bare": "",
        "_number": "",
        "__weakref__": "",
    }

    def __init__(self, name, inputs, expression, output, identity):
        given = name, ", ".join(inputs), expression, output
        # The ufunc without an identity, and with it.
        self._bare = self._native = _phalanx._UserUfunc(*given, None)
        self._number = _scalar(identity)
        if identity is not None:
            self._native = _phalanx._UserUfunc(*given, _spelled(name, identity, self._number))
        self.__name__, self.expression, self.identity = name, expression, identity
        self.nin, self.nout, self.nargs = len(inputs), 1, len(inputs) + 1

    def __repr__(self):
        return f"<ufunc {self.__name__!r}>"

    def __call__(self, *args, out=None, where=True, dtype=None):
        """The results for these inputs, which broadcast together."""
        if len(args) == self.nargs and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise _refusal(
                TypeError, "count",
                f"{self.__name__}() takes {self.nin} inputs, not {len(args)}",
            )
        if dtype is not None:
            self._check_casts(args, dtype)
        return _called(self._native.call(list(args), dtype), out, where)

    def _check_casts(self, args, dtype):
        """Refuses inputs whose conversion to a dtype is of another kind."""
        for number, one in enumerate(args):
            own = getattr(one, "dtype", None)
            if own is None:
                weak = (name for type, name in _WEAK if isinstance(one, type))
                own = next(weak, None) or _phalanx.asarray(one).dtype
            if not _phalanx.can_cast(own, dtype, "same_kind"):
                raise _refusal(
                    TypeError, "conversion",
                    f"Cannot cast ufunc {self.__name__!r} input {number} from "
                    f"{_phalanx.result_type(one)} to {_phalanx.result_type(dtype)} with casting "
                    "rule 'same_kind'",
                    "convert with astype first",
                )

    def reduce(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=_NO_VALUE):
        """The combination of the elements over axes.

        Parameters
        ----------
        a : array_like
            The elements.
        axis : int or tuple of ints or None, optional
            The axes; None for all.
        dtype : dtype, optional
            The dtype in which elements are combined.
        out : ndarray, optional
            The array that is written and returned.
        keepdims : bool, optional
            Whether the axes stay with extent 1.
        initial : scalar or None, optional
            A value that is combined with the result, before it; it stands for no element. None
            says that no value does, not even the identity.

        Returns
        -------
        ndarray
            The combinations.

        Raises
        ------
        ValueError
            The ufunc has one input; there are no elements, and neither an initial value nor an
            identity that the dtype has; or the output has another shape.

        Notes
        -----
        Local.
        """
        a = _array(a, dtype)
        axes = None if axis is None else [_operator.index(one) for one in _tuple(axis)]
        is_default = initial is _NO_VALUE
        native = self._native if is_default and self._has_identity(a.dtype) else self._bare
        if is_default or initial is None:
            return _written(native.reduce(a, axes, bool(keepdims)), out)
        initial = _phalanx.full((), initial, a.dtype)
        if _is_empty(a, axes):
            kept = _phalanx.sum(a, axis=None if axes is None else tuple(axes), keepdims=keepdims)
            return _written(_phalanx.full(kept.shape, initial, a.dtype), out)
        result = native.reduce(a, axes, bool(keepdims))
        return _written(native.call([initial, result], None).astype(a.dtype), out)

    def _has_identity(self, dtype):
        """Whether a dtype has the identity. One that it does not have, such as infinity among
        integers, would become another number, and no identity."""
        return self._number is None or _has(dtype, self._number)

    def accumulate(self, a, axis=0, dtype=None, out=None):
        """For each element along an axis, the combination of the elements up to it.

        Parameters
        ----------
        a : array_like
            The elements.
        axis : int, optional
            The axis.
        dtype : dtype, optional
            The dtype in which elements are combined.
        out : ndarray, optional
            The array that is written and returned.

        Returns
        -------
        ndarray
            The combinations, in the shape of the elements.

        Raises
        ------
        ValueError
            The ufunc has one input, or the output has another shape.

        Notes
        -----
        Local.
        """
        return _written(self._native.accumulate(_array(a, dtype), _operator.index(axis)), out)

    def outer(self, a, b, out=None):
        """The results for all pairs of an element of ``a`` and one of ``b``.

        Parameters
        ----------
        a, b : array_like
            The elements.
        out : ndarray, optional
            The array that is written and returned.

        Returns
        -------
        ndarray
            The results: the axes of ``a``, then those of ``b``.

        Raises
        ------
        ValueError
            The ufunc has one input, or the output has fewer elements.
        TypeError
            The results are of another kind than the output.

        Notes
        -----
        Local.
        """
        return _called(self._native.outer(_phalanx.asarray(a), _phalanx.asarray(b)), out)

    def at(self, a, indices, b=_NO_VALUE):
        """``a[indices] = ufunc(a[indices], b)``; an element that is indexed several times gets all
        its values, in order.

        Parameters
        ----------
        a : ndarray
            The array that is written.
        indices : index
            Any index of the array.
        b : array_like, optional
            The values, for a ufunc with two inputs.

        Returns
        -------
        None
            The array is written.

        Raises
        ------
        TypeError
            ``a`` is no array.
        ValueError
            Values are missing or too many.
        IndexError
            An index is outside of the array.

        Notes
        -----
        Local; Collective for a ufunc with one input.
        """
        if not isinstance(a, _phalanx.ndarray):
            raise _refusal(
                TypeError, "type",
                f"{self.__name__}.at: the first operand is written, so it is a phalanx.ndarray, "
                f"not {type(a).__name__}",
                "make an array with phalanx.asarray first",
            )
        if b is _NO_VALUE:
            self._bare.at(a, indices, None)
            return
        b = _phalanx.asarray(b)
        dtype = _phalanx.result_type(a, b)
        if dtype == a.dtype:
            self._bare.at(a, indices, b)
            return
        # Values are combined in the common dtype: those of another kind would be cut off before.
        wide = a.astype(dtype)
        self._bare.at(wide, indices, b)
        a[...] = wide


def _array(a, dtype):
    a = _phalanx.asarray(a)
    return a if dtype is None else a.astype(dtype)


def _tuple(axis):
    return axis if isinstance(axis, (tuple, list)) else (axis,)


def _is_empty(a, axes):
    over = range(a.ndim) if axes is None else axes
    # The reduction refuses axes that the array does not have.
    return any(a.shape[axis] == 0 for axis in over if -a.ndim <= axis < a.ndim)


def _output(out):
    """The output that a call names; None if there is none."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise _refusal(ValueError, "count", f"a tuple of {len(out)} outputs for one result")
        (out,) = out
    if out is not None and not isinstance(out, _phalanx.ndarray):
        raise _refusal(
            TypeError, "type", f"an output is a phalanx.ndarray, not {type(out).__name__}"
        )
    return out


def _called(result, out, where=True):
    """The result of a call, or the output after it was written where a condition holds."""
    out = _output(out)
    is_everywhere = where is True or where is None
    if is_everywhere and out is None:
        return result
    if is_everywhere:
        where, shape = True, result.shape
    else:
        where = _phalanx.asarray(where)
        shape = _phalanx.broadcast_shapes(result.shape, where.shape)
    if out is None:
        out = _phalanx.zeros(shape, result.dtype)
    pairs = zip(reversed(shape), reversed(out.shape))
    if len(shape) > out.ndim or any(one not in (1, extent) for one, extent in pairs):
        raise _refusal(
            ValueError, "together",
            f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast "
            f"shape {shape}",
        )
    _phalanx.copyto(out, result, where=where)
    return out


def _written(result, out):
    """The result of a reduction or a scan, or the output after it was written."""
    out = _output(out)
    if out is None:
        return result
    if out.shape != result.shape:
        raise _refusal(
            ValueError, "together",
            f"an output of shape {out.shape} for results of shape {result.shape}",
            "only calls and outer broadcast their results",
        )
    out[...] = result
    return out


def _scalar(identity):
    """An identity as a number of Python; None for other objects."""
    number = identity.item() if hasattr(identity, "item") else identity
    if isinstance(number, complex) and number.imag == 0:
        return number.real
    return number if isinstance(number, tuple(type for type, _ in _WEAK)) else None


def _has(dtype, number):
    """Whether a dtype has a number, perhaps rounded."""
    import numpy

    if dtype.kind == "c":
        return True
    if isinstance(number, complex):
        return False
    if dtype.kind not in "biu":
        return True
    limits = None if dtype.kind == "b" else numpy.iinfo(dtype)
    low, high = (limits.min, limits.max) if limits else (0, 1)
    return low <= number <= high and number == int(number)


def _spelled(name, identity, number):
    """An identity as an expression in C++."""
    if isinstance(identity, str):
        unknown = sorted(set(_INPUT.findall(identity)) - _WORDS)
        if unknown:
            raise _refusal(
                ValueError, "value",
                f"ufunc_from: the identity {identity!r} contains `{unknown[0]}`, and an identity "
                "has no inputs",
                "write a number, or an expression of numbers in C++",
            )
        # A ufunc of it is made, so that an identity that is no expression is refused here.
        _phalanx._UserUfunc(name, "unused_input", identity, None, None)
        return identity
    if number is None:
        raise _refusal(
            TypeError, "type",
            f"ufunc_from: an identity is a number or a text, not {type(identity).__name__}",
        )
    if isinstance(number, complex):
        return f"complex<double>({_spelled_real(number.real)}, {_spelled_real(number.imag)})"
    return _spelled_real(number)


def _spelled_real(number):
    if isinstance(number, bool):
        return str(number).lower()
    if isinstance(number, float):
        return str(number).replace("inf", "INFINITY").replace("nan", "NAN")
    if not -(2**63) <= number < 2**64:
        raise _refusal(ValueError, "value", f"ufunc_from: no dtype has the identity {number}")
    if number >= 2**63:
        return f"{number}ULL"
    # The digits of the least int64 are no int64 without their sign.
    return f"({number + 1} - 1)" if number == -(2**63) else str(number)


def ufunc_from(expression, inputs=None, *, name="ufunc", identity=None, output=None):
    """A ufunc of an expression in C++, with ``reduce``, ``accumulate``, ``outer`` and ``at``.

    The expression is as the texts of ``ElementwiseKernel``; it computes in the common dtype of the
    inputs, runs on every device and is fused with other operations.

    Parameters
    ----------
    expression : str
        The expression, such as ``"x + y - x * y"``.
    inputs : str or sequence of str, optional
        The names of the inputs, one or two, in the order of the arguments. By default the names in
        the expression that are not called, in alphabetical order.
    name : str, optional
        A name for errors.
    identity : scalar or str, optional
        The value of no element, for ``reduce``, as a number or an expression in C++. Arrays of a
        dtype that does not have the number are reduced as without it.
    output : dtype, optional
        The dtype of the results, such as ``bool`` for a comparison; by default that of the inputs.

    Returns
    -------
    UserUfunc
        The ufunc.

    Raises
    ------
    ValueError
        The expression, the identity or a name is not understood, or there are not one or two
        inputs.
    TypeError
        The identity is neither a number nor a text.

    Notes
    -----
    Local.

    Examples
    --------
    >>> import phalanx as np
    >>> either = np.ufunc_from("x + y - x * y", identity=0)
    >>> either(np.array([0.5, 1.0]), 0.5)
    array([0.75, 1.  ])
    >>> float(either.reduce(np.array([0.5, 0.5, 0.5])))
    0.875
    """
    if inputs is None:
        inputs = sorted(set(_INPUT.findall(expression)) - _WORDS)
    elif isinstance(inputs, str):
        inputs = [one.strip() for one in inputs.split(",")]
    inputs = list(inputs)
    if not 1 <= len(inputs) <= 2:
        raise _refusal(
            ValueError, "count",
            f"ufunc_from: a ufunc has one or two inputs, and {expression!r} has {len(inputs)}: "
            f"{', '.join(inputs)}",
        )
    return UserUfunc(name, inputs, expression, output, identity)


for _class in (UserUfunc, ufunc_from):
    _class.__module__ = "phalanx"
