"""Docstrings of statistical functions."""

from .._describing import ALONE, COLLECTIVE, HOST, NOTHING, RECORDED, describer
from ._parameters import PARAMETERS

DEPENDS = (
    "Local: recorded, and computed when a value is observed. Collective if `nan_policy` is 'omit' "
    "or 'raise', because the answer depends on data."
)

described = describer(
    PARAMETERS,
    DEPENDS,
    {"ValueError": "The value or the shape of an argument is not allowed, or `nan_policy` is "
                   "'raise' and there are NaNs."},
)
__all__ = ["ALONE", "COLLECTIVE", "DEPENDS", "HOST", "NOTHING", "RECORDED", "described"]
