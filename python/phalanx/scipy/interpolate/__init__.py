"""Interpolation: the functions and classes of `scipy.interpolate`."""

from .._host_calls import beside_all as _beside_all
from ._bivariate import (
    BivariateSpline,
    LSQBivariateSpline,
    LSQSphereBivariateSpline,
    RectBivariateSpline,
    RectSphereBivariateSpline,
    SmoothBivariateSpline,
    SmoothSphereBivariateSpline,
)
from ._bpoly import BPoly
from ._bspline import BSpline
from ._cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip_interpolate,
)
from ._fitpack import bisplev, insert, spalde, splantider, splder, splev, splint
from ._grid import RegularGridInterpolator, interpn
from ._host import functions as _functions
from ._interp1d import interp1d, interp2d
from ._interpolating import (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
)
from ._making import make_interp_spline, make_lsq_spline
from ._ndbspline import NdBSpline
from ._ndppoly import NdPPoly
from ._ppoly import PPoly
from ._rational import AAA, FloaterHormannInterpolator
from ._rbf import Rbf, RBFInterpolator
from ._scattered import (
    CloughTocher2DInterpolator,
    LinearNDInterpolator,
    NearestNDInterpolator,
    griddata,
)
from ._series import approximate_taylor_polynomial, lagrange, pade
from ._univariate import InterpolatedUnivariateSpline, LSQUnivariateSpline, UnivariateSpline

globals().update(_functions())
# The name that SciPy keeps for older programs.
pchip = PchipInterpolator

__all__ = sorted(
    """
AAA Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline
CloughTocher2DInterpolator CubicHermiteSpline CubicSpline FloaterHormannInterpolator
InterpolatedUnivariateSpline KroghInterpolator LSQBivariateSpline LSQSphereBivariateSpline
LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator PPoly
PchipInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline
RegularGridInterpolator SmoothBivariateSpline SmoothSphereBivariateSpline UnivariateSpline
approximate_taylor_polynomial barycentric_interpolate bisplev griddata insert interp1d interp2d
interpn krogh_interpolate lagrange make_interp_spline make_lsq_spline pade pchip pchip_interpolate
spalde splantider splder splev splint
""".split()
    + list(_functions())
)

_beside_all(__all__, globals())
