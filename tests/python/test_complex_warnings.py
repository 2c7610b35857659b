"""Casts that discard imaginary parts: they warn where NumPy warns, once, and a filter that makes
the warning an exception leaves the target unchanged."""

import warnings

import numpy
import pytest

import phalanx as np

Z = numpy.array([1 + 1j, 2 - 2j, 3 + 0.5j])
INDEX = numpy.array([0, 1, 2])



# Calls that write into a vector of three reals.
WRITES = {
    "slice": lambda m, z, out: out.__setitem__(slice(None), z),
    "ellipsis": lambda m, z, out: out.__setitem__(..., z),
    "positions": lambda m, z, out: out.__setitem__(m.asarray(INDEX), z),
    "mask": lambda m, z, out: out.__setitem__(m.asarray([True, True, False]), z[:2]),
    "mask of one": lambda m, z, out: out.__setitem__(m.asarray([True, True, False]), z[:1]),
    "element": lambda m, z, out: out.__setitem__(slice(1), z[0]),
    "0-d array": lambda m, z, out: out.__setitem__(..., m.asarray(1j)),
    "flat": lambda m, z, out: out.flat.__setitem__(slice(None), z),
    "flat positions": lambda m, z, out: out.flat.__setitem__([0, 2], z[:2]),
    "all flat": lambda m, z, out: setattr(out, "flat", z),
    "all flat of one": lambda m, z, out: setattr(out, "flat", z[:1]),
    "fill": lambda m, z, out: out.fill(m.asarray(1j)),
    "fill by an element": lambda m, z, out: out.fill(z[0]),
    "put": lambda m, z, out: m.put(out, INDEX, z),
    "put of a scalar": lambda m, z, out: m.put(out, INDEX, numpy.complex64(1j)),
    "copyto": lambda m, z, out: m.copyto(out, z, casting="unsafe"),
    "copyto where": lambda m, z, out: m.copyto(out, z, casting="unsafe", where=z.real > 1),
    "copyto of a scalar": lambda m, z, out: m.copyto(out, numpy.complex128(1j), casting="unsafe"),
    "put_along_axis": lambda m, z, out: m.put_along_axis(out, m.asarray(INDEX), z, 0),
    "add": lambda m, z, out: m.add(z, z, out=out, casting="unsafe"),
    "add where": lambda m, z, out: m.add(z, 1, out=out, casting="unsafe", where=z.real > 1),
    "clip": lambda m, z, out: m.clip(z, 0, 2, out=out, casting="unsafe"),
    "outer": lambda m, z, out: m.multiply.outer(z[0], z, out=out, casting="unsafe"),
    "sum": lambda m, z, out: m.sum(z[None], axis=0, out=out),
    "prod": lambda m, z, out: m.prod(z[None], axis=0, out=out),
    "max": lambda m, z, out: m.max(z[None], axis=0, out=out),
    "min": lambda m, z, out: m.min(z[None], axis=0, out=out),
    "mean": lambda m, z, out: m.mean(z[None], axis=0, out=out),
    "nansum": lambda m, z, out: m.nansum(z[None], axis=0, out=out),
    "nanprod": lambda m, z, out: m.nanprod(z[None], axis=0, out=out),
    "var": lambda m, z, out: m.var(z[None], axis=0, out=out),
    "std": lambda m, z, out: m.std(z[None], axis=0, out=out),
    "any": lambda m, z, out: m.any(z[None], axis=0, out=out),
    "sum in complex": lambda m, z, out: m.sum(z.real[None], axis=0, dtype="c16", out=out),
    "add.reduce": lambda m, z, out: m.add.reduce(z[None], out=out),
    "add.reduce of reals": lambda m, z, out: m.add.reduce(z[None], dtype="f8", out=out),
    "logical_and.reduce": lambda m, z, out: m.logical_and.reduce(z[None], out=out),
    "add.accumulate": lambda m, z, out: m.add.accumulate(z, out=out),
    "add.reduceat": lambda m, z, out: m.add.reduceat(z, m.asarray(INDEX), out=out),
    "add.at": lambda m, z, out: m.add.at(out, m.asarray(INDEX), z),
    "add.at a slice": lambda m, z, out: m.add.at(out, slice(None), z),
    "add.at a mask": lambda m, z, out: m.add.at(out, m.asarray([True, False, True]), z[0]),
    "cumsum": lambda m, z, out: m.cumsum(z, out=out),
    "cumprod": lambda m, z, out: m.cumprod(z, out=out),
    "nancumsum": lambda m, z, out: m.nancumsum(z, out=out),
    "take": lambda m, z, out: m.take(z, m.asarray(INDEX), out=out),
    "choose": lambda m, z, out: m.choose(m.asarray([0, 0, 0]), [z], out=out),
    "compress": lambda m, z, out: m.compress([True, True, True], z, out=out),
    "median": lambda m, z, out: m.median(z[None], axis=0, out=out),
    "einsum": lambda m, z, out: m.einsum("i->i", z, out=out, casting="unsafe"),
    "matmul": lambda m, z, out: m.matmul(z, m.eye(3), out=out, casting="unsafe"),
    "concatenate": lambda m, z, out: m.concatenate([z], out=out, casting="unsafe"),
    "trace": lambda m, z, out: m.trace(m.stack([z[:2], z[1:]])[..., None] * m.ones(3), out=out),
}

# Calls that make a new array.
CALLS = {
    "astype": lambda m, z: z.astype("f4"),
    "astype in an order": lambda m, z: z.astype("i8", order="F"),
    "astype to bool": lambda m, z: z.astype("?"),
    "astype to complex": lambda m, z: z.astype("c8"),
    "astype of no elements": lambda m, z: z[:0].astype("f8"),
    "array": lambda m, z: m.array(z, dtype="f8"),
    "asarray": lambda m, z: m.asarray(z, dtype="f8"),
    "asfortranarray": lambda m, z: m.asfortranarray(z, dtype="f8"),
    "require": lambda m, z: m.require(z, "f8"),
    "sum": lambda m, z: m.sum(z, dtype="f8"),
    "mean": lambda m, z: m.mean(z, dtype="f8"),
    "var": lambda m, z: m.var(z),
    "std in reals": lambda m, z: m.std(z, dtype="f8"),
    "nanmean": lambda m, z: m.nanmean(z, dtype="f8"),
    "cumsum": lambda m, z: m.cumsum(z, dtype="f8"),
    "nancumsum": lambda m, z: m.nancumsum(z, dtype="f8"),
    "nancumprod": lambda m, z: m.nancumprod(z, dtype="f8"),
    "cumulative_sum": lambda m, z: m.cumulative_sum(z, dtype="f8", include_initial=True),
    "add.reduce": lambda m, z: m.add.reduce(z, dtype="f8"),
    "add.accumulate": lambda m, z: m.add.accumulate(z, dtype="f8"),
    "add.reduceat": lambda m, z: m.add.reduceat(z, [0, 1], dtype="f8"),
    "trace": lambda m, z: m.trace(z[:, None] * z, dtype="f8"),
    "linalg.trace": lambda m, z: m.linalg.trace(z[:, None] * z, dtype="f8"),
    "cov": lambda m, z: m.cov(z, dtype="f8"),
    "corrcoef": lambda m, z: m.corrcoef(z),
    "full": lambda m, z: m.full(3, z, "f8"),
    "full of a number": lambda m, z: m.full(3, 1j, "f8"),
    "full_like": lambda m, z: m.full_like(z.real, z),
    "linspace": lambda m, z: m.linspace(0, 1j, 3, dtype="f8"),
    "logspace": lambda m, z: m.logspace(0, 1j, 3, dtype="f8"),
    "insert": lambda m, z: m.insert(z.real, 1, z[:1]),
    "pad": lambda m, z: m.pad(z.real, 1, constant_values=1j),
    "stack": lambda m, z: m.stack([z, z.real], dtype="f8", casting="unsafe"),
    "real": lambda m, z: z.real + m.real(z) + m.abs(z) + m.angle(z),
    "interp to a complex scalar": lambda m, z: m.interp(
        0.5, m.asarray([1.0, 2.0]), m.asarray([1.0, 2.0]), left=numpy.complex128(1j)
    ),
    "interp to a complex number": lambda m, z: m.interp(
        0.5, m.asarray([1.0, 2.0]), m.asarray([1.0, 2.0]), left=1j
    ),
    "interp of complex values": lambda m, z: m.interp(
        0.5, m.asarray([1.0, 2.0]), m.asarray([1j, 2.0]), left=1j
    ),
}


def caught(call):
    """The class of the exception, and those of the warnings that belong to casts."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            call()
            error = None
        except Exception as raised:  # Both sides are compared.
            error = type(raised)
    return error, [one.category.__name__ for one in found if "Complex" in one.category.__name__]


def written(module, call, kind):
    return caught(lambda: call(module, module.asarray(Z), module.zeros(3, kind)))


@pytest.mark.parametrize("name", WRITES)
def test_writes_warn_where_numpy_warns(name):
    error, expected = written(numpy, WRITES[name], "f8")
    ours, found = written(np, WRITES[name], "f8")
    assert (ours is None) == (error is None), (ours, error)
    # NumPy may cast in several steps, each of which warns.
    assert found == expected[:1]


@pytest.mark.parametrize("name", WRITES)
def test_a_warning_that_is_an_exception_leaves_the_target_unchanged(name):
    _, expected = written(numpy, WRITES[name], "f8")
    out = np.zeros(3)
    z = np.asarray(Z)
    with warnings.catch_warnings():
        warnings.simplefilter("error", numpy.exceptions.ComplexWarning)
        if not expected:
            return
        with pytest.raises(numpy.exceptions.ComplexWarning) as raised:
            WRITES[name](np, z, out)
    assert str(raised.value) == "Casting complex values to real discards the imaginary part"
    assert out.get().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", CALLS)
def test_calls_warn_where_numpy_warns(name):
    error, expected = caught(lambda: CALLS[name](numpy, Z))
    ours, found = caught(lambda: CALLS[name](np, np.asarray(Z)))
    assert (ours is None) == (error is None), (ours, error)
    assert found == expected[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", numpy.exceptions.ComplexWarning)
        if expected:
            with pytest.raises(numpy.exceptions.ComplexWarning):
                CALLS[name](np, np.asarray(Z))


def test_the_warning_has_the_line_of_the_call():
    z = np.asarray(Z)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        z.astype("f8")
        z.sum(dtype="f8")
    assert [one.filename for one in found] == [__file__] * 2
    assert found[1].lineno == found[0].lineno + 1
