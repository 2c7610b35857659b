"""Sequences of low discrepancy: the names of ``scipy.stats.qmc``.

The engines are SciPy's, on the host. Their points are arrays of ours, and without a seed all
processes agree on one.
"""

import phalanx as _np

from .._host_calls import Made as _Made
from .._host_calls import agreed_seed as _agreed_seed
from ._arrays import floating as _floating
from ._arrays import host as _host
from ._arrays import refuse as _refuse
from ._described import described as _described
from ._host import StatisticsCalls as _Calls

__all__ = """
Halton LatinHypercube MultinomialQMC MultivariateNormalQMC PoissonDisk QMCEngine Sobol discrepancy
geometric_discrepancy scale update_discrepancy
""".split()

_TABLE = """
discrepancy(sample, *, iterative=False, method="CD", workers=1) -> float | The discrepancy of points
    of the unit cube.
geometric_discrepancy(sample, method="mindist", metric="euclidean") -> float | The discrepancy of
    points by their distances.
update_discrepancy(x_new, sample, initial_disc) -> float | The discrepancy with a further point.
"""
_PARAMETERS = {
    "initial_disc": ("float", "The discrepancy without the point."),
    "iterative": ("bool", "Whether the discrepancy is one to update."),
    "method": ("str", "The kind of discrepancy."),
    "metric": ("str", "The distance."),
    "sample": ("array_like", "The points, as rows."),
    "workers": ("int", "The number of threads."),
    "x_new": ("array_like", "The further point."),
}
_calls = _Calls("stats.qmc", _PARAMETERS)
globals().update(_calls.functions(_TABLE))


@_described("ndarray: The points in the box.", l_bounds=("array_like", "The lower limits."),
            u_bounds=("array_like", "The upper limits."),
            sample=("array_like", "The points, as rows."),
            reverse=("bool", "Whether points of the box are moved to the unit cube."))
def scale(sample, l_bounds, u_bounds, *, reverse=False):
    """Points of the unit cube, moved to a box."""
    sample = _floating(sample)
    if sample.ndim != 2:
        raise _refuse("Sample is not a 2D array")
    import numpy

    low, high = (numpy.broadcast_to(_host(one, float), (sample.shape[1],))
                 for one in (l_bounds, u_bounds))
    if not (low < high).all():
        raise _refuse("Bounds are not consistent 'l_bounds' < 'u_bounds'")
    if reverse:
        if bool(((sample < _np.asarray(low)) | (sample > _np.asarray(high))).any()):
            raise _refuse("Sample is out of bounds")
        return (sample - _np.asarray(low)) / _np.asarray(high - low)
    if bool(((sample < 0) | (sample > 1)).any()):
        raise _refuse("Sample is not in unit hypercube")
    return sample * _np.asarray(high - low) + _np.asarray(low)


class QMCEngine(_Made):
    """An engine of SciPy that makes points, on the host. The parameters are SciPy's."""

    _calls, _kind = _calls, "QMCEngine"

    def __init__(self, *args, **options):
        if options.get("rng") is None and options.get("seed") is None:
            options.pop("seed", None)
            options["rng"] = _agreed_seed()
        super().__init__(*args, **options)


def _engine(kind, text):
    return QMCEngine._named(kind, f"{text} The parameters are SciPy's.")


Sobol = _engine("Sobol", "An engine of Sobol's sequence.")
Halton = _engine("Halton", "An engine of Halton's sequence.")
LatinHypercube = _engine("LatinHypercube", "An engine of Latin hypercubes.")
PoissonDisk = _engine("PoissonDisk", "An engine of points with a least distance.")
MultinomialQMC = _engine("MultinomialQMC", "An engine of a multinomial distribution.")
MultivariateNormalQMC = _engine("MultivariateNormalQMC", "An engine of a normal distribution.")
