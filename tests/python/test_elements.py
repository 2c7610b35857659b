"""Arrays without axes, where NumPy returns scalars: as Python numbers and as elements."""

import collections
import json
import math
import numbers
import pickle
import warnings

import numpy
import pytest

import phalanx as np

from . import worlds

NUMBERS = {
    "float": [1.25, 2.5, -3.0],
    "int": [4, 5, -7],
    "complex": [1 + 2j, 3.0],
    "bool": [True],
    "large": [2**53 + 1],
}

USES = {
    "round": round,
    "round to digits": lambda x: round(x, 1),
    "round to tens": lambda x: round(x, -1),
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "isclose": lambda x: math.isclose(x, 2.0),
    "format": lambda x: f"{x:.3f}",
    "format width": lambda x: f"{x:>10}",
    "format nothing": lambda x: f"{x}",
    "percent": lambda x: "%.3f" % x,
    "percent d": lambda x: "%d" % x,
    "percent g": lambda x: "%g %s" % (x, x),
    "range": lambda x: list(range(abs(x))),
    "index": lambda x: [1, 2, 3, 4, 5, 6, 7, 8, 9][x],
    "hex": hex,
    "int": int,
    "float": float,
    "complex": complex,
    "hash": hash,
    "key": lambda x: {x: "here"},
    "found": lambda x: {1.25: 1, 4: 2, 2**53 + 1: 3}.get(x),
    "set": lambda x: len({x, x}),
    "json of float": lambda x: json.dumps({"loss": float(x)}),
    "json by default": lambda x: json.dumps({"loss": x}, default=float),
    "abs": abs,
    "divmod": lambda x: divmod(x, 2),
    "sum": lambda x: sum([x, x]),
    "max": lambda x: max(x, 3),
    "repeat": lambda x: "ab" * x,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", NUMBERS)
def test_a_sum_serves_as_numpys_does(use, kind):
    theirs, ours = numpy.sum(numpy.array(NUMBERS[kind])), np.sum(np.array(NUMBERS[kind]))
    if kind == "large" and use in ("range", "repeat", "floor", "ceil"):
        # NumPy converts through a float, and the others need too much memory.
        assert math.floor(ours) == math.ceil(ours) == 2**53 + 1
        return
    try:
        with warnings.catch_warnings():
            # A warning about a dropped imaginary part is an error.
            warnings.simplefilter("error")
            expected = USES[use](theirs)
    except Exception:
        # Python numbers may support more than NumPy's.
        return
    found = USES[use](ours)
    if isinstance(expected, tuple):
        assert [float(one) for one in found] == [float(one) for one in expected]
    else:
        assert found == expected, (found, expected)


def test_arrays_with_axes_are_no_keys_and_are_not_rounded():
    for array in [np.ones(3), np.ones((1,)), np.ones((0,))]:
        for use in [hash, round, math.trunc, lambda x: {x: 1}]:
            with pytest.raises(TypeError, match="PX149"):
                use(array)
    # Like NumPy's scalars, json needs a `default` function.
    with pytest.raises(TypeError):
        json.dumps(np.ones(3).sum())


def test_keys_of_elements_are_the_same_on_all_ranks():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.arange(6.0)
        found = {x.sum(): "sum", x.max(): "max"}
        print(found[15.0], found[5], round(x.mean()), f"{x.mean():.2f}", flush=True)
        """,
        processes=2,
    )
    assert ended.stdout.count("sum max 2 2.50") == 2, ended.stdout


def _changed(np):
    """The final numbers of programs with elements and writes in place."""
    found = []
    b = np.arange(5.0)
    v = b[-1]
    v *= b
    found += [v.tolist(), b.tolist()]
    a = np.arange(5)
    a[-1] += 0.5
    a[0] -= 2
    found += [a.tolist()]
    first = a[1]
    kept = first
    first += 7
    found += [int(first), int(kept), a.tolist()]
    total = a.sum()
    other = total
    total -= b
    found += [total.tolist(), int(other)]
    one = np.array(3.0)
    same = one
    one += 1
    one[...] = one * 2
    found += [float(same)]
    product = a.max()
    product **= 2
    product //= 3
    product %= 4
    product <<= 2
    product |= 1
    found += [int(product), a.tolist()]
    for x in b:
        x += 100
    found += [b.tolist()]
    grid = np.arange(6).reshape(2, 3)
    view = grid[1, 1, ...]
    view += 10
    found += [grid.tolist()]
    return found


def test_operators_in_place_make_another_element_and_change_arrays():
    assert _changed(np) == _changed(numpy)


ELEMENTS = {
    "position": lambda np: np.arange(3.0)[1],
    "negative": lambda np: np.ones((2, 3))[-1, -1],
    "array of a position": lambda np: np.arange(3)[np.array(1)],
    "nothing": lambda np: np.array(2.0)[()],
    "element of an element": lambda np: np.ones(2).sum()[()],
    "sum": lambda np: np.ones(3).sum(),
    "largest": lambda np: np.max(np.ones(3)),
    "mean": lambda np: np.mean(np.ones((2, 2))),
    "place": lambda np: np.ones(3).argmax(),
    "product": lambda np: np.ones(3) @ np.ones(3),
    "dot": lambda np: np.dot(np.ones(3), np.ones(3)),
    "norm": lambda np: np.linalg.norm(np.ones(3)),
    "determinant": lambda np: np.linalg.det(np.eye(2)),
    "operator": lambda np: np.array(1.0) + np.array(2.0),
    "comparison": lambda np: np.array(1.0) < np.array(2.0),
    "sign": lambda np: -np.array(1.0),
    "ufunc": lambda np: np.add(np.array(1), np.array(2)),
    "ufunc of two results": lambda np: np.divmod(np.array(7), np.array(2))[0],
    "reduce": lambda np: np.add.reduce(np.ones(3)),
    "median": lambda np: np.median(np.ones(3)),
    "take": lambda np: np.take(np.ones(3), 1),
    "flat": lambda np: np.ones((2, 2)).flat[1],
    "iteration": lambda np: next(iter(np.ones(3))),
    "iteration of flat": lambda np: next(iter(np.ones((2, 2)).flat)),
    "copy of an element": lambda np: np.ones(3).sum().copy(),
    "real part": lambda np: np.sum(np.ones(2) + 1j).real,
    "astype": lambda np: np.ones(3).sum().astype("f4"),
    "squeeze": lambda np: np.squeeze(np.ones(3).sum()),
    "transpose": lambda np: np.ones(3).sum().T,
    "round": lambda np: np.round(np.ones(3).sum(), 2),
    "clip": lambda np: np.clip(np.ones(3).sum(), 0, 1),
    "einsum": lambda np: np.einsum("i,i->", np.ones(3), np.ones(3)),
    "searchsorted": lambda np: np.searchsorted(np.arange(3), 1),
    "unstacked": lambda np: np.unravel_index(4, (3, 3))[0],
}

ARRAYS = {
    "array": lambda np: np.array(1.0),
    "asarray of an element": lambda np: np.asarray(np.ones(3).sum()),
    "copy": lambda np: np.copy(np.ones(3).sum()),
    "method copy": lambda np: np.array(1.0).copy(),
    "zeros": lambda np: np.zeros(()),
    "full_like": lambda np: np.full_like(np.ones(3).sum(), 4),
    "ellipsis": lambda np: np.ones(3)[0, ...],
    "ellipsis of an element": lambda np: np.ones(3).sum()[...],
    "reshape": lambda np: np.ones(1).reshape(()),
    "squeeze": lambda np: np.ones((1, 1)).squeeze(),
    "where": lambda np: np.where(np.array(True), np.array(1.0), 2.0),
    "astype": lambda np: np.array(1).astype("f8"),
    "real": lambda np: np.array(1j).real,
    "transpose": lambda np: np.array(1.0).T,
    "new axis of an element": lambda np: np.ones(3).sum()[None],
    "vector of an element": lambda np: np.atleast_1d(np.ones(3).sum()),
    "ravelled element": lambda np: np.ravel(np.ones(3).sum()),
    "reshaped element": lambda np: np.ones(3).sum().reshape(1),
}


@pytest.mark.parametrize("case", ELEMENTS)
def test_elements_never_change(case):
    assert not isinstance(ELEMENTS[case](numpy), numpy.ndarray)
    element = ELEMENTS[case](np)
    assert element.shape == () and not element.flags.writeable
    assert np.isscalar(element) and element.base is None
    was = element.item()
    with pytest.raises(TypeError, match="PX150"):
        element[()] = 5
    with pytest.raises(TypeError, match="PX150"):
        element[1] = 5
    with pytest.raises(TypeError, match="PX140"):
        np.add(element, 1, out=element)
    with pytest.raises(TypeError):
        np.copyto(element, 3)
    same = element
    same = same.astype(float) if was in (True, False) else same
    same += 1
    assert element.item() == was and same.item() == was + 1
    for view in [
        element.reshape(1),
        np.asarray(element),
        np.atleast_2d(element),
        element[...],
        element[None],
        np.broadcast_arrays(element, element)[0],
    ]:
        if view.flags.writeable:
            view[...] = 0
    assert element.item() == was
    assert hash(element) == hash(was)


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_without_axes_are_written(case):
    assert isinstance(ARRAYS[case](numpy), numpy.ndarray)
    array = ARRAYS[case](np)
    assert array.flags.writeable and not np.isscalar(array)
    same = array
    array[...] = 7
    assert array.tolist() in (7, [7])
    array += 1
    assert same is array and array.tolist() in (8, [8])


def test_an_element_stays_as_it_was_when_its_array_is_written():
    x = np.zeros(3)
    first, total = x[0], x.sum()
    x[...] = 5
    assert (first, total) == (0, 0)
    one = np.array(1.0)
    taken = one[()]
    one[...] = 2
    assert taken == 1
    # A sum over no axes is no view either.
    summed = one.sum()
    one += 1
    assert summed == 2


def test_elements_are_copied_and_pickled_as_elements():
    import copy
    import pickle

    element = np.arange(4)[2]
    for other in [copy.copy(element), copy.deepcopy(element), pickle.loads(pickle.dumps(element))]:
        assert other == 2 and not other.flags.writeable
    array = np.array(2.0)
    for other in [copy.copy(array), pickle.loads(pickle.dumps(array))]:
        other += 1
        assert other == 3 and array == 2


def test_an_element_is_not_written_with_what_has_axes():
    for key in [0, (1,), -1]:
        for value in [np.ones(1), [5], numpy.ones((1, 1)), [[1.0]], np.ones(0)]:
            x = np.zeros(2)
            with pytest.raises(ValueError, match="PX158"):
                x[key] = value
            with pytest.raises(ValueError, match="PX158"):
                x.flat[0] = value
            assert x.tolist() == [0, 0]
    # NumPy's classes depend on the dtype, and a truth value may be that of an array.
    with pytest.raises(TypeError, match="PX158"):
        np.zeros(2, complex)[0] = np.ones(1)
    with pytest.raises(ValueError, match="PX158"):
        np.zeros(2, complex).flat[0] = np.ones(1)
    truth = np.zeros(2, bool)
    truth[0] = np.ones((1, 1))
    assert truth.tolist() == [True, False]
    truth[1] = numpy.ones(1)
    assert truth.all()
    for value in [np.ones(2), np.ones(0), [0]]:
        with pytest.raises(ValueError, match="PX158"):
            truth[1] = value
    x = np.zeros((2, 2))
    with pytest.raises(ValueError):
        x[0, 1] = np.ones(1)
    x[0, 1, ...] = np.ones(1)
    x[1] = np.ones((1, 1))
    x[0, 0] = np.ones(1)[0]
    assert x.tolist() == [[1, 1], [1, 1]]


def test_no_number_equals_an_object_that_is_none():
    x = np.arange(6.0).reshape(2, 3)
    for value in [None, ..., object(), "a", range]:
        for swapped in (False, True):
            equal = value == x if swapped else x == value
            unequal = value != x if swapped else x != value
            assert equal.shape == (2, 3) and not equal.any() and unequal.all(), value

    class Equal:
        def __eq__(self, other):
            return "equal"

    assert (x == Equal()) == "equal"


def test_elements_are_instances_of_the_classes_of_numbers():
    for dtype in ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64"):
        ours, theirs = np.ones(2, dtype)[0], numpy.ones(2, dtype)[0]
        classes = (numbers.Number, numbers.Complex, numbers.Real, numbers.Integral, float, complex)
        classes += (numpy.generic, numpy.number, numpy.integer, numpy.floating, numpy.bool_)
        for kind in (*classes, numpy.dtype(dtype).type):
            assert isinstance(ours, kind) == isinstance(theirs, kind), (dtype, kind)
        assert isinstance(ours, np.ndarray) and type(ours) is np.ndarray
    for array in (np.ones(2), np.zeros(())):
        assert not isinstance(array, numbers.Number) and array.__class__ is np.ndarray
    assert pickle.loads(pickle.dumps(np.ones(2)[0])) == 1

    class Repeated(collections.UserList):
        pass

    assert (np.arange(3)[2] * Repeated([1, 2])).tolist() == [2, 4]
    assert np.arange(3)[2] * [1, 2] == [1, 2, 1, 2]


def test_positions_of_item():
    for module in (np, numpy):
        assert module.ones(1).item(()) == 1 and module.ones((2, 2)).item((0, 1)) == 1
        with pytest.raises(ValueError):
            module.ones(2).item(())
    for position in (None, "a", 1.0):
        with pytest.raises(TypeError, match="PX152"):
            np.ones(2).item(position)


# What needs the array of an element that was read, or computed from such elements.
NEEDS = {
    "shape": lambda x: (x.shape, x.ndim, x.size, x.dtype.name),
    "layout": lambda x: (x.strides, x.flags.owndata, x.flags.c_contiguous, x.base is None),
    "reshape": lambda x: x.reshape(1, 1).tolist(),
    "new axis": lambda x: x[None].tolist(),
    "item": lambda x: (x.item(), x.tolist(), x[()].item()),
    "bytes": lambda x: x.tobytes(),
    "copy": lambda x: (x.copy() + x).item(),
    "sum": lambda x: (x.sum() + x.T + x.real).item(),
    "cast": lambda x: (x.real.astype("f4") + x).dtype.name,
    "beside a list": lambda x: (x + [1, 2.5]).tolist(),
    "in place": lambda x: (x := x + 1, x)[1].item(),
}


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16", "bool"])
def test_an_element_serves_as_an_array(need, dtype):
    def used(module):
        values = module.asarray(numpy.array([1, 0, 1, 1]), dtype=dtype).reshape(2, 2)
        computed = [values[1, 0], values[0, 1] | values[0, 0] if dtype == "bool"
                    else values[0, 0] * values[1, 1] + 1]
        # The second use finds the array that the first has made.
        return [[NEEDS[need](element), NEEDS[need](element), element + element == element]
                for element in computed]

    assert used(np) == used(numpy)


def test_an_element_takes_part_in_operations_on_arrays_of_any_dtype():
    for left in ("f8", "f4", "i4", "c8"):
        for right in ("f8", "f4", "i4", "bool"):
            def computed(module, left=left, right=right):
                a = module.arange(5).astype(left)
                x = module.asarray([1, 3]).astype(right)[1]
                made = [a * x, x + a, a == x, x / (a + 1), a ** x, x ** x]
                a = a.copy()
                a += module.asarray([1, 3]).astype("i4")[1]
                return [one.tolist() for one in [*made, a]], [one.dtype.name for one in made]

            values, dtypes = computed(np)
            wanted, wanted_dtypes = computed(numpy)
            assert dtypes == wanted_dtypes
            for ours, theirs in zip(values, wanted, strict=True):
                numpy.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_an_array_changed_in_place_refuses_an_element_of_a_wider_kind():
    whole, real = np.arange(3), np.asarray([0.5, 1.5])
    with pytest.raises(TypeError):
        whole += real[0]
    assert whole.tolist() == [0, 1, 2]
    real += whole[1]
    assert real.tolist() == [1.5, 2.5]


def test_elements_of_a_subclass_have_its_class():
    class Own(np.ndarray):
        pass

    values = np.arange(4.0).view(Own)
    values.sum().item()
    element = values[2]
    assert (type(element + element), type(-element)) == (type(element), type(element))
    assert [type(one) for one in values] == [type(element)] * 4
    assert (element + element).item() == 4
