"""Functions that the families of polynomials share: trimming of coefficients, domains, maps.

Coefficients are few, and their number depends on their values. They are fetched, and NumPy's own
functions process them on the host of every process. Points stay on the devices.
"""

from .. import _phalanx
from .._phalanx import _refusal

__all__ = [
    "as_series", "format_float", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq",
]


def _host(value):
    """A value for NumPy: arrays of ours are fetched, also in lists."""
    if isinstance(value, _phalanx.ndarray):
        return value.get()
    if isinstance(value, (list, tuple)):
        return type(value)(_host(item) for item in value)
    return value


def _ours(value):
    """A result of NumPy, with arrays of ours."""
    import numpy

    if isinstance(value, (list, tuple)):
        return type(value)(_ours(item) for item in value)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return _phalanx.asarray(value)
    return value


def _on_host(function, *arguments, **keywords):
    """The result of a function of NumPy for the values of arguments; its errors get our codes."""
    keywords = {name: _host(value) for name, value in keywords.items()}
    try:
        return _ours(function(*map(_host, arguments), **keywords))
    except (TypeError, ValueError) as error:
        kind = "type" if isinstance(error, TypeError) else "value"
        raise _refusal(type(error), kind, str(error)) from None


def _of_numpy(name):
    import numpy

    return getattr(numpy.polynomial.polyutils, name)


def trimseq(seq):
    """The coefficients without the last zeros. If all are zero, one stays.

    Parameters
    ----------
    seq : sequence
        The coefficients.

    Returns
    -------
    sequence
        The coefficients themselves, or a part of them.

    Raises
    ------
    TypeError
        The coefficients have no length.

    Notes
    -----
    Collective: the coefficients are fetched.
    """
    values = _host(seq)
    kept = len(_of_numpy("trimseq")(values))
    return seq if kept == len(values) else seq[:kept]


def as_series(alist, trim=True):
    """Several series as vectors of one dtype, which is at least floating-point.

    Parameters
    ----------
    alist : sequence of array_like
        The coefficients of each.
    trim : bool, default: True
        Whether the last zeros are removed.

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        There are no coefficients, or they have several axes.

    Notes
    -----
    Collective: the coefficients are fetched.
    """
    return _on_host(_of_numpy("as_series"), _rows(alist), trim=trim)


def _rows(alist):
    return _host(alist) if isinstance(alist, _phalanx.ndarray) else [_host(one) for one in alist]


def trimcoef(c, tol=0):
    """The coefficients without the last ones that are close to zero.

    Parameters
    ----------
    c : array_like
        The coefficients.
    tol : float, default: 0
        The largest absolute value of a coefficient that is removed.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        `tol` is negative, or there are no coefficients, or they have several axes.

    Notes
    -----
    Collective: the coefficients are fetched.
    """
    return _on_host(_of_numpy("trimcoef"), c, tol)


def getdomain(x):
    """The interval that contains the points; for complex numbers, the rectangle.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The two ends.

    Raises
    ------
    ValueError
        There are no points, or they have several axes.

    Notes
    -----
    Local: recorded.
    """
    x = _phalanx.atleast_1d(_phalanx.asarray(x))
    if x.size == 0 or x.ndim != 1:
        raise _refusal(ValueError, "value", "points are a vector that is not empty")
    if x.dtype.kind not in "fc":
        x = x.astype(float)
    if x.dtype.kind != "c":
        return _phalanx.stack([x.min(), x.max()])
    ends = [x.real.min() + 1j * x.imag.min(), x.real.max() + 1j * x.imag.max()]
    return _phalanx.stack(ends)


def mapparms(old, new):
    """The shift and the factor of the linear map from one interval to another.

    Parameters
    ----------
    old : array_like
        The ends of one interval.
    new : array_like
        The ends of the other one.

    Returns
    -------
    tuple of scalar

    Raises
    ------
    TypeError
        The ends are no numbers.

    Notes
    -----
    Collective: the ends are fetched.
    """
    return _of_numpy("mapparms")(_host(old), _host(new))


def mapdomain(x, old, new):
    """Points mapped linearly from one interval to another.

    Parameters
    ----------
    x : array_like
        The points.
    old : array_like
        The ends of one interval.
    new : array_like
        The ends of the other one.

    Returns
    -------
    ndarray or scalar
        The mapped points.

    Raises
    ------
    TypeError
        The points or the ends are no numbers.

    Notes
    -----
    Collective: the ends are fetched.
    """
    import numpy

    shift, factor = mapparms(old, new)
    if type(x) not in (int, float, complex) and not isinstance(x, numpy.generic):
        x = _phalanx.asarray(x)
    return shift + factor * x


def format_float(x, parens=False):
    """A number in the format of the text of a polynomial.

    Parameters
    ----------
    x : scalar
        The number.
    parens : bool, default: False
        Whether a number with an exponent is put in parentheses.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        It is no number.

    Notes
    -----
    Collective for an array without axes, which is fetched.
    """
    value = _host(x)
    return _of_numpy("format_float")(value[()] if hasattr(value, "ndim") else value, parens)
