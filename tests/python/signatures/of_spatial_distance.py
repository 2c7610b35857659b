"""Distances: parameters of ``scipy.spatial.distance``."""

import numpy

from .drawing import Array

METRICS = ("braycurtis canberra chebyshev cityblock correlation cosine dice euclidean hamming "
           "jaccard jensenshannon mahalanobis matching minkowski rogerstanimoto russellrao "
           "seuclidean sokalsneath sqeuclidean yule none").split()
BOOLEAN = "dice hamming jaccard rogerstanimoto russellrao sokalsneath yule".split()
EXACT = set()
COARSE = None
SIGNATURES = {"directed_hausdorff": "u, v, rng=0"}
LEFT_OUT = {}
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32"], "least": 1, "most": 1,
          "rare": ["int64"]}


def metric(d):
    return d.one(METRICS[:-1] if d.often(0.95) else METRICS)


def points(d):
    return d.array((d.whole(0, 9), d.whole(1, 5)))


def beside(d):
    """Points of as many coordinates."""
    count = d.first.shape[-1] if d.first.ndim and d.often(0.95) else 3
    return d.array((d.whole(0, 7), count))


def vector(d):
    return d.array((d.whole(1, 9),))


def another(d):
    return d.array(d.first.shape if d.often(0.95) else (2,))


def weights(d):
    made = numpy.round(d.chance.uniform(0, 2, d.first.shape), 2)
    return Array(made if d.often(0.95) else -made)


def symmetric(d):
    """A matrix of distances, or nearly one."""
    n = d.whole(0, 6)
    made = numpy.round(abs(d.chance.normal(size=(n, n))), 2)
    made = made + made.T
    if d.often(0.8):
        numpy.fill_diagonal(made, 0)
    return d.laid(made if d.often(0.9) else made[:, :-1])


def condensed(d):
    return d.laid(numpy.round(abs(d.chance.normal(size=d.one([0, 1, 3, 6, 10, 4]))), 2))


def probabilities(d):
    shape = d.first.shape if d.first.size and "p" in d.values else d.shape(1, 2)
    return Array(numpy.round(d.chance.uniform(0.1, 1, shape), 2))


def boolean(d):
    return d.laid(d.chance.random(d.whole(1, 9)) < 0.5)


PARAMETERS = {
    "u": vector, "v": another, "w": weights,
    "XA": points, "XB": beside, "X": points, "metric": metric,
    "out": lambda d: None,
    "p": probabilities, "q": probabilities, "base": lambda d: d.one([None, 2.0, 10]),
    "keepdims": lambda d: d.often(0.5), "centered": lambda d: d.often(0.5),
    "VI": lambda d: Array(numpy.eye(d.first.size) * 2), "V": lambda d: Array(numpy.arange(
        1.0, d.first.size + 1)),
    "rng": lambda d: 0, "seed": lambda d: 0,
    "D": symmetric, "d": symmetric, "Y": condensed, "y": condensed,
    "tol": lambda d: d.one([0.0, 0.1]), "throw": lambda d: d.often(0.5),
    "name": lambda d: d.one([None, "D"]), "warning": lambda d: False,
    "force": lambda d: d.one(["no", "tomatrix", "tovector", "none" if d.often(0.1) else "no"]),
    "checks": lambda d: d.often(0.5),
}
OWN = {
    **{name: {"u": boolean, "v": lambda d: d.laid(d.chance.random(
        d.first.shape if d.often(0.95) else 2) < 0.5)} for name in BOOLEAN},
    "minkowski": {"p": lambda d: d.one([1, 2, 1.5, numpy.inf, 0.5, 0, -1])},
    "squareform": {"X": lambda d: d.one([symmetric, condensed])(d)},
    "directed_hausdorff": {"u": points, "v": beside},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**12


def excuse(name, values, found, expected):
    """Whether points of other numbers have the same distance."""
    return name == "directed_hausdorff" and isinstance(found, dict) and isinstance(
        expected, dict) and numpy.isclose(found[".0"], expected[".0"])
