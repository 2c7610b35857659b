"""Series of families of polynomials: NumPy's `polynomial` package, on arrays of all devices."""

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from ._series import set_default_printstyle
from .chebyshev import Chebyshev
from .hermite import Hermite
from .hermite_e import HermiteE
from .laguerre import Laguerre
from .legendre import Legendre
from .polynomial import Polynomial

__all__ = [
    "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "chebyshev",
    "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils",
    "set_default_printstyle",
]
