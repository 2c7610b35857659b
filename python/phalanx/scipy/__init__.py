"""The names of SciPy that are implemented."""

from . import fft, linalg, sparse, special

__all__ = ["fft", "linalg", "sparse", "special"]
