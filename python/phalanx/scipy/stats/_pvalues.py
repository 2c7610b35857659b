"""Tail probabilities of statistics.

They are computed on devices by special functions of ours. While one is missing, few values are
computed by SciPy on the host.
"""

import phalanx as np

from . import _special
from ._arrays import array, check_alternative

# Statistics of one call that may be copied to the host.
_FEW = 1 << 16


def special(name, *operands):
    """A special function of arrays."""
    function = _special.found(name)
    if function is not None:
        return function(*operands)
    operands = [array(one) for one in operands]
    if max((one.size for one in operands), default=0) <= _FEW:
        try:
            import scipy.special
        except ImportError:
            pass
        else:
            function = getattr(scipy.special, name)
            return np.asarray(function(*(one.get() for one in operands)))
    return getattr(_special, name)(*operands)


def normal(z, alternative="two-sided"):
    """Probabilities of statistics that are normally distributed."""
    check_alternative(alternative)
    z = array(z).astype(np.float64)
    if alternative == "less":
        return special("ndtr", z)
    if alternative == "greater":
        return special("ndtr", -z)
    return 2 * special("ndtr", -np.abs(z))


def student(t, df, alternative="two-sided"):
    """Probabilities of statistics with Student's distribution."""
    check_alternative(alternative)
    t = array(t).astype(np.float64)
    square = t * t
    df = array(df).astype(t.dtype)
    place = np.where(np.isinf(df), np.nan, df / (df + square))
    both = special("betainc", df / 2, np.full_like(t, 0.5), place)
    if alternative == "two-sided":
        return both
    is_far = t < 0 if alternative == "less" else t > 0
    return np.where(is_far, both / 2, 1 - both / 2)


def chi2(x, df):
    """Upper tail probabilities of statistics with a chi-squared distribution; NaN for negative
    statistics."""
    x = array(x).astype(np.float64)
    df = array(df).astype(x.dtype)
    x = np.where(x < 0, np.nan, x)
    return special("gammaincc", np.broadcast_to(df / 2, x.shape), x / 2)


def f(x, df1, df2):
    """Upper tail probabilities of statistics with an F distribution."""
    x = array(x).astype(np.float64)
    df1, df2 = (np.broadcast_to(array(one).astype(x.dtype), x.shape) for one in (df1, df2))
    return special("betainc", df2 / 2, df1 / 2, df2 / (df2 + df1 * np.maximum(x, 0)))


def on_host(function, *operands):
    """A function of SciPy of few statistics. Collective: they are read."""
    return np.asarray(function(*(array(one).get() for one in operands)))


def student_quantile(p, df):
    """The quantile of Student's distribution for numbers of the host."""
    import scipy.special

    return scipy.special.stdtrit(df, p)
