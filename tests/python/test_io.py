"""Files."""

import io

import numpy
import pytest

import phalanx as np

pytestmark = pytest.mark.one_process("each process has a temporary folder of its own")


@pytest.fixture
def array():
    return np.arange(12.0).reshape(3, 4)


def test_npy(tmp_path, array):
    np.save(tmp_path / "a", array)
    assert numpy.array_equal(numpy.load(tmp_path / "a.npy"), array.get())
    assert np.array_equal(np.load(tmp_path / "a.npy"), array)
    numpy.save(tmp_path / "b.npy", numpy.asfortranarray(array.get()).astype(">i4"))
    assert np.array_equal(np.load(str(tmp_path / "b.npy")), array)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_npz(tmp_path, array, save):
    getattr(np, save)(tmp_path / "a", array, k=array + 1)
    with numpy.load(tmp_path / "a.npz") as theirs, np.load(tmp_path / "a.npz") as ours:
        assert sorted(ours) == sorted(theirs) == ["arr_0", "k"]
        for name in ours:
            assert numpy.array_equal(ours[name].get(), theirs[name])
        with pytest.raises(KeyError):
            ours["none"]
    with pytest.raises(ValueError):
        getattr(np, save)(tmp_path / "b", array, arr_0=array)
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def test_open_files(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    assert np.array_equal(np.load(file), array)
    file = io.BytesIO()
    np.savez(file, x=array)
    file.seek(0)
    assert np.array_equal(np.load(file)["x"], array)


def test_text(tmp_path, array):
    np.savetxt(tmp_path / "a.txt", array, fmt="%.3f", delimiter=",")
    assert np.array_equal(np.loadtxt(tmp_path / "a.txt", delimiter=","), array)
    filled = np.genfromtxt(io.StringIO("1,,3"), delimiter=",", filling_values=2)
    assert filled.tolist() == [1, 2, 3]
    np.arange(3, dtype="i4").tofile(tmp_path / "a.bin")
    assert np.fromfile(tmp_path / "a.bin", dtype="i4").tolist() == [0, 1, 2]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        np.load(tmp_path / "none.npy")


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError):
        np.load(tmp_path / "a.npy")
    numpy.save(tmp_path / "b.npy", numpy.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises((ValueError, TypeError)):
        np.load(tmp_path / "b.npy")
