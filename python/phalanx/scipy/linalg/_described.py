"""Docstrings of linear algebra."""

from .._describing import ALONE, COLLECTIVE, RECORDED, describer
from ._parameters import PARAMETERS

_WHOLE = " Distribution: gathers: matrices are factorised whole."
CHECKED = (
    "Collective: every process calls it, because data decide whether it fails. Local with "
    "`check_finite` false."
)
DECOMPOSED = (
    "Collective: every process calls it, because data decide whether it fails." + _WHOLE
)
SOLVED = DECOMPOSED
FACTORED = (
    "Collective: every process calls it. Panels of up to 128 columns are read and factorised on "
    "the host of every process, one after the other, of at most 2**24 elements each; the other "
    "columns are changed by products of matrices on devices."
)

described = describer(
    PARAMETERS,
    RECORDED,
    {"ValueError": "The value or the shape of an argument is not allowed, or there are infinities "
                   "or NaNs."},
)
__all__ = [
    "ALONE", "CHECKED", "COLLECTIVE", "DECOMPOSED", "FACTORED", "RECORDED", "SOLVED", "described",
]
