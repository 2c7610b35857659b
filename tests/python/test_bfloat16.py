"""bfloat16, the dtype of ml_dtypes: creation, computation and conversions."""

import copy
import pickle

import numpy
import pytest

import phalanx as np

ml_dtypes = pytest.importorskip("ml_dtypes")
KIND = ml_dtypes.bfloat16
HOST = numpy.arange(6).reshape(2, 3).astype(KIND)

MADE = {
    "of an array": lambda: np.asarray(HOST),
    "of the class": lambda: np.array([[0, 1, 2], [3, 4, 5]], dtype=KIND),
    "of the dtype": lambda: np.arange(6, dtype=numpy.dtype(KIND)).reshape(2, 3),
    "of the name": lambda: np.arange(6).astype("bfloat16").reshape(2, 3),
    "of the module": lambda: np.linspace(0, 5, 6, dtype=np.bfloat16).reshape(2, 3),
    "of scalars": lambda: np.array([[KIND(number) for number in row] for row in HOST]),
    "of bits": lambda: np.asarray(HOST.view("u2")).view(KIND),
    "of bytes": lambda: np.frombuffer(HOST.tobytes(), dtype=KIND).reshape(2, 3),
    "of a cast": lambda: np.arange(6.0).reshape(2, 3).astype(KIND),
    "of a copy": lambda: copy.deepcopy(np.asarray(HOST)),
    "of a pickle": lambda: pickle.loads(pickle.dumps(np.asarray(HOST))),
}


@pytest.mark.parametrize("case", MADE)
def test_arrays_are_made_and_given(case):
    x = MADE[case]()
    assert x.dtype == KIND and x.dtype == numpy.dtype("bfloat16") and x.itemsize == 2
    found = x.get()
    assert isinstance(found, numpy.ndarray) and found.dtype == KIND
    numpy.testing.assert_array_equal(found.astype(float), HOST.astype(float))
    assert x.tolist() == HOST.tolist() and x.tobytes() == HOST.tobytes()
    assert float(x[1, 1]) == 4.0 and x[1, 1].item() == 4.0


COMPUTED = {
    "sum of both": lambda np, x: x + x,
    "with its scalar": lambda np, x: x * KIND(2),
    "scalar first": lambda np, x: KIND(2) * x,
    "with an integer": lambda np, x: x - 1,
    "with float32": lambda np, x: x + numpy.float32(1.5),
    "with float64": lambda np, x: x + numpy.float64(1.5),
    "comparison": lambda np, x: x > 2,
    "negative": lambda np, x: -x,
    "exp": lambda np, x: np.exp(x),
    "sqrt": lambda np, x: np.sqrt(x),
    "maximum": lambda np, x: np.maximum(x, x[::-1]),
    "isfinite": lambda np, x: np.isfinite(x),
    "sum": lambda np, x: x.sum(),
    "sum along an axis": lambda np, x: x.sum(axis=0),
    "mean": lambda np, x: x.mean(axis=1),
    "max": lambda np, x: x.max(),
    "argmax": lambda np, x: x.argmax(axis=1),
    "cumsum": lambda np, x: np.cumsum(x, axis=1),
    "sort": lambda np, x: np.sort(-x, axis=1),
    "argsort": lambda np, x: np.argsort(-x, axis=1),
    "unique": lambda np, x: np.unique(x),
    "where": lambda np, x: np.where(x > 2, x, -x),
    "mask": lambda np, x: x[x > 2],
    "take": lambda np, x: np.take(x, [0, 2], axis=1),
    "concatenate": lambda np, x: np.concatenate([x, x]),
    "stack": lambda np, x: np.stack([x, x]),
    "pad": lambda np, x: np.pad(x, 1),
    "repeat": lambda np, x: np.repeat(x, 2),
    "diff": lambda np, x: np.diff(x),
    "tril": lambda np, x: np.tril(x),
    "outer": lambda np, x: np.outer(x, x),
    "dot": lambda np, x: np.dot(x, x.T),
    "astype": lambda np, x: x.astype("float32"),
    "nan_to_num": lambda np, x: np.nan_to_num(x),
    "allclose": lambda np, x: np.allclose(x, x),
    "searchsorted": lambda np, x: np.searchsorted(x[0], x[1]),
    "digitize": lambda np, x: np.digitize(x, [1.0, 3.0]),
    "reduce": lambda np, x: np.add.reduce(x),
    "accumulate": lambda np, x: np.maximum.accumulate(x),
    "of a dtype": lambda np, x: np.add(x, x, dtype=KIND),
    "sum of a dtype": lambda np, x: np.ones(3).sum(dtype=KIND),
    "full_like": lambda np, x: np.full_like(x, 2),
    "inverse": lambda np, x: np.linalg.inv(np.eye(2, dtype=KIND) * KIND(4)),
    "solution": lambda np, x: np.linalg.solve(np.eye(2, dtype=KIND), np.ones(2, KIND)),
    "singular values": lambda np, x: np.linalg.svd(x, compute_uv=False),
    "determinant": lambda np, x: np.linalg.det(np.eye(2, dtype=KIND)),
}


@pytest.mark.parametrize("case", COMPUTED)
def test_results_are_those_of_numpy(case):
    expected = COMPUTED[case](numpy, HOST)
    found = COMPUTED[case](np, np.asarray(HOST))
    if isinstance(expected, bool):
        assert found is expected
        return
    assert found.dtype == expected.dtype and found.shape == expected.shape
    numpy.testing.assert_allclose(
        found.get().astype(float), numpy.asarray(expected).astype(float), rtol=1e-2, atol=1e-6
    )


def test_arrays_are_written():
    x = np.zeros((2, 3), KIND)
    x[0] = HOST[1]
    x[1, 0] = KIND(7)
    x[1, 1:] = [1.5, 2]
    x += KIND(1)
    np.copyto(x[:, 2:], HOST[:, 2:])
    np.add.at(x, [0], KIND(1))
    assert x.dtype == KIND and x.tolist() == [[5, 6, 3], [8, 2.5, 5]]
    out = np.empty((2, 3), KIND)
    assert np.multiply(x, 2, out=out) is out and out[0].tolist() == [10, 12, 6]


def test_the_dtype_is_one_of_floats():
    assert np.isdtype(KIND, "real floating") and np.finfo(KIND).bits == 16
    assert np.can_cast(KIND, "float32") and not np.can_cast("float32", KIND)
    assert np.promote_types(KIND, "float16") == np.float32
    assert np.result_type(np.zeros(2, KIND), 1.0) == KIND


def test_other_libraries_give_and_take_it():
    x = np.asarray(HOST)
    again = np.from_dlpack(x)
    assert again.dtype == KIND and again.tolist() == HOST.tolist()
    assert np.asnumpy(x).dtype == KIND
    assert (HOST + x).dtype == KIND and (x + HOST).tolist() == (HOST + HOST).tolist()


@pytest.mark.one_process("each process has a temporary folder of its own")
def test_files_are_those_of_ml_dtypes_and_are_read_as_bfloat16(tmp_path):
    x = np.arange(6).astype("bfloat16").reshape(2, 3)
    host = numpy.arange(6).reshape(2, 3).astype(KIND)
    np.save(tmp_path / "a.npy", x)
    numpy.save(tmp_path / "b.npy", host)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    np.savez(tmp_path / "a.npz", x=x, y=np.arange(2))
    np.savez_compressed(tmp_path / "b.npz", x=x)
    loaded = [np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"),
              np.load(tmp_path / "a.npz")["x"], np.load(tmp_path / "b.npz")["x"]]
    for one in loaded:
        assert one.dtype == KIND and one.tolist() == host.tolist()
    # NumPy has no name for the dtype: it reads two opaque bytes.
    seen = numpy.load(tmp_path / "a.npy")
    assert seen.dtype == "V2" and seen.view(KIND).tolist() == host.tolist()


@pytest.mark.one_process("each process has a temporary folder of its own")
def test_void_of_two_bytes_is_none(tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.zeros(3, "V2"))
    assert np.load(tmp_path / "a.npy").dtype == numpy.dtype("V2")


def test_the_smallest_dtype_is_itself():
    assert np.min_scalar_type(KIND(1)) == numpy.min_scalar_type(KIND(1)) == KIND
