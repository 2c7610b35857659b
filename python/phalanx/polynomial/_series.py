"""Series as objects: the base class of all families."""

from .. import _phalanx
from .._phalanx import _refusal
from ._arithmetic import SeriesArithmetic
from .polyutils import _host, as_series, getdomain, mapdomain, mapparms, trimcoef


class _Interval:
    """The domain or the window of a class or of a series, an array of two elements.

    The ends are kept on the host beside it, where maps between intervals are computed.
    """

    def __init__(self, name):
        self._name = name

    def __get__(self, series, kind):
        if series is None:
            return _phalanx.asarray(kind._interval)
        return _phalanx.asarray(series._intervals[self._name])

    def __set__(self, series, value):
        (ends,) = (_host(one) for one in as_series([value], trim=False))
        if len(ends) != 2:
            text = f"{self._name.capitalize()} has wrong number of elements."
            raise _refusal(ValueError, "value", text)
        series._intervals[self._name] = ends


# The default style of the text of series.
_style = "unicode"


def set_default_printstyle(style):
    """Sets the default style of the text of series.

    Parameters
    ----------
    style : {'ascii', 'unicode'}
        'ascii' writes powers and indices with `**` and `_`, 'unicode' as raised and lowered digits.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The style is unknown.

    Notes
    -----
    Local.
    """
    global _style
    if style not in ("ascii", "unicode"):
        text = f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'"
        raise _refusal(ValueError, "choice", text)
    _style = style


class ABCPolyBase(SeriesArithmetic):
    """A series of a family of polynomials, with a domain, a window and the symbol of its variable.

    Points of the domain are mapped to the window before the series is evaluated. The coefficients
    are an array; sums, products and similar operations fetch them.

    Parameters
    ----------
    coef : array_like
        The coefficients, with the lowest degree first.
    domain : (2,) array_like, optional
        The domain; by default that of the class.
    window : (2,) array_like, optional
        The window; by default that of the class.
    symbol : str, default: 'x'
        The name of the variable.
    """

    maxpower = 100
    basis_name = None
    domain = _Interval("domain")
    window = _Interval("window")
    _functions = {}
    _prefix = ""
    _interval = (-1.0, 1.0)

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        (self.coef,) = as_series([coef], trim=False)
        self._intervals = {}
        kind = type(self)
        self.domain = list(kind._interval) if domain is None else domain
        self.window = list(kind._interval) if window is None else window
        if not isinstance(symbol, str):
            raise _refusal(TypeError, "type", "Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise _refusal(ValueError, "value", "Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self):
        """The name of the variable."""
        return self._symbol

    @classmethod
    def _call(cls, suffix, *arguments, **keywords):
        """A function of the family."""
        return cls._functions[f"{cls._prefix}{suffix}"](*arguments, **keywords)

    def _like(self, coef):
        """Another series of the same domain, window and symbol."""
        return type(self)(coef, self._intervals["domain"], self._intervals["window"], self._symbol)

    def _on_host(self):
        """The same series as an object of NumPy."""
        import numpy

        kind = getattr(numpy.polynomial, type(self).__name__)
        intervals = self._intervals
        return kind(self.coef.get(), intervals["domain"], intervals["window"], self._symbol)

    def has_samecoef(self, other):
        """Whether the coefficients of two series are equal.

        Parameters
        ----------
        other : series
            The other object.

        Returns
        -------
        bool

        Raises
        ------
        AttributeError
            The other object is no series.

        Notes
        -----
        Collective: the coefficients are compared.
        """
        return len(self.coef) == len(other.coef) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other):
        """Whether the domains of two series are equal.

        Parameters
        ----------
        other : series
            The other object.

        Returns
        -------
        bool

        Raises
        ------
        AttributeError
            The other object is no series.

        Notes
        -----
        Local.
        """
        return bool((self._intervals["domain"] == other._intervals["domain"]).all())

    def has_samewindow(self, other):
        """Whether the windows of two series are equal.

        Parameters
        ----------
        other : series
            The other object.

        Returns
        -------
        bool

        Raises
        ------
        AttributeError
            The other object is no series.

        Notes
        -----
        Local.
        """
        return bool((self._intervals["window"] == other._intervals["window"]).all())

    def has_sametype(self, other):
        """Whether another object is of the same class.

        Parameters
        ----------
        other : object
            The other object.

        Returns
        -------
        bool

        Raises
        ------
        TypeError
            Never.

        Notes
        -----
        Local.
        """
        return isinstance(other, type(self))

    def __format__(self, fmt_str):
        if fmt_str not in ("", "ascii", "unicode"):
            text = f"Unsupported format string '{fmt_str}' passed to {type(self).__name__}"
            text += ".__format__. Valid options are 'ascii' and 'unicode'"
            raise _refusal(ValueError, "choice", text)
        return format(self._on_host(), fmt_str or _style)

    def __str__(self):
        return format(self._on_host(), _style)

    def __repr__(self):
        return repr(self._on_host())

    def _repr_latex_(self):
        return self._on_host()._repr_latex_()

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __call__(self, arg):
        if isinstance(arg, ABCPolyBase):
            # The composition of two series has few coefficients, which NumPy combines on the host.
            found = self._on_host()(arg._on_host())
            return type(arg)(found.coef, found.domain, found.window, found.symbol)
        mapped = mapdomain(arg, self._intervals["domain"], self._intervals["window"])
        return self._call("val", mapped, self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __len__(self):
        return len(self.coef)

    def copy(self):
        """A copy.

        Returns
        -------
        series

        Raises
        ------
        Exception
            A recorded operation has failed.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        return self._like(self.coef)

    def degree(self):
        """The highest degree, including coefficients that are zero.

        Returns
        -------
        int

        Raises
        ------
        TypeError
            Never.

        Notes
        -----
        Local.
        """
        return len(self) - 1

    def cutdeg(self, deg):
        """The series without the terms above a degree.

        Parameters
        ----------
        deg : int
            The degree.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The degree is negative or no integer.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        return self.truncate(deg + 1)

    def trim(self, tol=0):
        """The series without the last coefficients that are close to zero.

        Parameters
        ----------
        tol : float, default: 0
            The largest absolute value of a coefficient that is removed.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            `tol` is negative.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        return self._like(trimcoef(self.coef, tol))

    def truncate(self, size):
        """The series of the first coefficients.

        Parameters
        ----------
        size : int
            The number of coefficients.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The number is not positive, or no integer.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        count = int(size)
        if count != size or count < 1:
            raise _refusal(ValueError, "value", "size must be a positive integer")
        return self._like(self.coef if count >= len(self.coef) else self.coef[:count])

    def convert(self, domain=None, kind=None, window=None):
        """The same function as a series of another family, domain or window.

        Parameters
        ----------
        domain : (2,) array_like, optional
            The new domain; by default that of the new class.
        kind : class, optional
            The new class; by default this one.
        window : (2,) array_like, optional
            The new window; by default that of the new class.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The domain or the window has not two elements.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        kind = type(self) if kind is None else kind
        domain = list(kind._interval) if domain is None else domain
        window = list(kind._interval) if window is None else window
        return self(kind.identity(domain, window=window, symbol=self._symbol))

    def mapparms(self):
        """The shift and the factor of the map from the domain to the window.

        Returns
        -------
        tuple of scalar

        Raises
        ------
        TypeError
            Never.

        Notes
        -----
        Local.
        """
        return mapparms(self._intervals["domain"], self._intervals["window"])

    def integ(self, m=1, k=[], lbnd=None):
        """The integral.

        Parameters
        ----------
        m : int, default: 1
            The number of integrations.
        k : array_like, optional
            The constants of integration.
        lbnd : scalar, optional
            The point at which the integrals have the values of the constants; 0 by default.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            There are too many constants, or `m` is negative.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        shift, factor = self.mapparms()
        bound = 0 if lbnd is None else shift + factor * _host(lbnd)
        return self._like(self._call("int", self.coef, m, k, bound, 1.0 / factor))

    def deriv(self, m=1):
        """The derivative.

        Parameters
        ----------
        m : int, default: 1
            The number of derivations.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            `m` is negative.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        _, factor = self.mapparms()
        return self._like(self._call("der", self.coef, m, factor))

    def roots(self):
        """The roots of the series, in the coordinates of its domain.

        Returns
        -------
        ndarray

        Raises
        ------
        LinAlgError
            The eigenvalues do not converge.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        found = self._call("roots", self.coef)
        return mapdomain(found, self._intervals["window"], self._intervals["domain"])

    def linspace(self, n=100, domain=None):
        """Evenly spaced points of the domain, and the values there.

        Parameters
        ----------
        n : int, default: 100
            The number of points.
        domain : (2,) array_like, optional
            The interval; by default the domain.

        Returns
        -------
        (ndarray, ndarray)

        Raises
        ------
        ValueError
            `n` is negative.

        Notes
        -----
        Local, but the ends of another interval are fetched.
        """
        start, stop = self._intervals["domain"] if domain is None else _host(domain)
        x = _phalanx.linspace(start, stop, n)
        return x, self(x)

    @classmethod
    def fit(
        cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"
    ):
        """The series that is closest to points in the sense of least squares.

        Parameters
        ----------
        x : array_like
            The points.
        y : array_like
            The values.
        deg : int or sequence of int
            The degree, or the degrees of the terms.
        domain : (2,) array_like, optional
            The domain; by default that of the points, and that of the class for `[]`.
        rcond : float, optional
            Singular values up to this part of the largest count as zero.
        full : bool, default: False
            Whether to return the quality of the fit, too.
        w : array_like, optional
            The factors of the distances.
        window : (2,) array_like, optional
            The window; by default that of the class.
        symbol : str, default: 'x'
            The name of the variable.

        Returns
        -------
        series or (series, list)

        Raises
        ------
        TypeError
            The numbers of axes or elements of points, values or weights do not fit.

        Notes
        -----
        Collective: the domain is fetched, and the factorisation must converge.
        """
        own = list(cls._interval)
        if domain is None:
            domain = _host(getdomain(x))
            if domain[0] == domain[1]:
                domain[0] -= 1
                domain[1] += 1
        elif isinstance(domain, list) and not domain:
            domain = own
        window = own if window is None else window
        mapped = mapdomain(_phalanx.asarray(x), domain, window)
        found = cls._call("fit", mapped, y, deg, rcond=rcond, full=full, w=w)
        if not full:
            return cls(found, domain=domain, window=window, symbol=symbol)
        coef, quality = found
        return cls(coef, domain=domain, window=window, symbol=symbol), quality

    @classmethod
    def fromroots(cls, roots, domain=[], window=None, symbol="x"):
        """The series with these roots.

        Parameters
        ----------
        roots : array_like
            The roots.
        domain : (2,) array_like, optional
            The domain; that of the class for `[]`, that of the roots for None.
        window : (2,) array_like, optional
            The window; by default that of the class.
        symbol : str, default: 'x'
            The name of the variable.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The roots have several axes.

        Notes
        -----
        Collective: the roots are fetched.
        """
        (roots,) = as_series([roots], trim=False)
        own = list(cls._interval)
        if domain is None:
            domain = _host(getdomain(roots))
        elif isinstance(domain, list) and not domain:
            domain = own
        window = own if window is None else window
        count = len(roots)
        shift, factor = mapparms(domain, window)
        coef = cls._call("fromroots", shift + factor * roots) / factor**count
        return cls(coef, domain=domain, window=window, symbol=symbol)

    @classmethod
    def identity(cls, domain=None, window=None, symbol="x"):
        """The series that equals its variable.

        Parameters
        ----------
        domain : (2,) array_like, optional
            The domain; by default that of the class.
        window : (2,) array_like, optional
            The window; by default that of the class.
        symbol : str, default: 'x'
            The name of the variable.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The domain or the window has not two elements.

        Notes
        -----
        Collective for arrays as domain and window, which are fetched.
        """
        domain = list(cls._interval) if domain is None else domain
        window = list(cls._interval) if window is None else window
        shift, factor = mapparms(window, domain)
        return cls(cls._call("line", shift, factor), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        """The polynomial of the family of a degree.

        Parameters
        ----------
        deg : int
            The degree.
        domain : (2,) array_like, optional
            The domain; by default that of the class.
        window : (2,) array_like, optional
            The window; by default that of the class.
        symbol : str, default: 'x'
            The name of the variable.

        Returns
        -------
        series

        Raises
        ------
        ValueError
            The degree is negative or no integer.

        Notes
        -----
        Local.
        """
        degree = int(deg)
        if degree != deg or degree < 0:
            raise _refusal(ValueError, "value", "deg must be non-negative integer")
        return cls([0] * degree + [1], domain, window, symbol)

    @classmethod
    def cast(cls, series, domain=None, window=None):
        """A series of another class as one of this class.

        Parameters
        ----------
        series : series
            The series.
        domain : (2,) array_like, optional
            The domain; by default that of the class.
        window : (2,) array_like, optional
            The window; by default that of the class.

        Returns
        -------
        series

        Raises
        ------
        AttributeError
            It is no series.

        Notes
        -----
        Collective: the coefficients are fetched.
        """
        domain = list(cls._interval) if domain is None else domain
        window = list(cls._interval) if window is None else window
        return series.convert(domain, cls, window)


def class_of(name, family, prefix, functions, basis_name, interval):
    """The class of a family."""
    members = {
        "__doc__": ABCPolyBase.__doc__.replace("a family of polynomials", f"the family `{family}`"),
        "__module__": f"phalanx.polynomial.{family}",
        "_functions": functions,
        "_prefix": prefix,
        "_interval": interval,
        "basis_name": basis_name,
    }
    return type(name, (ABCPolyBase,), members)
