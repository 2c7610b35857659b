"""Objects that depend on shapes only: `broadcast` and `einsum_path`."""

from . import _phalanx


class broadcast:
    """Arrays broadcast to one shape, to be iterated over."""

    def __init__(self, *args):
        arrays = [_phalanx.asarray(array) for array in args]
        self._arrays = _phalanx.broadcast_arrays(*arrays)
        self.shape = _phalanx.broadcast_shapes(*(array.shape for array in arrays))
        self.numiter = len(arrays)
        self.reset()

    @property
    def nd(self):
        """The number of axes."""
        return len(self.shape)

    ndim = nd

    @property
    def size(self):
        """The number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def iters(self):
        """Iterators over the elements of each array."""
        return tuple(array.flat for array in self._arrays)

    def reset(self):
        """Starts again at the first elements.

        Returns
        -------
        None

        Raises
        ------
        None
            Nothing is raised.

        Notes
        -----
        Local.
        """
        self.index = 0
        self._items = zip(*self.iters)

    def __iter__(self):
        return self

    def __next__(self):
        items = next(self._items)
        self.index += 1
        return items


def einsum_path(subscripts, *operands, optimize="greedy", einsum_call=False):
    """The cheapest order of an `einsum`, and NumPy's report on it.

    Parameters
    ----------
    subscripts : str
        As for `einsum`.
    operands : array_like
        As for `einsum`.
    optimize : bool, str or tuple, default: 'greedy'
        The method of the search for an order, as in NumPy.
    einsum_call : bool, default: False
        Whether to return NumPy's list of contractions.

    Returns
    -------
    (list, str)
        The contractions in order, and a report.

    Raises
    ------
    ValueError
        The subscripts cannot be read, or do not fit.

    Notes
    -----
    Local: the result depends on extents only.
    """
    import numpy

    def shaped(operand):
        if not isinstance(operand, _phalanx.ndarray):
            return operand
        # The path depends on extents only.
        return numpy.broadcast_to(numpy.zeros((), operand.dtype), operand.shape)

    operands = tuple(map(shaped, operands))
    return numpy.einsum_path(
        shaped(subscripts), *operands, optimize=optimize, einsum_call=einsum_call
    )
