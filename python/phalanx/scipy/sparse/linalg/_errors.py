"""Errors and warnings of sparse linear algebra."""


class MatrixRankWarning(UserWarning):
    """A matrix is singular to working precision."""


class ArpackError(RuntimeError):
    """An eigensolver failed.

    Parameters
    ----------
    info : int
        The code of the failure.
    infodict : dict, optional
        The texts of codes.
    """

    def __init__(self, info, infodict=None):
        text = (infodict or {}).get(info, "Unknown error")
        super().__init__(f"ARPACK error {info}: {text}")


class ArpackNoConvergence(ArpackError):
    """An eigensolver reached its limit of iterations.

    Parameters
    ----------
    msg : str
        The text.
    eigenvalues : ndarray
        The eigenvalues that converged.
    eigenvectors : ndarray
        Their vectors in columns.
    """

    def __init__(self, msg, eigenvalues, eigenvectors):
        super().__init__(-1, {-1: msg})
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors
