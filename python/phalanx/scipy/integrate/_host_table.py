"""The functions of SciPy that run on the host: signature, result and summary of each."""

TABLE = """
cubature(f, a, b, *, rule='gk21', rtol=1e-08, atol=0, max_subdivisions=10000, args=(), workers=1,
    points=None) -> CubatureResult: The estimates, the errors and the regions. | The integral over a
    box of a function of points, which are rows of an array.
dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08) -> (float, float): The
    integral and an estimate of its error. | The integral of a function of two numbers.
lebedev_rule(n) -> (ndarray, ndarray): The points, as columns, and the weights. | The rule of
    Lebedev for integrals over the surface of a ball.
newton_cotes(rn, equal=0) -> (ndarray, float): The weights and the coefficient of the error. | The
    weights of Newton and Cotes for samples.
nquad(func, ranges, args=None, opts=None, full_output=False) -> tuple: The integral, an estimate of
    its error, and with `full_output` a dictionary. | The integral of a function of several numbers.
nsum(f, a, b, *, step=1, args=(), log=False, maxterms=1048576, tolerances=None) -> object: The sum,
    an estimate of its error, and how it was found. | The sum of a function at equally spaced
    points, to infinity too.
odeint(func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None,
    atol=None, tcrit=None, h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12,
    mxords=5, printmessg=0, tfirst=False) -> ndarray or (ndarray, dict): The states, as rows. | The
    solution of differential equations by the program LSODA.
quad(func, a, b, args=(), full_output=0, epsabs=1.49e-08, epsrel=1.49e-08, limit=50, points=None,
    weight=None, wvar=None, wopts=None, maxp1=50, limlst=50, complex_func=False) -> tuple: The
    integral, an estimate of its error, and with `full_output` more. | The integral of a function of
    a number.
solve_bvp(fun, bc, x, y, p=None, S=None, fun_jac=None, bc_jac=None, tol=0.001, max_nodes=1000,
    verbose=0, bc_tol=None) -> object: The solution `sol`, the states at the nodes, and how they
    were found. | The solution of differential equations with conditions at both ends.
tanhsinh(f, a, b, *, args=(), log=False, maxlevel=None, minlevel=2, atol=None, rtol=None,
    preserve_shape=False, callback=None) -> object: The integral, an estimate of its error, and how
    it was found. | The integral of an elementwise function by exponentially close points.
tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08) -> (float,
    float): The integral and an estimate of its error. | The integral of a function of three
    numbers.
"""
