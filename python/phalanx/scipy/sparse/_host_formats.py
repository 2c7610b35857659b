"""What the formats of Python's lists and dictionaries have in common.

They are made to be filled element by element. Their entries reside on the host, and every process
has all of them; operations convert them to other formats at once.
"""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import as_dense, is_dense, is_scalar, promoted
from ._base import Sparse
from ._classes import adopted, is_sparse
from ._described import attribute
from ._index import Key, span


class HostSparse(Sparse):
    """A matrix of entries on the host; `_element` and `_set_element` know one of them."""

    dtype = attribute("dtype", "The dtype of the values.")

    def _number(self, x):
        """A value of the matrix as a number of Python."""
        if is_dense(x):
            x = x.item()
        if isinstance(x, complex) and self.dtype.kind != "c":
            text = f"a complex number is no value of dtype {self.dtype}"
            raise _refusal(TypeError, "dtype", text)
        return self.dtype.type(x).item()

    def _summed_values(self, dtype):
        return self.tocoo().data.sum(dtype=dtype)

    def __getitem__(self, key):
        key = Key(key, self.shape)
        if key.is_number and key.shape == ():
            return self.dtype.type(self._element(*key.items))
        return self._found(key.given)

    def _found(self, key):
        """A part of the matrix, by way of compressed rows."""
        found = self.tocsr()[key]
        if not is_sparse(found):
            found = self._class("coo")(found)
        elif found.format == "coo" and self._format == "dok":
            # As in SciPy, a part that is reshaped keeps the coordinate format.
            return found
        return found.asformat(self._format) if self._holds(found.ndim) else found.tocoo()

    def _holds(self, ndim):
        return ndim == 2

    def __setitem__(self, key, x):
        key = Key(key, self.shape)
        x = adopted(x)
        if key.is_number:
            if is_sparse(x):
                x = x.toarray()
            if not is_scalar(x):
                x = np.asarray(x)
                if x.size != 1:
                    text = "Trying to assign a sequence to an item"
                    raise _refusal(ValueError, "value", text)
            self._set_element(*key.items, self._number(x))
            return
        self._set_many(key, x.toarray() if is_sparse(x) else x)

    def _set_many(self, key, x):
        """Sets the elements that a key names, one after another."""
        import numpy

        axes = _on_host(key.items, self.shape)
        axes = numpy.broadcast_arrays(*axes)
        x = as_dense(x)
        if x is NotImplemented:
            raise _refusal(TypeError, "type", "the values are an array or a number")
        x = x.get()
        if x.size == 0:
            return
        if x.squeeze().shape != axes[0].squeeze().shape:
            try:
                x = numpy.broadcast_to(x, axes[0].shape)
            except ValueError:
                text = f"values of shape {x.shape} for elements of shape {axes[0].shape}"
                raise _refusal(ValueError, "together", text) from None
        x = x.astype(self.dtype)
        for *places, number in zip(*(axis.ravel().tolist() for axis in axes), x.ravel().tolist()):
            self._set_element(*places, number)

    def _scaled_dtype(self, other):
        return promoted(np.result_type(self.dtype, other if np.isscalar(other) else other.dtype))


def _on_host(items, shape):
    """The positions along each axis, as NumPy's arrays that broadcast."""
    arrays = []
    for item, extent in zip(items, shape):
        if isinstance(item, slice):
            arrays.append(span(item, extent).get())
        else:
            arrays.append(np.atleast_1d(np.asarray(item)).get())
    if len(items) == 2:
        rows, columns = items
        if isinstance(columns, slice):
            arrays[1] = arrays[1][None, :]
        if arrays[0].ndim == 1 and (isinstance(rows, slice) or isinstance(columns, slice)):
            arrays[0] = arrays[0][:, None]
    return arrays
