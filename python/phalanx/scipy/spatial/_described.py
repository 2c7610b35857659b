"""Docstrings of points in space, composed from a function's summary and a table of parameters."""

from .. import _describing
from .._describing import ALONE as ALONE
from .._describing import COLLECTIVE as COLLECTIVE
from .._describing import HOST as HOST
from .._describing import RECORDED as RECORDED
from ._parameters import PARAMETERS

described = _describing.describer(PARAMETERS)
