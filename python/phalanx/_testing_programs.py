"""Data, parameters and conditions of the tests of programs: names of ``phalanx.testing``."""

import functools as _functools
import itertools as _itertools
import math as _math
import operator as _operator
import re as _re
import sys as _sys

import numpy as _numpy

__all__ = """
AssertFunctionIsCalled NumpyAliasBasicTestBase NumpyAliasValuesTestBase fix_random generate_matrix
generate_seed installed multi_gpu numpy_satisfies parameterize product product_dict shaped_arange
shaped_linspace shaped_random shaped_reverse_arange shaped_sparse_random slow with_requires
""".split()


def _module(xp):
    if xp is not None:
        return xp
    import phalanx

    return phalanx


def shaped_arange(shape, xp=None, dtype="float32", order="C"):
    """Numbers from 1 on in a shape; for bool, whether each is even."""
    made = _numpy.arange(1, _math.prod(shape) + 1)
    made = made % 2 == 0 if _numpy.dtype(dtype) == bool else made
    return _module(xp).asarray(made.astype(dtype).reshape(shape, order=order))


def shaped_reverse_arange(shape, xp=None, dtype="float32"):
    """Numbers down to 1 in a shape; for bool, whether each is even."""
    made = _numpy.arange(_math.prod(shape), 0, -1)
    made = made % 2 == 0 if _numpy.dtype(dtype) == bool else made
    return _module(xp).asarray(made.astype(dtype).reshape(shape))


def shaped_linspace(start, stop, shape, xp=None, dtype="float32"):
    """Evenly spaced numbers in a shape."""
    made = _numpy.linspace(start, stop, _math.prod(shape))
    return _module(xp).asarray(made.astype(dtype).reshape(shape))


def shaped_random(shape, xp=None, dtype="float32", scale=10, seed=0, order="C"):
    """Random numbers from 0 to a scale in a shape, the same for each module."""
    generator = _numpy.random.RandomState(seed)
    dtype = _numpy.dtype(dtype)
    if dtype == bool:
        made = generator.randint(2, size=shape)
    elif dtype.kind == "c":
        made = (generator.rand(*shape) + 1j * generator.rand(*shape)) * scale
    else:
        made = generator.rand(*shape) * scale
    return _module(xp).asarray(_numpy.asarray(made).astype(dtype, order=order))


def shaped_sparse_random(shape, sp=None, dtype="float32", density=0.01, format="coo", seed=0):
    """A sparse matrix of random numbers, the same for each module: ``sp`` is a module of sparse
    matrices."""
    import scipy.sparse

    made = scipy.sparse.random(*shape, density, format=format, dtype=dtype, random_state=seed)
    if sp is None:
        import phalanx.scipy.sparse as sp
    if sp is scipy.sparse:
        return made
    return getattr(sp, f"{format}_matrix")(made)


def generate_matrix(shape, xp=None, dtype="float32", *, singular_values=None):
    """Matrices of given singular values, else of random ones from 1 to 3."""
    generator = _numpy.random.RandomState(0)
    dtype = _numpy.dtype(dtype)
    if len(shape) < 2 or dtype.kind not in "fc":
        raise ValueError("matrices have two axes at least, and a floating-point dtype")
    *outer, rows, columns = shape
    least = min(rows, columns)
    if singular_values is None:
        singular_values = generator.uniform(1, 3, (*outer, least))
    values = _numpy.broadcast_to(_numpy.asarray(singular_values), (*outer, least))

    def orthogonal(size):
        made = generator.randn(*outer, size, size)
        made = made + 1j * generator.randn(*outer, size, size) if dtype.kind == "c" else made
        return _numpy.linalg.qr(made)[0][..., :least]

    made = orthogonal(rows) * values[..., None, :]
    return _module(xp).asarray((made @ orthogonal(columns).swapaxes(-1, -2)).astype(dtype))


def product(parameters):
    """All combinations of the values of a dictionary of lists, as a list of dictionaries."""
    names = list(parameters)
    return [dict(zip(names, values)) for values in _itertools.product(*parameters.values())]


def product_dict(*parameters):
    """All combinations of one dictionary of each list, merged."""
    return [
        {name: value for one in chosen for name, value in one.items()}
        for chosen in _itertools.product(*parameters)
    ]


def parameterize(*params):
    """A decorator of a class of tests: makes a class of each dictionary of attributes, in the
    module of the class."""
    frame = _sys._getframe(1)

    def decorate(tests):
        for place, own in enumerate(params):
            name = f"{tests.__name__}_param_{place}"
            attributes = {**own, "__module__": tests.__module__, "__test__": True}
            frame.f_globals[name] = type(name, (tests,), attributes)
        tests.__test__ = False
        return tests

    return decorate


def fix_random():
    """A decorator of a test, or of a class of tests: random numbers are the same each time."""

    def decorate(test):
        if isinstance(test, type):
            for name, method in list(vars(test).items()):
                if name.startswith("test") and callable(method):
                    setattr(test, name, decorate(method))
            return test

        @_functools.wraps(test)
        def fixed(*arguments, **keywords):
            import random

            import phalanx

            kept = random.getstate(), _numpy.random.get_state()
            own = phalanx.random.get_random_state()
            random.seed(100)
            _numpy.random.seed(100)
            phalanx.random.set_random_state(phalanx.random.RandomState(100))
            try:
                return test(*arguments, **keywords)
            finally:
                random.setstate(kept[0])
                _numpy.random.set_state(kept[1])
                phalanx.random.set_random_state(own)

        return fixed

    return decorate


def generate_seed():
    """A seed, which is the same each time under ``fix_random``."""
    return int(_numpy.random.randint(0x7FFFFFFF))


_COMPARED = {
    ">=": _operator.ge, "<=": _operator.le, "==": _operator.eq, "!=": _operator.ne,
    ">": _operator.gt, "<": _operator.lt,
}


def _satisfies(version, conditions):
    """Whether a version is in ranges such as ``>=1.20,<3``."""
    parts = [[int(part) for part in _re.findall(r"\d+", version.split("rc")[0])]]
    for condition in filter(None, conditions.replace(" ", "").split(",")):
        mark, wanted = _re.match(r"([<>=!]=|[<>])(.*)", condition).groups()
        wanted = [int(part) for part in _re.findall(r"\d+", wanted)]
        length = max(len(wanted), len(parts[0]))
        own, other = (one + [0] * (length - len(one)) for one in (parts[0], wanted))
        if not _COMPARED[mark](own, other):
            return False
    return True


def installed(*specifiers):
    """Whether packages are installed, of versions such as ``numpy>=1.20``."""
    import importlib.metadata

    for specifier in specifiers:
        name, conditions = _re.match(r"\s*([\w.\-]+)\s*(.*)", specifier).groups()
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if not _satisfies(version, conditions):
            return False
    return True


def numpy_satisfies(version_range):
    """Whether NumPy is of a range of versions, such as ``>=2.0``."""
    return _satisfies(_numpy.__version__, version_range)


def with_requires(*requirements):
    """A decorator that skips a test if packages are not installed."""
    import pytest

    reason = f"requires {', '.join(requirements)}"
    return pytest.mark.skipif(not installed(*requirements), reason=reason)


def slow(test):
    """Marks a test for pytest as slow."""
    import pytest

    return pytest.mark.slow(test)


def multi_gpu(gpu_num):
    """A decorator that skips a test if there are fewer GPUs."""
    import pytest

    from . import _phalanx

    count = _phalanx._gpu_count()
    return pytest.mark.skipif(count < gpu_num, reason=f"requires {gpu_num} GPUs, not {count}")


class AssertFunctionIsCalled:
    """A context manager that checks the number of calls of a function, by default one. The function
    is named by its path, and works as usual."""

    def __init__(self, target, times_called=1):
        self._target, self._times = target, times_called

    def __enter__(self):
        import pkgutil
        import unittest.mock

        wrapped = pkgutil.resolve_name(self._target)
        self._patch = unittest.mock.patch(self._target, wraps=wrapped)
        self._called = self._patch.__enter__()
        return self._called

    def __exit__(self, kind, error, traceback):
        self._patch.__exit__(kind, error, traceback)
        if kind is None and self._called.call_count != self._times:
            count = self._called.call_count
            raise AssertionError(f"{self._target} was called {count} times, not {self._times}")


class NumpyAliasBasicTestBase:
    """Tests of a function ``func`` that NumPy has under the same name."""

    func = None

    @property
    def numpy_func(self):
        """NumPy's function."""
        return getattr(_numpy, self.func)

    @property
    def phalanx_func(self):
        """Ours."""
        return getattr(_module(None), self.func)

    cupy_func = phalanx_func

    def test_docstring(self):
        """The function has a docstring."""
        assert self.phalanx_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasBasicTestBase):
    """Tests that a function ``func`` returns for ``args`` what NumPy's returns."""

    args = ()

    def test_values(self):
        """The results are equal."""
        from . import testing

        testing.assert_equal(self.phalanx_func(*self.args), self.numpy_func(*self.args))


for _name in __all__:
    globals()[_name].__module__ = "phalanx.testing"
del _name
