"""The special functions that statistics need, from ``phalanx.scipy.special``.

Each is looked up when it is called. While one is missing there, NotImplementedError names it.
"""

import phalanx as np

from ..._phalanx import _refusal


def _missing(name):
    return _refusal(
        NotImplementedError, "absent", f"phalanx.scipy.special.{name} is not available yet"
    )


def found(name):
    """The function of a name; None while it is missing."""
    from .. import special

    return getattr(special, name, None)


def _function(name):
    def call(*operands):
        function = found(name)
        if function is None:
            raise _missing(name)
        return function(*operands)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{name}` of ``phalanx.scipy.special``."
    return call


NAMES = """
betainc betaincinv erf erfinv gammainc gammaincc gammaincinv gammainccinv gammaln log_ndtr ndtr
ndtri zeta
""".split()

for _name in NAMES:
    globals()[_name] = _function(_name)


def _otherwise(name, formula):
    """The function of a name, or a formula while it is missing."""

    def call(*operands):
        function = found(name)
        if function is not None:
            return function(*operands)
        with np.errstate(all="ignore"):
            return formula(*operands)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{name}` of ``phalanx.scipy.special``, or a formula while it is missing."
    return call


def _zero_or(x, y, value):
    return np.where((x == 0) & ~np.isnan(y), 0.0, value)


_named = globals()
xlogy = _otherwise("xlogy", lambda x, y: _zero_or(x, y, x * np.log(y)))
xlog1py = _otherwise("xlog1py", lambda x, y: _zero_or(x, y, x * np.log1p(y)))
betaln = _otherwise(
    "betaln",
    lambda a, b: _named["gammaln"](a) + _named["gammaln"](b) - _named["gammaln"](a + b),
)
betaincc = _otherwise("betaincc", lambda a, b, x: _named["betainc"](b, a, 1 - x))
betainccinv = _otherwise("betainccinv", lambda a, b, q: 1 - _named["betaincinv"](b, a, q))
digamma = _otherwise("digamma", lambda x: _function("psi")(x))
