"""NumPy's protocols by which other classes answer our functions and operators."""

import pickle

import numpy
import pytest

import phalanx as np
from phalanx.lib.mixins import NDArrayOperatorsMixin


class OfFunctions:
    """Answers every function with its name and the classes that take part."""

    def __array_function__(self, function, types, arguments, keywords):
        if function is np.prod or function is numpy.prod:
            return NotImplemented
        names = sorted(kind.__name__ for kind in types)
        return function.__name__, names, len(arguments), sorted(keywords)


class OfUfuncs:
    """Answers every ufunc with its name, the method and the arguments that are given."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return ufunc.__name__, method, len(inputs), sorted(keywords)


class Apart:
    """Takes part in no ufunc."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __gt__(self, other):
        return "gt"


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.sum(OfFunctions()),
        lambda m: m.mean(OfFunctions(), axis=0),
        lambda m: m.concatenate([m.ones(2), OfFunctions()]),
        lambda m: m.where(m.ones(2) > 0, OfFunctions(), 1),
        lambda m: m.einsum("i,i", m.ones(2), OfFunctions()),
        lambda m: m.zeros(3, like=OfFunctions()),
        lambda m: m.zeros_like(OfFunctions()),
        lambda m: m.sum(m.ones(3), out=OfFunctions()),
        lambda m: m.linalg.norm(OfFunctions()),
        lambda m: m.fft.fft(OfFunctions()),
    ],
)
def test_functions_are_overridden(call):
    assert call(np) == call(numpy)


def test_functions_get_ours():
    class Table:
        def __array_function__(self, function, types, arguments, keywords):
            return {np.sum: "sum", np.concatenate: "concatenate"}[function]

    assert np.sum(Table()) == "sum" and np.concatenate([Table()]) == "concatenate"


def test_no_answer_is_a_type_error():
    for module in (np, numpy):
        with pytest.raises(TypeError):
            module.prod(OfFunctions())


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add(m.ones(2), OfUfuncs()),
        lambda m: m.add(OfUfuncs(), 1, where=True),
        lambda m: m.add(m.ones(2), 1, out=OfUfuncs()),
        lambda m: m.add(m.ones(2), 1, OfUfuncs()),
        lambda m: m.modf(OfUfuncs()),
        lambda m: m.exp(OfUfuncs()),
        lambda m: m.matmul(m.ones(2), OfUfuncs()),
        lambda m: m.add.reduce(OfUfuncs(), 0, keepdims=True),
        lambda m: m.add.accumulate(OfUfuncs(), axis=0),
        lambda m: m.add.reduceat(OfUfuncs(), [0]),
        lambda m: m.add.outer(m.ones(2), OfUfuncs()),
        lambda m: m.add.at(OfUfuncs(), [0], 1),
        lambda m: m.ones(2) + OfUfuncs(),
        lambda m: m.ones(2) @ OfUfuncs(),
        lambda m: m.ones(2) < OfUfuncs(),
        lambda m: m.ones(2) == OfUfuncs(),
        lambda m: divmod(m.ones(2), OfUfuncs()),
        lambda m: m.ones(2).__radd__(OfUfuncs()),
    ],
)
def test_ufuncs_are_overridden(call):
    assert call(np) == call(numpy)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.ones(2) + Apart(),
        lambda m: m.ones(2)[0] + Apart(),
        lambda m: m.ones(2) < Apart(),
        lambda m: m.add(m.ones(2), Apart()),
        lambda m: m.add.reduce(Apart()),
    ],
)
def test_classes_that_take_no_part(call):
    answers = []
    for module in (np, numpy):
        try:
            answers.append(call(module))
        except TypeError:
            answers.append(TypeError)
    assert answers[0] == answers[1]


class Logged(np.ndarray):
    """A subclass whose ufuncs are counted, as NumPy's documentation shows."""

    calls = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **keywords):
        Logged.calls += 1
        plain = [one.view(np.ndarray) if isinstance(one, Logged) else one for one in inputs]
        if out is not None:
            keywords["out"] = tuple(
                one.view(np.ndarray) if isinstance(one, Logged) else one for one in out
            )
        result = super().__array_ufunc__(ufunc, method, *plain, **keywords)
        return out[0] if out is not None else result.view(Logged)


def test_subclasses_override():
    x = np.arange(3.0).view(Logged)
    Logged.calls = 0
    y = x + 1
    assert type(y) is Logged and y.tolist() == [1, 2, 3] and Logged.calls == 1
    assert (-x).tolist() == [0, -1, -2] and Logged.calls == 2
    whole = x
    x += 1
    assert whole is x and x.tolist() == [1, 2, 3] and Logged.calls == 3
    assert numpy.add(x, 1).tolist() == [2, 3, 4] and Logged.calls == 4


def test_the_inherited_method_leaves_calls_to_overrides():
    x = np.arange(3.0)
    assert x.__array_ufunc__(np.add, "__call__", x, OfUfuncs()) is NotImplemented
    assert x.__array_ufunc__(np.add, "__call__", x, 1).tolist() == [1, 2, 3]
    types = (np.ndarray,)
    assert float(x.__array_function__(np.sum, types, (x,), {})) == 3
    types = (np.ndarray, OfFunctions)
    assert x.__array_function__(np.sum, types, (x,), {}) is NotImplemented


def test_objects_that_convert_still_do():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([3.0, 4.0])
    assert isinstance(np.ones(2) + series, pandas.Series)
    assert np.hypot(np.asarray([4.0, 3.0]), series).tolist() == [5, 5]
    assert isinstance(np.exp(series), pandas.Series)
    x = np.ones(2)
    x += series
    assert x.tolist() == [4, 5] and isinstance(x, np.ndarray)


def test_operators_of_the_mixin_call_our_ufuncs():
    class Boxed(NDArrayOperatorsMixin):
        def __init__(self, value):
            self.value = np.asarray(value)

        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            assert getattr(np, ufunc.__name__) is ufunc
            inputs = [one.value if isinstance(one, Boxed) else one for one in inputs]
            return Boxed(getattr(ufunc, method)(*inputs))

    x = Boxed([1.0, 2.0])
    assert (x + 1).value.tolist() == [2, 3] and (1 - x).value.tolist() == [0, -1]
    assert (np.ones(2) * x).value.tolist() == [1, 2] and (-x).value.tolist() == [-1, -2]
    assert (x == 1).value.tolist() == [True, False]
    assert numpy.lib.mixins.NDArrayOperatorsMixin.__hash__ is NDArrayOperatorsMixin.__hash__


def test_products_have_the_attributes_of_ufuncs():
    for name in ("matmul", "matvec", "vecdot", "vecmat"):
        ours, theirs = getattr(np, name), getattr(numpy, name)
        assert ours.signature == theirs.signature
        assert (ours.nin, ours.nout) == (theirs.nin, theirs.nout)
    assert np.add.signature is None and not hasattr(np.sum, "nin")


def test_functions_are_pickled():
    assert pickle.loads(pickle.dumps(np.sum)) is np.sum


def test_frames_keep_memory_of_numpy():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 4, 9], "b": [1.0, 2, 3]})
    a = np.array([1.0, 2, 3])
    root = np.sqrt(frame)
    assert type(root.values) is numpy.ndarray
    assert root.equals(numpy.sqrt(frame)) and str(root) == str(numpy.sqrt(frame))
    assert root.to_json() == numpy.sqrt(frame).to_json()
    assert root[root["a"] > 1].equals(numpy.sqrt(frame)[1:])
    assert np.isnan(frame).equals(numpy.isnan(frame))
    matrix = numpy.ones((3, 2))
    assert np.add(frame, np.array(matrix)).equals(frame + matrix)
    first = np.add(frame["a"], a, where=np.array([True, False, True]), out=np.zeros(3))
    assert first.tolist() == [2, 0, 12]
    own = np.zeros(3)
    np.add(frame["a"], a, out=own)
    assert own.tolist() == [2, 6, 12]
    gaps = pandas.array([1, 2, None])
    assert np.sqrt(gaps).equals(numpy.sqrt(gaps))
    assert ((a == gaps) == (a.get() == gaps)).all()


def test_a_plain_array_answers_for_subclasses():
    class Silent(np.ndarray):
        def __array_function__(self, *arguments):
            return NotImplemented

    a = np.arange(3.0)
    assert np.concatenate([a, a.view(Silent)]).tolist() == [0, 1, 2, 0, 1, 2]
    with pytest.raises(TypeError, match="NotImplemented"):
        np.concatenate([a.view(Silent), a.view(Silent)])


def test_what_takes_no_part_is_unequal():
    class Bare:
        __array_ufunc__ = None

    for a in (np.arange(2), numpy.arange(2)):
        assert (a == Bare()) is False and (a != Bare()) is True


def test_polynomials_are_converted_by_ufuncs():
    for module in (np, numpy):
        polynomial = module.poly1d([1, 2, 3])
        assert module.add(polynomial, polynomial).tolist() == [2, 4, 6]
        assert module.multiply(module.array([1, 2, 3]), polynomial).tolist() == [1, 4, 9]
        assert (2.0 + polynomial).coeffs.tolist() == [1, 2, 5]
