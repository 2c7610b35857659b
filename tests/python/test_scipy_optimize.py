"""Names of ``scipy.optimize``: minima, roots, fits and what is SciPy's own."""

import inspect
import pathlib
import subprocess
import sys

import numpy
import pytest
import scipy.optimize
import scipy.sparse

import phalanx
from phalanx.scipy import optimize
from phalanx.scipy.sparse.linalg import LinearOperator

from .conftest import ROOT
from .signal_cases import check, drawn, host, outcome, owned, some


def compare(name, *given, tolerance=None, **options):
    """Calls a function of SciPy's, and ours with arrays of ours."""
    other = outcome(getattr(scipy.optimize, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(optimize, name), *map(owned, given), **options)
    check(own, other, tolerance)


@pytest.mark.parametrize("kind", some("dfi"))
def test_rosenbrock(kind):
    for shape in [(2,), (3,), (7,)]:
        x = drawn(shape, kind)
        tolerance = 1e-4 if kind == "f" else 1e-9
        compare("rosen", x, tolerance=tolerance)
        compare("rosen_der", x, tolerance=tolerance)
        compare("rosen_hess", x, tolerance=tolerance)
        compare("rosen_hess_prod", x, drawn(shape, "d", 3), tolerance=tolerance)
    compare("rosen", drawn((3, 4), "d"))


METHODS = ["CG", "BFGS", "L-BFGS-B", "Newton-CG"]


@pytest.mark.parametrize("jac", [optimize.rosen_der, None, "3-point", "cs", True])
@pytest.mark.parametrize("method", METHODS)
def test_minima(method, jac):
    start = phalanx.asarray([1.3, 0.7, 0.8, 1.9])
    if jac is True:
        def function(x):
            return optimize.rosen(x), optimize.rosen_der(x)
    else:
        function = optimize.rosen
    if method == "Newton-CG" and (jac is None or isinstance(jac, str)):
        with pytest.raises(ValueError, match="Jacobian"):
            optimize.minimize(function, start, method=method, jac=jac)
        return
    found = optimize.minimize(function, start, method=method, jac=jac)
    other = scipy.optimize.minimize(
        scipy.optimize.rosen, host(start), method=method, jac=scipy.optimize.rosen_der)
    assert isinstance(found.x, phalanx.ndarray) and isinstance(found, optimize.OptimizeResult)
    assert set(other) <= set(found), set(other) - set(found)
    # Differences are as exact as rounding lets them be.
    assert found.success or (jac in (None, "3-point") and found.status == 2), found.message
    numpy.testing.assert_allclose(host(found.x), 1, atol=2e-3)
    assert found.fun < 1e-5 and found.nit <= 3 * other.nit + 10
    assert found.nfev > 0 and found.njev > 0


@pytest.mark.parametrize("method", ["CG", "L-BFGS-B", "BFGS", "Newton-CG"])
def test_minima_of_many_variables(method):
    n = 300 if method == "BFGS" else 20_000
    weights = 1 + phalanx.arange(n) % 7

    def function(x, shift):
        return (weights * (x - shift) ** 2).sum() + ((x - shift) ** 4).sum()

    def slope(x, shift):
        return 2 * weights * (x - shift) + 4 * (x - shift) ** 3

    found = optimize.minimize(function, phalanx.zeros(n), (0.5,), method, slope)
    assert found.success and found.x.shape == (n,)
    assert abs(float(found.x.max()) - 0.5) < 1e-4 and abs(float(found.x.min()) - 0.5) < 1e-4
    single = optimize.minimize(function, phalanx.zeros(n, "f"), (0.5,), method, slope)
    assert single.success and single.x.dtype == "f"
    assert abs(float(single.x.max()) - 0.5) < 1e-3 and abs(float(single.x.min()) - 0.5) < 1e-3


BOXES = {
    "pairs": [(0, 0.5), (None, 0.3), (-1, None), (None, None)], "inside": [(-5, 5)] * 4,
    "fixed": [(0.4, 0.4), (0, 1), (0, 1), (2, 3)], "upper": [(None, 0.2)] * 4,
}


@pytest.mark.parametrize("box", list(BOXES))
def test_minima_within_bounds(box):
    start = numpy.array([-1.2, 1.0, 0.7, 1.3])
    other = scipy.optimize.minimize(scipy.optimize.rosen, start, jac=scipy.optimize.rosen_der,
                                    bounds=BOXES[box], method="L-BFGS-B", tol=1e-10)
    low, high = zip(*[(-numpy.inf if a is None else a, numpy.inf if b is None else b)
                      for a, b in BOXES[box]])
    for bounds in (BOXES[box], optimize.Bounds(phalanx.asarray(low), phalanx.asarray(high)),
                   scipy.optimize.Bounds(low, high)):
        found = optimize.minimize(optimize.rosen, phalanx.asarray(start), jac=optimize.rosen_der,
                                  bounds=bounds, tol=1e-10)
        numpy.testing.assert_allclose(host(found.x), other.x, atol=2e-4)
        assert abs(found.fun - other.fun) < 1e-6 * max(1, other.fun) and found.success
        assert (host(found.x) >= low).all() and (host(found.x) <= high).all()


def test_bounds_of_many_variables():
    n = 10_000
    target = phalanx.linspace(-2, 2, n)
    found = optimize.minimize(lambda x: ((x - target) ** 2).sum(), phalanx.zeros(n),
                              jac=lambda x: 2 * (x - target), bounds=optimize.Bounds(-1, 1))
    numpy.testing.assert_allclose(host(found.x), numpy.clip(host(target), -1, 1), atol=1e-4)
    for wrong in ([(0, 1)] * 2, [(1, 0)] * 3, optimize.Bounds(phalanx.zeros(2))):
        with pytest.raises(ValueError):
            optimize.minimize(optimize.rosen, phalanx.zeros(3), bounds=wrong)
    inside = optimize.Bounds([0, 1], 3).residual([1.0, 2])
    assert [one.tolist() for one in inside] == [[1, 1], [2, 1]]


def test_the_inverse_of_second_derivatives():
    s, y = numpy.abs(drawn((2, 4), "d", 3)), numpy.abs(drawn((2, 4), "d", 4))
    other = scipy.optimize.LbfgsInvHessProduct(s, y)
    own = optimize.LbfgsInvHessProduct(owned(s), owned(y))
    check(own.todense(), other.todense())
    check(own @ phalanx.arange(4.0), other @ numpy.arange(4.0))
    found = optimize.minimize(optimize.rosen, phalanx.zeros(3), method="L-BFGS-B")
    assert found.hess_inv.shape == (3, 3)


def test_products_of_second_derivatives():
    start = phalanx.asarray([-1.2, 1.0, 0.7])
    for options in ({"hess": optimize.rosen_hess}, {"hessp": optimize.rosen_hess_prod}, {}):
        found = optimize.minimize(optimize.rosen, start, method="Newton-CG",
                                  jac=optimize.rosen_der, **options)
        assert found.success and (found.nhev > 0) == bool(options)
        numpy.testing.assert_allclose(host(found.x), 1, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_iterations_are_reported(method):
    seen = []
    start = phalanx.asarray([-1.2, 1.0])
    options = {"maxiter": 3, **({"return_all": True} if method != "L-BFGS-B" else {})}
    found = optimize.minimize(optimize.rosen, start, method=method, jac=optimize.rosen_der,
                              callback=seen.append, options=options)
    assert len(seen) == found.nit == 3 and found.status == 1 and not found.success
    assert all(isinstance(one, phalanx.ndarray) for one in seen)
    if method != "L-BFGS-B":
        assert len(found.allvecs) == 4

    def stops(intermediate_result):
        assert intermediate_result.fun > 0
        raise StopIteration

    found = optimize.minimize(optimize.rosen, start, method=method, jac=optimize.rosen_der,
                              callback=stops)
    assert found.nit == 1 and found.status == 99
    with pytest.warns(scipy.optimize.OptimizeWarning, match="Unknown"):
        optimize.minimize(optimize.rosen, start, method=method, jac=optimize.rosen_der,
                          options={"nothing": 1, "maxiter": 1})


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "TNC", "COBYLA", "SLSQP",
                                    "trust-constr", "trust-krylov", "dogleg"])
def test_methods_of_scipy(method):
    start = numpy.array([0.7, 1.3])

    def function(x):
        return ((x - 1) ** 2).sum() + x[0] * x[1] / 2

    derivatives = {}
    if method[:2] in ("TN", "SL", "tr", "do"):
        derivatives["jac"] = lambda x: 2 * (x - 1) + x[::-1] / 2
    if method in ("trust-krylov", "dogleg"):
        derivatives["hess"] = lambda x: numpy.array([[2, 0.5], [0.5, 2]])
    other = scipy.optimize.minimize(function, start, method=method, **derivatives)
    seen = []
    found = optimize.minimize(function, phalanx.asarray(start), method=method,
                              callback=lambda x, *more: seen.append(x), **derivatives)
    assert isinstance(found.x, phalanx.ndarray) and isinstance(found, optimize.OptimizeResult)
    numpy.testing.assert_allclose(host(found.x), other.x, atol=1e-4)
    assert found.success == other.success and seen and isinstance(seen[0], phalanx.ndarray)
    with pytest.raises(ValueError, match="too long"):
        optimize.minimize(optimize.rosen, phalanx.zeros((1 << 20) + 1), method=method)


def test_constraints():
    constraints = [
        ({"type": "ineq", "fun": lambda x: 1 - x[0] - x[1]},
         {"type": "ineq", "fun": lambda x: 1 - x[0] - x[1]}),
        (optimize.LinearConstraint(phalanx.asarray([[1.0, 1]]), -phalanx.inf, 1),
         scipy.optimize.LinearConstraint([[1.0, 1]], -numpy.inf, 1)),
        (optimize.NonlinearConstraint(lambda x: x.sum(), -phalanx.inf, 1),
         scipy.optimize.NonlinearConstraint(lambda x: x.sum(), -numpy.inf, 1)),
    ]
    for own, other in constraints:
        found = optimize.minimize(optimize.rosen, phalanx.zeros(2), constraints=own)
        wanted = scipy.optimize.minimize(scipy.optimize.rosen, numpy.zeros(2), constraints=other)
        numpy.testing.assert_allclose(host(found.x), wanted.x, atol=1e-5)


def test_older_functions_of_minima(capsys):
    start = [-1.2, 1.0]
    for name in ("fmin_cg", "fmin_bfgs", "fmin_ncg"):
        own, other = getattr(optimize, name), getattr(scipy.optimize, name)
        x = own(optimize.rosen, phalanx.asarray(start), optimize.rosen_der)
        numpy.testing.assert_allclose(host(x), 1, atol=1e-4)
        assert "terminated successfully" in capsys.readouterr().out
        options = {"full_output": True, "disp": False, "retall": True}
        one = own(optimize.rosen, phalanx.asarray(start), optimize.rosen_der, **options)
        two = other(scipy.optimize.rosen, start, scipy.optimize.rosen_der, **options)
        assert len(one) == len(two) and one[-2] == two[-2] == 0
        numpy.testing.assert_allclose(host(one[0]), two[0], atol=1e-4)
    x, value, more = optimize.fmin_l_bfgs_b(optimize.rosen, phalanx.asarray(start),
                                            optimize.rosen_der)
    numpy.testing.assert_allclose(host(x), 1, atol=1e-3)
    assert more["warnflag"] == 0 and set(more) == {"grad", "task", "funcalls", "nit", "warnflag"}


def test_line_searches():
    x, p = numpy.array([-1.2, 1.0]), numpy.array([1.0, 0.5])
    own = optimize.line_search(optimize.rosen, optimize.rosen_der, owned(x), owned(p))
    other = scipy.optimize.line_search(scipy.optimize.rosen, scipy.optimize.rosen_der, x, p)
    check(own, other, 1e-8)
    own = optimize.line_search(optimize.rosen, optimize.rosen_der, owned(x), owned(p), amax=0.1)
    other = scipy.optimize.line_search(scipy.optimize.rosen, scipy.optimize.rosen_der, x, p,
                                       amax=0.1)
    assert own[0] is None or abs(own[0] - (other[0] or own[0])) < 1e-8
    with pytest.warns(scipy.optimize.OptimizeWarning):
        found = optimize.line_search(optimize.rosen, optimize.rosen_der, owned(x), owned(-p))
    assert found[0] is None


def test_differences():
    x = numpy.array([0.5, -1.2, 2.0])
    compare("approx_fprime", x, lambda x: (x**3).sum(), tolerance=1e-7)
    compare("approx_fprime", x, lambda x: x**2 * x[0], 1e-6, tolerance=1e-6)
    compare("approx_fprime", x, lambda x, p: (x**p).sum(), numpy.full(3, 1e-7), 2, tolerance=1e-6)
    assert optimize.check_grad(optimize.rosen, optimize.rosen_der, owned(x)) < 1e-3
    assert optimize.check_grad(optimize.rosen, optimize.rosen_der, owned(x), direction="random",
                               rng=3) < 1e-2
    assert optimize.check_grad(optimize.rosen, lambda x: 2 * optimize.rosen_der(x), owned(x)) > 10
    with pytest.raises(ValueError):
        optimize.check_grad(optimize.rosen, optimize.rosen_der, owned(x), direction="other")


def _system(x):
    """Equations with the root of a diffusion with a reaction."""
    module = phalanx if isinstance(x, phalanx.ndarray) else numpy
    below, above = module.roll(x, 1), module.roll(x, -1)
    return 1 + 0.5 * (below + above) - 3 * x - 0.3 * x**3


SYSTEMS = {
    "newton_krylov": {}, "broyden1": {}, "broyden2": {"max_rank": 4}, "anderson": {"M": 3},
    "diagbroyden": {}, "linearmixing": {"alpha": 0.2}, "excitingmixing": {"alpha": 0.1},
}


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_roots_of_systems(name):
    start = phalanx.linspace(0, 1, 40).reshape(8, 5)

    def function(x):
        return _system(x.ravel()).reshape(x.shape)

    for options in (SYSTEMS[name], {**SYSTEMS[name], "line_search": None, "f_tol": 1e-8}):
        found = getattr(optimize, name)(function, start, maxiter=300, **options)
        other = getattr(scipy.optimize, name)(function, host(start), maxiter=300, **options)
        assert found.shape == (8, 5) and isinstance(found, phalanx.ndarray)
        assert float(phalanx.abs(function(found)).max()) < 1e-5
        numpy.testing.assert_allclose(host(found), other, atol=1e-5)
    with pytest.raises(scipy.optimize.NoConvergence):
        getattr(optimize, name)(function, start, maxiter=1, f_tol=1e-14)


@pytest.mark.parametrize("method", ["krylov", "broyden1", "broyden2", "anderson", "diagbroyden",
                                    "linearmixing", "excitingmixing", "df-sane", "hybr", "lm"])
def test_roots(method):
    options = {"linearmixing": {"jac_options": {"alpha": 0.2}},
               "excitingmixing": {"jac_options": {"alpha": 0.1}}}.get(method, {})
    start = numpy.linspace(0, 1, 20)
    found = optimize.root(_system, phalanx.asarray(start), method=method, options=options)
    other = scipy.optimize.root(_system, start, method=method, options=options)
    assert found.success and isinstance(found.x, phalanx.ndarray)
    numpy.testing.assert_allclose(host(found.x), other.x, atol=1e-5)
    assert set(found) == set(other)
    assert found.message == other.message
    few = {**options, "maxfev" if method in ("df-sane", "hybr") else "maxiter": 2}
    failed = optimize.root(lambda x, p: _system(x) ** p, phalanx.asarray(start), (3,), method,
                           options=few)
    assert not failed.success
    with pytest.raises(ValueError):
        optimize.root(_system, phalanx.asarray(start), method="other")


def test_roots_of_many_equations():
    n = 50_000
    for method in ("krylov", "df-sane", "anderson"):
        found = optimize.root(_system, phalanx.zeros(n), method=method)
        assert found.success and float(phalanx.abs(_system(found.x)).max()) < 1e-4
    with pytest.raises(ValueError, match="Krylov"):
        optimize.newton_krylov(_system, phalanx.zeros(3), method="other")
    for inner in ("gmres", "bicgstab", "cgs", "tfqmr"):
        found = optimize.newton_krylov(_system, phalanx.zeros(30), method=inner)
        assert float(phalanx.abs(_system(found)).max()) < 1e-5


@pytest.mark.parametrize("reduction", ["restart", "simple", "svd", ("svd", 2), "other"])
def test_steps_that_are_kept(reduction):
    for name in ("broyden1", "broyden2"):
        call = [_system, phalanx.linspace(0, 3, 12)]
        options = {"reduction_method": reduction, "max_rank": 4, "f_tol": 1e-9}
        if reduction == "other":
            with pytest.raises(ValueError):
                getattr(optimize, name)(*call, **options)
            continue
        found = getattr(optimize, name)(*call, **options)
        assert float(phalanx.abs(_system(found)).max()) < 1e-9


def test_zeros_of_each_element():
    a = numpy.linspace(1.0, 9, 7)
    for options in ({}, {"fprime": lambda x, a: 2 * x},
                    {"fprime": lambda x, a: 2 * x, "fprime2": lambda x, a: 2 + 0 * x}):
        own = optimize.newton(lambda x, a: x * x - a, phalanx.full(7, 2.0), args=(owned(a),),
                              full_output=True, **options)
        other = scipy.optimize.newton(lambda x, a: x * x - a, numpy.full(7, 2.0), args=(a,),
                                      full_output=True, **options)
        check(own.root, other.root)
        check(own.converged, other.converged)
        check(own.zero_der, other.zero_der)
    own = optimize.newton(lambda x: x**3 - 2, phalanx.ones((2, 3)), x1=phalanx.full((2, 3), 2.0))
    numpy.testing.assert_allclose(host(own), 2 ** (1 / 3), rtol=1e-8)
    compare("newton", lambda x: x**3 - 2, 1.5)
    compare("newton", lambda x: x**2 - 1, 2.0, lambda x: 2 * x)
    for wrong in ({"tol": -1.0}, {"maxiter": 0}):
        compare("newton", lambda x: x, numpy.ones(3), **wrong)
    with pytest.warns(RuntimeWarning, match="some"):
        optimize.newton(lambda x: x * x - phalanx.asarray([1.0, -1]), phalanx.asarray([2.0, 2]),
                        lambda x: 2 * x, maxiter=20)
    with pytest.raises(RuntimeError):
        optimize.newton(lambda x: x * x + 1, phalanx.full(2, 2.0), lambda x: 2 * x, maxiter=5)


def test_fixed_points():
    for method in ("del2", "iteration"):
        compare("fixed_point", lambda x, a: (a + x) ** 0.5, numpy.array([1.2, 1.3]),
                (numpy.array([2.0, 3]),), method=method, tolerance=1e-7)
    compare("fixed_point", lambda x: 2 * x + 1, numpy.ones(2), maxiter=5, method="iteration")


def _line(x, a, b):
    return a * x + b


def test_fits_of_scipy():
    x = numpy.linspace(0, 1, 20)
    y = 2 * x + 1 + 0.01 * drawn(20)
    compare("curve_fit", _line, x, y, tolerance=1e-5)
    compare("leastsq", lambda p: p - numpy.arange(3.0), numpy.ones(3), tolerance=1e-6)
    own = optimize.least_squares(lambda p: phalanx.asarray(x) * p[0] + p[1] - phalanx.asarray(y),
                                 phalanx.ones(2))
    other = scipy.optimize.least_squares(lambda p: x * p[0] + p[1] - y, numpy.ones(2))
    check(own.x, other.x, 1e-6)
    check(own.fun, other.fun, 1e-6)
    assert isinstance(own.jac, phalanx.ndarray)
    a, b = numpy.abs(drawn((6, 3))), drawn(6, "d", 3)
    compare("nnls", a, b)
    check(optimize.lsq_linear(owned(a), owned(b), (0, 1)).x,
          scipy.optimize.lsq_linear(a, b, (0, 1)).x, 1e-6)
    compare("linear_sum_assignment", a)
    compare("linear_sum_assignment", a, True)
    own, other = optimize.isotonic_regression(owned(b)), scipy.optimize.isotonic_regression(b)
    check(own.x, other.x)
    check(optimize.linprog([-1, 4], owned(a[:2, :2]), [6.0, 4]).x,
          scipy.optimize.linprog([-1, 4], a[:2, :2], [6.0, 4]).x)
    check(optimize.milp(owned(b[:3]), integrality=1, bounds=optimize.Bounds(0, 3)).x,
          scipy.optimize.milp(b[:3], integrality=1, bounds=scipy.optimize.Bounds(0, 3)).x)
    matrix = scipy.sparse.csr_matrix(a[:2, :2])
    check(optimize.linprog([-1, 4], phalanx.scipy.sparse.csr_matrix(matrix), [6.0, 4]).x,
          scipy.optimize.linprog([-1, 4], matrix, [6.0, 4]).x)
    compare("fsolve", lambda x: x**2 - 2, numpy.ones(3), tolerance=1e-7)


def _decay(p, t, y):
    module = phalanx if isinstance(p, phalanx.ndarray) else numpy
    return p[0] * module.exp(-p[1] * t) + p[2] - y


def _decay_slopes(p, t, y):
    module = phalanx if isinstance(p, phalanx.ndarray) else numpy
    fall = module.exp(-p[1] * t)
    return module.stack([fall, -p[0] * t * fall, module.ones_like(t)], axis=1)


def test_fits_of_many_data():
    t = numpy.linspace(0, 4, 60)
    y = 2.5 * numpy.exp(-1.3 * t) + 0.5 + 0.01 * drawn(60)
    own = optimize.least_squares(_decay, phalanx.ones(3), _decay_slopes, tr_solver="lsmr",
                                 args=(owned(t), owned(y)))
    other = scipy.optimize.least_squares(_decay, numpy.ones(3), _decay_slopes, tr_solver="lsmr",
                                         args=(t, y))
    assert own.success and set(own) == set(other)
    check(own.x, other.x, 1e-4)
    assert abs(own.cost - other.cost) < 1e-8 * other.cost and own.nfev <= 2 * other.nfev + 5
    few = optimize.least_squares(_decay, phalanx.ones(3), _decay_slopes, tr_solver="lsmr",
                                 args=(owned(t), owned(y)), max_nfev=2)
    assert few.status == 0 and not few.success and few.nfev == 2
    n = 20_000
    target = phalanx.linspace(0.5, 2, n)

    def slopes(p):
        return LinearOperator((n, n), matvec=lambda v: 3 * p**2 * v, rmatvec=lambda v: 3 * p**2 * v,
                              dtype=float)

    found = optimize.least_squares(lambda p: p**3 - target, phalanx.ones(n), slopes,
                                   tr_solver="lsmr")
    assert found.success
    numpy.testing.assert_allclose(host(found.x), host(target) ** (1 / 3), atol=1e-3)
    with pytest.raises(ValueError, match="finite"):
        optimize.least_squares(lambda p: p / 0, phalanx.ones(2), lambda p: phalanx.eye(2),
                               tr_solver="lsmr")


def test_functions_of_one_number():
    for name in ("bisect", "brentq", "brenth", "ridder", "toms748"):
        compare(name, lambda x: x**3 - 2, 0, 2)
        compare(name, lambda x: x**3 + 2, 0, 2)
        own = getattr(optimize, name)(lambda x: phalanx.asarray(x**3 - 2.0), 0, 2)
        assert abs(own - 2 ** (1 / 3)) < 1e-9
    for name in ("brent", "golden", "bracket"):
        compare(name, lambda x: (x - 1) ** 2, tolerance=1e-7)
    compare("fminbound", lambda x: (x - 1) ** 2, -3, 4)
    found = optimize.minimize_scalar(lambda x: phalanx.asarray((x - 1) ** 2), bounds=(0, 3))
    assert abs(found.x - 1) < 1e-5 and isinstance(found, optimize.OptimizeResult)
    found = optimize.root_scalar(lambda x: x**3 - 2, bracket=[0, 2])
    assert found.converged and abs(found.root - 2 ** (1 / 3)) < 1e-9


def test_functions_of_each_element():
    a = numpy.array([2.0, 3.0])
    own = optimize.elementwise.find_root(lambda x, a: x * x - a, (0, 3), args=(owned(a),))
    other = scipy.optimize.elementwise.find_root(lambda x, a: x * x - a, (0, 3), args=(a,))
    check(own.x, other.x)
    assert isinstance(own.x, phalanx.ndarray)
    own = optimize.elementwise.find_minimum(lambda x: (x - 1) ** 2, (-1.0, 0.0, 3.0))
    assert abs(float(own.x) - 1) < 1e-6
    for name in scipy.optimize.elementwise.__all__:
        wanted = inspect.signature(getattr(scipy.optimize.elementwise, name)).parameters
        found = inspect.signature(getattr(optimize.elementwise, name)).parameters
        assert list(found) == list(wanted)


def test_global_minima_of_scipy():
    bounds = [(-2.0, 2.0)] * 2
    for name in ("differential_evolution", "dual_annealing", "direct", "shgo"):
        options = {"maxiter": 60} if name == "dual_annealing" else {}
        found = getattr(optimize, name)(optimize.rosen, bounds, **options)
        numpy.testing.assert_allclose(host(found.x), 1, atol=0.05)
        assert isinstance(found.x, phalanx.ndarray)
    first = optimize.differential_evolution(optimize.rosen, bounds, rng=3, maxiter=3, polish=False)
    other = scipy.optimize.differential_evolution(scipy.optimize.rosen, bounds, rng=3, maxiter=3,
                                                  polish=False)
    check(first.x, other.x)
    found = optimize.basinhopping(optimize.rosen, phalanx.zeros(2), 3)
    numpy.testing.assert_allclose(host(found.x), 1, atol=1e-3)
    grid = optimize.brute(optimize.rosen, ((-1, 2), (-1, 2)), finish=None)
    check(grid, scipy.optimize.brute(scipy.optimize.rosen, ((-1, 2), (-1, 2)), finish=None))


def test_results():
    result = optimize.OptimizeResult(x=1, fun=2.0)
    assert result.x == 1 and result["fun"] == 2.0 and dir(result) == ["fun", "x"]
    result.nit = 3
    del result["x"]
    assert set(result) == {"fun", "nit"} and "nit: 3" in repr(result)
    with pytest.raises(AttributeError):
        _ = result.x


def test_names_and_signatures():
    theirs = {name for name in scipy.optimize.__all__
              if not inspect.ismodule(getattr(scipy.optimize, name))}
    assert theirs | {"elementwise"} == set(optimize.__all__)
    for name in sorted(theirs):
        own, other = getattr(optimize, name), getattr(scipy.optimize, name)
        assert own.__doc__, name
        if inspect.isfunction(own):
            try:
                wanted = inspect.signature(other).parameters
            except ValueError:
                continue
            assert list(inspect.signature(own).parameters) == list(wanted), name
    assert all(hasattr(optimize, name) for name in scipy.optimize.__all__)
    with pytest.raises(AttributeError):
        _ = optimize.nothing


def test_scipy_is_loaded_when_it_is_needed():
    program = """
import sys, phalanx
from phalanx.scipy import optimize
from phalanx.scipy.sparse.linalg import LinearOperator
found = optimize.minimize(optimize.rosen, phalanx.zeros(3), jac=optimize.rosen_der)
optimize.root(lambda x: x - 1, phalanx.zeros(3), method="krylov")
assert found.success and "scipy" not in sys.modules
"""
    environment = {"PYTHONPATH": str(pathlib.Path(ROOT) / "python"), "PHALANX_DEVICES": "cpu:1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_functions_without_their_gradient_and_unknown_gradients():
    for method in ("Newton-CG", "BFGS", "CG", "L-BFGS-B"):
        for of, wrap in ((scipy.optimize, numpy.asarray), (optimize, phalanx.asarray)):
            with pytest.raises(IndexError):
                of.minimize(lambda x: (x * x).sum(), wrap([1.0, 2.0]), method=method, jac=True)
    for jac in ("bad", 5):
        found = optimize.minimize(lambda x: (x * x).sum(), phalanx.ones(2), method="BFGS", jac=jac)
        assert found.success


@pytest.mark.parametrize("method", ["BFGS", "Newton-CG", "CG", "L-BFGS-B", "Nelder-Mead"])
def test_texts_of_results_are_those_of_scipy(method):
    texts = []
    for of, np in [(scipy.optimize, numpy), (optimize, phalanx)]:
        found = of.minimize(
            lambda x, np=np: ((x - np.arange(3.0)) ** 2).sum(), np.zeros(3), method=method,
            jac=None if method == "Nelder-Mead" else lambda x, np=np: 2 * (x - np.arange(3.0)),
        )
        if method == "L-BFGS-B":
            # An operator has the text of its class.
            del found["hess_inv"]
        found["far"] = found["nested"] = type(found)(far=np.array([np.inf, np.nan]), slack=1)
        texts.append([line.split(":")[0] for line in repr(found).splitlines()])
    assert texts[0] == texts[1]
    assert repr(type(found)()) == "OptimizeResult()"


def test_numbers_in_texts_of_results():
    numbers = {"x": numpy.arange(30.0) / 7, "fun": 0.1, "nit": 3, "jac": numpy.ones((2, 2)),
               "success": True, "message": "two\nlines", "near": numpy.array([numpy.inf, -0.5])}
    own = {key: owned(value) for key, value in numbers.items()}
    expected = repr(scipy.optimize.OptimizeResult(**numbers))
    assert repr(optimize.OptimizeResult(**own)) == expected
