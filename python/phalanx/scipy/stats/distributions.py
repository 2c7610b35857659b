"""The distributions of ``phalanx.scipy.stats``, by the module's name in SciPy."""


def __getattr__(name):
    import phalanx.scipy.stats as own

    if name.startswith("__"):
        raise AttributeError(name)
    if name == "rv_frozen":
        from ._distribution import Frozen

        return Frozen
    return getattr(own, name)


def __dir__():
    import phalanx.scipy.stats as own

    return dir(own)
