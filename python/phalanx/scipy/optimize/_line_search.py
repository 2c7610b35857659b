"""Searches of the size of a step along a direction."""

import math

from .._arguments import array
from ._described import ITERATED, described
from ._differences import number


class Phi:
    """A function along a direction: its value and its slope at a size of a step.

    The last point of which the slope was computed is kept, with its gradient.
    """

    def __init__(self, function, derivative, x, direction):
        self.function, self.derivative, self.x, self.direction = function, derivative, x, direction
        self.size, self.gradient = None, None

    def value(self, size):
        return float(number(self.function(self.x + size * self.direction)))

    def slope(self, size):
        self.size = size
        self.gradient = self.derivative(self.x + size * self.direction)
        return float((self.gradient * self.direction).sum())


def strong_wolfe(phi, value, slope, first, c1, c2, most=None, extra=None, maxiter=10):
    """A size of a step with the strong conditions of Wolfe, and the value there; None if there is
    none.

    Source: J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), algorithms 3.5 and 3.6.
    """
    before, before_value, before_slope = 0.0, value, slope
    size = first if most is None else min(first, most)
    for turn in range(maxiter):
        if size == 0 or (most is not None and before == most):
            return None, value
        here = phi.value(size)
        if not here <= value + c1 * size * slope or (here >= before_value and turn > 0):
            return _zoom(phi, before, size, before_value, here, before_slope, value, slope, c1, c2,
                         extra)
        here_slope = phi.slope(size)
        if abs(here_slope) <= -c2 * slope and (extra is None or extra(size, here)):
            return size, here
        if here_slope >= 0:
            return _zoom(phi, size, before, here, before_value, here_slope, value, slope, c1, c2,
                         extra)
        before, before_value, before_slope = size, here, here_slope
        size = 2 * size if most is None else min(2 * size, most)
    return None, value


def _zoom(phi, low, high, low_value, high_value, low_slope, value, slope, c1, c2, extra):
    """A size between two ones, of which the first has the lower value."""
    last, last_value = 0.0, value
    for turn in range(20):
        width = high - low
        guess = None
        if turn:
            guess = _cubic(low, low_value, low_slope, high, high_value, last, last_value)
        margin = 0.2 * abs(width)
        if guess is None or not min(low, high) + margin < guess < max(low, high) - margin:
            guess, margin = _parabola(low, low_value, low_slope, high, high_value), 0.1 * abs(width)
            if guess is None or not min(low, high) + margin < guess < max(low, high) - margin:
                guess = low + 0.5 * width
        here = phi.value(guess)
        if not here <= value + c1 * guess * slope or here >= low_value:
            last, last_value, high, high_value = high, high_value, guess, here
            continue
        here_slope = phi.slope(guess)
        if abs(here_slope) <= -c2 * slope and (extra is None or extra(guess, here)):
            return guess, here
        if here_slope * width >= 0:
            last, last_value, high, high_value = high, high_value, low, low_value
        else:
            last, last_value = low, low_value
        low, low_value, low_slope = guess, here, here_slope
    return None, value


def _parabola(a, value, slope, b, other):
    width = b - a
    curve = (other - value - slope * width) / (width * width) if width else 0.0
    return a - slope / (2.0 * curve) if curve > 0 and math.isfinite(curve) else None


def _cubic(a, value, slope, b, second, c, third):
    """The minimum of a cubic polynomial through three points, with the slope at the first."""
    one, two = b - a, c - a
    if one == 0 or two == 0 or one == two:
        return None
    rest = [(second - value - slope * one) / one**2, (third - value - slope * two) / two**2]
    third_power = (rest[0] - rest[1]) / (one - two)
    second_power = rest[0] - third_power * one
    inner = second_power**2 - 3 * third_power * slope
    if not inner >= 0 or third_power == 0 or not math.isfinite(inner):
        return None
    return a + (-second_power + math.sqrt(inner)) / (3 * third_power)


def armijo(value_at, value, slope, c1=1e-4, first=1.0, least=0.0):
    """A size of a step with enough decrease, by interpolation; None if there is none.

    Source: J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), section 3.5.
    """
    size, here = first, value_at(first)
    if here <= value + c1 * size * slope:
        return size, here
    before, before_value = size, here
    size = -slope * size**2 / 2.0 / (here - value - slope * size)
    here = value_at(size)
    while size > least:
        if here <= value + c1 * size * slope:
            return size, here
        guess = _cubic(0.0, value, slope, before, before_value, size, here)
        if guess is None or guess > size / 2.0 or 1 - guess / size < 0.96:
            guess = size / 2.0
        before, before_value, size = size, here, guess
        here = value_at(size)
    return None, here


@described(
    "tuple: The size of the step or None, the numbers of evaluations of the function and of the "
    "gradient, the value there, that at `xk`, and the gradient there or None.",
    None, ITERATED,
)
def line_search(
    f, myfprime, xk, pk, gfk=None, old_fval=None, old_old_fval=None, args=(), c1=0.0001, c2=0.9,
    amax=None, extra_condition=None, maxiter=10,
):
    """A size of a step along a direction with the strong conditions of Wolfe."""
    xk, pk = array(xk), array(pk)
    counts = [0, 0]

    def function(x):
        counts[0] += 1
        return f(x, *args)

    def derivative(x):
        counts[1] += 1
        return array(myfprime(x, *args))

    gradient = array(myfprime(xk, *args)) if gfk is None else array(gfk)
    value = float(number(function(xk))) if old_fval is None else float(number(old_fval))
    phi = Phi(function, derivative, xk, pk)
    slope = float((gradient * pk).sum())
    first = 1.0
    if old_old_fval is not None and slope != 0:
        first = min(1.0, 1.01 * 2 * (value - float(number(old_old_fval))) / slope)
    first = 1.0 if first < 0 else first
    extra = None
    if extra_condition is not None:
        def extra(size, here):
            if phi.size != size:
                phi.slope(size)
            return extra_condition(size, xk + size * pk, here, phi.gradient)

    size, found = strong_wolfe(phi, value, slope, first, c1, c2, amax, extra, maxiter)
    if size is None:
        import warnings

        from ._host import found as theirs

        warnings.warn("The line search algorithm did not converge", theirs("OptimizeWarning"),
                      stacklevel=3)
        return None, counts[0], counts[1], None, value, None
    last_gradient = phi.gradient if phi.size == size else derivative(xk + size * pk)
    return size, counts[0], counts[1], found, value, last_gradient

