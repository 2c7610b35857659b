"""Special functions of complex numbers, as compositions of array operations.

All elements take all branches, whose values a condition selects. Errors are those of the absolute
value: the smaller part of a number may have fewer digits.
"""

import phalanx as np

from ._complex_gamma import gamma, loggamma, psi, rgamma, spence
from ._complex_integrals import (
    dawsn,
    erf,
    erfc,
    erfcx,
    erfi,
    exp1,
    expi,
    fresnel,
    log_ndtr,
    ndtr,
    shichi,
    sici,
)
from ._complex_parts import log1p
from ._loops import wofz


def _with_zero(logarithm):
    """x log(y), which is 0 where x is 0 and y is no NaN."""

    def compute(x, y):
        return np.where((x == 0) & ~np.isnan(y), 0.0, x * logarithm(y))

    return compute


# The functions by their names in SciPy: of complex128, which give one or more results.
VALUES = {
    one.__name__: one
    for one in (dawsn, erf, erfc, erfcx, erfi, exp1, expi, fresnel, gamma, log1p, log_ndtr,
                loggamma, ndtr, psi, rgamma, shichi, sici, spence)
}
VALUES.update(expm1=np.expm1, wofz=wofz, xlogy=_with_zero(np.log), xlog1py=_with_zero(log1p))
