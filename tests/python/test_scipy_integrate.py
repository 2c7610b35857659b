"""Names of ``scipy.integrate``: integrals of samples and functions, and differential equations."""

import inspect
import pathlib
import subprocess
import sys

import numpy
import pytest
import scipy.integrate
import scipy.stats

import phalanx
from phalanx.scipy import integrate

from .conftest import ROOT
from .signal_cases import check, drawn, host, outcome, owned, some


def compare(name, *given, tolerance=None, **options):
    """Calls a function of SciPy's, and ours with arrays of ours."""
    other = outcome(getattr(scipy.integrate, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(integrate, name), *map(owned, given), **options)
    check(own, other, tolerance)


def single(kind):
    return 1e-5 if kind in "fF" else None


def uneven(n, kind="d"):
    return numpy.cumsum(1 + numpy.random.default_rng(5).random(n)).astype(kind)


@pytest.mark.parametrize("kind", some("dfDFi"))
@pytest.mark.parametrize("name", ["trapezoid", "cumulative_trapezoid", "simpson"])
def test_samples(name, kind):
    for shape in [(1,), (2,), (3,), (4,), (5,), (8,), (3, 6), (4, 5, 3)]:
        y = drawn(shape, kind)
        compare(name, y, tolerance=single(kind))
        compare(name, y, dx=0.5, tolerance=single(kind))
        for axis in range(-len(shape), len(shape)):
            x = uneven(shape[axis], kind if kind in "df" else "d")
            compare(name, y, x, axis=axis)
            compare(name, y, x[: max(x.size - 1, 0)], axis=axis)
            if y.size:
                whole = numpy.moveaxis(numpy.broadcast_to(
                    x, numpy.moveaxis(y, axis, -1).shape), -1, axis).copy()
                compare(name, y, whole, axis=axis)
    compare(name, drawn((3, 4), kind), numpy.ones((2, 4, 3)))
    compare(name, drawn((3, 5), kind), numpy.array([0.0, 1, 1, 2, 2]))
    compare(name, drawn((3, 4), kind)[:, ::-1], axis=3)


def test_the_start_of_cumulative_integrals():
    y = drawn((3, 5))
    for initial in (0, 0.0, 1, 2.5):
        compare("cumulative_trapezoid", y, initial=initial)
        compare("cumulative_simpson", y, initial=initial)
    compare("cumulative_simpson", y, initial=numpy.ones((3, 1)))
    compare("cumulative_simpson", y, initial=numpy.ones((1, 5)), axis=0)
    compare("cumulative_simpson", y, initial=numpy.ones(5))
    compare("cumulative_simpson", y, dx=numpy.array([[1.0], [2], [3]]))


@pytest.mark.parametrize("kind", some("dfDi"))
def test_cumulative_integrals_by_parabolas(kind):
    for shape in [(1,), (2,), (3,), (4,), (7,), (8,), (3, 6), (4, 5, 3), ()]:
        y = drawn(shape, kind)
        compare("cumulative_simpson", y, dx=0.5, tolerance=single(kind))
        for axis in range(-len(shape), len(shape)):
            x = uneven(shape[axis])
            compare("cumulative_simpson", y, x=x, axis=axis, tolerance=single(kind))
            compare("cumulative_simpson", y, x=x[::-1], axis=axis)
            if x.size > 1:
                compare("cumulative_simpson", y, x=x[:-1], axis=axis)
    compare("cumulative_simpson", drawn((3, 4), kind), x=numpy.sort(drawn((3, 4))))
    compare("cumulative_simpson", drawn(4, kind), axis=2)


@pytest.mark.parametrize("kind", some("dfDi"))
def test_romberg(kind, capsys):
    for shape in [(2,), (3,), (5,), (9,), (17, 2), (2, 33), (4,), (1,)]:
        for axis in range(len(shape)):
            tolerance = 1e-6 if kind == "f" else 1e-9
            compare("romb", drawn(shape, kind), axis=axis, tolerance=tolerance)
            compare("romb", drawn(shape, kind), 0.25, axis=axis, tolerance=tolerance)
    integrate.romb(phalanx.arange(5.0) ** 2, show=True)
    scipy.integrate.romb(numpy.arange(5.0) ** 2, show=True)
    lines = capsys.readouterr().out.splitlines()
    table = [line.split() for line in lines if line[:1].strip() in "0123456789"]
    rows = [[float(one) for one in row] for row in table if row and row[0][0].isdigit()]
    assert rows[: len(rows) // 2] == rows[len(rows) // 2 :] and rows


def test_gauss():
    for n in (1, 2, 5, 9):
        compare("fixed_quad", lambda x: x**3 + 1, 0.5, 2.5, n=n)
        compare("fixed_quad", lambda x, p: x**p, 0, 2, (2,), n)
    own = integrate.fixed_quad(lambda x: phalanx.stack([x, phalanx.exp(x)]), 0, 1)
    other = scipy.integrate.fixed_quad(lambda x: numpy.stack([x, numpy.exp(x)]), 0, 1)
    check(own, other)
    compare("fixed_quad", lambda x: x, 0, numpy.inf)


def of_vectors(module):
    a = module.arange(1.0, 6)
    return {
        "smooth": lambda x: module.sin(a * x), "peak": lambda x: 1 / ((x - 0.3) ** 2 + a * 1e-3),
        "decay": lambda x: module.exp(-a * x * x), "matrix": lambda x: a[:, None] * a * x**2,
        "root": lambda x: a * abs(x) ** 0.5, "complex": lambda x: module.exp(1j * a * x),
    }


@pytest.mark.parametrize("name", list(of_vectors(numpy)))
def test_integrals_of_vectors(name):
    own, other = of_vectors(phalanx)[name], of_vectors(numpy)[name]
    for options in some([{}, {"quadrature": "gk15", "norm": "max"}, {"epsrel": 1e-3},
                         {"quadrature": "trapezoid", "epsabs": 1e-3, "epsrel": 1e-3},
                         {"points": [0.25, 0.5, 7.0]}, {"limit": 3}], 2):
        one = integrate.quad_vec(own, 0, 1, full_output=True, **options)
        two = scipy.integrate.quad_vec(other, 0, 1, full_output=True, **options)
        check(one[0], two[0], options.get("epsabs", 1e-9))
        assert abs(one[1] - two[1]) <= 1e-3 * two[1] + 1e-13
        info = one[2]
        assert (info.status, info.success, info.message) == (
            two[2].status, two[2].success, two[2].message)
        assert abs(info.neval - two[2].neval) <= 0.1 * two[2].neval
        assert info.integrals.shape[0] == info.errors.shape[0] == info.intervals.shape[0]
    check(integrate.quad_vec(own, 1, 0)[0], scipy.integrate.quad_vec(other, 1, 0)[0], 1e-9)


def test_integrals_of_vectors_on_infinite_intervals():
    own, other = of_vectors(phalanx)["decay"], of_vectors(numpy)["decay"]
    infinity = numpy.inf
    for a, b in [(0, infinity), (-infinity, 1), (-infinity, infinity), (infinity, 0),
                 (infinity, -infinity), (1, -infinity)]:
        check(integrate.quad_vec(own, a, b)[0], scipy.integrate.quad_vec(other, a, b)[0], 1e-8)
        check(integrate.quad_vec(own, a, b, points=[0.5])[0],
              scipy.integrate.quad_vec(other, a, b, points=[0.5])[0], 1e-8)
    compare("quad_vec", lambda x: x * x, 0.0, 2.0)
    compare("quad_vec", lambda x, p: x**p, 0.0, 2.0, args=(3,))
    compare("quad_vec", lambda x: x, 0, numpy.nan)
    compare("quad_vec", lambda x: x, 0, 1, quadrature="other")
    numpy.testing.assert_allclose(
        host(integrate.quad_vec(lambda x: numpy.arange(3.0) * x, 0, 1)[0]), [0, 0.5, 1])


def _pendulum(t, y, damping=0.1):
    module = phalanx if isinstance(y, phalanx.ndarray) else numpy
    return module.stack([y[1], -module.sin(y[0]) - damping * y[1]])


def compare_solutions(fun, t_span, y0, tolerance=1e-8, **options):
    other = outcome(scipy.integrate.solve_ivp, fun, t_span, numpy.asarray(y0), **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(integrate.solve_ivp, fun, t_span, phalanx.asarray(y0), **options)
    if isinstance(other, Exception):
        check(own, other)
        return None, None
    if isinstance(own, Exception):
        raise own
    assert list(own) == list(other)
    for name in ("nfev", "njev", "nlu", "status", "success", "message"):
        assert own[name] == other[name], name
    for name in ("t", "y", "t_events", "y_events"):
        check(own[name], other[name], tolerance)
    assert (own.sol is None) == (other.sol is None)
    if own.sol is not None:
        times = numpy.linspace(*t_span, 13)
        check(own.sol(times), other.sol(times), tolerance)
        check(own.sol(times[::-1].copy()), other.sol(times[::-1]), tolerance)
        check(own.sol(times[5]), other.sol(times[5]), tolerance)
    return own, other


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])
def test_explicit_methods(method):
    start = [1.0, 0.5]
    # Errors of the method of order 8 are of the size of rounding.
    tolerance = 1e-5 if method == "DOP853" else 1e-8
    for options in ({}, {"rtol": 1e-6, "atol": 1e-9}, {"dense_output": True},
                    {"t_eval": [0.0, 0.5, 1, 4]}, {"max_step": 0.3}, {"first_step": 0.2},
                    {"args": (0.3,)}, {"t_eval": [0.5, 3], "dense_output": True},
                    {"atol": numpy.array([1e-3, 1e-6])}):
        compare_solutions(_pendulum, (0, 4), start, tolerance, method=method, **options)
    compare_solutions(_pendulum, (4, 1), start, tolerance, method=method, dense_output=True,
                      t_eval=[4.0, 2.5, 1])
    compare_solutions(lambda t, y: 1j * y, (0, 2), [1 + 0j, 2j], tolerance, method=method,
                      dense_output=True)
    compare_solutions(lambda t, y: -y, (0, 2), numpy.array([1, 2], "f"), method=method)
    compare_solutions(lambda t, y: -y, (1, 1), [1.0, 2], method=method)
    compare_solutions(lambda t, y: -y, (0, 1), [], method=method)
    found = integrate.solve_ivp(lambda t, y: y * y, (0, 2), phalanx.ones(1), method)
    assert found.status == -1 and "spacing between numbers" in found.message
    found = integrate.solve_ivp(lambda t, y: y * numpy.nan, (0, 2), phalanx.ones(1), method)
    assert found.status == -1
    compare_solutions(lambda t, y: [y[1], -y[0]], (0, 2), [1.0, 0], method=method)
    compare_solutions(lambda t, y: -y, (0, 2), [1.0, 0], method=method, vectorized=True)


def test_the_class_of_a_method():
    own = integrate.solve_ivp(_pendulum, (0, 2), phalanx.ones(2), integrate.RK23)
    other = scipy.integrate.solve_ivp(_pendulum, (0, 2), numpy.ones(2), scipy.integrate.RK23)
    check(own.y, other.y)
    assert isinstance(own.y, phalanx.ndarray) and isinstance(own.t, phalanx.ndarray)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853"])
def test_events(method):
    def falls(t, y):
        return float(y[0])

    def turns(t, y):
        return y[1]

    def never(t, y):
        return 5.0

    options = {"method": method, "dense_output": True,
               "tolerance": 1e-5 if method == "DOP853" else 1e-8}
    compare_solutions(_pendulum, (0, 9), [1.0, 0.0], events=falls, **options)
    for terminal, direction in [(True, 0), (2, 1), (False, -1), (1, 1)]:
        falls.terminal, falls.direction = terminal, direction
        compare_solutions(_pendulum, (0, 9), [1.0, 0.0], events=[turns, falls, never], **options)
        compare_solutions(_pendulum, (0, 9), [1.0, 0.0], options["tolerance"], events=[falls],
                          method=method, t_eval=numpy.linspace(0, 9, 30))
    falls.terminal = 1.5
    compare_solutions(_pendulum, (0, 9), [1.0, 0.0], events=[falls], method=method)


def test_errors_of_solutions():
    for options in ({"method": "other"}, {"t_eval": [3.0, 1]}, {"t_eval": [9.0]},
                    {"t_eval": [[1.0]]}, {"max_step": -1.0}, {"first_step": -1.0},
                    {"first_step": 9.0}, {"atol": -1.0}, {"atol": numpy.ones(3)}, {"args": 3}):
        compare_solutions(_pendulum, (0, 4), [1.0, 0], **options)
    compare_solutions(_pendulum, (0, 4), [[1.0, 0]])
    compare_solutions(_pendulum, (0, 4), [1.0, numpy.inf])
    with pytest.warns(UserWarning, match="no effect"):
        integrate.solve_ivp(_pendulum, (0, 1), phalanx.ones(2), jac=1)
    with pytest.warns(UserWarning, match="too small"):
        integrate.solve_ivp(_pendulum, (0, 0.1), phalanx.ones(2), rtol=1e-20, atol=1e-3)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_implicit_methods_of_scipy(method):
    for options in ({"dense_output": True}, {"t_eval": [0.5, 1.0]},
                    {"events": lambda t, y: y[0] - 0.5}):
        compare_solutions(_pendulum, (0, 2), [1.0, 0.5], method=method, **options)
    compare_solutions(lambda t, y, a: -a * y, (0, 2), [1.0, 0.5], method=method, args=(2.0,))
    solver = getattr(integrate, method)(lambda t, y: -y, 0.0, phalanx.ones(2), 1.0)
    assert solver.step() is None and solver.t > 0 and isinstance(solver.y, phalanx.ndarray)
    assert solver.dense_output()(solver.t).shape == (2,)
    own = integrate.solve_ivp(_pendulum, (0, 2), phalanx.ones(2), getattr(integrate, method))
    assert own.success and isinstance(own.y, phalanx.ndarray)
    with pytest.raises(ValueError, match="too long"):
        integrate.solve_ivp(lambda t, y: -y, (0, 1), phalanx.zeros((1 << 20) + 1), method)


@pytest.mark.parametrize("name", ["RK23", "RK45", "DOP853"])
def test_solvers_step_by_step(name):
    own = getattr(integrate, name)(_pendulum, 0.0, phalanx.ones(2), 2.0)
    other = getattr(scipy.integrate, name)(_pendulum, 0.0, numpy.ones(2), 2.0)
    assert isinstance(own, integrate.OdeSolver)
    pytest.raises(RuntimeError, own.dense_output)
    while other.status == "running":
        assert own.step() == other.step()
        assert abs(own.t - other.t) < 1e-8 and abs(own.step_size - other.step_size) < 1e-7
        middle = (own.t + own.t_old) / 2
        check(own.dense_output()(middle), other.dense_output()(middle), 1e-7)
    assert (own.status, own.nfev, own.n, own.direction) == (
        other.status, other.nfev, other.n, other.direction)
    pytest.raises(RuntimeError, own.step)
    pytest.raises(ValueError, own.dense_output(), numpy.zeros((2, 2)))


def test_states_of_many_elements():
    n = 200_000
    x = phalanx.linspace(0, 2 * numpy.pi, n)

    def heat(t, y):
        return 0.1 * (phalanx.roll(y, 1) - 2 * y + phalanx.roll(y, -1))

    found = integrate.solve_ivp(heat, (0, 1), phalanx.sin(x), "RK23", t_eval=[1.0])
    assert found.success and found.y.shape == (n, 1)
    assert abs(float(found.y.max()) - 1) < 1e-3


def test_solutions_of_intervals():
    times = [0.0, 1, 2]
    pieces = [integrate.solve_ivp(lambda t, y: -y, (a, a + 1), phalanx.ones(2),
                                  dense_output=True).sol.interpolants[0] for a in (0.0, 1.0)]
    solution = integrate.OdeSolution(times, pieces)
    assert solution(phalanx.asarray([0.5, 1.5, 2.5, -1])).shape == (2, 4)
    for wrong in ([0.0, 1], [0.0, 2, 1]):
        with pytest.raises(ValueError):
            integrate.OdeSolution(wrong, pieces)
    with pytest.raises(NotImplementedError):
        integrate.DenseOutput(0.0, 1.0)(0.5)


def test_functions_of_scipy():
    compare("quad", lambda x: x * x, 0, 2)
    compare("quad", lambda x, p: x**p, 0, 2, (2,))
    assert integrate.quad(lambda x: x, 0, 1, full_output=1)[2]["neval"] == 21
    own = integrate.quad(lambda x: phalanx.exp(phalanx.asarray(-x)), 0, numpy.inf)
    check(own, scipy.integrate.quad(lambda x: numpy.exp(-x), 0, numpy.inf))
    values = phalanx.arange(3.0)
    check(integrate.quad(lambda x, a: float((a * x).sum()), 0, 1, (values,))[0], 1.5)
    compare("dblquad", lambda y, x: x * y, 0, 1, 0, lambda x: x)
    compare("tplquad", lambda z, y, x: x * y * z, 0, 1, 0, 1, 0, 1)
    compare("nquad", lambda x, y: x + y, [[0, 1], [0, 2]])
    compare("newton_cotes", 4)
    compare("lebedev_rule", 3)
    compare("odeint", lambda y, t: -y, numpy.ones(2), numpy.linspace(0, 1, 4))
    own = integrate.tanhsinh(lambda x, a: phalanx.exp(-a * x), 0, 1, args=(phalanx.arange(1.0, 4),))
    other = scipy.integrate.tanhsinh(lambda x, a: numpy.exp(-a * x), 0, 1,
                                     args=(numpy.arange(1.0, 4),))
    check(own.integral, other.integral)
    assert isinstance(own.integral, phalanx.ndarray)
    check(integrate.nsum(lambda k: 1 / k**2, 1, numpy.inf).sum, numpy.pi**2 / 6, dtype=False)
    own = integrate.cubature(lambda x: phalanx.cos(x).prod(axis=-1), [0, 0], [1, 1])
    other = scipy.integrate.cubature(lambda x: numpy.cos(x).prod(axis=-1), [0, 0], [1, 1])
    check(own.estimate, other.estimate, dtype=False)
    for qrng in (None, scipy.stats.qmc.Halton(2, rng=3)):
        found = integrate.qmc_quad(lambda x: (x**2).sum(axis=0), phalanx.zeros(2), [1, 1],
                                   qrng=qrng)
        assert abs(found.integral - 2 / 3) < 1e-2
    check(found.integral, scipy.integrate.qmc_quad(
        lambda x: (x**2).sum(axis=0), [0, 0], [1, 1], qrng=scipy.stats.qmc.Halton(2, rng=3)
    ).integral)

    def flow(x, y):
        return (phalanx if isinstance(y, phalanx.ndarray) else numpy).stack([y[1], -y[0]])

    def ends(ya, yb):
        return (phalanx if isinstance(ya, phalanx.ndarray) else numpy).stack([ya[0], yb[0] - 1])

    x, y = numpy.linspace(0, 1, 5), numpy.zeros((2, 5))
    own = integrate.solve_bvp(flow, ends, owned(x), owned(y))
    other = scipy.integrate.solve_bvp(flow, ends, x, y)
    check(own.y, other.y, 1e-8)
    check(own.sol(0.3), other.sol(0.3), 1e-8)


def test_equations_of_scipy():
    own = integrate.ode(lambda t, y: -y).set_integrator("dopri5")
    own.set_initial_value(phalanx.ones(2), 0.0)
    assert isinstance(own, integrate.ode)
    found = own.integrate(1.0)
    assert isinstance(found, phalanx.ndarray) and own.successful() and own.t == 1.0
    numpy.testing.assert_allclose(host(found), numpy.exp(-1), rtol=1e-5)
    other = integrate.complex_ode(lambda t, y: 1j * y)
    other.set_initial_value([1.0], 0.0)
    numpy.testing.assert_allclose(host(other.integrate(1.0)), numpy.exp(1j), rtol=1e-5)


def test_names_and_signatures():
    theirs = [name for name in scipy.integrate.__all__ if not inspect.ismodule(
        getattr(scipy.integrate, name))]
    assert set(theirs) == set(integrate.__all__)
    for name in theirs:
        own, other = getattr(integrate, name), getattr(scipy.integrate, name)
        assert own.__doc__, name
        if inspect.isfunction(own):
            wanted = inspect.signature(other).parameters
            assert list(inspect.signature(own).parameters) == list(wanted), name
    assert issubclass(integrate.IntegrationWarning, UserWarning)
    assert all(hasattr(integrate, name) for name in scipy.integrate.__all__)
    with pytest.raises(AttributeError):
        _ = integrate.nothing


def test_scipy_is_loaded_when_it_is_needed():
    program = """
import sys, phalanx
from phalanx.scipy import integrate
integrate.solve_ivp(lambda t, y: -y, (0, 1), phalanx.ones(3))
integrate.quad_vec(lambda x: x * phalanx.ones(3), 0, 1)
assert "scipy" not in sys.modules
"""
    environment = {"PYTHONPATH": str(pathlib.Path(ROOT) / "python"), "PHALANX_DEVICES": "cpu:1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
