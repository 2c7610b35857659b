"""Docstrings of integrals and differential equations."""

from .._describing import ALONE, COLLECTIVE, RECORDED, describer
from ._parameters import PARAMETERS

described = describer(PARAMETERS)
__all__ = ["ALONE", "COLLECTIVE", "RECORDED", "described"]
