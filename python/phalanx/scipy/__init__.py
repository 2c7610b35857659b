"""The names of SciPy that are implemented."""

from . import fft, linalg, special

__all__ = ["fft", "linalg", "sparse", "special"]


def __getattr__(name):
    # Programs without sparse matrices need not load their classes.
    if name == "sparse":
        import importlib

        return importlib.import_module(f"{__name__}.sparse")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
