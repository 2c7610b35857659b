"""Matrices as a dictionary of Python: the values of entries by their positions."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    checked_dtype,
    checked_shape,
    index_dtype,
    is_integer,
    is_scalar,
    is_shape,
    number,
    unequal,
)
from ._base import sparray
from ._classes import adopted, is_sparse, register
from ._described import HOST, LOCAL, constructor, described
from ._host_formats import HostSparse
from ._matrix import spmatrix

_KEYS = {"IndexError": "A key is no position of the matrix."}


class Dok(HostSparse):
    """A dictionary from positions to values."""

    _format = "dok"
    _lengths = (1, 2)

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if isinstance(arg1, tuple) and is_shape(arg1, self._lengths):
            self._shape = checked_shape(arg1, self._lengths)
            self.dtype = checked_dtype(dtype, np.float64)
            self._dict = {}
            return
        if is_sparse(arg1) and arg1.format == "dok":
            other = arg1.copy() if copy else arg1
            if dtype is not None:
                other = other.astype(dtype, copy=False)
            self._dict = other._dict
        else:
            if not is_sparse(arg1):
                is_text = isinstance(arg1, (str, bytes))
                if not self._is_array and not is_text and np.ndim(arg1) != 2:
                    text = f"dok_matrix takes no array of {np.ndim(arg1)} axes"
                    raise _refusal(ValueError if np.ndim(arg1) else TypeError, "value", text)
                arg1 = self._dense_argument(arg1)
            other = self._class("coo")(arg1, shape=shape, dtype=dtype, copy=True)
            other.sum_duplicates()
            places = [place.tolist() for place in other.coords]
            keys = zip(*places) if other.ndim == 2 else places[0]
            self._dict = dict(zip(keys, other.data.tolist()))
        self._shape, self.dtype = other.shape, other.dtype

    def _of(self, entries, shape, dtype):
        made = type(self)(shape, dtype=dtype)
        made._dict = entries
        return made

    def _getnnz(self, axis=None):
        if axis is not None:
            text = "the dok format counts no entries along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return len(self._dict)

    @described("int", {"NotImplementedError": "An axis is given."}, notes=LOCAL)
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        if axis is not None:
            text = "the dok format counts no elements along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return sum(one != 0 for one in self._dict.values())

    def _holds(self, ndim):
        return ndim == 2 or (self.ndim == 1 and self._is_array)

    def _element(self, *place):
        return self._dict.get(place[0] if len(place) == 1 else place, 0)

    def _set_element(self, *place_and_number):
        *place, one = place_and_number
        key = place[0] if len(place) == 1 else tuple(place)
        if one != 0:
            self._dict[key] = one
        else:
            self._dict.pop(key, None)

    # The dictionary.

    def __len__(self):
        return len(self._dict)

    def __contains__(self, key):
        return key in self._dict

    def __delitem__(self, key):
        del self._dict[key]

    def __reversed__(self):
        if self._is_array:
            raise _refusal(TypeError, "absent", "reversed is not defined for dok_array")
        return reversed(self._dict)

    def _dictionary_of(self, other, operator):
        if self._is_array:
            text = f"unsupported operand type for |: {type(self).__name__}"
            raise _refusal(TypeError, "absent", text)
        return operator(self._dict, other._dict if isinstance(other, Dok) else other)

    def __or__(self, other):
        return self._dictionary_of(other, lambda own, theirs: own | theirs)

    def __ror__(self, other):
        return self._dictionary_of(other, lambda own, theirs: theirs | own)

    def __ior__(self, other):
        self._dict = self._dictionary_of(other, lambda own, theirs: own | theirs)
        return self

    @described("scalar", {"IndexError": "The key is no position."}, notes=LOCAL)
    def get(self, key, default=0.0):
        """The value of an entry, or a default."""
        if key in self._dict:
            return self._dict[key]
        places = key if isinstance(key, tuple) else (key,)
        if len(places) != self.ndim or not all(map(is_integer, places)):
            raise _refusal(IndexError, "key", "Index must be or consist of integers.")
        pairs = list(zip(places, self._shape))
        if not all(-extent <= place < extent for place, extent in pairs):
            raise _refusal(IndexError, "key", "Index out of bounds.")
        places = tuple(place % extent for place, extent in pairs)
        return self._dict.get(places[0] if self.ndim == 1 else places, default)

    @described("scalar", notes=LOCAL, default=("scalar", "The value of a new entry."))
    def setdefault(self, key, default=None, /):
        """The value of an entry, which is made if there is none."""
        return self._dict.setdefault(key, default)

    @described("None", _KEYS, notes=LOCAL)
    def update(self, val):
        """Sets entries."""
        pairs = list(val.items() if hasattr(val, "items") else val)
        for key, _ in pairs:
            places = key if isinstance(key, tuple) else (key,)
            if len(places) != self.ndim or not all(map(is_integer, places)):
                text = f"integer keys required for update. Got {key}"
                raise _refusal(IndexError, "key", text)
            if not all(0 <= place < extent for place, extent in zip(places, self._shape)):
                raise _refusal(IndexError, "key", f"the key {key} is out of range")
        self._dict.update(pairs)

    @described("None", notes=LOCAL)
    def clear(self):
        """Drops all entries."""
        self._dict.clear()

    @described("scalar", {"KeyError": "There is no such entry."}, notes=LOCAL,
               args=("key and default", "The key, and the result if there is no entry."))
    def pop(self, /, *args):
        """Drops an entry, and returns its value."""
        return self._dict.pop(*args)

    @described("(key, value)", {"KeyError": "There are no entries."}, notes=LOCAL)
    def popitem(self):
        """Drops the last entry, and returns its key and its value."""
        return self._dict.popitem()

    @described("view of pairs", notes=LOCAL)
    def items(self):
        """The keys and the values of the entries."""
        return self._dict.items()

    @described("view of keys", notes=LOCAL)
    def keys(self):
        """The keys of the entries."""
        return self._dict.keys()

    @described("view of scalars", notes=LOCAL)
    def values(self):
        """The values of the entries."""
        return self._dict.values()

    @classmethod
    @described("dok_matrix or dok_array", notes=LOCAL)
    def fromkeys(cls, iterable, value=1, /):
        """The matrix with one value at positions."""
        entries = dict.fromkeys(iterable, value)
        first = next(iter(entries))
        if isinstance(first, tuple):
            shape = tuple(max(places) + 1 for places in zip(*entries))
        else:
            shape = (max(entries) + 1,)
        made = cls(shape, dtype=type(value))
        made._dict = entries
        return made

    # Operations.

    def __add__(self, other):
        other = self._operand(other)
        if is_sparse(other):
            if other.shape != self.shape:
                raise unequal(self.shape, other.shape, "Matrix dimensions are not equal.")
            return self._class("dok")(self.tocsr()._add_sparse(other))
        if other is not NotImplemented and is_scalar(other):
            return self._class("dok")(self.toarray() + number(other))
        return super().__add__(other)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        if self.dtype.kind == "b":
            text = "Negating a sparse boolean matrix is not supported."
            raise _refusal(NotImplementedError, "dtype", text)
        return self._class("dok")(-self.tocoo())

    def _mul_scalar(self, other):
        return self._class("dok")(self.tocoo()._mul_scalar(other))

    def __imul__(self, other):
        if not is_scalar(other):
            return NotImplemented
        other = number(other)
        self._dict.update((key, one * other) for key, one in self._dict.items())
        return self

    def __truediv__(self, other):
        quotient = super().__truediv__(other)
        return self._class("dok")(quotient) if is_scalar(other) else quotient

    def __itruediv__(self, other):
        if not is_scalar(other):
            return NotImplemented
        other = number(other)
        self._dict.update((key, one / other) for key, one in self._dict.items())
        return self

    @described("dok_matrix or dok_array", {"ValueError": "`axes` is no order of the axes."},
               notes=LOCAL)
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed."""
        if self.ndim == 1:
            return self.copy()
        self._check_axes(axes)
        entries = {(column, row): one for (row, column), one in self._dict.items()}
        return self._of(entries, self._shape[::-1], self.dtype)

    @described("dok_matrix or dok_array", notes=LOCAL)
    def copy(self):
        """A copy with a dictionary of its own."""
        return self._of(dict(self._dict), self._shape, self.dtype)

    @described("dok_matrix or dok_array", {"ValueError": "Values have no such dtype."}, notes=HOST)
    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype."""
        dtype = checked_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        return self._class("dok")(self.tocoo().astype(dtype, casting=casting))

    @described("None", {"NotImplementedError": "The shape has another number of axes."},
               notes=LOCAL, shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        shape = checked_shape(shape, self._lengths)
        if len(shape) != self.ndim:
            text = f"resize keeps the number of axes, {self.ndim}"
            raise _refusal(NotImplementedError, "absent", text, "use reshape")

        def is_inside(key):
            places = key if isinstance(key, tuple) else (key,)
            return all(place < extent for place, extent in zip(places, shape))

        self._dict = {key: one for key, one in self._dict.items() if is_inside(key)}
        self._shape = shape

    @described("dok_matrix or dok_array", notes=LOCAL)
    def todok(self, copy=False):
        """The matrix as a dictionary of Python, on the host."""
        return self.copy() if copy else self

    @described("coo_matrix or coo_array")
    def tocoo(self, copy=False):
        """The matrix in coordinate format."""
        keys = list(self._dict)
        places = [list(axis) for axis in zip(*keys)] if self.ndim == 2 else [keys]
        if not keys:
            places = [[]] * self.ndim
        narrow = index_dtype(max(self._shape))
        coords = tuple(np.asarray(axis, dtype=narrow) for axis in places)
        values = np.asarray(list(self._dict.values()), dtype=self.dtype)
        return self._class("coo")((values, coords), shape=self._shape)

    def _setdiag(self, values, k, length):
        numbers = values.tolist() if values.ndim else [values.item()] * length
        for place, one in enumerate(numbers):
            self._set_element(place - min(k, 0), place + max(k, 0), self._number(one))


_PARTS = {
    "forms": None,
    "extents": "The extents, which must be those of the elements.",
    "copied": "dictionary is",
}


class dok_array(Dok, sparray):
    __doc__ = constructor("A sparse array as a dictionary of Python, on the host", **_PARTS)


class dok_matrix(spmatrix, Dok):
    __doc__ = constructor("A sparse matrix as a dictionary of Python, on the host", **_PARTS)


register(dok_array, dok_matrix)
