"""Polynomials as objects: NumPy's `poly1d`."""

from . import _phalanx
from ._phalanx import _refusal


def _is_scalar(value):
    """Whether a value is one number, and neither an array nor a sequence."""
    import numbers

    import numpy

    return isinstance(value, (numbers.Number, numpy.generic))


def _composed(coefficients, inner):
    """The composition of two polynomials; a number if there are no coefficients."""
    value = 0
    for coefficient in coefficients:
        value = value * inner + coefficient
    return value


class poly1d:
    """A polynomial of one variable, made of its coefficients, with the highest power first, or of
    its roots (`r=True`). Leading zeros are removed, for which the coefficients are fetched
    (Collective)."""

    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self._variable, self._coefficients = c_or_r._variable, c_or_r._coefficients
        else:
            given = _phalanx.poly(c_or_r) if r else _phalanx.asarray(c_or_r)
            given = _phalanx.atleast_1d(_phalanx.asarray(given))
            if given.ndim > 1:
                raise _refusal(ValueError, "value", "Polynomial must be 1d only.")
            given = _phalanx.trim_zeros(given, trim="f")
            self._variable = "x"
            self._coefficients = given if given.size else _phalanx.zeros(1, given.dtype)
        if variable is not None:
            self._variable = variable

    @property
    def coeffs(self):
        """The coefficients, with the highest power first."""
        return self._coefficients

    c = coef = coefficients = coeffs

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    @property
    def order(self):
        """The highest power."""
        return self._coefficients.size - 1

    o = order

    @property
    def roots(self):
        """The roots."""
        return _phalanx.roots(self._coefficients)

    r = roots

    def __array__(self, dtype=None, copy=None):
        return self._coefficients.get() if dtype is None else self._coefficients.get().astype(dtype)

    def _on_host(self):
        import numpy

        return numpy.poly1d(self._coefficients.get(), variable=self._variable)

    def __repr__(self):
        return repr(self._on_host())

    def __str__(self):
        return str(self._on_host())

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._coefficients)

    def __call__(self, val):
        return _phalanx.polyval(self._coefficients, val)

    def __getitem__(self, power):
        if power < 0 or power > self.order:
            return _phalanx.zeros((), self._coefficients.dtype)
        return self._coefficients[self.order - power]

    def __setitem__(self, power, value):
        if power < 0:
            raise _refusal(ValueError, "value", "Does not support negative powers.")
        coefficients = self._coefficients.copy()
        if power > self.order:
            missing = _phalanx.zeros(power - self.order, coefficients.dtype)
            coefficients = _phalanx.concatenate([missing, coefficients])
        coefficients[coefficients.size - 1 - power] = value
        self._coefficients = coefficients

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        mine, theirs = self._coefficients, other._coefficients
        return mine.shape == theirs.shape and bool((mine == theirs).all())

    def __neg__(self):
        return poly1d(-self._coefficients)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(_phalanx.polyadd(self._coefficients, poly1d(other).coeffs))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(_phalanx.polysub(self._coefficients, poly1d(other).coeffs))

    def __rsub__(self, other):
        return poly1d(_phalanx.polysub(poly1d(other).coeffs, self._coefficients))

    def __mul__(self, other):
        if _is_scalar(other):
            return poly1d(self._coefficients * other)
        return poly1d(_phalanx.polymul(self._coefficients, poly1d(other).coeffs))

    def __rmul__(self, other):
        if _is_scalar(other):
            return poly1d(other * self._coefficients)
        return poly1d(_phalanx.polymul(poly1d(other).coeffs, self._coefficients))

    def __pow__(self, exponent):
        is_whole = _is_scalar(exponent) and int(exponent) == exponent and exponent >= 0
        if not is_whole:
            raise _refusal(ValueError, "value", "Power to non-negative integers only.")
        power = _phalanx.asarray([1])
        for _ in range(exponent):
            power = _phalanx.polymul(self._coefficients, power)
        return poly1d(power)

    def __truediv__(self, other):
        if _is_scalar(other):
            return poly1d(self._coefficients / other)
        return _phalanx.polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        if _is_scalar(other):
            return poly1d(other / self._coefficients)
        return _phalanx.polydiv(poly1d(other), self)

    def deriv(self, m=1):
        """The derivative of the polynomial, of order `m`.

        Parameters
        ----------
        m : int, default: 1
            The order.

        Returns
        -------
        poly1d

        Raises
        ------
        ValueError
            `m` is negative.

        Notes
        -----
        Local.
        """
        return poly1d(_phalanx.polyder(self._coefficients, m))

    def integ(self, m=1, k=0):
        """The integral of the polynomial, of order `m`, with constants of integration.

        Parameters
        ----------
        m : int, default: 1
            The order.
        k : array_like, default: 0
            The constants, one for each order, or one.

        Returns
        -------
        poly1d

        Raises
        ------
        ValueError
            `m` is negative, or there are too few constants.

        Notes
        -----
        Local.
        """
        constants = [k] * m if _phalanx.ndim(k) == 0 else k
        return poly1d(_phalanx.polyint(self._coefficients, m, _phalanx.asarray(constants)))
