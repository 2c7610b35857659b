"""Docstrings of minima, roots and fits."""

from .._describing import ALONE, COLLECTIVE, RECORDED, describer
from ._parameters import PARAMETERS

ITERATED = (
    "Collective: every process calls it, because norms decide when it ends. Points and derivatives "
    "stay on their devices."
)
described = describer(PARAMETERS)
__all__ = ["ALONE", "COLLECTIVE", "ITERATED", "RECORDED", "described"]
