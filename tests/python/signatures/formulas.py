"""Functions that both libraries compute, for solvers: each is written once for NumPy's names."""

import functools

import numpy

import phalanx

from .drawing import Pair


def both(write):
    """The functions of a formula ``write(np, ...)`` for NumPy and for Phalanx."""
    made = []
    for library in (numpy, phalanx):
        one = functools.partial(write, library)
        functools.update_wrapper(one, write)
        # The signature has no library.
        del one.__wrapped__
        made.append(one)
    return Pair(*made)


def bowl(np, x, shift=0.5):
    return ((1 + np.arange(x.size)) * (x - shift) ** 2).sum()


def bowl_slope(np, x, shift=0.5):
    return 2 * (1 + np.arange(x.size)) * (x - shift)


def bowl_curvature(np, x, shift=0.5):
    return np.diag(2.0 * (1 + np.arange(x.size)))


def bowl_product(np, x, p, shift=0.5):
    return 2 * (1 + np.arange(x.size)) * p


def quartic(np, x):
    return ((x - 1) ** 4 + (x - 1) ** 2 + 0.5 * np.cos(x)).sum()


def quartic_slope(np, x):
    return 4 * (x - 1) ** 3 + 2 * (x - 1) - 0.5 * np.sin(x)


def quartic_curvature(np, x):
    return np.diag(12 * (x - 1) ** 2 + 2 - 0.5 * np.cos(x))


def quartic_product(np, x, p):
    return (12 * (x - 1) ** 2 + 2 - 0.5 * np.cos(x)) * p


def chain(np, x):
    return ((x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x) ** 2).sum()


def chain_slope(np, x):
    gap = x[1:] - x[:-1] ** 2
    zero = np.zeros(1)
    return (-2 * (1 - x) + 2 * np.concatenate([zero, gap])
            - 4 * x * np.concatenate([gap, zero]))


# Values, first and second derivatives, and products with second derivatives.
MINIMA = [(bowl, bowl_slope, bowl_curvature, bowl_product),
          (quartic, quartic_slope, quartic_curvature, quartic_product),
          (chain, chain_slope, None, None)]


def waves(np, x):
    return 0.5 - x - 0.2 * np.cos(x)


def neighbors(np, x):
    return 1 - x - 0.2 * np.roll(x, 1) * x


def line(np, x):
    return 1 - 2 * x


# Systems whose roots simple iterations reach.
SYSTEMS = [waves, neighbors, line]


def cube(np, x, a=2.0):
    return x**3 + x - a


def cube_slope(np, x, a=2.0):
    return 3 * x**2 + 1


def cube_curvature(np, x, a=2.0):
    return 6 * x


def contraction(np, x, a=0.5):
    return np.cos(x) * a + 0.1


def residuals(np, x):
    return np.concatenate([x - 1, 2 * x[:1] - x[-1:] ** 2])


def residuals_slope(np, x):
    count = x.size
    last = np.zeros((1, count))
    last = last + 2 * (np.arange(count) == 0) - 2 * x[-1] * (np.arange(count) == count - 1)
    return np.concatenate([np.eye(count), last])


def decay(np, t, y):
    return -0.5 * y


def pendulum(np, t, y):
    return np.stack([y[1], -np.sin(y[0]) - 0.1 * y[1]])


def driven(np, t, y):
    return y * np.cos(t) - 0.2 * t


def oscillator(np, t, y):
    return 1j * y


def crossing(np, t, y):
    return y[0] - 0.4


def logistic(np, x):
    return 1 / (1 + np.exp(-x))


def vector_of(np, x):
    return np.stack([np.sin(np.asarray(x)), np.asarray(x) ** 2 * 1.0, np.exp(-np.asarray(x))])


def peak(np, x):
    return 1 / (1 + 25 * np.asarray(x) ** 2)


def wave_of(np, x):
    return np.exp(1j * np.asarray(x))
