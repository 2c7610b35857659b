"""Distances of the distributions of samples."""

import phalanx as np

from ._arrays import array, floating, refuse
from ._described import COLLECTIVE, HOST, described

_PARAMETERS = {
    "u_values": ("array_like", "The first sample."),
    "v_values": ("array_like", "The second sample."),
    "u_weights": ("array_like", "The weights of the first sample; by default equal ones."),
    "v_weights": ("array_like", "The weights of the second sample; by default equal ones."),
}


def _checked(values, weights):
    values = floating(values)
    if values.ndim == 0:
        raise refuse("A distribution is a vector, not a number.", TypeError, "type")
    values = values.reshape(-1)
    if values.size == 0:
        raise refuse("Distribution can't be empty.")
    if weights is not None:
        weights = floating(weights).reshape(-1)
        if weights.shape != values.shape:
            raise refuse(
                "Value and weight array-likes for the same empirical distribution must be of the "
                "same size.", mistake="together",
            )
        if bool((weights < 0).any()):
            raise refuse("All weights must be non-negative.")
        if not 0 < float(weights.sum()) < float("inf"):
            raise refuse("Weight array-like sum must be positive and finite. Set as None for an "
                         "equal distribution of weight.")
    return values, weights


def _steps(values, weights, points):
    """The distribution function of a sample at points."""
    order = None if weights is None else np.argsort(values)
    ordered = np.sort(values) if order is None else values[order]
    places = np.searchsorted(ordered, points, side="right")
    if weights is None:
        return places / values.shape[0]
    sums = np.concatenate([np.zeros(1), np.cumsum(weights[order])])
    return sums[places] / sums[-1]


def _distance(p, u_values, v_values, u_weights, v_weights):
    u_values, u_weights = _checked(u_values, u_weights)
    v_values, v_weights = _checked(v_values, v_weights)
    points = np.sort(np.concatenate([u_values, v_values]))
    gaps = np.diff(points)
    u = _steps(u_values, u_weights, points[:-1])
    v = _steps(v_values, v_weights, points[:-1])
    if p == 1:
        return (np.abs(u - v) * gaps).sum()
    return np.sqrt(((u - v) ** 2 * gaps).sum())


@described("ndarray: The distance, without axes.", notes=COLLECTIVE, **_PARAMETERS)
def wasserstein_distance(u_values, v_values, u_weights=None, v_weights=None):
    """The least mean distance by which elements of one sample move to become the other."""
    return _distance(1, u_values, v_values, u_weights, v_weights)


@described("ndarray: The distance, without axes.", notes=COLLECTIVE, **_PARAMETERS)
def energy_distance(u_values, v_values, u_weights=None, v_weights=None):
    """The energy distance of the distributions of two samples."""
    return 2**0.5 * _distance(2, u_values, v_values, u_weights, v_weights)


@described("ndarray: The distance, without axes.", notes=HOST, **_PARAMETERS)
def wasserstein_distance_nd(u_values, v_values, u_weights=None, v_weights=None):
    """The least mean distance by which points of one sample move to become the other. It is a
    linear program of SciPy's on the host."""
    from ._host import scipy_stats, to_host

    name = "wasserstein_distance_nd"
    given = [one if one is None else to_host(array(one), name)
             for one in (u_values, v_values, u_weights, v_weights)]
    return np.asarray(getattr(scipy_stats(name), name)(*given))
