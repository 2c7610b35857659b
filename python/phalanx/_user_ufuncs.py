"""Ufuncs of the user's own: ``phalanx.ufunc_from``."""

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
    "true false bool char short int long unsigned signed float double size_t M_PI INFINITY NAN T"
    .split()
)


class UserUfunc:
    """A ufunc that an expression in C++ defines. ``phalanx.ufunc_from`` makes it.

    Calls take the inputs, ``out=``, ``where=`` and ``dtype=`` as NumPy's ufuncs do. ``reduce``,
    ``accumulate`` and ``at`` need two inputs and an associative expression: values are combined in
    their order, but grouped as the devices need.
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
        "__weakref__": "",
    }

    def __init__(self, name, inputs, expression, output, identity):
        text = None if identity is None else str(identity)
        self._native = _phalanx._UserUfunc(name, ", ".join(inputs), expression, output, text)
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
        result = self._native.call(list(args), dtype)
        if where is True:
            return _written(result, out)
        if out is None:
            out = _phalanx.zeros(result.shape, result.dtype)
        return _written(_phalanx.where(where, result, out), out)

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
        initial : scalar, optional
            A value that is combined with the result, before it; it stands for no element.

        Returns
        -------
        ndarray
            The combinations.

        Raises
        ------
        TypeError
            The ufunc has one input.
        ValueError
            There are no elements, and neither an identity nor an initial value.

        Notes
        -----
        Local.
        """
        a = _array(a, dtype)
        axes = None if axis is None else [int(one) for one in _tuple(axis)]
        if initial is not _NO_VALUE and _is_empty(a, axes):
            kept = _phalanx.sum(a, axis=None if axes is None else tuple(axes), keepdims=keepdims)
            return _written(_phalanx.full(kept.shape, initial, a.dtype), out)
        result = self._native.reduce(a, axes, bool(keepdims))
        if initial is not _NO_VALUE:
            result = self._native.call([initial, result], None)
        return _written(result, out)

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
            The ufunc has one input.

        Notes
        -----
        Local.
        """
        return _written(self._native.accumulate(_array(a, dtype), int(axis)), out)

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
            The ufunc has one input.

        Notes
        -----
        Local.
        """
        return _written(self._native.outer(_phalanx.asarray(a), _phalanx.asarray(b)), out)

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
        ValueError
            Values are missing or too many.
        IndexError
            An index is outside of the array.

        Notes
        -----
        Local; Collective for a ufunc with one input.
        """
        self._native.at(a, indices, None if b is _NO_VALUE else b)


def _array(a, dtype):
    a = _phalanx.asarray(a)
    return a if dtype is None else a.astype(dtype)


def _tuple(axis):
    return axis if isinstance(axis, (tuple, list)) else (axis,)


def _is_empty(a, axes):
    over = range(a.ndim) if axes is None else axes
    return any(a.shape[axis] == 0 for axis in over)


def _written(result, out):
    """The result, or the output after it was written."""
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        return result
    if not isinstance(out, _phalanx.ndarray):
        raise _refusal(
            TypeError, "type", f"an output is a phalanx.ndarray, not {type(out).__name__}"
        )
    out[...] = result
    return out


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
        The value of no element, for ``reduce``.
    output : dtype, optional
        The dtype of the results, such as ``bool`` for a comparison; by default that of the inputs.

    Returns
    -------
    UserUfunc
        The ufunc.

    Raises
    ------
    ValueError
        The expression or a name is not understood, or there are not one or two inputs.

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
