"""Elements of compressed matrices by keys: `A[key]` and `A[key] = x`.

Both axes of a key are swapped for compressed columns, so that the code below knows lines (rows, or
columns) and the places along them.
"""

import phalanx as np

from ..._phalanx import _refusal
from ._classes import adopted, is_sparse, warn
from ._core import Rows
from ._index import Key, is_whole, span


class Selection:
    """The access to elements of a matrix with a core, `_core`, of its lines."""

    def __getitem__(self, key):
        key = Key(key, self.shape)
        if len(key.shape) > 2:
            text = "an index of more than two axes is not supported"
            raise _refusal(IndexError, "value", text, "use the coo format")
        items = [0, *key.items] if self.ndim == 1 else key.items
        if key.is_number:
            value = self._element(*self._swap(items))
            if key.shape == () or self.ndim == 2:
                return value.reshape(key.shape)
            return self._reshaped(type(self)([value]), key.shape)
        if self.ndim == 1 and not isinstance(items[1], slice):
            return self._sampled_vector(items[1], key.shape)
        first, second = items
        if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
            if first.ndim == 2 and first.shape[1] == 1 and (
                second.ndim == 1 or second.shape[0] == 1
            ):
                items = [first.ravel(), second.ravel()]
            else:
                return self._sampled(first, second, key.shape)
        line, place = self._swap(items)
        core = _places(_lines(self._core, line), place)
        shape = tuple(self._swap(core.shape))
        shape = shape[1:] if self.ndim == 1 else shape
        made = type(self)._of_core(core, shape, is_wide=self._is_wide)
        return self._reshaped(made, key.shape)

    def _reshaped(self, made, shape):
        if self._is_array:
            return made if made.shape == shape else made.reshape(shape)
        # A matrix keeps both axes, unless the key has more.
        return made if len(shape) < 2 or made.shape == shape else made.reshape(shape)

    def _element(self, line, place):
        """One element, as an array without axes."""
        core = self._core.slice_rows(line, line + 1)
        values = np.where(core.columns == place, core.values, np.zeros((), core.dtype))
        return values.any() if values.dtype.kind == "b" else values.sum(dtype=values.dtype)

    def _sampled(self, first, second, shape):
        """The elements at pairs of positions."""
        first, second = np.broadcast_arrays(first, second)
        if first.size == 0:
            made = type(self)(tuple(np.atleast_2d(first).shape), dtype=self.dtype)
            return self._reshaped(made, shape)
        values = _sample(self._core, *self._swap([first.ravel(), second.ravel()]))
        if first.ndim == 1:
            # As in SciPy, the result is an array.
            return values if self._is_array else values.reshape(1, -1)
        return self._reshaped(type(self)(values.reshape(first.shape)), shape)

    def _sampled_vector(self, places, shape):
        places = np.asarray(places)
        values = _sample(self._core, np.zeros_like(places.ravel()), places.ravel())
        return self._reshaped(type(self)(values.reshape(places.shape)), shape)

    def __setitem__(self, key, x):
        self._assign(key, x)

    def _assign(self, key, x, is_warned=True):
        key = Key(key, self.shape)
        items = [0, *key.items] if self.ndim == 1 else key.items
        x = adopted(x)
        if self.ndim == 1 and is_sparse(x):
            x = x.toarray()
        if key.is_number:
            x = x.toarray() if is_sparse(x) else np.asarray(x, dtype=self.dtype)
            if x.size != 1:
                text = "Trying to assign a sequence to an item"
                raise _refusal(ValueError, "value", text)
            first, second = (np.full(1, item, dtype=np.int64) for item in items)
            self._set(first, second, x.ravel(), is_warned)
            return
        first, second = self._grid(*items)
        if is_sparse(x):
            self._set_sparse(first, second, x, is_warned)
            return
        x = np.asarray(x, dtype=self.dtype)
        if x.squeeze().shape != first.squeeze().shape:
            x = np.broadcast_to(x, first.shape)
        if x.size:
            self._set(first.ravel(), second.ravel(), x.ravel(), is_warned)

    def _grid(self, first, second):
        """The positions that a key names, in two arrays of one shape."""
        shape = self._shape_as_2d
        is_slice = isinstance(second, slice)
        first = span(first, shape[0])[:, None] if isinstance(first, slice) else _vector(first)
        if is_slice:
            second = span(second, shape[1])[None, :]
            first = first[:, None] if first.ndim == 1 else first
        else:
            second = _vector(second)
        return np.broadcast_arrays(first, second)

    def _set_sparse(self, first, second, x, is_warned):
        if 0 in x.shape:
            return
        if first.ndim == 1:
            first, second = first[None], second[None]
        x = x.tocoo(copy=True).reshape(x._shape_as_2d)
        x.sum_duplicates()
        for mine, theirs in zip(first.shape, x.shape):
            if theirs not in (1, mine):
                raise _refusal(ValueError, "together", "shape mismatch in assignment")
        # As in SciPy, overwritten entries are kept as zeros.
        lines, places = self._swap([first.ravel(), second.ravel()])
        core = self._core
        is_named = np.ones(lines.size, dtype=np.bool_)
        is_named = Rows.from_triplets(lines, places, is_named, core.shape).align(core)
        values = core.values
        values[...] = np.where(is_named, np.zeros((), values.dtype), values)
        values, row, column = x.data.astype(self.dtype), x.row, x.col
        rows, columns = first.shape
        if values.size == 0:
            return
        if x.shape[0] == 1 and rows != 1:
            row = np.repeat(np.arange(rows), values.size)
            column, values = np.tile(column, rows), np.tile(values, rows)
        if x.shape[1] == 1 and columns != 1:
            column = np.tile(np.arange(columns), values.size)
            row, values = np.repeat(row, columns), np.repeat(values, columns)
        self._set(first[row, column], second[row, column], values, is_warned)

    def _set(self, first, second, values, is_warned):
        """Sets the elements at positions; of a position that is named twice, the last one."""
        core = self._core
        lines, places = self._swap([first, second])
        is_canonical = self.has_canonical_format
        merged = replaced(core, lines, places, values.astype(self.dtype))
        if is_canonical and merged.nnz == core.nnz:
            # No new entry: matrices that share the values see the change, as in SciPy.
            kept = core.values
            kept[...] = merged.values
            return
        if is_warned and merged.nnz != core.nnz:
            warn(
                f"Changing the sparsity structure of a {type(self).__name__} is expensive. lil "
                "and dok are more efficient."
            )
        self._take_core(merged, is_canonical=is_canonical)


def _vector(item):
    return np.atleast_1d(np.asarray(item))


def _lines(core, item):
    """The lines that an item names."""
    if isinstance(item, int):
        return core.slice_rows(item, item + 1)
    if isinstance(item, slice):
        start, stop, step = item.indices(core.shape[0])
        if step == 1:
            return core.slice_rows(start, max(start, stop))
        item = span(item, core.shape[0])
    return core.take_rows(item.ravel())


def _places(core, item):
    """The places along each line that an item names."""
    if is_whole(item):
        return core
    if isinstance(item, int):
        item = slice(item, item + 1)
    if not isinstance(item, slice):
        return core.take_columns(item.ravel())
    chosen = range(*item.indices(core.shape[1]))
    shape = (core.shape[0], len(chosen))
    if not chosen:
        return Rows.zeros(shape, core.dtype)
    columns = core.columns
    low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
    is_kept = (columns >= low) & (columns <= high)
    step = chosen.step
    if abs(step) > 1:
        is_kept &= (columns - chosen[0]) % step == 0
    core = core.kept(is_kept)
    columns = (core.columns - chosen[0]) // step
    made = Rows.from_parts(core.row_starts(), columns, core.values, shape)
    return made if step > 0 else made.sorted()


def _sample(core, lines, places):
    """The elements at pairs of a line and a place, in their order."""
    count = lines.size
    wanted = Rows.from_triplets(lines, places, np.arange(count), core.shape, is_summed=False)
    values = np.zeros(count, core.dtype)
    values[wanted.values] = core.align(wanted)
    return values


def replaced(core, lines, places, values):
    """The core with values at positions. Positions without an entry get one."""
    new = Rows.from_triplets(lines, places, values, core.shape, is_summed=False)
    if new.nnz > 1:
        line, place = new.rows(), new.columns
        is_last = (line[1:] != line[:-1]) | (place[1:] != place[:-1])
        new = new.kept(np.append(is_last, True))
    is_replaced = new.with_values(np.ones(new.nnz, dtype=np.bool_)).align(core)
    return joined(core.kept(~is_replaced), new)


def joined(first, second):
    """The entries of both cores, in order."""
    return Rows.from_triplets(
        np.concatenate([first.rows(), second.rows()]),
        np.concatenate([first.columns, second.columns]),
        np.concatenate([first.values, second.values]),
        first.shape,
        is_summed=False,
    )
