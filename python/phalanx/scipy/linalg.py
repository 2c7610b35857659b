"""Linear algebra: the names of ``scipy.linalg`` that are functions of ours."""

from .._phalanx.linalg import det, inv, norm, pinv, svdvals

__all__ = ["det", "inv", "norm", "pinv", "svdvals"]
