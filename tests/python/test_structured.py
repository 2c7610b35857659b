"""Structured arrays: storage, fields, views, casts, comparisons and files, against NumPy."""

import copy
import io
import pickle

import numpy
import pytest

import phalanx as np

from . import worlds

PAIR = numpy.dtype([("a", "f4"), ("b", "i8")])
NESTED = numpy.dtype([("p", PAIR), ("m", "i2", (2, 3)), ("q", PAIR, 2), ("t", "?")])
GAPS = numpy.dtype({"names": ["x", "y"], "formats": ["u1", "f8"], "offsets": [3, 8], "itemsize": 24})
ALIGNED = numpy.dtype([("c", "i1"), ("z", "c16"), ("h", "f2")], align=True)
TITLED = numpy.dtype([(("the title", "n"), "i4"), ("v", "f8")])
DTYPES = [PAIR, NESTED, GAPS, ALIGNED, TITLED, numpy.dtype("V10")]


def sample(dtype, shape, seed=0):
    size = int(numpy.prod(shape)) * dtype.itemsize
    values = numpy.random.default_rng(seed).integers(0, 60, size, dtype="u1")
    made = numpy.frombuffer(values.tobytes(), dtype).reshape(shape).copy()
    if dtype.names and "t" in dtype.names:
        made["t"] = numpy.arange(made.size).reshape(shape) % 2 == 0
    return made


def same(ours, theirs):
    """The same bytes, dtype and shape."""
    assert isinstance(ours, np.ndarray)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.get().tobytes() == theirs.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0, 2)])
def test_elements_come_and_go(dtype, shape):
    theirs = sample(dtype, shape)
    ours = np.array(theirs)
    same(ours, theirs)
    assert (ours.ndim, ours.size, ours.itemsize, ours.nbytes) == (
        theirs.ndim,
        theirs.size,
        theirs.itemsize,
        theirs.nbytes,
    )
    assert ours.strides == theirs.strides and ours.flags.owndata and ours.base is None
    assert ours.tobytes() == theirs.tobytes() and repr(ours) == repr(theirs)
    assert str(ours) == str(theirs) and repr(ours.tolist()) == repr(theirs.tolist())
    same(np.asarray(theirs), theirs)
    assert np.asarray(ours) is ours
    assert np.asnumpy(ours).dtype == dtype
    same(copy.copy(ours), theirs)
    same(pickle.loads(pickle.dumps(ours)), theirs)
    same(np.zeros_like(ours), numpy.zeros(shape, dtype))


def test_creation():
    for dtype in (PAIR, "i4,f8", [("a", "i4"), ("b", "f8", 3)], {"names": ["k"], "formats": ["u2"]}):
        same(np.zeros((2, 3), dtype), numpy.zeros((2, 3), dtype))
        same(np.full(3, 7, dtype), numpy.full(3, 7, dtype))
        same(np.ones(3, dtype), numpy.ones(3, dtype))
        assert np.empty(3, dtype).dtype == numpy.dtype(dtype)
    same(np.array([(1, 2.5), (3, 4.5)], "i4,f8"), numpy.array([(1, 2.5), (3, 4.5)], "i4,f8"))
    assert np.zeros((2, 3), PAIR, order="F").flags.f_contiguous
    assert np.zeros(4, "V10").dtype == "V10"
    for wrong in ("q,O", [("a", object)]):
        with pytest.raises(ValueError):
            np.zeros(3, wrong)
        with pytest.raises(ValueError):
            np.array(numpy.zeros(3, wrong))


def test_fields_share_memory():
    theirs = sample(NESTED, (4, 3))
    ours = np.array(theirs)
    for x in (ours, theirs):
        x["p"]["a"] = 1.5
        x["p"]["b"][1:] = -x["p"]["b"][1:]
        x["m"] += 1
        x["m"][..., 1, ::2] = [10, 20]
        x["q"][:, 0, 1]["b"] = [1, 2, 3, 4]
        x["t"] = [True, False, True]
        x[1]["m"][0] = 9
        x[2, 1]["p"] = (7, 8)
        x["q"]["a"][::2] = 3
    same(ours, theirs)
    for name in ("m", "t"):
        assert ours[name].get().tobytes() == theirs[name].tobytes()
        assert (ours[name].shape, ours[name].dtype) == (theirs[name].shape, theirs[name].dtype)
        assert ours[name].strides == theirs[name].strides
    same(ours["p"], theirs["p"].copy())
    assert not ours["t"].flags.c_contiguous and not ours["t"].flags.owndata
    assert np.shares_memory(ours, ours["t"]) and np.may_share_memory(ours["p"], ours)
    titled = np.zeros(3, TITLED)
    titled["the title"] = [1, 2, 3]
    assert titled["n"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="no field"):
        ours["unknown"]
    with pytest.raises(KeyError):
        ours[["p", "unknown"]]
    with pytest.raises(IndexError):
        np.zeros(3, "V4")["a"]


def test_computing_with_fields():
    ours = np.zeros(1000, PAIR)
    ours["b"] = np.arange(1000)
    ours["a"] = np.sqrt(ours["b"] * 2.0)
    assert ours["b"].sum() == 499500
    assert float(ours["a"].max()) == pytest.approx(1998**0.5)
    assert ours[ours["b"] > 997]["b"].tolist() == [998, 999]


def test_several_fields():
    theirs = sample(numpy.dtype("i4,f4,i2"), (5,))
    ours = np.array(theirs)
    part = ours[["f2", "f0"]]
    assert part.dtype == theirs[["f2", "f0"]].dtype
    assert part["f0"].tolist() == theirs["f0"].tolist()
    for x in (ours, theirs):
        x[["f0", "f2"]] = x[["f2", "f0"]].copy()
        x[["f1"]] = 3
    same(ours, theirs)


KEYS = [
    1,
    slice(1, 4),
    slice(None, None, -2),
    (slice(1, 3), 2),
    (Ellipsis, 0),
    (None, 2),
    [3, 0, 3],
    (slice(None), [1, 0]),
    ([0, 1], [2, 3]),
]


@pytest.mark.parametrize("key", KEYS)
def test_keys_read_and_write(key):
    theirs = sample(PAIR, (6, 4))
    ours = np.array(theirs)
    same(ours[key], theirs[key].copy() if isinstance(theirs[key], numpy.ndarray) else theirs[key])
    for x in (ours, theirs):
        x[key] = (5, 6)
    same(ours, theirs)
    for x in (ours, theirs):
        x[key] = 9
    same(ours, theirs)
    other = sample(PAIR, (6, 4), seed=3)
    ours[key] = np.array(other)[key]
    theirs[key] = other[key]
    same(ours, theirs)


def test_masks_and_bounds():
    theirs = sample(PAIR, (6,))
    ours = np.array(theirs)
    mask = theirs["b"] % 2 == 0
    same(ours[np.asarray(mask)], theirs[mask])
    for x, m in ((ours, np.asarray(mask)), (theirs, mask)):
        x[m] = (0, -1)
    same(ours, theirs)
    for wrong in (7, (0, 0), (0, Ellipsis, 0)):
        with pytest.raises(IndexError):
            ours[wrong]
    assert [one["b"].item() for one in ours] == theirs["b"].tolist()
    with pytest.raises(ValueError, match="read-only"):
        np.broadcast_to(ours, (2, 6))[0] = 1


def test_forms():
    theirs = sample(PAIR, (3, 4))
    ours = np.array(theirs)
    same(ours.reshape(2, -1), theirs.reshape(2, -1))
    same(ours.reshape((4, 3), order="F"), theirs.reshape((4, 3), order="F"))
    same(ours.T, theirs.T)
    same(ours.transpose(1, 0)[1:], theirs.transpose(1, 0)[1:])
    same(ours.ravel(), theirs.ravel())
    same(ours.T.flatten(), theirs.T.flatten())
    same(ours[None].squeeze(), theirs)
    same(np.swapaxes(ours, 0, -1), numpy.swapaxes(theirs, 0, -1))
    same(np.broadcast_to(ours, (2, 3, 4)), numpy.broadcast_to(theirs, (2, 3, 4)))
    same(np.concatenate([ours, ours], axis=1), numpy.concatenate([theirs, theirs], axis=1))
    assert ours.copy("F").flags.f_contiguous
    ours.reshape(-1)[3:5] = (1, 2)
    theirs.reshape(-1)[3:5] = (1, 2)
    same(ours, theirs)


def test_views_between_dtypes():
    theirs = sample(numpy.dtype("i4,f4"), (6, 4))
    ours = np.array(theirs)
    for dtype in ("i8", "c8", "i4", "u1", "V8", "V16", "i2,i2,i2,i2", "f8,f8"):
        found, expected = ours.view(dtype), theirs.view(dtype)
        same(found, expected)
    for x in (ours, theirs):
        x.view("i4")[0] = 5
        x[:, :2].view("f4")[1] = 2
    same(ours, theirs)
    numbers = np.arange(12.0).reshape(3, 4)
    pairs = numbers.view("f8,f8")
    same(pairs, numpy.arange(12.0).reshape(3, 4).view("f8,f8"))
    pairs["f1"] = -1
    assert numbers[0].tolist() == [0, -1, 2, -1]
    same(np.arange(3).view([("n", "i8")]), numpy.arange(3).view([("n", "i8")]))
    for wrong in (lambda: ours.T.view("u1"), lambda: ours[0, 0].view("i4"), lambda: ours.view("V5")):
        with pytest.raises((TypeError, ValueError)):
            wrong()


def test_casts():
    theirs = sample(numpy.dtype("i2,f4"), (5,))
    ours = np.array(theirs)
    same(ours.astype("f8,i4"), theirs.astype("f8,i4"))
    same(ours.astype([("u", "i8"), ("v", "f2")]), theirs.astype([("u", "i8"), ("v", "f2")]))
    same(np.asarray(ours, "f8,f8"), numpy.asarray(theirs, "f8,f8"))
    same(np.arange(3).astype("i2,f4"), numpy.arange(3).astype("i2,f4"))
    one = np.array([(1,), (2,)], [("k", "i4")])
    assert one.astype("f8").tolist() == [1, 2]
    with pytest.raises(TypeError):
        ours.astype("f8,f8,f8")
    with pytest.raises(TypeError):
        ours.astype("f8")
    target = np.zeros(5, "f8,f8")
    np.copyto(target, ours)
    assert target["f1"].tolist() == theirs["f1"].tolist()


def test_equality():
    theirs = sample(NESTED, (3, 2))
    other = theirs.copy()
    other["m"][0, 1, 1] += 1
    other["p"]["b"][2] = 0
    ours, others = np.array(theirs), np.array(other)
    assert (ours == others).tolist() == (theirs == other).tolist()
    assert (ours != others[0]).tolist() == (theirs != other[0]).tolist()
    assert (ours == other).tolist() == (theirs == other).tolist()
    void = numpy.array([b"abcd", b"abce"], "V4")
    assert (np.array(void) == np.array(void[:1])).tolist() == [True, False]
    for wrong in (lambda: ours == np.arange(2), lambda: ours < others, lambda: ours["p"] == others):
        with pytest.raises(TypeError):
            wrong()


def test_arithmetic_is_refused():
    x = np.zeros(3, PAIR)
    for wrong in (
        lambda: x + 1,
        lambda: np.arange(3) * x,
        lambda: -x,
        lambda: np.sin(x),
        lambda: x.sum(),
        lambda: np.sort(x),
        lambda: np.where(x, 1, 2),
        lambda: np.matmul(x, x),
        lambda: float(x[0]),
    ):
        with pytest.raises(TypeError, match="PX133"):
            wrong()
    with pytest.raises(TypeError, match="PX133"):
        x += 1


@pytest.mark.one_process("each process has a temporary folder of its own")
def test_files(tmp_path):
    for place, dtype in enumerate(DTYPES[:5]):
        theirs = sample(dtype, (4, 2))
        ours = np.array(theirs)
        path = str(tmp_path / f"{place}.npy")
        np.save(path, ours)
        same(np.load(path), numpy.load(path))
        many = str(tmp_path / f"{place}.npz")
        for save in (np.savez, np.savez_compressed):
            save(many, ours, named=np.arange(3))
            found = np.load(many)
            same(found["arr_0"], theirs)
            assert found["named"].tolist() == [0, 1, 2]
    stream = io.BytesIO()
    np.save(stream, ours)
    stream.seek(0)
    same(np.load(stream), theirs)
    assert sorted(entry.suffix for entry in tmp_path.iterdir()) == [".npy"] * 5 + [".npz"] * 5


def test_texts_in_records_are_kept():
    theirs = numpy.array([("one", 1.5), ("two", 2.5)], [("name", "U5"), ("value", "f8")])
    ours = np.array(theirs)
    same(ours, theirs)
    same(ours[::-1].copy(), theirs[::-1].copy())
    ours["value"] += 1
    assert ours.get()["name"].tolist() == ["one", "two"]
    assert ours["value"].tolist() == [2.5, 3.5]
    with pytest.raises(TypeError):
        ours["name"]


def test_large_arrays_are_split():
    theirs = numpy.zeros(200_000, PAIR)
    theirs["b"] = numpy.arange(200_000)
    ours = np.array(theirs)
    ours["a"][1:] = ours["b"][:-1]
    theirs["a"][1:] = theirs["b"][:-1]
    same(ours[99_990:100_010], theirs[99_990:100_010])
    assert int(ours["b"].sum()) == int(theirs["b"].sum())


@pytest.mark.one_process("starts a process of its own")
def test_nothing_is_said_of_them_at_the_end():
    program = """
        import numpy, phalanx as np
        x = np.zeros(3, numpy.dtype([("a", "f4"), ("b", "i8")]))
        y = np.concatenate([x, x])[1:]
        print(y.get()["a"], x[1])
        """
    ended = worlds.run(program)
    assert ended.stderr == "", ended.stderr
