"""The names of SciPy that are implemented."""

from . import fft, linalg, special

__all__ = ["fft", "io", "linalg", "sparse", "special"]


def __getattr__(name):
    # Programs without sparse matrices need not load their classes.
    if name in ("io", "sparse"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
