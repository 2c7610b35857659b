"""Mistakes in calls: NumPy's error classes, each with a code, in the text and as an attribute."""

import re

import numpy
import pytest

import phalanx as np

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
    "out of another shape": ("PX145", ValueError, lambda: np.cumsum(X, out=np.zeros(2))),
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
    "an integer beyond all": ("PX148", OverflowError, lambda: np.ones(3) + 10**50),
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
    "conversion": ("PX149", TypeError, lambda: np.ones(3).__array__()),
    # What does not change.
    "written": ("PX150", ValueError, read_only),
    "deleted": ("PX150", ValueError, deleted),
    "shape": ("PX150", ValueError, lambda: setattr(np.ones(4), "shape", (2, 2))),
    "resized": ("PX150", ValueError, lambda: np.ones(4).resize(2)),
    "flags": ("PX150", ValueError, lambda: np.ones(4).setflags(write=False)),
    # What is not there.
    "name": ("PX151", AttributeError, lambda: np.char),
    "name of linalg": ("PX151", AttributeError, lambda: np.linalg.nothing),
    "function of NumPy": ("PX151", TypeError, lambda: numpy.busday_count(np.ones(1), np.ones(1))),
    "mode of qr": ("PX151", ValueError, lambda: np.linalg.qr([X], mode="raw")),
    # Keys.
    "key": ("PX152", IndexError, lambda: np.ones(3)["first"]),
    "key of floats": ("PX152", IndexError, lambda: np.ones(3)[1.5]),
    "key beyond": ("PX152", IndexError, lambda: np.ones(3)[10**30]),
    "slice": ("PX152", TypeError, lambda: np.ones(3)[1.5:]),
    # The session, and other libraries.
    "begun": ("PX153", ValueError, lambda: np.init()),
    "block": ("PX153", RuntimeError, lambda: np.local().__exit__(None, None, None)),
    "stream": ("PX154", BufferError, lambda: np.ones(3).__dlpack__(stream=1, dl_device=(1, 0))),
    "errstate": ("PX155", FloatingPointError, raised_by_errstate),
    # Those of operations, as before.
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


def test_what_code_of_the_program_raises_stays_as_it_is():
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


def test_what_is_written_is_read_as_numpy_reads_it():
    for value in ["x", "2.5", b"3", None, 10**50, [1, 2], object(), "inf"]:
        own, other = np.zeros(3), numpy.zeros(3)
        try:
            other[1] = value
        except Exception as error:
            # A class, be it of the program or of NumPy.
            with pytest.raises(type(error)):
                own[1] = value
        else:
            own[1] = value
            numpy.testing.assert_array_equal(own.get(), other)
    assert np.array(10**50, dtype=float).item() == 1e50
    assert np.array([10**50, 1], dtype=float).tolist() == [1e50, 1.0]
    assert np.asarray(["1", "2"], dtype=float).tolist() == [1.0, 2.0]
