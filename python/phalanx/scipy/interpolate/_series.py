"""Polynomials and quotients of polynomials of few coefficients, as objects."""

import math
import operator

import phalanx as np

from .. import _host
from .._arguments import host, refuse
from ._described_polynomials import COLLECTIVE, described
from ._interpolating import KroghInterpolator

# The most coefficients that are read.
_MOST = 1 << 12


def _read(x, name):
    """Few numbers on the host."""
    return _host.copied(x, _MOST, name) if isinstance(x, np.ndarray) else host(x)


def _polynomial(coefficients):
    return np.poly1d(np.asarray(coefficients))


@described("poly1d: The polynomial.", notes=COLLECTIVE,
           x=("float or array_like", "The point, or several ones."))
def approximate_taylor_polynomial(f, x, degree, scale, order=None):
    """An estimate of the Taylor polynomial of a function, from its values at Chebyshev's points."""
    import numpy

    n = (degree if order is None else order) + 1
    angles = numpy.linspace(0, numpy.pi, n, endpoint=False)
    points = np.asarray(scale * numpy.cos(angles) + host(x))
    derivatives = KroghInterpolator(points, f(points)).derivatives(x, der=degree + 1)
    factors = numpy.array([math.factorial(order) for order in range(degree + 1)], float)
    return np.poly1d((derivatives / np.asarray(factors))[::-1])


@described("poly1d: The polynomial.",
           {"ZeroDivisionError": "Points are equal."},
           COLLECTIVE + " The points, which are few, are read, and the host computes.")
def lagrange(x, w):
    """The polynomial through few points, in Lagrange's form."""
    import numpy

    x, w = _read(x, "lagrange"), _read(w, "lagrange")
    total = numpy.poly1d(0.0)
    for at, value in enumerate(w):
        others = numpy.delete(x, at)
        term = numpy.poly1d(value)
        for other in others:
            term = term * numpy.poly1d([1.0, -other]) / (x[at] - other)
        total = total + term
    return _polynomial(total.coeffs)


@described("(poly1d, poly1d): The numerator and the denominator.",
           {"ValueError": "A degree is negative, or there are too few coefficients.",
            "LinAlgError": "There is no such quotient."},
           COLLECTIVE + " The coefficients, which are few, are read, and the host computes.")
def pade(an, m, n=None):
    """The quotient of polynomials whose series starts with given coefficients."""
    import numpy

    an = _read(an, "pade")
    m = operator.index(m)
    if n is None:
        n = len(an) - 1 - m
        if n < 0:
            raise refuse("Order of q <m> must be smaller than len(an)-1.")
    if n < 0:
        raise refuse("Order of p <n> must be greater than 0.")
    if m + n > len(an) - 1:
        raise refuse("Order of q+p <m+n> must be smaller than len(an).")
    count = m + n + 1
    an = an[:count]
    # Columns: the coefficients of the numerator, then the series shifted by each power of the
    # denominator but the first one, which is 1.
    matrix = numpy.zeros((count, count), numpy.result_type(an, float))
    matrix[: n + 1, : n + 1] = numpy.eye(n + 1)
    for power in range(1, m + 1):
        matrix[power:, n + power] = -an[: count - power]
    solution = numpy.linalg.solve(matrix, an)
    above, below = solution[: n + 1], numpy.concatenate([[1.0], solution[n + 1 :]])
    return _polynomial(above[::-1]), _polynomial(below[::-1])
