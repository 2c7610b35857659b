"""`phalanx.x.GeneralizedUFunc`: inner and outer axes, dtypes, and output arrays."""

import random

import numpy
import pytest

import phalanx as np
from phalanx.x import GeneralizedUFunc

X = numpy.arange(60.0).reshape(3, 4, 5)


def made(signature, function=lambda x: x, **options):
    return GeneralizedUFunc(function, signature, **options)


@pytest.mark.parametrize("is_batched", [False, True])
def test_inner_axes_are_last_and_outer_ones_broadcast(is_batched):
    product = made(
        "(m,n),(n)->(m)", lambda a, v: (a * v[..., None, :]).sum(-1), supports_batched=is_batched
    )
    a, v = np.asarray(X), np.arange(5.0)
    numpy.testing.assert_allclose(product(a, v).get(), X @ numpy.arange(5.0))
    several = numpy.arange(30.0).reshape(2, 3, 5)
    found = product(a, np.asarray(several))
    numpy.testing.assert_allclose(found.get(), numpy.einsum("kij,lkj->lki", X, several))
    # Without outer axes there is one call.
    assert product(X[0], numpy.ones(5)).shape == (4,)
    assert (product.nin, product.nout, product.nargs) == (2, 1, 3)
    for wrong in [(a,), (a, v, v, v)]:
        with pytest.raises(TypeError):
            product(*wrong)
    for wrong in [(a, np.ones(4)), (v, v), (a, np.ones((2, 5)))]:
        with pytest.raises(ValueError):
            product(*wrong)


def test_a_function_sees_inner_axes_unless_it_takes_all():
    seen = []

    def kept(x):
        seen.append(x.shape)
        return x

    made("(i,j)->(i,j)", kept)(X)
    assert seen == [(4, 5)] * 3
    seen.clear()
    made("(i,j)->(i,j)", kept, supports_batched=True)(X)
    assert seen == [(3, 4, 5)]


AXES = [
    ("(i,j)->(i,j)", [(0, 1), (-2, -1)]),
    ("(i,j)->(i,j)", [(2, 0), (0, 1)]),
    ("(i)->(i)", [0, 2]),
    ("(i)->(i)", [(-1,), (1,)]),
    ("(i,j,k)->(i,j,k)", [(1, 2, 0), (0, 2, 1)]),
]


@pytest.mark.parametrize("signature, axes", AXES)
@pytest.mark.parametrize("is_batched", [False, True])
def test_inner_axes_are_where_a_call_says(signature, axes, is_batched):
    found = made(signature, supports_batched=is_batched)(X, axes=axes)
    numpy.testing.assert_array_equal(found.get(), numpy.moveaxis(X, *axes))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_one_inner_axis_is_named_alone_and_kept(axis, keepdims):
    total = made("(i)->()", lambda x: x.sum(axis=-1))
    expected = X.sum(axis, keepdims=keepdims)
    for options in [{"axis": axis}, {"axes": [axis, axis if keepdims else ()]}]:
        found = total(X, keepdims=keepdims, **options)
        numpy.testing.assert_array_equal(found.get(), expected)
    # The place of the axis in the output is the last one if it is not given.
    found = total(X, keepdims=keepdims, axes=[axis])
    expected = X.sum(axis)[..., None] if keepdims else expected
    numpy.testing.assert_array_equal(found.get(), expected)
    both = made("(i),(i)->()", lambda x, y: (x * y).sum(-1))
    found = both(X, X, axis=axis, keepdims=keepdims)
    numpy.testing.assert_allclose(found.get(), (X * X).sum(axis, keepdims=keepdims))


WRONG_AXES = [
    ("(i,j)->(i,j)", {"axis": 0}),
    ("(i,j)->(i,j)", {"keepdims": True}),
    ("(i,j)->(i,j)", {"axes": [(0, 1)]}),
    ("(i,j)->(i,j)", {"axes": [(0,), (0, 1)]}),
    ("(i)->(i)", {"axes": [0, 9]}),
]


@pytest.mark.parametrize("signature, options", WRONG_AXES)
def test_axes_that_do_not_fit_are_refused(signature, options):
    with pytest.raises(ValueError):
        made(signature)(X, **options)
    with pytest.raises(TypeError):
        made("(i)->()", lambda x: x.sum())(X, axis=0, axes=[0])


@pytest.mark.parametrize("signature", ["", "(i)", "(i)(j)->(i)", "(i)->(i", "i->i", "(i)->()->()",
                                       "(i,)->()", 3, "(i)->"])
def test_texts_that_are_no_signatures_are_refused(signature):
    with pytest.raises(ValueError, match="PX144"):
        made(signature)


def test_extents_that_are_numbers_and_those_of_one():
    cross = made("(3),(3)->(3)", lambda x, y: np.cross(x, y))
    found = cross(np.ones((2, 3)), np.arange(3.0))
    assert found.shape == (2, 3)
    with pytest.raises(ValueError):
        cross(np.ones(2), np.ones(2))
    total = made("(n|1),(n|1)->()", lambda x, y: (x * y).sum())
    assert float(total(np.ones(1), np.arange(4.0))) == 6
    assert float(total(np.arange(4.0), np.ones(1))) == 6
    with pytest.raises(ValueError):
        total(np.ones(3), np.ones(4))


def test_axes_that_operands_may_lack():
    product = made("(m?,n),(n,p?)->(m?,p?)", lambda a, b: a @ b)
    rng = numpy.random.default_rng(1)
    for left in [(4,), (3, 4), (2, 3, 4)]:
        for right in [(4,), (4, 5)]:
            if len(left) == 3 and len(right) == 1:
                continue
            a, b = rng.random(left), rng.random(right)
            numpy.testing.assert_allclose(product(a, b).get(), a @ b)
    with pytest.raises(ValueError):
        made("(a?,b),(a?)->(b)", lambda a, b: b)(np.ones(2), np.ones((2, 2)))


def test_outputs_are_several_and_are_written():
    split = made("(n)->(),(n)", lambda x: (x.sum(), x - x.mean()))
    total, rest = split(X)
    numpy.testing.assert_array_equal(total.get(), X.sum(-1))
    numpy.testing.assert_allclose(rest.get(), X - X.mean(-1, keepdims=True))
    outs = np.zeros((3, 4)), np.zeros((3, 4, 5))
    assert split(X, out=outs)[0] is outs[0]
    numpy.testing.assert_array_equal(outs[0].get(), X.sum(-1))
    total = np.zeros((3, 4))
    assert split(X, total)[0] is total
    numpy.testing.assert_array_equal(total.get(), X.sum(-1))
    with pytest.raises(ValueError):
        made("(n)->(n,n)", lambda x: (x, x))(X)
    plain = made("(n)->(n)")
    for wrong, error in [
        (np.zeros((3, 4, 4)), ValueError),
        (np.zeros((3, 4, 5), "i2"), TypeError),
        (numpy.zeros((3, 4, 5)), TypeError),
        ((np.zeros((3, 4, 5)),) * 2, ValueError),
    ]:
        with pytest.raises(error):
            plain(X, out=wrong)
    with pytest.raises(TypeError):
        plain(X, np.zeros(X.shape), out=np.zeros(X.shape))
    small = np.zeros((3, 4, 5), "i2")
    plain(X, out=small, casting="unsafe")
    numpy.testing.assert_array_equal(small.get(), X.astype("i2"))


@pytest.mark.parametrize("is_batched", [False, True])
def test_a_function_writes_the_output_itself(is_batched):
    def doubled(x, out=None):
        if out is None:
            return x * 2
        out[...] = x * 2

    double = made("(n)->(n)", doubled, supports_out=True, supports_batched=is_batched)
    out = np.zeros(X.shape)
    assert double(X, out=out) is out
    numpy.testing.assert_array_equal(out.get(), X * 2)
    out = np.zeros((5, 3, 4))
    double(X, out=out, axes=[2, 0])
    numpy.testing.assert_array_equal(out.get(), numpy.moveaxis(X * 2, 2, 0))
    numpy.testing.assert_array_equal(double(X).get(), X * 2)


def test_dtypes_choose_functions():
    seen = []

    def of(name):
        def function(x, y):
            seen.append(name)
            return x + y

        return function

    pairs = [("ii->i", of("int")), ("dd->d", of("double")), "ff->f"]
    add = made("(n),(n)->(n)", of("other"), signatures=pairs)
    assert add.types == ["ii->i", "dd->d", "ff->f"]
    expected = {"i": "int", "h": "int", "d": "double", "q": "double", "f": "double", "D": "other"}
    for kind, name in expected.items():
        x = np.ones(3, kind)
        assert add(x, x).dtype == {"int": "int32", "double": "float64"}.get(name, kind)
        assert seen.pop() == name
    x = np.ones(3, "f4")
    assert add(x, x, casting="no").dtype == "float32" and seen.pop() == "other"
    for asked in ["ii->i", "i", ("i", "i", "i"), (None, None, "i")]:
        assert add(x, x, signature=asked, casting="unsafe").dtype == "int32"
        assert seen.pop() == "int"
    with pytest.raises(TypeError):
        add(x, x, signature="ii->i")
    for asked in ["i->i", "DD->D", "", ("i", "i"), "ii"]:
        with pytest.raises(TypeError):
            add(x, x, signature=asked, casting="unsafe")
    assert made("(n)->(n)")(x, dtype="f8").dtype == "float64"
    with pytest.raises(TypeError):
        made("(n)->(n)")(np.ones(3), dtype="i4")
    for wrong in [["i"], [""], ["iii->i"], ["ii->"], [("i->i", len)]]:
        with pytest.raises(ValueError):
            made("(n),(n)->(n)", signatures=wrong)


@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
def test_outputs_lie_as_a_call_says(order):
    for given in (numpy.ascontiguousarray(X), numpy.asfortranarray(X)):
        found = made("(i,j,k)->(i,j,k)")(np.asarray(given), order=order)
        wanted = numpy.asarray(given, order=order) if order != "A" else given
        assert found.strides == wanted.strides
        numpy.testing.assert_array_equal(found.get(), X)


def test_no_outer_position_and_no_element():
    assert made("(i)->()", lambda x: x.sum())(np.ones((0, 3))).shape == (0,)
    assert made("(i)->(i)")(np.ones((2, 0, 3), "i4")).shape == (2, 0, 3)
    assert made("(i)->()", lambda x: x.sum())(np.ones((2, 0))).tolist() == [0, 0]
    assert made("()->()", lambda x: x + 1)(np.arange(3)).tolist() == [1, 2, 3]


def test_a_function_has_a_name_and_a_doc():
    named = made("(i)->()", lambda x: x.sum(), name="total", doc="The sum.")
    assert named.__name__ == "total" and named.__doc__ == "The sum."
    assert repr(named) == "<GeneralizedUFunc 'total' (i)->()>"
    assert named.signature == "(i)->()"


# NumPy's own generalized ufuncs, and functions for the same signatures.
NUMPYS = {
    "matmul": ("(n?,k),(k,m?)->(n?,m?)", lambda x, y: x @ y),
    "vecdot": ("(n),(n)->()", lambda x, y: (x * y).sum(-1)),
    "matvec": ("(m,n),(n)->(m)", lambda x, y: (x * y[..., None, :]).sum(-1)),
    "vecmat": ("(n),(n,m)->(m)", lambda x, y: (x[..., :, None] * y).sum(-2)),
}
NUMPYS = {name: one for name, one in NUMPYS.items() if hasattr(numpy, name)}


def copied(options):
    """Options with arrays of their own; NumPy's arrays become ones of this framework."""
    def copy(one, make):
        if isinstance(one, tuple):
            return tuple(copy(each, make) for each in one)
        return make(one) if isinstance(one, numpy.ndarray) else one

    out = options.get("out")
    given, wanted = dict(options), dict(options)
    if out is not None:
        given["out"], wanted["out"] = copy(out, np.asarray), copy(out, numpy.copy)
    return given, wanted


def check_as_numpy(ours, numpys, arrays, options, is_exact=True):
    """Both have the same result, or raise errors of the same class; returns whether they do."""
    given, wanted = copied(options)
    try:
        expected = numpys(*arrays, **wanted)
    except (TypeError, ValueError, IndexError) as error:
        # Of several mistakes, each may report another one.
        with pytest.raises(type(error) if is_exact else (TypeError, ValueError, IndexError)):
            ours(*map(np.asarray, arrays), **given)
        return False
    found = ours(*map(np.asarray, arrays), **given)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    tolerance = 1e-5 if expected.dtype == "f4" else 1e-12
    numpy.testing.assert_allclose(found.get(), expected, rtol=tolerance)
    if isinstance(given.get("out"), np.ndarray):
        assert found is given["out"]
    return True


@pytest.mark.parametrize("is_batched", [False, True])
@pytest.mark.parametrize("name", NUMPYS)
def test_random_calls_are_those_of_numpy(name, is_batched):
    signature, function = NUMPYS[name]
    ours = made(signature, function, name=name, supports_batched=is_batched)
    draw, good = random.Random(name), 0
    values = numpy.random.default_rng(0)
    for _ in range(200):
        shapes = [tuple(draw.choice([2] * 9 + [3, 1]) for _ in range(draw.choice([0, 1, 2, 2, 3])))
                  for _ in range(2)]
        arrays = [values.random(shape) for shape in shapes]
        options = {}
        cores = [part.count(",") + bool(part)
                 for part in signature.replace("->", ",")[1:-1].split("),(")]
        if draw.random() < 0.4:
            options["axes"] = [tuple(draw.randrange(-2, 2) for _ in range(count))
                               for count in cores]
            if draw.random() < 0.3:
                options["axes"] = [one[0] if len(one) == 1 else one for one in options["axes"]]
            if draw.random() < 0.2:
                options["axes"].pop()
        elif draw.random() < (0.3 if name == "vecdot" else 0.05):
            options["axis"] = draw.randrange(-3, 3)
        if draw.random() < 0.15:
            options["keepdims"] = draw.choice([True, False, True, 2])
        if draw.random() < 0.2:
            options["dtype"] = draw.choice(["f4", "f8"])
        if draw.random() < 0.3:
            shape = tuple(draw.choice([2] * 9 + [1]) for _ in range(draw.randrange(4)))
            out = numpy.zeros(shape, options.get("dtype", "f8"))
            options["out"] = draw.choice([out, (out,), (None,), (), (out, out)])
        if strange(name, shapes, options):
            continue
        good += check_as_numpy(ours, getattr(numpy, name), arrays, options, is_exact=False)
    assert good > 15, (name, good)


def strange(name, shapes, options):
    """Calls that NumPy answers in a way of its own."""
    out = options.get("out")
    out = out[0] if isinstance(out, tuple) and out else out
    if options.get("keepdims") is False and name != "vecdot":
        # It refuses an option that has no effect.
        return True
    # It drops outer axes of extent 1 to fit an output with fewer axes.
    return isinstance(out, numpy.ndarray) and out.ndim < max(len(shape) for shape in shapes)


@pytest.mark.parametrize("axes", [None, [(0, 1), ()], [(2, 0)], [(0, 0), ()], [(0,), ()], [0, 1]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_determinants_are_called_as_numpys(axes, keepdims):
    ours = made("(m,m)->()", np.linalg.det)
    x = numpy.random.default_rng(1).random((3, 3, 3))
    options = {} if axes is None else {"axes": axes}
    check_as_numpy(ours, numpy.linalg._umath_linalg.det, [x], {**options, "keepdims": keepdims})


def test_axes_of_operands_that_lack_some():
    ours = made(*NUMPYS["matmul"])
    v, a = numpy.arange(3.0), numpy.random.default_rng(2).random((3, 4))
    for axes in [[(0,), (0, 1), (0,)], [0, (0, 1), 0], [(0, 1), (0, 1), (0, 1)],
                 [(), (0, 1), (0,)], [(-1,), (-2, -1), (-1,)]]:
        check_as_numpy(ours, numpy.matmul, [v, a], {"axes": axes})


WRONG_OPTIONS = [
    {"axes": 5}, {"axes": ((0,), (0,), ())}, {"axes": [0.5, 0]}, {"axes": [0, 0, 0]},
    {"axis": 1.5}, {"axis": (0,)}, {"keepdims": 1}, {"casting": "other"}, {"order": "Z"},
    {"where": True}, {"signature": "dd->d", "dtype": "f8"}, {"signature": ("f8", "f8")},
    {"out": ()}, {"out": (None, None)}, {"axes": [0, 0], "axis": 0}, {"axis": 4},
]


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=str)
def test_options_are_refused_as_by_numpy(options):
    ours, numpys = made(*NUMPYS["vecdot"]), numpy.vecdot
    assert check_as_numpy(ours, numpys, [X, X], {}) is True
    assert check_as_numpy(ours, numpys, [X, X], options) is False


def test_errors_are_those_of_numpy_and_of_cupy():
    # CuPy raises a ValueError where NumPy raises a TypeError.
    for signature, options in [("(i,j)->(i,j)", {"axis": 0}), ("(i)->(i)", {"keepdims": True}),
                               ("(i)->()", {"axis": 0, "axes": [0]}), ("(i)->()", {"axes": (0,)})]:
        for error in (TypeError, ValueError):
            with pytest.raises(error):
                made(signature)(X, **options)
    for error in (TypeError, ValueError):
        with pytest.raises(error):
            made(3)
    with pytest.raises(ValueError, match=r"no `\|1`"):
        made("(i)->(i|1)")


def test_outputs_have_more_outer_positions_than_inputs():
    ours = made(*NUMPYS["vecdot"])
    x = numpy.arange(12.0).reshape(1, 3, 4)
    for shape in [(5, 1, 3), (2, 3), (1, 3)]:
        out = numpy.zeros(shape)
        assert check_as_numpy(ours, numpy.vecdot, [x, x], {"out": out})
    for shape in [(5, 1, 2), (1, 1)]:
        assert not check_as_numpy(ours, numpy.vecdot, [x, x], {"out": numpy.zeros(shape)})


def test_results_have_the_extents_of_the_signature():
    for result in (lambda x: x[..., :2], lambda x: x.sum(), lambda x: x[..., None]):
        with pytest.raises(ValueError, match="gives shape"):
            made("(n)->(n)", result)(np.ones(3))
    with pytest.raises(ValueError, match="gives shape"):
        made("(n)->(2)", lambda x: x)(np.ones((4, 3)))
    # An extent that no input has is that of the result.
    assert made("(n)->(p)", lambda x: x[:2])(np.ones((4, 3))).shape == (4, 2)
    # A result of all positions may be the same in each.
    shared = made("(n)->(n)", lambda x: x[0, 0], supports_batched=True)(X)
    numpy.testing.assert_array_equal(shared.get(), numpy.broadcast_to(X[0, 0], X.shape))


def test_a_function_that_needs_an_output_is_given_one():
    def filled(x, out):
        out[...] = x * 2

    fill = made("(n)->(n)", filled, supports_out=True, supports_batched=True)
    numpy.testing.assert_array_equal(fill(X).get(), X * 2)
    numpy.testing.assert_array_equal(fill(X, axes=[0, 1]).get(), numpy.moveaxis(X * 2, 0, 1))
    assert fill(X, dtype="f4").dtype == "float32"

    def given(x, out=None):
        return x * 3

    out = np.zeros(X.shape)
    assert made("(n)->(n)", given, supports_out=True)(X, out=out) is out
    numpy.testing.assert_array_equal(out.get(), X * 3)


def test_a_fast_function_is_tried_first():
    calls = []

    def fast(*args, **options):
        calls.append(options["axis"])
        return NotImplemented if options["axis"] is not None else "fast"

    total = made("(n)->()", lambda x: x.sum(-1), try_fastcall_func=fast)
    assert total(X) == "fast"
    numpy.testing.assert_allclose(total(X, axis=0).get(), X.sum(0))
    assert calls == [None, 0]
