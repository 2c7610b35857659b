"""Docstrings of functions on images, composed from a summary and a table of parameters."""

from .._describing import ALONE as LOCAL
from .._describing import COLLECTIVE as COLLECTIVE
from .._describing import RECORDED as RECORDED
from .._describing import describer
from ._parameters import PARAMETERS

HALO = (
    f"{RECORDED} The result is split like the image; devices exchange the elements at the borders "
    "of their blocks."
)
ON_HOST = (
    "Collective: every process calls it. The function runs on the host of every process, which "
    "receives a copy of the elements."
)
FILTERED = "ndarray: The filtered image; `output`, if it is an array."

described = describer(PARAMETERS, HALO, {
    "RuntimeError": "A mode, a size or the shape of an argument is not allowed.",
    "ValueError": "An axis or an origin is out of range.",
    "TypeError": "The dtype of the image is not supported.",
})
