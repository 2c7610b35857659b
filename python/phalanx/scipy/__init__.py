"""The names of SciPy that are implemented."""

from . import linalg

__all__ = ["fft", "fftpack", "io", "linalg", "ndimage", "signal", "sparse", "special", "stats"]


def __getattr__(name):
    # Programs without these names need not load their modules.
    if name in __all__:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
