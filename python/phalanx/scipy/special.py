"""Special functions: the names of ``scipy.special`` that are functions of ours."""

from .._phalanx import cbrt, exp2, expm1, i0, log1p, sinc

__all__ = ["cbrt", "exp2", "expm1", "i0", "log1p", "sinc"]
