"""Piecewise polynomials in Bernstein's basis."""

import math
import operator

import phalanx as np

from .._arguments import array, host, refuse
from . import _pieces
from ._described_polynomials import COLLECTIVE, described
from ._piecewise import Piecewise
from ._ppoly import periods


class BPoly(Piecewise):
    """A piecewise polynomial in Bernstein's basis.

    The constructor is collective: whether the breakpoints are sorted is read.

    Parameters
    ----------
    c : array_like
        The coefficients: the elements of the basis, the intervals, then any axes of values.
    x : array_like
        The breakpoints, which ascend or descend; one more than there are intervals.
    extrapolate : bool or {'periodic'}, optional
        Whether the outer polynomials apply beyond the breakpoints, which is the default; values
        are NaN there otherwise. 'periodic' repeats the polynomials.
    axis : int, default: 0
        The axis of the intervals, without the axis of the basis.

    Raises
    ------
    ValueError
        The shapes do not fit, or the breakpoints are not sorted.
    """

    _basis = "bernstein"

    @described("BPoly: The derivative.")
    def derivative(self, nu=1):
        """The derivative as a piecewise polynomial."""
        nu = operator.index(nu)
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        width = _pieces.wide(self.x[1:] - self.x[:-1], c.ndim - 2)
        for _ in range(nu):
            degree = c.shape[0] - 1
            if degree == 0:
                c = np.zeros_like(c)
                break
            c = float(degree) * (c[1:] - c[:-1]) / width
        return self._alike(c if nu else c.copy())

    @described("BPoly: The integral, which is continuous, and 0 at the first breakpoint.")
    def antiderivative(self, nu=1):
        """The integral as a piecewise polynomial."""
        nu = operator.index(nu)
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        width = _pieces.wide(self.x[1:] - self.x[:-1], c.ndim - 2)
        for _ in range(nu):
            sums = np.cumsum(c, axis=0) * (width / c.shape[0])
            whole = np.concatenate([np.zeros((1, *c.shape[1:]), c.dtype), sums])
            c = whole + _pieces.sums_before(sums[-1])
        return self._integrated(c)

    @described("ndarray: The integral of each value.", {}, COLLECTIVE)
    def integrate(self, a, b, extrapolate=None):
        """The integral from a number to another."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        if not (isinstance(extrapolate, str) and extrapolate == "periodic"):
            return whole(b, extrapolate=extrapolate) - whole(a, extrapolate=extrapolate)
        a, b, sign = float(a), float(b), 1.0
        if b < a:
            a, b, sign = b, a, -1.0
        start, stop = float(self.x[0]), float(self.x[-1])
        a, b, count = periods(start, stop, a, b)

        def between(low, high):
            return whole(high) - whole(low)

        total = between(a, min(b, stop)) + count * between(start, stop)
        if b > stop:
            total = total + between(start, start + (b - stop))
        return sign * total

    @described("None: The object changes.", notes=COLLECTIVE,
               x=("array_like", "The breakpoints."))
    def extend(self, c, x):
        """Adds intervals before or after those of the object."""
        c = array(c)
        if c.ndim > 1:
            most = max(self.c.shape[0], c.shape[0])
            self.c = self._raise_degree(self.c, most - self.c.shape[0])
            c = self._raise_degree(c, most - c.shape[0])
        super().extend(c, x)

    @classmethod
    @described("BPoly: The piecewise polynomial.",
               {"TypeError": "`pp` is no piecewise polynomial of powers."})
    def from_power_basis(cls, pp, extrapolate=None):
        """The piecewise polynomial of one in powers."""
        if getattr(pp, "_basis", None) != "power":
            raise refuse(
                f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead.",
                TypeError, "type",
            )
        k = pp.c.shape[0] - 1
        width = _pieces.wide(pp.x[1:] - pp.x[:-1], pp.c.ndim - 2)
        scaled = [
            pp.c[k - power] * width**power / float(math.comb(k, power)) for power in range(k + 1)
        ]
        rows = []
        for at in range(k + 1):
            terms = [scaled[power] * float(math.comb(at, power)) for power in range(at + 1)]
            rows.append(sum(terms[1:], terms[0]))
        extrapolate = pp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(np.stack(rows), pp.x, extrapolate, pp.axis)

    @classmethod
    @described("BPoly: The piecewise polynomial.", notes=COLLECTIVE,
               yi=("sequence of array_like", "For each point the value, then the derivatives of "
                   "orders 1, 2 and so on; of an array, along its second axis."))
    def from_derivatives(cls, xi, yi, orders=None, extrapolate=None):
        """The piecewise polynomial of given values and derivatives at points."""
        xi = array(xi)
        if xi.shape[0] != len(yi):
            raise refuse("xi and yi need to have the same length", mistake="together")
        # SciPy compares with the first point, so that later points may descend.
        if bool(np.any(xi[1:] - xi[:1] <= 0)):
            raise refuse("x coordinates are not in increasing order")
        lengths = _lengths(yi)
        count = len(lengths) - 1
        most = max(a + b for a, b in zip(lengths[:-1], lengths[1:]))
        if orders is None:
            orders = [None] * count
        else:
            small = host(orders)
            if small.ndim and small.size < count:
                raise refuse(f"there are {small.size} orders of {count} intervals", IndexError)
            orders = [int(small)] * count if small.ndim == 0 else small.tolist()
            most = max(most, *orders)
            if any(order <= 0 for order in orders):
                raise refuse("Orders must be positive.")
        groups = {}
        for at, (n1, n2, order) in enumerate(zip(lengths[:-1], lengths[1:], orders)):
            groups.setdefault(_used(n1, n2, order), []).append(at)
        width = (xi[1:] - xi[:-1]).astype(np.float64)
        made, places = [], []
        for (n1, n2), members in groups.items():
            ya, yb = _derivatives(yi, members, 0, n1), _derivatives(yi, members, 1, n2)
            chosen = width if len(groups) == 1 else np.take(width, np.asarray(members))
            c = _from_ends(_pieces.wide(chosen, ya.ndim - 2), ya, yb)
            made.append(cls._raise_degree(c, max(most - c.shape[0], 0)))
            places += members
        c = made[0]
        if len(groups) > 1:
            order = sorted(range(count), key=places.__getitem__)
            c = np.take(np.concatenate(made, axis=1), np.asarray(order), axis=1)
        return cls(c, xi, extrapolate)

    @staticmethod
    def _construct_from_derivatives(xa, xb, ya, yb):
        """The coefficients of one interval from the derivatives at its ends."""
        ya, yb = array(ya), array(yb)
        if ya.shape[1:] != yb.shape[1:]:
            raise refuse(f"Shapes of ya {ya.shape} and yb {yb.shape} are incompatible")
        return _from_ends(xb - xa, ya, yb)

    @staticmethod
    def _raise_degree(c, d):
        """The coefficients of the same polynomials in a basis of a degree that is `d` higher."""
        if d == 0:
            return c
        k = c.shape[0] - 1
        rows = []
        for at in range(k + d + 1):
            total = None
            for own in range(max(at - d, 0), min(at, k) + 1):
                factor = math.comb(k, own) * math.comb(d, at - own) / math.comb(k + d, at)
                term = c[own] * factor
                total = term if total is None else total + term
            rows.append(total)
        return np.stack(rows).astype(c.dtype)


def _from_ends(width, ya, yb):
    """The coefficients from derivatives at the starts and the ends of intervals, in rows."""
    kind = np.complex128 if "c" in (ya.dtype.kind, yb.dtype.kind) else np.float64
    ya, yb = ya.astype(kind), yb.astype(kind)
    first, last = ya.shape[0], yb.shape[0]
    n = first + last

    def ordered(y, count, sign):
        """From one end, the coefficients whose differences of order q are the derivatives."""
        rows = []
        for q in range(count):
            row = y[q] * (float(sign**q) / math.perm(n - 1, q)) * width**q
            for j in range(q):
                row = row - rows[j] * float((-1) ** (q - j) * math.comb(q, j))
            rows.append(row)
        return rows

    return np.stack(ordered(ya, first, 1) + ordered(yb, last, -1)[::-1])


def _lengths(yi):
    """The numbers of derivatives at the points."""
    if isinstance(yi, np.ndarray):
        if yi.ndim < 2:
            raise refuse("Using a 1-D array for y? Please .reshape(-1, 1).")
        return [yi.shape[1]] * yi.shape[0]
    try:
        return [len(one) for one in yi]
    except TypeError:
        raise refuse("Using a 1-D array for y? Please .reshape(-1, 1).") from None


def _used(n1, n2, order):
    """How many derivatives at both ends of an interval determine its polynomial."""
    if order is None:
        return n1, n2
    n = order + 1
    first = min(n // 2, n1)
    last = min(n - first, n2)
    first = min(n - last, n1)
    if first + last != n:
        raise refuse(
            f"The ends of an interval have {n1} and {n2} derivatives, but order {order} requested",
            mistake="together",
        )
    return first, last


def _derivatives(yi, members, shift, count):
    """The first derivatives at the ends of some intervals, as rows."""
    if isinstance(yi, np.ndarray):
        chosen = yi[shift : yi.shape[0] - 1 + shift]
        if len(members) != chosen.shape[0]:
            chosen = np.take(chosen, np.asarray(members), axis=0)
        return np.moveaxis(chosen[:, :count], 0, 1)
    return np.stack([array(yi[at + shift])[:count] for at in members], axis=1)
