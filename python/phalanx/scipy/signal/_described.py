"""Docstrings of signal processing, composed from a function's summary and a table of parameters."""

from .. import _describing
from .._describing import ALONE as ALONE
from .._describing import COLLECTIVE as COLLECTIVE
from .._describing import RECORDED as RECORDED
from ._parameters import PARAMETERS

SMALL = (
    "Local: recorded, and computed when a value is observed. Collective if a coefficient is an "
    "array on devices, because coefficients are read."
)

described = _describing.describer(PARAMETERS)


def composed(summary, parameters, returns, raises, notes, own):
    """A docstring of numpydoc's sections."""
    return _describing.composed(summary, parameters, returns, raises, notes, PARAMETERS, own)
