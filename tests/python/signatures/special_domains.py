"""Operands in the domains of functions of ``scipy.special`` that search a parameter of a
distribution, or that have characteristic values: elsewhere SciPy returns bounds, or not at all."""

import warnings

import numpy
import scipy.special

from .drawing import Array


def normal(mean, deviation, x):
    return scipy.special.ndtr((x - mean) / deviation)


# Ranges of parameters.
SHAPE, SHARE, FREEDOM, SHIFT, COUNT = (0.5, 5), (0.15, 0.85), (1, 9), (0.2, 3), (5, 12)
FEW, X, T = (0.5, 4), (0.5, 4), (0.3, 2)
# The distribution of each search, the place of the parameter that is searched, and the ranges of
# the parameters. The searches have the probability at this place.
BETA, CHI, F = [SHAPE, SHAPE, SHARE], [X, FREEDOM, SHIFT], [FREEDOM, FREEDOM, X]
TRIALS, SKEW_F, SKEW_T = [FEW, COUNT, SHARE], [FREEDOM, FREEDOM, SHIFT, X], [FREEDOM, SHIFT, T]
SEARCHES = {
    "btdtria": ("betainc", 0, BETA), "btdtrib": ("betainc", 1, BETA),
    "chndtrix": ("chndtr", 0, CHI), "chndtridf": ("chndtr", 1, CHI),
    "chndtrinc": ("chndtr", 2, CHI), "fdtridfd": ("fdtr", 1, F),
    "nbdtrik": ("nbdtr", 0, TRIALS), "nbdtrin": ("nbdtr", 1, TRIALS),
    "bdtrik": ("bdtr", 0, TRIALS), "bdtrin": ("bdtr", 1, TRIALS),
    "ncfdtridfn": ("ncfdtr", 0, SKEW_F), "ncfdtridfd": ("ncfdtr", 1, SKEW_F),
    "ncfdtrinc": ("ncfdtr", 2, SKEW_F), "ncfdtri": ("ncfdtr", 3, SKEW_F),
    "nctdtridf": ("nctdtr", 0, SKEW_T), "nctdtrinc": ("nctdtr", 1, SKEW_T),
    "nctdtrit": ("nctdtr", 2, SKEW_T), "pdtrik": ("pdtr", 0, [FEW, X]),
    "stdtridf": ("stdtr", 0, [FREEDOM, T]), "chdtriv": ("chdtr", 0, [FREEDOM, X]),
    "nrdtrisd": (normal, 1, [T, X, (2.5, 4)]),
}
# Counts of successes are whole numbers, unless they are searched.
WHOLE = ("bdtr", "nbdtr", "pdtr")
NOT_MONOTONIC = ("fdtridfd", "ncfdtridfd", "ncfdtridfn", "nctdtridf")
SPHEROIDAL = [f"{kind}_{one}1{end}" for kind in ("pro", "obl") for one in ("ang", "rad")
              for end in ("", "_cv")]


def forward(name):
    function = SEARCHES[name][0]
    return function if callable(function) else getattr(scipy.special, function)


def _operands(d, name):
    """All operands of a search at once: the parameters, and the probability of them."""
    if not hasattr(d, "operands"):
        function, place, ranges = SEARCHES[name]
        shape = d.shape(0, 2)
        made = [numpy.round(d.chance.uniform(*one, shape), 2) for one in ranges]
        if function in WHOLE:
            made[:2] = [numpy.floor(one) if at == 0 or len(made) == 3 else one
                        for at, one in enumerate(made[:2])]
        with warnings.catch_warnings():
            # Counts that are whole numbers as floats are deprecated.
            warnings.simplefilter("ignore")
            made[place] = forward(name)(*made)
        d.operands = made
    return d.operands


def _spheroidal(d, name):
    """Order, degree, parameter, the characteristic value and the place."""
    if not hasattr(d, "operands"):
        shape = d.shape(0, 2)
        m = d.chance.integers(0, 3, shape).astype(float)
        n, c = m + d.chance.integers(0, 4, shape), numpy.round(d.chance.uniform(0.5, 3, shape), 2)
        low, high = (0.05, 0.95) if "ang" in name else (1.1, 3) if name[:3] == "pro" else (0.2, 2)
        own = [getattr(scipy.special, f"{name[:3]}_cv")(m, n, c)] if name.endswith("_cv") else []
        d.operands = [m, n, c, *own, numpy.round(d.chance.uniform(low, high, shape), 2)]
    return d.operands


def strategies():
    """The strategies of the operands of all these functions."""
    def operand(draw, name, place):
        return lambda d: d.laid(draw(d, name)[place])

    made = {}
    for draw, names in ((_operands, SEARCHES), (_spheroidal, SPHEROIDAL)):
        for name in names:
            count = getattr(scipy.special, name).nin
            made[name] = {f"x{place}": operand(draw, name, place) for place in range(count)}
            made[name]["NEVER_WRONG"] = list(made[name])
    return made


def is_solution(name, values, found, expected):
    """Whether each parameter that a search finds has the probability of the call, or is near to
    SciPy's, whose searches end early. Probabilities that are not monotonic in a parameter may be
    found by one search only: the other one returns its bound."""
    if name not in SEARCHES or not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    place, own = SEARCHES[name][1], forward(name)
    operands = [values[f"x{at}"] for at in range(len(SEARCHES[name][2]))]
    if not all(isinstance(one, Array) for one in operands) or (
            found[""].dtype != expected[""].dtype or found[""].shape != expected[""].shape):
        return False
    wanted = operands[place].array
    operands = [one.array for one in operands]
    operands[place] = found[""]
    ours, theirs = found[""], expected[""]
    is_bound = numpy.zeros(ours.shape, bool)
    if name in NOT_MONOTONIC:
        is_bound = (ours >= 1e9) | (theirs >= 1e9) | (ours <= 1e-9) | (theirs <= 1e-9)
    return bool(numpy.all(numpy.isclose(own(*operands), wanted, 1e-6, 1e-9) | numpy.isclose(
        ours, theirs, 1e-3) | is_bound))
