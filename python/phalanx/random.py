"""Random numbers: the names of ``numpy.random``.

Numbers are a function of the seed and of what was drawn before: the same on any number of devices
and processes, though not those of NumPy. Without a seed all processes agree on one.
"""

from ._phalanx.random import *  # noqa: F403
from ._phalanx.random import __all__ as _native
from ._phalanx import _refusal
from ._phalanx.random import _Stream
from ._seeds import SeedSequence

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


class BitGenerator:
    """What a `Generator` draws by. Generators of one bit generator draw from it in turn."""

    def __init__(self, seed=None):
        self._stream = _Stream(seed)
        self._seed_seq = seed if isinstance(seed, SeedSequence) else None

    @classmethod
    def _of(cls, stream):
        """That of a stream which is there."""
        made = cls.__new__(cls)
        made._stream, made._seed_seq = stream, None
        if isinstance(stream.seed, SeedSequence):
            made._seed_seq = stream.seed
        return made

    @property
    def seed_seq(self):
        """The seed, of which `spawn` makes others."""
        if self._seed_seq is None:
            self._seed_seq = SeedSequence(self._stream.seed)
        return self._seed_seq

    @property
    def state(self):
        """What the next numbers depend on: a key made of the seed, and how many counters have been
        used. Every process sets the same."""
        key, counter = self._stream.state
        state = {"counter": counter, "key": key}
        return {"bit_generator": type(self).__name__, "state": state}

    @state.setter
    def state(self, value):
        name = type(self).__name__
        if not isinstance(value, dict):
            raise _refusal(TypeError, "type", "state must be a dict")
        if value.get("bit_generator") != name:
            raise _refusal(ValueError, "value", f"state must be for a {name} RNG")
        state = value["state"]
        self._stream.set_state(state["key"], state["counter"])

    def spawn(self, n_children):
        """Bit generators of children of the seed.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of BitGenerator
            Of the class of this one.

        Raises
        ------
        nothing

        Notes
        -----
        Local.
        """
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def advance(self, delta):
        """Goes on as if so many numbers of 64 bits had been drawn; back, if it is negative.

        Parameters
        ----------
        delta : int
            How many numbers.

        Returns
        -------
        BitGenerator
            This one.

        Raises
        ------
        nothing

        Notes
        -----
        Local: every process does the same.
        """
        key, counter = self._stream.state
        self._stream.set_state(key, (counter + delta) % 2**64)
        return self

    def __reduce__(self):
        return _restored, (type(self), self.seed_seq, self._stream.state)

    def __repr__(self):
        return f"{type(self).__name__}({self._stream.seed!r})"


def _restored(kind, seed_seq, state):
    """A bit generator that goes on where another one stood."""
    made = kind(seed_seq)
    made._stream.set_state(*state)
    return made


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
