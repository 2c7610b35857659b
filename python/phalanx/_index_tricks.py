"""NumPy's objects that make arrays by being indexed, and iterators over indices."""

import itertools
import operator

from . import _phalanx
from ._phalanx import _refusal


class IndexExpression:
    """Returns the key in the brackets, unchanged or as a tuple."""

    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        if self.maketuple and not isinstance(item, tuple):
            return (item,)
        return item


index_exp = IndexExpression(maketuple=True)
s_ = IndexExpression(maketuple=False)


class AxisConcatenator:
    """Joins the items in the brackets along an axis; slices are ranges."""

    def __init__(self, axis=0, ndmin=1, trans1d=-1):
        self.axis = axis
        self.ndmin = ndmin
        self.trans1d = trans1d

    def _range(self, item):
        start = 0 if item.start is None else item.start
        step = 1 if item.step is None else item.step
        if isinstance(step, complex):
            return _phalanx.linspace(start, item.stop, num=int(abs(step)))
        return _phalanx.arange(start, item.stop, step)

    def _placed(self, array, ndim, ndmin, trans1d):
        """An array that had `ndim` axes, with its axes at the positions of the directive."""
        if trans1d == -1 or ndim >= ndmin:
            return array
        missing = ndmin - ndim
        place = trans1d + missing + 1 if trans1d < 0 else trans1d
        axes = list(range(ndmin))
        return array.transpose(*self._order(axes, place, missing))

    @staticmethod
    def _order(axes, place, missing):
        """The axes with those of the array itself from `place` on."""
        own, others = axes[missing:], axes[:missing]
        return others[:place] + own + others[place:]

    def __getitem__(self, key):
        # Ranges and numbers are made on the mesh of the arrays beside them.
        with _phalanx._beside(key):
            return self._joined(key if isinstance(key, tuple) else (key,))

    def _joined(self, items):
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        is_column = None
        arrays = []
        for position, item in enumerate(items):
            if isinstance(item, str):
                if position != 0:
                    raise _refusal(
                        ValueError,
                        "choice",
                        "special directives must be the first entry.",
                    )
                if item in ("r", "c"):
                    is_column = item == "c"
                    continue
                parts = item.split(",")
                try:
                    axis = int(parts[0])
                    ndmin = int(parts[1]) if len(parts) > 1 else ndmin
                    trans1d = int(parts[2]) if len(parts) > 2 else trans1d
                except ValueError as error:
                    raise _refusal(
                        ValueError,
                        "choice",
                        f"unknown special directive {item!r}",
                    ) from error
                continue
            is_number = isinstance(item, (bool, int, float, complex))
            array = self._range(item) if isinstance(item, slice) else _phalanx.asarray(item)
            ndim = array.ndim
            if ndmin > ndim:
                array = array.reshape(*([1] * (ndmin - ndim)), *array.shape)
                array = self._placed(array, ndim, ndmin, trans1d)
            arrays.append((array, is_number))
        strong = [array.dtype for array, is_number in arrays if not is_number]
        weak = [array.dtype for array, is_number in arrays if is_number]
        if strong and weak:
            numbers = [item for item in items if isinstance(item, (bool, int, float, complex))]
            dtype = _phalanx.result_type(*strong, *numbers)
            arrays = [(array.astype(dtype) if number else array, number) for array, number in arrays]
        joined = _phalanx.concatenate([array for array, _ in arrays], axis=axis)
        if is_column is not None and joined.ndim == 1:
            # NumPy returns a matrix here.
            return joined.reshape(-1, 1) if is_column else joined.reshape(1, -1)
        return joined

    def __len__(self):
        return 0


r_ = AxisConcatenator()
c_ = AxisConcatenator(-1, ndmin=2, trans1d=0)


class ndindex:
    """All indices of a shape, in C order."""

    def __init__(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], tuple):
            shape = shape[0]
        extents = [operator.index(extent) for extent in shape]
        if any(extent < 0 for extent in extents):
            raise _refusal(ValueError, "value", "negative dimensions are not allowed")
        self._indices = itertools.product(*map(range, extents))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._indices)


class ndenumerate:
    """All indices of an array, each with the element."""

    def __init__(self, arr):
        array = _phalanx.asarray(arr)
        self._pairs = zip(ndindex(array.shape), array.flat)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)
