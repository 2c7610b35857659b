"""The names of SciPy that there are."""

from . import fft, linalg, sparse, special

__all__ = ["fft", "linalg", "sparse", "special"]
