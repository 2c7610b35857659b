"""Matrix Market files: names of ``scipy.io``."""

from ._read import mminfo, mmread
from ._write import mmwrite

__all__ = ["mminfo", "mmread", "mmwrite"]
