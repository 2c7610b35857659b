"""Random numbers: the names of ``numpy.random``.

Numbers depend on the seed and on the earlier draws, and are the same on any number of devices and
processes. They differ from NumPy's, except for the words of `PCG64`, `PCG64DXSM` and `Philox`, and
the numbers of `random` by them. Without a seed all processes agree on one.
"""

from . import _phalanx
from ._phalanx.random import *  # noqa: F403
from ._phalanx.random import __all__ as _native
from ._phalanx import _refusal
from ._phalanx.random import _share, _shared, _Stream
from ._seeds import SeedSequence

__all__ = [
    *_native,
    "BitGenerator",
    "MRG32k3a",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "Philox4x3210",
    "SFC64",
    "SeedSequence",
    "XORWOW",
    "get_random_state",
    "reset_states",
    "set_random_state",
]


class BitGenerator:
    """The source of the random bits of a `Generator`. Generators that share a bit generator draw
    from it in turn."""

    # The words that a seed is made into: their number and their dtype.
    _words = None

    def __init__(self, seed=None):
        self._seed_seq = seed if isinstance(seed, SeedSequence) else None
        if self._words is None:
            self._stream = _Stream(seed)
            return
        sequence = self._seed_seq or _sequence(seed)
        words = sequence.generate_state(*self._words).tolist()
        self._stream = _Stream.of_words(type(self).__name__, words, sequence)
        self._seed_seq = sequence

    @classmethod
    def _of(cls, stream):
        """The bit generator of a stream."""
        made = cls.__new__(cls)
        made._stream, made._seed_seq = stream, None
        if isinstance(stream.seed, SeedSequence):
            made._seed_seq = stream.seed
        return made

    @property
    def seed_seq(self):
        """The seed, from which `spawn` makes others."""
        if self._seed_seq is None:
            self._seed_seq = SeedSequence(self._stream.seed)
        return self._seed_seq

    @property
    def state(self):
        """The state, which determines the next numbers, as a dictionary. Every process must set the
        same state."""
        return {"bit_generator": type(self).__name__, **self._own_state()}

    @state.setter
    def state(self, value):
        name = type(self).__name__
        if not isinstance(value, dict):
            raise _refusal(TypeError, "type", "state must be a dict")
        if value.get("bit_generator") != name:
            raise _refusal(ValueError, "value", f"state must be for a {name} RNG")
        self._take(value["state"])

    def _own_state(self):
        key, counter = self._stream.state
        return {"state": {"counter": counter, "key": key}}

    def _take(self, state):
        self._stream.set_state(state["key"], state["counter"])

    def spawn(self, n_children):
        """Bit generators of children of the seed.

        Parameters
        ----------
        n_children : int
            The number of children.

        Returns
        -------
        list of BitGenerator
            Bit generators of this class.

        Raises
        ------
        None
            Nothing is raised.

        Notes
        -----
        Local.
        """
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def advance(self, delta):
        """Skips a number of 64-bit numbers, as if they had been drawn; backwards if the number is
        negative. For `Philox` it skips counters, as in NumPy, of four numbers each.

        Parameters
        ----------
        delta : int
            The number of numbers.

        Returns
        -------
        BitGenerator
            This bit generator.

        Raises
        ------
        None
            Nothing is raised.

        Notes
        -----
        Local: every process does the same.
        """
        key, counter = self._stream.state
        self._stream.set_state(key, (counter + delta) % 2**64)
        return self

    def random_raw(self, size=None, output=True):
        """The next numbers of 64 bits.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape; by default one number.
        output : bool, default: True
            Whether the numbers are returned; else they are skipped.

        Returns
        -------
        ndarray or int or None
            Dtype: uint64.

        Raises
        ------
        ValueError
            PX017: an extent is negative.

        Notes
        -----
        Local; Collective for one number, which is returned as a Python integer.
        """
        shape = () if size is None else tuple(size) if _phalanx.iterable(size) else (size,)
        drawn = self._stream.raw(shape)
        if not output:
            return None
        return int(drawn) if size is None else drawn

    def __reduce__(self):
        return _restored, (type(self), self.seed_seq, self._stream.words, self._stream.state)

    def __repr__(self):
        return f"{type(self).__name__}({self._stream.seed!r})"


def _sequence(seed):
    """The `SeedSequence` of a seed, of a bit generator, or of NumPy's `SeedSequence`."""
    if isinstance(seed, BitGenerator):
        return seed.seed_seq
    if hasattr(seed, "spawn_key"):
        return SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    return SeedSequence(seed)


def _restored(kind, seed_seq, words, state):
    """A bit generator with the state of another one."""
    made = kind(seed_seq)
    if words:
        made._stream.set_words(words)
    made._stream.set_state(*state)
    return made


class Philox4x3210(BitGenerator):
    """Philox4x32-10, the default bit generator."""


class Philox(BitGenerator):
    """NumPy's Philox4x64-10: its words are those of NumPy."""

    _words = 2, "uint64"

    def advance(self, delta):
        _, position = self._stream.state
        self._stream.set_state(0, (-(-position // 4) + delta) * 4 % 2**64)
        return self

    advance.__doc__ = BitGenerator.advance.__doc__

    def _own_state(self):
        _, position = self._stream.state
        return {"state": {"counter": position, "key": tuple(self._stream.words)}}

    def _take(self, state):
        self._stream.set_words([int(word) for word in state["key"]])
        self._stream.set_state(0, state["counter"])


class PCG64(BitGenerator):
    """NumPy's PCG64: its words, and the numbers of `random`, are those of NumPy."""

    _words = 4, "uint64"
    _multiplier = 0x2360ED051FC65DA44385DF649FCCF645

    def advance(self, delta):
        state, increment = self._stream.words
        by, plus = _jump(self._stream.state[1] + delta, self._multiplier, increment)
        self._stream.set_words([(state * by + plus) % 2**128, increment])
        return self

    advance.__doc__ = BitGenerator.advance.__doc__

    def jumped(self, jumps=1):
        """A copy of this bit generator that has skipped a very large number of numbers.

        Parameters
        ----------
        jumps : int, default: 1
            The number of such jumps.

        Returns
        -------
        BitGenerator
            A bit generator of this class.

        Raises
        ------
        None
            Nothing is raised.

        Notes
        -----
        Local.
        """
        made = _restored(*self.__reduce__()[1])
        return made.advance(jumps * 0x9E3779B97F4A7C15F39CC0605CEDC835)

    def _own_state(self):
        self.advance(0)
        state, increment = self._stream.words
        words = {"state": {"state": state, "inc": increment}}
        return {**words, "has_uint32": 0, "uinteger": 0}

    def _take(self, state):
        self._stream.set_words([int(state["state"]), int(state["inc"])])


class PCG64DXSM(PCG64):
    """NumPy's PCG64DXSM: its words, and the numbers of `random`, are those of NumPy."""

    _multiplier = 0xDA942042E4DD58B5


class MRG32k3a(BitGenerator):
    """L'Ecuyer's MRG32k3a. A 64-bit number is made of two of its numbers."""

    _words = 6, "uint32"

    def _own_state(self):
        words = self._stream.words
        return {"state": {"words": words, "counter": self._stream.state[1]}}

    def _take(self, state):
        self._stream.set_words([int(word) for word in state["words"]])
        self._stream.set_state(0, state["counter"])


class _WithoutPositions(BitGenerator):
    """A generator whose numbers cannot be computed from their positions."""

    def __init__(self, seed=None):
        raise _refusal(
            NotImplementedError,
            "absent",
            f"{type(self).__name__} has no number that is known by its position, which numbers on "
            "several devices are",
            "take phalanx.random.Philox4x3210, or PCG64 or Philox, whose numbers are NumPy's",
        )


class MT19937(_WithoutPositions):
    """Refused: the generator advances by one number at a time only."""


class SFC64(_WithoutPositions):
    """Refused: the generator advances by one number at a time only."""


class XORWOW(_WithoutPositions):
    """Refused: the generator advances by one number at a time only."""


def _jump(count, multiplier, increment):
    """The 128-bit multiplier and increment that skip a number of draws at once."""
    by, plus, count = 1, 0, count % 2**128
    while count:
        if count & 1:
            by, plus = by * multiplier % 2**128, (plus * multiplier + increment) % 2**128
        increment = (multiplier + 1) * increment % 2**128
        multiplier = multiplier * multiplier % 2**128
        count >>= 1
    return by, plus


def _bit_generator_of(stream):
    """The bit generator of a stream."""
    return globals()[stream.kind]._of(stream)


def get_random_state():
    """The generator of the module's functions.

    Returns
    -------
    RandomState

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Collective if nothing has been drawn yet: the processes agree on a seed.
    """
    return _shared()


def set_random_state(rs):
    """Makes the module's functions draw from another generator.

    Parameters
    ----------
    rs : RandomState
        The generator.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        PX140: `rs` is no RandomState.

    Notes
    -----
    Local: every process does the same.
    """
    if not isinstance(rs, RandomState):  # noqa: F405
        raise _refusal(TypeError, "type", f"rs must be a RandomState, not {type(rs).__name__}")
    _share(rs)


def reset_states():
    """Makes the module's functions start with another seed at their next call.

    Returns
    -------
    None

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local: every process does the same.
    """
    _share(None)
