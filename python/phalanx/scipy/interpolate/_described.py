"""Docstrings of the functions and classes of this module."""

from .. import _describing
from .._describing import COLLECTIVE as COLLECTIVE
from .._describing import HOST as HOST
from .._describing import NOTHING as NOTHING
from .._describing import RECORDED as RECORDED
from ._parameters import PARAMETERS

KNOTS = (
    "Local: recorded, and computed when a value is observed. Collective if knots or coefficients "
    "of few numbers are arrays on devices, which are read."
)

described = _describing.describer(PARAMETERS)
described_class = _describing.class_describer(PARAMETERS)
