"""Results with names: NumPy's named tuples."""

from typing import Any, NamedTuple


class EigResult(NamedTuple):
    """The result of `phalanx.linalg.eig`."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """The result of `phalanx.linalg.eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """The result of `phalanx.linalg.qr`."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """The result of `phalanx.linalg.slogdet`."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """The result of `phalanx.linalg.svd`."""

    U: Any
    S: Any
    Vh: Any


class UniqueAllResult(NamedTuple):
    """The result of `phalanx.unique_all`."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """The result of `phalanx.unique_counts`."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """The result of `phalanx.unique_inverse`."""

    values: Any
    inverse_indices: Any
