"""The functions of SciPy that run on the host: signature, result and summary of each."""

TABLE = """
basinhopping(func, x0, niter=100, T=1.0, stepsize=0.5, minimizer_kwargs=None, take_step=None,
    accept_test=None, callback=None, interval=50, disp=False, niter_success=None, rng=None, *,
    target_accept_rate=0.5, stepwise_factor=0.9, seed=None) -> OptimizeResult: The lowest minimum.
    | The global minimum by random steps, each of which is followed by a local search.
bisect(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
    disp=True) -> float or (float, RootResults): The zero. | A zero between two numbers by halves.
bracket(func, xa=0.0, xb=1.0, args=(), grow_limit=110.0, maxiter=1000) -> tuple: Three points, the
    values there, and the number of evaluations. | Three points around a minimum.
brent(func, args=(), brack=None, tol=1.48e-08, full_output=0, maxiter=500) -> float or tuple: The
    minimum. | A local minimum of a function of a number by parabolas.
brenth(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
    disp=True) -> float or (float, RootResults): The zero. | A zero between two numbers by Brent's
    method with hyperbolas.
brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
    disp=True) -> float or (float, RootResults): The zero. | A zero between two numbers by Brent's
    method with inverse parabolas.
brute(func, ranges, args=(), Ns=20, full_output=0, finish=None, disp=False, workers=1) -> ndarray or
    tuple: The minimum. | The minimum over a grid; SciPy polishes it with `fmin` by default.
curve_fit(f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None,
    bounds=(-float('inf'), float('inf')), method=None, jac=None, *, full_output=False,
    nan_policy=None, **kwargs) -> tuple: The parameters, their covariance, and with `full_output`
    more. | The parameters of a function that fits data by least squares.
differential_evolution(func, bounds, args=(), strategy='best1bin', maxiter=1000, popsize=15,
    tol=0.01, mutation=(0.5, 1), recombination=0.7, rng=None, callback=None, disp=False,
    polish=True, init='latinhypercube', atol=0, updating='immediate', workers=1, constraints=(),
    x0=None, *, integrality=None, vectorized=False, seed=None) -> OptimizeResult: The minimum. | The
    global minimum within bounds by a population of points.
direct(func, bounds, *, args=(), eps=0.0001, maxfun=None, maxiter=1000, locally_biased=True,
    f_min=-float('inf'), f_min_rtol=0.0001, vol_tol=1e-16, len_tol=1e-06, callback=None) ->
    OptimizeResult: The minimum. | The global minimum within bounds by divided boxes.
dual_annealing(func, bounds, args=(), maxiter=1000, minimizer_kwargs=None, initial_temp=5230.0,
    restart_temp_ratio=2e-05, visit=2.62, accept=-5.0, maxfun=10000000.0, rng=None,
    no_local_search=False, callback=None, x0=None, *, seed=None) -> OptimizeResult: The minimum. |
    The global minimum within bounds by annealing.
fmin(func, x0, args=(), xtol=0.0001, ftol=0.0001, maxiter=None, maxfun=None, full_output=0, disp=1,
    retall=0, callback=None, initial_simplex=None) -> ndarray or tuple: The minimum. | A local
    minimum by the simplex of Nelder and Mead.
fmin_cobyla(func, x0, cons, args=(), consargs=None, rhobeg=1.0, rhoend=0.0001, maxfun=1000,
    disp=None, catol=0.0002, *, callback=None) -> ndarray: The minimum. | A local minimum with
    constraints by linear approximations.
fmin_powell(func, x0, args=(), xtol=0.0001, ftol=0.0001, maxiter=None, maxfun=None, full_output=0,
    disp=1, retall=0, callback=None, direc=None) -> ndarray or tuple: The minimum. | A local minimum
    by Powell's directions.
fmin_slsqp(func, x0, eqcons=(), f_eqcons=None, ieqcons=(), f_ieqcons=None, bounds=(), fprime=None,
    fprime_eqcons=None, fprime_ieqcons=None, args=(), iter=100, acc=1e-06, iprint=1, disp=None,
    full_output=0, epsilon=1.4901161193847656e-08, callback=None) -> ndarray or tuple: The minimum.
    | A local minimum with constraints by quadratic approximations.
fmin_tnc(func, x0, fprime=None, args=(), approx_grad=0, bounds=None, epsilon=1e-08, scale=None,
    offset=None, messages=15, maxCGit=-1, maxfun=None, eta=-1, stepmx=0, accuracy=0, fmin=0,
    ftol=-1, xtol=-1, pgtol=-1, rescale=-1, disp=None, callback=None) -> (ndarray, int, int): The
    minimum, the number of evaluations, and a code. | A local minimum within bounds by a truncated
    method of Newton.
fminbound(func, x1, x2, args=(), xtol=1e-05, maxfun=500, full_output=0, disp=1) -> float or tuple:
    The minimum. | A local minimum of a function of a number between two limits.
fsolve(func, x0, args=(), fprime=None, full_output=0, col_deriv=0, xtol=1.49012e-08, maxfev=0,
    band=None, epsfcn=None, factor=100, diag=None) -> ndarray or tuple: The root. | A root of a
    system of few equations by Powell's hybrid method.
golden(func, args=(), brack=None, tol=1.4901161193847656e-08, full_output=0, maxiter=5000) -> float
    or tuple: The minimum. | A local minimum of a function of a number by the golden section.
isotonic_regression(y, *, weights=None, increasing=True) -> OptimizeResult: The fit `x`, `weights`
    and `blocks`. | The monotonic values that are closest to data by least squares.
leastsq(func, x0, args=(), Dfun=None, full_output=False, col_deriv=False, ftol=1.49012e-08,
    xtol=1.49012e-08, gtol=0.0, maxfev=0, epsfcn=None, factor=100, diag=None) -> tuple: The
    parameters, and a code or more. | The parameters of a function with least squared residuals, by
    Levenberg's and Marquardt's method.
linear_sum_assignment(cost_matrix, maximize=False) -> (ndarray, ndarray): The rows and the columns.
    | The assignment of rows to columns of the least sum.
linprog(c, A_ub=None, b_ub=None, A_eq=None, b_eq=None, bounds=(0, None), method='highs',
    callback=None, options=None, x0=None, integrality=None) -> OptimizeResult: The minimum. | The
    minimum of a linear function with linear constraints.
linprog_verbose_callback(res) -> None | A callback of `linprog` that prints its progress.
lsq_linear(A, b, bounds=(-float('inf'), float('inf')), method='trf', tol=1e-10, lsq_solver=None,
    lsmr_tol=None, max_iter=None, verbose=0, *, lsmr_maxiter=None) -> OptimizeResult: The solution.
    | The solution of linear equations by least squares within bounds.
milp(c, *, integrality=None, bounds=None, constraints=None, options=None) -> OptimizeResult: The
    minimum. | The minimum of a linear function whose variables may be integers.
minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None) ->
    OptimizeResult: The minimum. | A local minimum of a function of a number.
nnls(A, b, *, maxiter=None, atol=None) -> (ndarray, float): The solution and the norm of the
    residuals. | The solution of linear equations by least squares without negative numbers.
quadratic_assignment(A, B, method='faq', options=None) -> OptimizeResult: The permutation. | A
    permutation that nearly minimises a quadratic function.
ridder(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
    disp=True) -> float or (float, RootResults): The zero. | A zero between two numbers by Ridder's
    method.
root_scalar(f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None,
    xtol=None, rtol=None, maxiter=None, options=None) -> RootResults: The zero. | A zero of a
    function of a number.
shgo(func, bounds, args=(), constraints=None, n=100, iters=1, callback=None, minimizer_kwargs=None,
    options=None, sampling_method='simplicial', *, workers=1) -> OptimizeResult: The minimum. | The
    global minimum with constraints by simplices.
show_options(solver=None, method=None, disp=True) -> str or None: The text, without `disp`. | The
    options of SciPy's methods.
toms748(f, a, b, args=(), k=1, xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100,
    full_output=False, disp=True) -> float or (float, RootResults): The zero. | A zero between two
    numbers by the algorithm of Alefeld, Potra and Shi.
"""
