"""NumPy's ``SeedSequence``: seeds that make other seeds, by the same algorithm.

Source: M. E. O'Neill, "Developing a seed_seq alternative" (2015), which NumPy's documentation of
``SeedSequence`` cites. The words are those of NumPy.
"""

import itertools
import operator

from ._phalanx import _refusal
from ._phalanx.random import _Stream

_WORD = 0xFFFFFFFF
_INIT_A, _MULTIPLY_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULTIPLY_B = 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = 0xCA01F9DD, 0x4973F715
_LEAST_POOL = 4


def _words(entropy):
    """The 32-bit words of an integer, or of a sequence of integers."""
    try:
        number = operator.index(entropy)
    except TypeError:
        if isinstance(entropy, str) or not hasattr(entropy, "__iter__"):
            raise _refusal(
                TypeError,
                "type",
                f"SeedSequence expects int or sequence of ints for entropy not {entropy}",
            ) from None
        return [word for one in entropy for word in _words(one)]
    if number < 0:
        raise _refusal(ValueError, "value", "expected non-negative integer")
    count = max(1, -(-number.bit_length() // 32))
    return [number >> 32 * place & _WORD for place in range(count)]


def _mix(first, second):
    mixed = (_MIX_LEFT * first - _MIX_RIGHT * second) & _WORD
    return mixed ^ mixed >> 16


def _count(number):
    """A number of words or of children."""
    try:
        return operator.index(number)
    except TypeError:
        raise _refusal(
            TypeError,
            "type",
            f"'{type(number).__name__}' object cannot be interpreted as an integer",
        ) from None


class _Hash:
    """A hash of words, which depends on the number of words hashed before."""

    def __init__(self, initial, multiplier):
        self._constant, self._multiplier = initial, multiplier

    def __call__(self, value):
        value ^= self._constant
        self._constant = self._constant * self._multiplier & _WORD
        value = value * self._constant & _WORD
        return value ^ value >> 16


class SeedSequence:
    """A seed that makes other seeds.

    Parameters
    ----------
    entropy : int or sequence of int, optional
        The seed; by default one that all processes agree on (Collective).
    spawn_key : sequence of int, optional
        The key that distinguishes the children of one seed.
    pool_size : int, optional
        The number of 32-bit words that are mixed, at least 4.
    n_children_spawned : int, optional
        The number of children that were made before.
    """

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if pool_size < _LEAST_POOL:
            raise _refusal(
                ValueError,
                "value",
                f"The size of the entropy pool should be at least {_LEAST_POOL}",
            )
        if entropy is None:
            entropy = _Stream().seed << 64 | _Stream().seed
        self.entropy = entropy
        self.spawn_key = tuple(spawn_key)
        self.pool_size = pool_size
        self.n_children_spawned = n_children_spawned
        self._pool = self._mixed()

    def _mixed(self):
        words, key = _words(self.entropy), _words(self.spawn_key)
        if key and len(words) < self.pool_size:
            # Otherwise the key would equal the entropy of another seed.
            words += [0] * (self.pool_size - len(words))
        words += key
        size, hashed = self.pool_size, _Hash(_INIT_A, _MULTIPLY_A)
        pool = [hashed(words[place] if place < len(words) else 0) for place in range(size)]
        for source, target in itertools.product(range(size), repeat=2):
            if source != target:
                pool[target] = _mix(pool[target], hashed(pool[source]))
        for word in words[size:]:
            for target in range(size):
                pool[target] = _mix(pool[target], hashed(word))
        return pool

    @property
    def pool(self):
        """The words that are mixed from the seed."""
        import numpy

        return numpy.array(self._pool, dtype=numpy.uint32)

    @property
    def state(self):
        """The arguments that make an equal seed."""
        names = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
        return {name: getattr(self, name) for name in names}

    def generate_state(self, n_words, dtype="uint32"):
        """Words of 32 or of 64 bits, as a NumPy array.

        Parameters
        ----------
        n_words : int
            The number of words.
        dtype : dtype, default: 'uint32'
            `uint32` or `uint64`.

        Returns
        -------
        numpy.ndarray
            A vector of `dtype`.

        Raises
        ------
        ValueError
            PX141: the dtype is neither; PX144: the number is negative.

        Notes
        -----
        Local.
        """
        import numpy

        dtype = numpy.dtype(dtype)
        if dtype not in (numpy.uint32, numpy.uint64):
            raise _refusal(ValueError, "choice", "only support uint32 or uint64")
        count = _count(n_words) * (dtype.itemsize // 4)
        if count < 0:
            raise _refusal(ValueError, "value", "negative dimensions are not allowed")
        hashed = _Hash(_INIT_B, _MULTIPLY_B)
        words = [hashed(word) for word in itertools.islice(itertools.cycle(self._pool), count)]
        return numpy.array(words, dtype="<u4").view(dtype.newbyteorder("<")).astype(dtype)

    def spawn(self, n_children):
        """Independent child seeds; each call makes new ones.

        Parameters
        ----------
        n_children : int
            The number of children.

        Returns
        -------
        list of SeedSequence
            One for each child.

        Raises
        ------
        OverflowError
            PX144: the number is negative.

        Notes
        -----
        Local.
        """
        first, n_children = self.n_children_spawned, _count(n_children)
        if n_children < 0:
            raise _refusal(OverflowError, "value", "can't convert negative value to uint32_t")
        self.n_children_spawned = first + n_children
        return [
            type(self)(self.entropy, spawn_key=(*self.spawn_key, child), pool_size=self.pool_size)
            for child in range(first, first + n_children)
        ]

    def _number(self):
        """The seed of generators: the entropy itself if there is no key and the pool has its
        default size, as if it had been passed to them; else a word of the state."""
        if not self.spawn_key and self.pool_size == _LEAST_POOL:
            return self.entropy
        return int(self.generate_state(1, "uint64")[0])

    def __repr__(self):
        usual = {"spawn_key": (), "pool_size": _LEAST_POOL, "n_children_spawned": 0}
        shown = ((name, value) for name, value in self.state.items() if value != usual.get(name))
        lines = [f"    {name}={value!r}," for name, value in shown]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])


SeedSequence.__module__ = "phalanx.random"
