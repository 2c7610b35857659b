"""Tables of counts: the names of ``scipy.stats.contingency``."""

import functools as _functools

import phalanx as _np

from ._arrays import array as _array
from ._arrays import refuse as _refuse
from ._described import COLLECTIVE as _COLLECTIVE
from ._described import NOTHING as _NOTHING
from ._described import RECORDED as _RECORDED
from ._described import described as _described
from ._host import StatisticsCalls as _Calls
from ._results import result as _result

__all__ = """
association chi2_contingency crosstab expected_freq margins odds_ratio relative_risk
""".split()

CrosstabResult = _result("CrosstabResult", "elements count")


@_described("list of ndarray: The sums, which keep the axes.", _NOTHING, _RECORDED)
def margins(a):
    """The sums of a table along all axes but one, for each axis."""
    a = _array(a)
    axes = range(a.ndim)
    return [a.sum(tuple(other for other in axes if other != one), keepdims=True) for one in axes]


@_described("ndarray: The expected counts, float64.", _NOTHING, _RECORDED)
def expected_freq(observed):
    """The counts of a table that are expected if its variables are independent."""
    observed = _array(observed).astype(_np.float64)
    sums = margins(observed)
    return _functools.reduce(_np.multiply, sums) / observed.sum() ** (observed.ndim - 1)


@_described("CrosstabResult: The values of each variable, and the table of counts.",
            notes=_COLLECTIVE, args=("array_like", "The variables, of equal extents."),
            levels=("sequence", "The values that are counted; None is all values."),
            sparse=("bool", "Sparse tables are not available."))
def crosstab(*args, levels=None, sparse=False):
    """The numbers of combinations of values of variables."""
    if not args:
        raise _refuse("At least one input sequence is required.", TypeError, "count")
    if sparse:
        raise _refuse("sparse tables are not available", NotImplementedError, "absent")
    variables = [_array(one).reshape(-1) for one in args]
    if len({one.shape for one in variables}) > 1:
        raise _refuse("All input sequences must have the same length.", mistake="together")
    if levels is not None and len(levels) != len(args):
        raise _refuse("len(levels) must equal the number of input sequences",
                      mistake="together")
    levels = [None] * len(args) if levels is None else levels
    values, places, valid = [], [], None
    for one, wanted in zip(variables, levels):
        if wanted is None:
            found, place = _np.unique(one, return_inverse=True)
        else:
            found = _array(wanted)
            equal = one[:, None] == found
            place = equal.argmax(1)
            known = equal.any(1)
            valid = known if valid is None else valid & known
        values.append(found)
        places.append(place.reshape(-1))
    shape = tuple(one.shape[0] for one in values)
    flat = _functools.reduce(lambda a, b: a * b[1] + b[0], zip(places, shape), 0)
    flat = flat if valid is None else flat[valid]
    total = _functools.reduce(lambda a, b: a * b, shape, 1)
    counts = _np.bincount(flat, minlength=total).reshape(shape)
    return CrosstabResult(tuple(values), counts)


_TABLE = """
association(observed, method="cramer", correction=False, lambda_=None) -> float | The association of
    two variables of a table of counts.
odds_ratio(table, *, kind="conditional") -> OddsRatioResult | The odds ratio of a table of two rows
    and columns.
relative_risk(exposed_cases, exposed_total, control_cases, control_total) -> RelativeRiskResult |
    The relative risk of two groups.
"""
globals().update(_Calls("stats.contingency").functions(_TABLE))


def __getattr__(name):
    if name == "chi2_contingency":
        from ._host_functions import chi2_contingency

        return chi2_contingency
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
