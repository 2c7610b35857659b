"""Sparse matrices of SciPy, made of ours."""


def to_scipy(matrix):
    """The matrix as SciPy's, of the same format. Collective: the entries are fetched."""
    import scipy.sparse

    kind = "array" if matrix._is_array else "matrix"
    format, shape = matrix.format, matrix.shape
    made = getattr(scipy.sparse, f"{format}_{kind}")
    if format in ("csr", "csc", "bsr"):
        parts = (matrix.data.get(), matrix.indices.get(), matrix.indptr.get())
        return made(parts, shape=shape)
    if format == "dia":
        return made((matrix.data.get(), matrix.offsets.get()), shape=shape)
    entries = matrix.tocoo()
    coords = tuple(place.get() for place in entries.coords)
    found = getattr(scipy.sparse, f"coo_{kind}")((entries.data.get(), coords), shape=shape)
    return found.asformat(format)
