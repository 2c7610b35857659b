"""The names of SciPy that are implemented."""

__all__ = [
    "cluster", "fft", "fftpack", "integrate", "interpolate", "io", "linalg", "ndimage", "optimize",
    "signal", "sparse", "spatial", "special", "stats",
]


def __getattr__(name):
    # Programs without these names need not load their modules.
    if name in __all__:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
