"""Docstrings of special functions."""

from .._describing import ALONE, COLLECTIVE, HOST, NOTHING, RECORDED, composed, describer
from ._parameters import OF_FUNCTIONS, PARAMETERS

# An argument of few integers, such as a degree, decides which operations are recorded.
INTEGERS = (
    "Local: recorded, and computed when a value is observed. Collective if {} is an array on "
    "devices, because the integers are read."
)

_described = describer(PARAMETERS)


def described(returns, raises=None, notes=None, **own):
    """A decorator that composes a docstring, with the parameters that the function itself has."""

    def decorate(function):
        texts = {**OF_FUNCTIONS.get(function.__name__, {}), **own}
        return _described(returns, raises, notes, **texts)(function)

    return decorate


__all__ = [
    "ALONE", "COLLECTIVE", "HOST", "INTEGERS", "NOTHING", "PARAMETERS", "RECORDED", "composed",
    "described",
]
