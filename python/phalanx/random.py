"""Random numbers: the names of ``numpy.random``.

Numbers are a function of the seed and of what was drawn before: the same on any number of devices
and processes, though not those of NumPy. Without a seed all processes agree on one.
"""

from ._phalanx.random import *  # noqa: F403
from ._phalanx.random import __all__ as _native

__all__ = [
    *_native,
    "BitGenerator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "SFC64",
    "SeedSequence",
]


class SeedSequence:
    """A seed: an integer that is not negative, or several."""

    def __init__(self, entropy=None):
        self.entropy = entropy

    def __repr__(self):
        return f"SeedSequence(entropy={self.entropy!r})"


class BitGenerator:
    """A seed for a `Generator`."""

    def __init__(self, seed=None):
        self._seed = seed

    def __repr__(self):
        return f"{type(self).__name__}({self._seed!r})"


class Philox(BitGenerator):
    """The generator Philox4x32-10, by which all numbers here are drawn."""


class PCG64(Philox):
    """A name for programs of NumPy: draws by `Philox`."""


class PCG64DXSM(Philox):
    """A name for programs of NumPy: draws by `Philox`."""


class MT19937(Philox):
    """A name for programs of NumPy: draws by `Philox`."""


class SFC64(Philox):
    """A name for programs of NumPy: draws by `Philox`."""
