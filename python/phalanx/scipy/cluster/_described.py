"""Docstrings of clusters, of a summary and a table of parameters."""

from .. import _describing
from .._describing import COLLECTIVE as COLLECTIVE
from .._describing import RECORDED as RECORDED
from ._parameters import PARAMETERS

described = _describing.describer(PARAMETERS)
