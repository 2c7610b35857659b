"""Arguments of the methods of distributions of ``scipy.stats``: points, shapes, place and scale,
which broadcast."""

import numpy
import scipy.stats

from .drawing import Array

# Shapes of the distributions that are compared.
DISTRIBUTIONS = {
    "norm": (), "gamma": (2.3,), "chi2": (4.5,), "chi": (3.2,), "invgamma": (5.5,),
    "beta": (2.3, 1.7), "t": (5.3,), "f": (4.0, 11.0), "lognorm": (0.7,), "halfnorm": (),
    "nakagami": (2.1,), "gennorm": (1.7,), "uniform": (), "expon": (), "laplace": (),
    "logistic": (), "cauchy": (), "halflogistic": (), "pareto": (5.2,), "powerlaw": (2.5,),
    "weibull_min": (1.8,), "rayleigh": (), "gumbel_r": (), "genpareto": (0.2,),
    "genextreme": (-0.2,), "triang": (0.3,), "loguniform": (0.5, 3.0), "gompertz": (1.3,),
    "dweibull": (1.7,), "dgamma": (1.4,), "johnsonsu": (0.4, 1.6), "betaprime": (2.5, 6.0),
    "burr12": (5.0, 3.0), "exponweib": (2.1, 1.4), "gengamma": (2.2, 1.5), "anglit": (),
    "kappa3": (6.0,), "fatiguelife": (1.3,), "laplace_asymmetric": (1.8,), "binom": (10, 0.3),
    "bernoulli": (0.3,), "poisson": (3.7,), "geom": (0.3,), "nbinom": (4.5, 0.4),
    "hypergeom": (20, 7, 12), "randint": (2, 9), "planck": (0.6,), "dlaplace": (0.8,),
    "boltzmann": (1.4, 19), "betabinom": (5, 2.3, 0.63), "erlang": (3,), "arcsine": (),
    "gibrat": (), "maxwell": (), "halfcauchy": (), "hypsecant": (), "lomax": (5.2,),
    "weibull_max": (1.8,), "gumbel_l": (), "fisk": (5.5,), "levy": (), "levy_l": (),
    "genlogistic": (0.7,), "johnsonsb": (0.4, 1.6), "moyal": (), "burr": (6.5, 1.3),
    "invweibull": (6.3,), "exponpow": (1.7,), "truncexpon": (2.5,), "semicircular": (),
    "rdist": (3.2,), "bradford": (0.4,), "loggamma": (1.4,), "loglaplace": (5.3,),
    "powernorm": (2.4,), "halfgennorm": (0.9,), "mielke": (3.4, 6.2), "zipf": (6.5,),
    "yulesimon": (11.0,),
}


def _is_discrete(name):
    return hasattr(getattr(scipy.stats, name), "pmf")


def _densities(name):
    return ("pmf", "logpmf") if _is_discrete(name) else ("pdf", "logpdf")


METHODS = {name: (*_densities(name), "cdf", "sf", "ppf", "isf") for name in DISTRIBUTIONS}
SIGNATURES = {
    f"{name}.{method}": f"{'q' if method in ('ppf', 'isf') else 'x'}, /, *args, loc=0"
                        f"{'' if _is_discrete(name) else ', scale=1'}"
    for name, methods in METHODS.items() for method in methods}


def _points(d):
    """Points of the distribution, and a few beyond it."""
    name = d.function.partition(".")[0]
    d.shared = d.shape(0, 2)
    made = getattr(scipy.stats, name).ppf(
        d.chance.uniform(0.03, 0.97, d.shared), *DISTRIBUTIONS[name])
    made = numpy.where(d.chance.random(d.shared) < 0.1, -1.0, made)
    dtype = d.one(["float64", "float64", "float32", "int32" if _is_discrete(name) else "float64"])
    return d.laid(made.astype(dtype))


def _levels(d):
    d.shared = d.shape(0, 2)
    made = d.chance.uniform(0, 1, d.shared)
    made = numpy.where(d.chance.random(d.shared) < 0.1, d.one([0.0, 1.0, -0.1, 1.2]), made)
    return d.laid(made.astype(d.one(["float64", "float64", "float32"])))


def _beside(d, number):
    """A number, or as many as broadcast with the points."""
    if d.often(0.5):
        return number if d.often(0.96) else -1
    shape = list(d.shared[d.whole(0, len(d.shared)) if d.often(0.4) else 0:])
    shape = [1 if d.often(0.2) else extent for extent in shape]
    if shape and d.often(0.03):
        shape[-1] += 1
    if isinstance(number, int):
        return d.laid(numpy.full(shape, number))
    return d.laid(number * (1 + 0.05 * d.chance.random(shape)))


def _shapes(d):
    made = [_beside(d, one) for one in DISTRIBUTIONS[d.function.partition(".")[0]]]
    return made if d.often(0.98) else [*made, 1.0]


OWN = {name: {"x": _points, "q": _levels, "args": _shapes, "loc": lambda d: _beside(d, 1),
              "scale": lambda d: _beside(d, 1.5)} for name in SIGNATURES}
