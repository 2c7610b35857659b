"""Results with names: NumPy's named tuples."""

from typing import Any, NamedTuple


class EigResult(NamedTuple):
    """What `phalanx.linalg.eig` gives."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """What `phalanx.linalg.eigh` gives."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What `phalanx.linalg.qr` gives."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """What `phalanx.linalg.slogdet` gives."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """What `phalanx.linalg.svd` gives."""

    U: Any
    S: Any
    Vh: Any


class UniqueAllResult(NamedTuple):
    """What `phalanx.unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What `phalanx.unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What `phalanx.unique_inverse` gives."""

    values: Any
    inverse_indices: Any
