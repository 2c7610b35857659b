"""Mistakes in calls: NumPy's error classes, each with a code, in the text and as an attribute."""

import pathlib
import re

import numpy
import pytest

import phalanx as np

from . import worlds

X = [1.0, 2.0, 3.0]


def read_only():
    np.broadcast_to(np.ones(1), (3,))[0] = 1.0


def deleted():
    del np.ones(3)[0]


def raised_by_errstate():
    with np.errstate(divide="raise"):
        (np.ones(2) / np.zeros(2)).get()


MISTAKES = {
    # Words and keywords.
    "order": ("PX141", ValueError, lambda: np.zeros(3, order="Z")),
    "casting": ("PX141", ValueError, lambda: np.add(X, X, casting="any")),
    "mode of take": ("PX141", ValueError, lambda: np.take(X, [0], mode="up")),
    "mode of convolve": ("PX141", ValueError, lambda: np.convolve(X, X, mode="all")),
    "kind of sort": ("PX141", ValueError, lambda: np.sort(X, kind="bogo")),
    "indexing": ("PX141", ValueError, lambda: np.meshgrid(X, X, indexing="zz")),
    "norm": ("PX141", ValueError, lambda: np.linalg.norm(X, ord="big")),
    "norm of fft": ("PX141", ValueError, lambda: np.fft.fft(X, norm="big")),
    "device": ("PX141", ValueError, lambda: np.zeros(3, device="tpu")),
    "error mode": ("PX141", ValueError, lambda: np.seterr(all="shout")),
    "api version": ("PX141", ValueError, lambda: np.ones(1).__array_namespace__(api_version="1")),
    "keyword": ("PX142", TypeError, lambda: np.sum(X, axes=0)),
    "keyword of a method": ("PX142", TypeError, lambda: np.ones(3).sum(axes=0)),
    "keyword of a ufunc": ("PX142", TypeError, lambda: np.add(X, X, outs=None)),
    "given twice": ("PX142", TypeError, lambda: np.sum(X, a=X)),
    "error kind": ("PX142", TypeError, lambda: np.errstate(tiny="warn")),
    # Numbers of arguments.
    "too many": ("PX143", TypeError, lambda: np.sin(1, 2, 3)),
    "too many of a function": ("PX143", TypeError, lambda: np.trace(*range(9))),
    "too few": ("PX143", TypeError, lambda: np.add(1)),
    "too few of a function": ("PX143", TypeError, lambda: np.concatenate()),
    "nothing to reshape to": ("PX143", TypeError, lambda: np.ones(3).reshape()),
    # Types and values.
    "an axis": ("PX140", TypeError, lambda: np.sum(X, axis="first")),
    "a shape": ("PX140", TypeError, lambda: np.zeros("three")),
    "a real number": ("PX140", TypeError, lambda: np.isclose(X, X, rtol="tight")),
    "out": ("PX140", TypeError, lambda: np.add(X, X, out=numpy.zeros(3))),
    "extents": ("PX144", ValueError, lambda: np.eye(-1)),
    "a large extent": ("PX144", ValueError, lambda: np.zeros(10**30)),
    "a count": ("PX144", ValueError, lambda: np.linspace(0, 1, -1)),
    "a pad width": ("PX144", ValueError, lambda: np.pad(X, -1)),
    "widths of other axes": ("PX144", ValueError, lambda: np.pad(X, ((1, 1), (2, 2)))),
    "a seed": ("PX144", ValueError, lambda: np.random.default_rng(-1)),
    "a seed of text": ("PX140", TypeError, lambda: np.random.default_rng("abc")),
    "tolerances": ("PX145", ValueError, lambda: np.linalg.matrix_rank([X], tol=1, rtol=1)),
    "out of another shape": ("PX002", ValueError, lambda: np.cumsum(X, out=np.zeros(2))),
    "evaluate": ("PX140", TypeError, lambda: np.evaluate(1)),
    "a picture": ("PX140", TypeError, lambda: np.visualize_sharding(3)),
    "a plan": ("PX140", TypeError, lambda: np.explain(None)),
    "an axis of parts": ("PX140", TypeError, lambda: np.from_local(numpy.ones(2), axis=None)),
    "axes in a list": ("PX140", TypeError, lambda: np.sum([X], axis=[0, 1])),
    "axes in an array": ("PX140", TypeError, lambda: np.mean([X], axis=np.array([0, 1]))),
    "axes of a count": ("PX140", TypeError, lambda: np.count_nonzero([X], axis=[0, 1])),
    "new axes": ("PX140", TypeError, lambda: np.expand_dims(X, np.array([0, 1]))),
    "a place to part at": ("PX140", TypeError, lambda: np.partition(X, 1.5)),
    "a truth to part at": ("PX144", ValueError, lambda: np.partition(X, True)),
    "order of a ufunc": ("PX141", ValueError, lambda: np.add(X, X, order="Z")),
    "casting of a ufunc": ("PX012", TypeError, lambda: np.add(X, [1, 2, 3], casting="no")),
    "casting of one operand": ("PX012", TypeError, lambda: np.sin([1, 2], casting="equiv")),
    "shapes of huge extents": ("PX144", ValueError, lambda: np.broadcast_shapes(10**30)),
    "shapes of texts": ("PX140", TypeError, lambda: np.broadcast_shapes("a")),
    "no subscripts": ("PX143", ValueError, lambda: np.einsum(object())),
    "subscripts": ("PX140", TypeError, lambda: np.einsum(X, 3)),
    "words": ("PX144", ValueError, lambda: np.random.SeedSequence(1).generate_state(-1)),
    "parts of words": ("PX140", TypeError, lambda: np.random.SeedSequence(1).generate_state(1.5)),
    "children": ("PX144", OverflowError, lambda: np.random.SeedSequence(1).spawn(-1)),
    "deleted by a text": ("PX152", IndexError, lambda: np.delete(X, "b")),
    "deleted by a float": ("PX152", IndexError, lambda: np.delete(X, 1.5)),
    "filled with a text": ("PX146", ValueError, lambda: np.ones(3).fill("a")),
    "full of a text": ("PX146", ValueError, lambda: np.full(3, "a", dtype=int)),
    "an array for a dtype": ("PX147", TypeError, lambda: np.array(X, np.ones(2))),
    # Elements and dtypes.
    "ragged": ("PX146", ValueError, lambda: np.array([[1], [2, 3]])),
    "ragged with a dtype": ("PX146", ValueError, lambda: np.array([[1], [2, 3]], dtype="f8")),
    "texts": ("PX146", TypeError, lambda: np.asarray(["a", "b"])),
    "texts as numbers": ("PX146", ValueError, lambda: np.asarray(["a"], dtype="f8")),
    "objects": ("PX146", TypeError, lambda: np.asarray([object()])),
    "None": ("PX146", TypeError, lambda: np.sum(None)),
    "a huge integer in a list": ("PX146", TypeError, lambda: np.array([10**50])),
    "an integer beyond its dtype": ("PX146", OverflowError, lambda: np.array([10**30], dtype="i8")),
    "dtype": ("PX147", TypeError, lambda: np.zeros(3, dtype="number")),
    "dtype of objects": ("PX147", TypeError, lambda: np.zeros(3, dtype=object)),
    "dtype of texts": ("PX147", TypeError, lambda: np.zeros(3, dtype="U4")),
    "an integer beyond all": ("PX013", OverflowError, lambda: np.min_scalar_type(10**50)),
    "an integer beyond int32": ("PX013", OverflowError, lambda: np.ones(3, "i4") + 10**50),
    # Arrays that are no numbers.
    "int": ("PX149", TypeError, lambda: int(np.ones(2))),
    "float": ("PX149", TypeError, lambda: float(np.ones((1, 1, 2)))),
    "index": ("PX149", TypeError, lambda: range(np.ones(2, dtype=int))),
    "truth": ("PX149", ValueError, lambda: bool(np.ones(2))),
    "length": ("PX149", TypeError, lambda: len(np.ones(()))),
    "iteration": ("PX149", TypeError, lambda: iter(np.ones(()))),
    "hash": ("PX149", TypeError, lambda: hash(np.ones(3))),
    "format": ("PX149", TypeError, lambda: f"{np.ones(3):.2f}"),
    "item": ("PX149", ValueError, lambda: np.ones(3).item()),
    "conversion": ("PX154", ValueError, lambda: np.ones(3).__array__(copy=False)),
    # Attributes and arrays that cannot be changed.
    "written": ("PX150", ValueError, read_only),
    "deleted": ("PX150", ValueError, deleted),
    "shape": ("PX150", AttributeError, lambda: setattr(np.ones((2, 3)).T, "shape", (2, 3))),
    "resized": ("PX150", ValueError, lambda: np.ones(4).resize(2)),
    "flags": ("PX150", ValueError, lambda: np.ones(4)[0].setflags(write=True)),
    # Missing names and functions.
    "name": ("PX151", AttributeError, lambda: np.char),
    "attribute": ("PX151", AttributeError, lambda: np.ones(3).ctypes),
    "attribute of a generator": (
        "PX151",
        AttributeError,
        lambda: np.random.default_rng(1).multivariate_hypergeometric,
    ),
    "attribute of a bit generator": ("PX151", AttributeError, lambda: np.random.Philox(1).jumped),
    "name of linalg": ("PX151", AttributeError, lambda: np.linalg.nothing),
    "function of NumPy": ("PX151", TypeError, lambda: numpy.busday_count(np.ones(1), np.ones(1))),
    # Keys.
    "key": ("PX152", IndexError, lambda: np.ones(3)["first"]),
    "key of floats": ("PX152", IndexError, lambda: np.ones(3)[1.5]),
    "key beyond": ("PX152", IndexError, lambda: np.ones(3)[10**30]),
    "slice": ("PX152", TypeError, lambda: np.ones(3)[1.5:]),
    # The session and other libraries.
    "begun": ("PX153", ValueError, lambda: np.init()),
    "block": ("PX153", RuntimeError, lambda: np.local().__exit__(None, None, None)),
    "stream": ("PX154", BufferError, lambda: np.ones(3).__dlpack__(stream=1, dl_device=(1, 0))),
    "errstate": ("PX155", FloatingPointError, raised_by_errstate),
    # Mistakes of operations, with the same codes as in Rust.
    "shapes": ("PX001", ValueError, lambda: np.ones(3) + np.ones(2)),
    "no axis": ("PX003", np.exceptions.AxisError, lambda: np.ones(3).with_sharding(1)),
    "no axis to count": ("PX003", np.exceptions.AxisError, lambda: np.size(np.ones(3), axis=1)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_its_code(name):
    code, error, call = MISTAKES[name]
    with pytest.raises(error) as raised:
        call()
    assert getattr(raised.value, "code", None) == code, repr(raised.value)
    assert f"[{code}]" in str(raised.value), str(raised.value)
    assert "hint" in str(raised.value)


def test_exceptions_of_the_programs_code_are_raised_unchanged():
    class Refusing:
        dtype = numpy.dtype("f8")

        def __array__(self, dtype=None, copy=None):
            raise ZeroDivisionError("mine")

        def __index__(self):
            raise KeyError("mine")

    for call in [lambda: np.asarray(Refusing()), lambda: np.ones(3)[Refusing()]]:
        with pytest.raises((ZeroDivisionError, KeyError)) as raised:
            call()
        assert re.fullmatch("'?mine'?", str(raised.value)) and not hasattr(raised.value, "code")


def test_written_values_are_read_as_numpy_reads_them():
    for value in ["x", "2.5", b"3", None, 10**50, [1, 2], object(), "inf"]:
        own, other = np.zeros(3), numpy.zeros(3)
        try:
            other[1] = value
        except Exception as error:
            # The class, of the program or of NumPy.
            with pytest.raises(type(error)):
                own[1] = value
        else:
            own[1] = value
            numpy.testing.assert_array_equal(own.get(), other)
    assert np.array(10**50, dtype=float).item() == 1e50
    assert np.array([10**50, 1], dtype=float).tolist() == [1e50, 1.0]
    assert np.asarray(["1", "2"], dtype=float).tolist() == [1.0, 2.0]


class Raising:
    """An object that claims to be a number, and raises when it is converted."""

    def __init__(self, error):
        self.error = error

    def __index__(self):
        raise self.error

    __float__ = __len__ = __index__


ASKED = {
    "shape": lambda it: np.zeros(it),
    "extent": lambda it: np.zeros((2, it)),
    "axis": lambda it: np.sum(X, axis=it),
    "axes": lambda it: np.sum(X, axis=(it,)),
    "reshape": lambda it: np.ones(3).reshape(it),
    "reshape to several": lambda it: np.ones(3).reshape(1, it),
    "count": lambda it: np.linspace(0, 1, it),
    "shift": lambda it: np.roll(X, it),
    "axis of a shift": lambda it: np.roll(X, 1, axis=it),
    "parts": lambda it: np.split(np.ones(3), it),
    "tolerance": lambda it: np.isclose(X, X, rtol=it),
    "ddof": lambda it: np.cov(X, ddof=it),
    "bins": lambda it: np.histogram(X, bins=it),
    "contracted": lambda it: np.tensordot([X], [X], axes=it),
    "removed": lambda it: np.delete(X, it),
    "sharding": lambda it: np.ones(3).with_sharding(it),
    "subscript": lambda it: np.einsum(X, [it]),
    "seed": lambda it: np.random.default_rng(it),
    "axis of parts": lambda it: np.from_local(numpy.ones(2), axis=it),
}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("mine"), KeyError("mine")])
@pytest.mark.parametrize("name", ASKED)
def test_exceptions_of_the_programs_numbers_are_raised(name, error):
    with pytest.raises(type(error)) as raised:
        ASKED[name](Raising(error))
    assert raised.value is error and not hasattr(error, "code")


def test_texts_are_the_numbers_that_they_spell():
    assert np.full(3, "12", dtype=int).tolist() == [12, 12, 12]
    assert np.full_like(np.ones(2), "1.5").tolist() == [1.5, 1.5]
    x = np.zeros(3)
    x.fill("12")
    assert x.tolist() == [12.0, 12.0, 12.0]


@pytest.mark.parametrize("name", ["add", "logical_and", "less"])
def test_casting_refuses_what_a_loop_has_to_cast(name):
    own, of_numpy = getattr(np, name), getattr(numpy, name)
    operands = [numpy.arange(3), numpy.arange(3.0), numpy.arange(3, dtype="f4")]
    for casting in ["no", "equiv", "safe", "same_kind", "unsafe"]:
        for first in operands:
            for second in operands:
                try:
                    expected = of_numpy(first, second, casting=casting)
                except TypeError:
                    with pytest.raises(TypeError, match="PX012"):
                        own(np.asarray(first), second, casting=casting)
                else:
                    found = own(np.asarray(first), second, casting=casting)
                    numpy.testing.assert_array_equal(found.get(), expected)
    # Python numbers take the dtype of the other operand.
    assert np.add(np.ones(2), 2.5, casting="no").tolist() == [3.5, 3.5]


def test_axes_in_lists_where_numpy_takes_them():
    x = numpy.arange(12).reshape(3, 4)
    for name in ["median", "nanmedian", "average", "flip", "expand_dims"]:
        found = getattr(np, name)(np.asarray(x), axis=[0, 1])
        numpy.testing.assert_array_equal(found.get(), getattr(numpy, name)(x, axis=[0, 1]))


def test_attributes_of_numpy_that_are_not_there_say_why():
    x, draws = np.ones(3), np.random.default_rng(1)
    for owner, names in (
        (x, "getfield setfield ctypes __array_struct__"),
        (draws, "multivariate_hypergeometric"),
        (draws.bit_generator, "jumped capsule"),
    ):
        for name in names.split():
            assert not hasattr(owner, name)
            with pytest.raises(AttributeError, match=f"has no attribute '{name}': ") as raised:
                getattr(owner, name)
            assert raised.value.code == "PX151"
    for owner in (x, draws, draws.bit_generator):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'$") as raised:
            owner.nothing
        assert raised.value.name == "nothing" and not hasattr(raised.value, "code")


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: np.ones(3, dtype="i1").__iadd__(1.5), "cannot cast float64 to int8"),
        (lambda: np.bitwise_and(np.ones(3), 1), "float64"),
        (lambda: np.ones(3) + np.ones(2), "with shapes (3,) and (2,)"),
        (lambda: np.ones((2, 3)).reshape(-1, 4), "of shape (2, 3) into shape (-1, 4)"),
        (lambda: np.ones(()).reshape(2), "of shape () into shape (2,)"),
        (lambda: np.cumsum(X, out=np.zeros(2)), "a value of shape (3,) into shape (2,)"),
        (lambda: np.add(X, X, out=np.zeros(())), "a value of shape (3,) into shape ()"),
        (lambda: np.random.default_rng(1).normal(scale=-1.0), "normal: scale = -1"),
        (lambda: np.random.default_rng(1).lognormal(sigma=-1.0), "lognormal: sigma = -1"),
        (lambda: np.random.default_rng(1).integers(5, 2), "integers: low, high = 5 to 2"),
        (lambda: np.random.default_rng(1).binomial(5, 2.0), "binomial: p = 2"),
        (
            lambda: np.einsum("ij->k", np.ones((2, 2))),
            "subscripts = 'ij->k' (the output has 'k', which no operand has; operands of shapes (2, 2)) is not allowed",
        ),
    ],
)
def test_texts_are_spelled_as_numpy_does(call, text):
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    assert text in str(raised.value)


SHAPES = {
    "stack": (lambda a, b: np.stack([a, b]), "PX017", "(2, 3) (operand 0) and (4, 5) (operand 1)"),
    "concatenate": (
        lambda a, b: np.concatenate([a, b]),
        "PX017",
        "(2, 3) (operand 0) and (4, 5) (operand 1)",
    ),
    "einsum": (
        lambda a, b: np.einsum("ij,jk", a, b),
        "PX017",
        "3 in operand 0 and 4 in operand 1; operands of shapes (2, 3), (4, 5)",
    ),
    "matmul": (lambda a, b: a @ b, "PX014", "matmul: inner sizes differ in shapes (2, 3) and (4, 5)"),
    "matmul of stacks": (
        lambda a, b: a.reshape(2, 1, 3) @ np.zeros((5, 3, 1)),
        "PX001",
        "shapes (2, 1, 3) and (5, 3, 1)",
    ),
    "multi_dot": (
        lambda a, b: np.linalg.multi_dot([a, b, np.zeros((5, 1))]),
        "PX014",
        "multi_dot: inner sizes differ in shapes (2, 3) and (4, 5)",
    ),
    "broadcast": (lambda a, b: a + b, "PX001", "shapes (2, 3) and (4, 5)"),
    "broadcast_to": (lambda a, b: np.broadcast_to(a, (4, 5)), "PX002", "(2, 3) into shape (4, 5)"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_errors_of_shapes_name_the_operands(name):
    call, code, text = SHAPES[name]
    with pytest.raises(ValueError, match=re.escape(text)) as caught:
        call(np.zeros((2, 3)), np.zeros((4, 5)))
    assert f"[{code}]" in str(caught.value), caught.value


def test_hints_lead_to_what_they_name():
    page = (pathlib.Path(worlds.ROOT) / "docs" / "python.md").read_text()
    assert "## When a session and its blocks begin and end" in page
    for dtype in np.__array_namespace_info__().dtypes():
        kind = dtype.rstrip("0123456789")
        assert f"`{dtype}`" in page or f"`{kind}8` to `{kind}64`" in page
