"""Laplacians of grids, as operators."""

import math

import phalanx as np

from ...._phalanx import _refusal
from .._construct import eye_array, kron
from .._dia import dia_array
from ._described import COLLECTIVE, RECORDED, described
from ._interface import LinearOperator

_CONDITIONS = {"neumann": "edge", "dirichlet": "constant", "periodic": "wrap"}


class LaplacianNd(LinearOperator):
    """The Laplacian of a grid with any number of axes, of step 1: a negative semidefinite operator.

    Parameters
    ----------
    grid_shape : tuple of int
        The extents of the grid.
    boundary_conditions : {'neumann', 'dirichlet', 'periodic'}
        What holds at the boundary.
    dtype : dtype
        The dtype of the elements.

    Raises
    ------
    ValueError
        There are no such boundary conditions.

    Notes
    -----
    Local: recorded, and computed when a value is observed.
    """

    def __init__(self, grid_shape, *, boundary_conditions="neumann", dtype="int8"):
        if boundary_conditions not in _CONDITIONS:
            text = f"Unknown value {boundary_conditions!r} is given for 'boundary_conditions'"
            hint = "give 'dirichlet', 'neumann' or 'periodic'"
            raise _refusal(ValueError, "choice", text, hint)
        self.grid_shape = tuple(int(extent) for extent in grid_shape)
        self.boundary_conditions = boundary_conditions
        size = math.prod(self.grid_shape)
        super().__init__(dtype, (size, size))

    def _matvec(self, x):
        shape, ndim = self.grid_shape, len(self.grid_shape)
        values = x.reshape(shape + (-1,))
        total = values * (-2 * ndim)
        for axis in range(ndim):
            # Each neighbour outside of the grid is the edge, zero, or the other end.
            before, after = _neighbours(values, axis, _CONDITIONS[self.boundary_conditions])
            total = total + before + after
        return total.reshape(x.shape)

    def _matmat(self, X):
        return self._matvec(X)

    def _adjoint(self):
        return self

    def _transpose(self):
        return self

    def _modes(self, m):
        """The eigenvalues ascending and the numbers of their modes along each axis; the last `m`
        of them."""
        shape = self.grid_shape
        if m is not None:
            # The largest eigenvalues belong to low numbers along each axis.
            shape = tuple(min(extent, m) for extent in shape)
        values = np.zeros(shape)
        for number, extent in zip(np.indices(shape), self.grid_shape):
            if self.boundary_conditions == "dirichlet":
                angle = np.pi * (number + 1) / (2 * (extent + 1))
            elif self.boundary_conditions == "neumann":
                angle = np.pi * number / (2 * extent)
            else:
                angle = np.pi * ((number + 1) // 2) / extent
            values = values - 4 * np.sin(angle) ** 2
        values = values.ravel()
        order = np.argsort(values, kind="stable")
        if m is not None:
            order = order[-m:]
        return values[order], np.unravel_index(order, shape)

    @described("ndarray", {}, RECORDED,
               m=("int", "How many of the largest ones; by default all."))
    def eigenvalues(self, m=None):
        """The eigenvalues, ascending."""
        return self._modes(m)[0]

    @described("ndarray: The vectors in columns.", {},
               COLLECTIVE + " The numbers of modes are read.",
               m=("int", "Those of how many of the largest eigenvalues; by default all."))
    def eigenvectors(self, m=None):
        """The eigenvectors, in the order of the eigenvalues."""
        numbers = zip(*(one.tolist() for one in self._modes(m)[1]))
        return np.stack([self._vector(mode) for mode in numbers], axis=1)

    def _vector(self, mode):
        """The eigenvector of a mode: a product of vectors along the axes."""
        found = np.ones(())
        for number, extent in zip(mode, self.grid_shape):
            found = np.multiply.outer(found, self._vector_of_axis(number, extent))
        return found.ravel()

    def _vector_of_axis(self, number, extent):
        places = np.arange(extent)
        if self.boundary_conditions == "dirichlet":
            angles = np.pi * (places + 1) / (extent + 1) * (number + 1)
            values = np.sin(angles) * math.sqrt(2 / (extent + 1))
        elif self.boundary_conditions == "neumann":
            angles = np.pi * (places + 0.5) / extent * number
            values = np.cos(angles) * math.sqrt((1 if number == 0 else 2) / extent)
        elif number == 0:
            values = np.full(extent, math.sqrt(1 / extent))
        elif number + 1 == extent and extent % 2 == 0:
            values = np.where(places % 2 == 0, 1.0, -1.0) * math.sqrt(1 / extent)
        else:
            is_sine = number % 2 == 1
            frequency = number + 1 if is_sine else number
            angles = np.pi * (places + 0.5) / extent * frequency
            values = (np.sin if is_sine else np.cos)(angles) * math.sqrt(2 / extent)
        # Zeros of the functions are rounded to other numbers.
        return np.where(np.abs(values) < float(np.finfo(np.float64).eps), 0.0, values)

    @described("ndarray", {}, COLLECTIVE)
    def toarray(self):
        """The elements as an array."""
        return self.tosparse().toarray()

    @described("dia_array", {}, COLLECTIVE)
    def tosparse(self):
        """The elements as a sparse array."""
        total = dia_array(self.shape, dtype=np.int8)
        for axis, extent in enumerate(self.grid_shape):
            part = self._along_axis(extent)
            before = math.prod(self.grid_shape[:axis])
            after = math.prod(self.grid_shape[axis + 1 :])
            if before > 1:
                part = kron(eye_array(before, dtype=np.int8), part)
            if after > 1:
                part = kron(part, eye_array(after, dtype=np.int8))
            total = total + part
        return dia_array(total).astype(self.dtype)

    def _along_axis(self, extent):
        """The Laplacian of a grid with one axis."""
        ones, main = [1] * extent, [-2] * extent
        if self.boundary_conditions == "neumann":
            main[0] += 1
            main[-1] += 1
        found = dia_array(
            (np.array([ones, main, ones], dtype=np.int8), [-1, 0, 1]), shape=(extent, extent)
        )
        if self.boundary_conditions != "periodic":
            return found
        corners = dia_array(
            (np.array([ones, ones], dtype=np.int8), [1 - extent, extent - 1]),
            shape=(extent, extent),
        )
        return found + corners


def _neighbours(values, axis, mode):
    """The values before and after each element along an axis."""
    extent = values.shape[axis]
    widths = [(0, 0)] * values.ndim
    widths[axis] = (1, 1)
    padded = np.pad(values, widths, mode=mode)
    places = [slice(None)] * values.ndim
    places[axis] = slice(0, extent)
    before = padded[tuple(places)]
    places[axis] = slice(2, extent + 2)
    return before, padded[tuple(places)]
