"""phalanx.ufunc_from: ufuncs of an expression."""

import functools

import numpy
import pytest

import phalanx as np

SIZES = (0, 1, 2, 7, 100_003)


def affine(dtype="f8"):
    """A combination that is associative and depends on the order: maps x -> p x + q, packed in
    complex numbers."""
    return np.ufunc_from("complex<double>(x.real() * y.real(), x.imag() * y.real() + y.imag())")


def either():
    return np.ufunc_from("x + y - x * y", identity=0, name="either")


def random(size, dtype="f8"):
    return numpy.random.default_rng(size).random(size).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_calls_broadcast_promote_and_write(dtype):
    ufunc = either()
    x, y = random((5, 1), dtype), random(7, dtype)
    expected = x + y - x * y
    result = ufunc(np.array(x), np.array(y))
    assert result.dtype == dtype and result.shape == (5, 7)
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-6)
    mixed = ufunc(np.array(x), np.arange(7))
    assert mixed.dtype == numpy.result_type(x.dtype, "i8")
    assert ufunc(np.array(x), 0.5).dtype == dtype
    assert ufunc(np.array(x), 0.5, dtype="f4").dtype == "f4"
    out = np.zeros((5, 7), dtype)
    assert ufunc(np.array(x), np.array(y), out=out) is out
    assert ufunc(np.array(x), np.array(y), out) is out
    numpy.testing.assert_allclose(numpy.asarray(out), expected, rtol=1e-6)
    mask = numpy.arange(7) % 2 == 0
    out = np.full((5, 7), -1.0, dtype)
    ufunc(np.array(x), np.array(y), out=out, where=np.array(mask))
    numpy.testing.assert_allclose(
        numpy.asarray(out), numpy.where(mask, expected, -1), rtol=1e-6
    )


def test_names_and_attributes():
    ufunc = np.ufunc_from("max(b, a) + M_PI * 2.5e3f", name="most")
    assert (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.identity) == (2, 1, 3, None)
    assert ufunc.__name__ == "most" and repr(ufunc) == "<ufunc 'most'>"
    assert np.ufunc_from("y - x", "y, x")(np.array([5.0]), 2.0).tolist() == [3.0]
    assert np.ufunc_from("y - x")(np.array([5.0]), 2.0).tolist() == [-3.0]
    assert np.ufunc_from("x > 0 ? sqrt(x) : 0").nin == 1
    above = np.ufunc_from("x > y", output=bool)
    assert above(np.arange(3.0), 1.0).tolist() == [False, False, True]
    with pytest.raises(ValueError, match="one or two inputs"):
        np.ufunc_from("x + y + z")
    with pytest.raises(ValueError, match="PX138"):
        np.ufunc_from("x +* y")
    with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
        either()(np.ones(3))


@pytest.mark.parametrize("size", SIZES)
def test_reductions_are_in_order(size):
    x = random(size)
    expected = 1 - numpy.prod(1 - x)
    assert float(either().reduce(np.array(x))) == pytest.approx(expected, rel=1e-12)
    pairs = 1 + 1e-5 * (random(size) - 0.5) + 1j * random(size + 1)[:size]
    pairs = pairs.astype("c16")
    if size:
        together = functools.reduce(
            lambda one, other: complex(
                one.real * other.real, one.imag * other.real + other.imag
            ),
            pairs.tolist(),
        )
        assert complex(affine().reduce(np.array(pairs))) == pytest.approx(together, rel=1e-9)
    else:
        with pytest.raises(ValueError):
            affine().reduce(np.array(pairs))
        assert complex(affine().reduce(np.array(pairs), initial=2j)) == 2j


def test_reductions_over_axes():
    x = random((6, 5, 4))
    expected = 1 - numpy.prod(1 - x, axis=(0, 2), keepdims=True)
    result = either().reduce(np.array(x), axis=(0, 2), keepdims=True)
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-12)
    assert either().reduce(np.array(x)).shape == (5, 4)
    assert either().reduce(np.zeros((0, 3))).tolist() == [0.0] * 3
    out = np.zeros(5)
    assert either().reduce(np.array(x), axis=(0, 2), out=out, initial=1.0) is out
    numpy.testing.assert_allclose(numpy.asarray(out), numpy.ones(5), rtol=1e-12)
    add = np.ufunc_from("x + y")
    assert int(add.reduce(np.arange(100_000))) == 4999950000
    with pytest.raises(ValueError, match="two inputs"):
        np.ufunc_from("-x").reduce(np.ones(3))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_accumulations(size):
    pairs = (0.9 + 0.2 * random(size) + 1j * random(size + 1)[:size]).astype("c16")
    expected, held = [], None
    for one in pairs.tolist():
        held = one if held is None else complex(
            held.real * one.real, held.imag * one.real + one.imag
        )
        expected.append(held)
    result = affine().accumulate(np.array(pairs))
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-9)
    x = random((5, size))
    result = either().accumulate(np.array(x), axis=-1)
    numpy.testing.assert_allclose(
        numpy.asarray(result), 1 - numpy.cumprod(1 - x, axis=1), rtol=1e-9
    )
    total = np.ufunc_from("x + y").accumulate(np.array(x), axis=0)
    numpy.testing.assert_allclose(numpy.asarray(total), numpy.cumsum(x, axis=0), rtol=1e-12)


def test_outer():
    x, y = random(5), random((3, 2))
    result = np.ufunc_from("x - y").outer(np.array(x), np.array(y))
    numpy.testing.assert_allclose(numpy.asarray(result), numpy.subtract.outer(x, y))


@pytest.mark.parametrize("count", [0, 1, 50, 5000])
def test_at_combines_all_values_of_an_element(count):
    generator = numpy.random.default_rng(count)
    x, places, values = (
        random(40), generator.integers(-40, 40, count), generator.random(count)
    )
    expected = x.copy()
    for place, value in zip(places, values):
        expected[place] = expected[place] + value - expected[place] * value
    ours = np.array(x)
    either().at(ours, np.array(places), np.array(values))
    numpy.testing.assert_allclose(numpy.asarray(ours), expected, rtol=1e-9)
    # The last value stays, as the order of the values says.
    last = np.ufunc_from("x * 0 + y")
    expected = x.copy()
    expected[places] = values
    ours = np.array(x)
    last.at(ours, np.array(places), np.array(values))
    numpy.testing.assert_array_equal(numpy.asarray(ours), expected)


def test_at_takes_any_index():
    x = random((4, 5))
    ours, expected = np.array(x), x.copy()
    numpy.add.at(expected, (slice(1, None), [0, 0, 2]), [1.0, 2.0, 3.0])
    np.ufunc_from("x + y").at(ours, (slice(1, None), [0, 0, 2]), [1.0, 2.0, 3.0])
    numpy.testing.assert_allclose(numpy.asarray(ours), expected)
    ours, expected = np.array(x), x.copy()
    numpy.negative.at(expected, ([0, 0, 1],))
    np.ufunc_from("-x").at(ours, ([0, 0, 1],))
    numpy.testing.assert_array_equal(numpy.asarray(ours), expected)
    view = np.array(x)[:, ::2]
    np.ufunc_from("x + y").at(view, [1], 1.0)
    numpy.testing.assert_allclose(numpy.asarray(view)[1], x[1, ::2] + 1)
    with pytest.raises(IndexError):
        np.ufunc_from("x + y").at(ours, [7], 1.0)
    with pytest.raises(ValueError):
        np.ufunc_from("x + y").at(ours, [1])


def product():
    return np.ufunc_from("x * y", name="product")


def test_calls_convert_outputs_and_inputs_as_numpy_does():
    x = random(3) + 1
    for act, message in [
        (lambda: product()(np.array(x), 1.0, out=np.zeros(3, int)), "float64 to int64"),
        (lambda: product()(np.array(x) * 1j, 1.0, out=np.zeros(3)), "complex128 to float64"),
        (lambda: product().outer(x, x, out=np.zeros((3, 3), int)), "float64 to int64"),
        (lambda: product()(np.array(x), 2, dtype=int), "input 0 from float64 to int64"),
        (lambda: product()(np.arange(3), 1.5, dtype=int), "input 1 from float64 to int64"),
        (lambda: product()(np.arange(3), 2, dtype="u1"), "input 0 from int64 to uint8"),
        (lambda: product()(np.array(x), 1.0, out=np.zeros(3, int), where=np.array(x) > 1),
         "float64 to int64"),
    ]:
        with pytest.raises(TypeError, match=f"{message} with casting rule 'same_kind'"):
            act()
    narrow = product()(np.array(x), 2.0, out=np.zeros(3, "f4"))
    numpy.testing.assert_array_equal(numpy.asarray(narrow), (x * 2).astype("f4"))
    assert product()(np.arange(3, dtype="u1"), 2, dtype="u1").tolist() == [0, 2, 4]
    assert product()([1.5, 2.5], 2, dtype="f4").dtype == "f4"


def test_calls_broadcast_to_outputs_and_conditions():
    x, mask = numpy.arange(3.0), numpy.array([[True, False, True], [False, True, True]])
    for options in (
        {"out": numpy.full((2, 3), -1.0)},
        {"out": numpy.full((2, 3), -1.0), "where": mask[0]},
        {"out": numpy.full((2, 3), -1.0), "where": mask},
        {"out": numpy.full((2, 3), -1.0), "where": False},
        {"out": (numpy.full(3, -1.0),), "where": [True, False, True]},
    ):
        ours = dict(options)
        (out,) = options["out"] if isinstance(options["out"], tuple) else (options["out"],)
        ours["out"] = np.array(out)
        product()(np.array(x), 2.0, **ours)
        numpy.multiply(x, 2.0, **options)
        numpy.testing.assert_array_equal(numpy.asarray(ours["out"]), out)
    result = product()(np.array(x), 2.0, where=np.array(mask))
    assert result.shape == (2, 3)
    numpy.testing.assert_array_equal(
        numpy.asarray(result)[mask], numpy.broadcast_to(x * 2, (2, 3))[mask]
    )
    for options in (
        {"out": np.zeros(2)}, {"out": np.zeros(3), "where": np.array(mask)}, {"out": np.zeros(())},
    ):
        with pytest.raises(ValueError, match="doesn't match the broadcast shape"):
            product()(np.array(x), 2.0, **options)
    with pytest.raises(ValueError, match="a tuple of 2 outputs"):
        product()(np.array(x), 2.0, out=(np.zeros(3), np.zeros(3)))
    with pytest.raises(TypeError, match="array of bool"):
        product()(np.array(x), 2.0, where=np.ones(3))


def test_outputs_of_reductions_and_scans_have_their_shape_and_any_dtype():
    x = numpy.array([1.5, 2.5, 2.0])
    for out in (np.zeros(5), np.zeros(1)):
        with pytest.raises(ValueError, match="for results of shape"):
            product().reduce(np.array(x), out=out)
    with pytest.raises(ValueError, match="for results of shape"):
        product().accumulate(np.array(x), out=np.zeros((2, 3)))
    # NumPy's reductions and scans convert to any dtype, too.
    for options in ({"out": int}, {"dtype": int}, {"out": int, "dtype": float}):
        for name, shape in (("reduce", ()), ("accumulate", (3,))):
            ours, theirs = (
                {**options, "out": m.zeros(shape, int)} if "out" in options else options
                for m in (np, numpy)
            )
            found = getattr(product(), name)(np.array(x), **ours)
            wanted = getattr(numpy.multiply, name)(x, **theirs)
            assert found.tolist() == wanted.tolist() and found.dtype == wanted.dtype


@pytest.mark.parametrize("identity, dtype", [
    (-numpy.inf, "f8"), (numpy.inf, "f4"), (numpy.nan, "f8"), (True, bool), (numpy.False_, "i4"),
    (numpy.float32(2.5), "f8"), (2**64 - 1, "u8"), (-(2**63), "i8"), (1 + 2j, "c16"),
    (1e-300, "f8"), ("1.0 / 4", "f8"), ("-INFINITY", "f8"), (numpy.array(7), "u1"),
])
def test_identities_are_numbers_or_texts(identity, dtype):
    ufunc = np.ufunc_from("x + y", identity=identity)
    assert ufunc.identity is identity
    known = {"1.0 / 4": 0.25, "-INFINITY": -numpy.inf}
    wanted = numpy.asarray(known[identity] if isinstance(identity, str) else identity, dtype)
    found = ufunc.reduce(np.zeros(0, dtype))
    assert found.dtype == dtype
    numpy.testing.assert_array_equal(numpy.asarray(found), wanted)


def test_identities_are_checked_when_the_ufunc_is_made():
    for identity in ("inf", "True", "x", "1 +", "1 1"):
        with pytest.raises(ValueError, match="PX"):
            np.ufunc_from("x + y", identity=identity)
    with pytest.raises(ValueError, match="no dtype has the identity"):
        np.ufunc_from("x + y", identity=2**70)
    with pytest.raises(TypeError, match="a number or a text, not list"):
        np.ufunc_from("x + y", identity=[0])


def test_an_identity_that_a_dtype_does_not_have_is_none():
    # Infinity as an integer would be 0, and the greatest of negative numbers.
    most = np.ufunc_from("x > y ? x : y", identity=-numpy.inf)
    assert most.reduce(np.array([-5, -3])).tolist() == -3
    assert most.reduce(np.array([-5.0, -3.0])).tolist() == -3
    with pytest.raises(ValueError, match="no identity"):
        most.reduce(np.zeros(0, int))


def test_initial_values_are_those_of_numpy():
    ufunc = np.ufunc_from("x + y", identity=0)
    for shape, axis in [((3,), 0), ((0, 3), 1), ((2, 3), (0, 1))]:
        x = numpy.ones(shape)
        for initial in (None, 2, 0.5):
            found = ufunc.reduce(np.array(x), axis=axis, initial=initial)
            wanted = numpy.add.reduce(x, axis=axis, initial=initial)
            numpy.testing.assert_array_equal(numpy.asarray(found), wanted)
    with pytest.raises(ValueError, match="no identity"):
        ufunc.reduce(np.zeros((0, 3)), initial=None)
    # A value becomes one of the dtype in which elements are combined.
    found = ufunc.reduce(np.array([1, 2]), initial=0.5)
    assert found.dtype == int and found.tolist() == 3
    with pytest.raises(ValueError, match="axis 5 is out of bounds"):
        ufunc.reduce(np.zeros((0, 3)), axis=5, initial=1)


def test_at_writes_arrays_in_the_common_dtype():
    for target, values in [
        (numpy.array([2, 3, 4]), 1.5), (numpy.array([2, 3, 4]), [1.5, 2.5, 0.5]),
        (numpy.array([2, 3, 4], "i1"), [300, 2, 2]), (numpy.array([2, 3, 4], "f4"), 1e-9),
    ]:
        ours, theirs = np.array(target), target.copy()
        product().at(ours, [0, 0, 1], values)
        numpy.multiply.at(theirs, [0, 0, 1], values)
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-6)
    for target in ([0.0, 1.0], numpy.zeros(2)):
        with pytest.raises(TypeError, match="the first operand is written"):
            product().at(target, [0], 1.0)


def test_names_of_dtypes_are_no_inputs():
    assert np.ufunc_from("(int64)x + (float32)0")(np.array([1.7])).tolist() == [1.0]


def test_numbers_are_computed_in_the_given_dtype():
    found = either()(2, 3, dtype="f4")
    assert found.dtype == numpy.float32 and float(found) == -1
