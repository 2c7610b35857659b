"""Sketches of matrices by random sums of their rows."""

import phalanx as np

from .._arguments import array
from .._host_calls import agreed_seed
from ._described import described


@described("ndarray: The sketch.", None,
           "Local: recorded. Collective for a sparse matrix. The signs and the rows of the sums "
           "are drawn on the host of every process, from the same seed.")
def clarkson_woodruff_transform(input_matrix, sketch_size, rng=None, *, seed=None):
    """Few sums of the rows of a matrix with random signs, which nearly keep its norms."""
    import numpy

    from .. import sparse

    rng = seed if rng is None else rng
    if not isinstance(rng, numpy.random.Generator):
        rng = numpy.random.default_rng(agreed_seed() if rng is None else rng)
    is_sparse = sparse.issparse(input_matrix)
    input_matrix = input_matrix if is_sparse else array(input_matrix)
    count = input_matrix.shape[-2]
    rows = rng.integers(0, sketch_size, count)
    signs = rng.choice([1, -1], count)
    sums = sparse.csc_matrix(
        (np.asarray(signs), np.asarray(rows), np.arange(count + 1)), shape=(sketch_size, count)
    )
    if is_sparse or input_matrix.ndim == 2:
        return sums @ input_matrix
    lead = input_matrix.shape[:-2]
    flat = np.moveaxis(input_matrix, -2, 0).reshape(count, -1)
    made = (sums @ flat).reshape(sketch_size, *lead, input_matrix.shape[-1])
    return np.moveaxis(made, 0, -2)
