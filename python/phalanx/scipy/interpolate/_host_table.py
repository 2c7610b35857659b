"""The functions of SciPy that run on the host: signature, result and summary of each."""

TABLE = """
bisplrep(x, y, z, w=None, xb=None, xe=None, yb=None, ye=None, kx=3, ky=3, task=0, s=None,
    eps=1e-16, tx=None, ty=None, full_output=0, nxest=None, nyest=None, quiet=1) -> list: Knots
    along both axes, coefficients and degrees; the residual and a message too, if `full_output`. |
    A smoothing spline of two variables through scattered points.
generate_knots(x, y, *, w=None, xb=None, xe=None, k=3, s=0, nest=None, bc_type=None) -> iterator
    of ndarray: Vectors of knots, each with more knots than the one before. | Vectors of knots of
    smoothing splines.
make_smoothing_spline(x, y, w=None, lam=None, *, axis=0) -> BSpline: The spline. | The natural
    cubic spline that minimises the sum of squared residuals and a penalty of its curvature.
make_splprep(x, *, w=None, u=None, ub=None, ue=None, k=3, s=0, t=None, nest=None, bc_type=None) ->
    (BSpline, ndarray): The spline, and the parameters of the points. | A smoothing spline of a
    curve.
make_splrep(x, y, *, w=None, xb=None, xe=None, k=3, s=0, t=None, nest=None, bc_type=None) ->
    BSpline: The spline. | A smoothing spline of data.
splprep(x, *, w=None, u=None, ub=None, ue=None, k=3, s=0, t=None, nest=None, bc_type=None) ->
    (BSpline, ndarray): The spline, and the parameters of the points. | A smoothing spline of a
    curve.
make_splrep(x, y, *, w=None, xb=None, xe=None, k=3, s=0, t=None, nest=None, bc_type=None) ->
    BSpline: The spline. | A smoothing spline of data.
splint(a, b, tck, full_output=0) -> float: The integral; with `full_output`, the integrals of the
    basis functions, too. | The integral of a spline between `a` and `b`; it is zero beyond its
    ends.
splprep(x, w=None, u=None, ub=None, ue=None, k=3, task=0, s=None, t=None, full_output=0,
    nest=None, per=0, quiet=1) -> (list, ndarray): Knots, coefficients of each coordinate and the
    degree; the parameters of the points. | A smoothing spline of a curve.
splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1)
    -> tuple: Knots, coefficients and the degree; the residual and a message too, if
    `full_output`. | A smoothing spline of data.
sproot(tck, mest=10) -> ndarray: The zeros. | The zeros of a cubic spline.
"""
