"""Arrays of two meshes: the mesh of all devices, and that of this process only."""

import io
import os

import numpy
import pytest

import phalanx as np
from phalanx import scipy

MATRIX = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def made_in_a_block():
    with np.local():
        return np.array(MATRIX)


# Arrays made beside another array are on its mesh, even if another mesh is current.
CALLS = {
    "add": lambda np, a: np.add(a, [1, 2, 3]),
    "add of a list first": lambda np, a: np.add([1, 2, 3], a),
    "add by keywords": lambda np, a: np.add(a, [1, 2, 3], where=[True, False, True], out=a),
    "divmod": lambda np, a: np.divmod(a, [1, 2, 3])[1],
    "stack": lambda np, a: np.stack([a, MATRIX]),
    "stack of a list first": lambda np, a: np.stack([MATRIX, a]),
    "concatenate": lambda np, a: np.concatenate(([[1, 2, 3]], a)),
    "array": lambda np, a: np.array([a, MATRIX]),
    "where": lambda np, a: np.where(a > 0, a, 1),
    "where of a list": lambda np, a: np.where([True, False, True], a, [7, 8, 9]),
    "take": lambda np, a: a.take([2, 0], axis=1),
    "clip": lambda np, a: a.clip([1, 1, 1], 4),
    "zeros_like": lambda np, a: np.zeros_like(a) + a,
    "tile": lambda np, a: np.tile(a, (2, 1)),
    "nested": lambda np, a: np.block([[a[0], 7.0], [a[1], 8.0]]),
    "along an axis": lambda np, a: np.apply_along_axis(lambda row: row + [1, 2, 3], 1, a),
    "einsum": lambda np, a: np.einsum("ij,j->i", a, [1, 2, 3]),
    "convolve": lambda np, a: np.convolve(a[0], [1, 2]),
    "reduce": lambda np, a: np.add.reduce(a, initial=1, where=[True, False, True]),
    "accumulate": lambda np, a: np.add.accumulate(a),
    "reduceat": lambda np, a: np.add.reduceat(a[0], [0, 2]),
    "outer": lambda np, a: np.multiply.outer(a[0], [1, 2]),
    "list operand": lambda np, a: a + [1, 2, 3],
    "list operand, reflected": lambda np, a: [1, 2, 3] - a,
    "matmul": lambda np, a: a @ [1, 2, 3],
    "matmul, reflected": lambda np, a: [1, 2] @ a,
    "comparison": lambda np, a: a == [0, 1, 5],
    "comparison with nothing": lambda np, a: (a == None) | (a > 1),  # noqa: E711
    "positions": lambda np, a: a[[1, 0]],
    "mask": lambda np, a: a[:, [True, False, True]],
    "flat": lambda np, a: a.flat[[5, 0]],
    "elements": lambda np, a: np.stack([row.sum() + one for row in a for one in row]),
    "all elements": lambda np, a: np.stack([one * 2 for one in a.flat]),
}


@pytest.mark.parametrize("name", CALLS)
def test_arrays_made_beside_an_array_are_on_its_mesh(name):
    ours = CALLS[name](np, made_in_a_block())
    theirs = CALLS[name](numpy, numpy.array(MATRIX))
    assert ours.tolist() == theirs.tolist()
    with np.local():
        # An operation with another array of this mesh shows that it is on this mesh.
        assert (ours + np.zeros(ours.shape)).tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="PX018"):
        ours + np.zeros(ours.shape)


def test_writes_beside_an_array_lie_on_its_mesh():
    def written(np, a):
        a[0] = [1, 2, 3]
        a[[1]] = [[4, 5, 6]]
        a[:, [True, False, False]] += [[1], [2]]
        a += [1, 2, 3]
        a @= [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
        np.add.at(a, [0], [1, 1, 1])
        np.put(a, [0, 1], [9, 8])
        a.flat[[2]] = [7]
        a.T.flat = [1, 2, 3]
        a.real = [[1, 2, 3]]
        return a.tolist(), 2.0 in a, len(list(a)), np.ones(3).tolist()

    assert written(np, made_in_a_block()) == written(numpy, numpy.array(MATRIX))


def test_the_mesh_of_a_call_ends_with_it():
    a = made_in_a_block()
    with pytest.raises(ValueError):
        np.add(a, [1, 2])
    # Nested arguments of any depth.
    endless = []
    endless += [endless, endless]
    with pytest.raises(ValueError):
        np.stack([endless, a])
    assert (np.ones(3) + np.ones(3)).tolist() == [2, 2, 2]


def test_arrays_of_two_meshes_do_not_meet():
    ours, own = np.arange(6.0).reshape(2, 3), made_in_a_block()
    for call in [
        lambda: np.add(ours, own),
        lambda: own + ours,
        lambda: np.stack([own, ours]),
        lambda: np.where(own > 0, ours, 1),
        lambda: own @ ours.T,
        lambda: ours.__setitem__(0, own[0]),
        lambda: np.savez(io.BytesIO(), ours + own),
    ]:
        with pytest.raises(ValueError, match="PX018"):
            call()


def test_sparse_matrices_of_this_process():
    with np.local():
        matrix = scipy.sparse.csr_matrix(np.array(MATRIX))
    product = matrix @ [1, 2, 3]
    assert product.tolist() == [8, 26]
    assert (product + made_in_a_block()[:, 0]).tolist() == [8, 29]
    assert (matrix.T @ [1, 2]).tolist() == [6, 9, 12]


def draws(count=3):
    return np.random.random(count).tolist()


def test_random_calls_of_this_process_change_nothing_of_the_world():
    np.random.seed(7)
    first, second = draws(), draws()
    np.random.seed(7)
    assert draws() == first
    with np.local():
        np.random.seed(8)
        own = draws()
        np.random.seed(9)
        draws()
        # The parameters of a call determine its mesh, too.
        np.random.normal(np.zeros(3))
    np.random.normal(made_in_a_block())
    assert draws() == second and own not in (first, second)
    with np.local():
        np.random.seed(8)
        assert draws() == own


def test_generators_draw_on_their_own_mesh():
    world = np.random.default_rng(3)
    with np.local():
        own = np.random.default_rng(3)
        expected = own.random(4).tolist()
        with pytest.raises(ValueError, match="PX018"):
            world.random(4)
    assert world.random(4).tolist() == expected
    with pytest.raises(ValueError, match="PX018"):
        own.random(4)
    with pytest.raises(ValueError, match="PX018"):
        world.permutation(made_in_a_block())


def test_files_of_this_process(tmp_path):
    own = made_in_a_block()
    np.save(tmp_path / "a.npy", own)
    np.savez(tmp_path / "b.npz", own, again=own)
    np.savez_compressed(tmp_path / "c.npz", own)
    np.savetxt(tmp_path / "d.txt", own)
    own.tofile(tmp_path / "e")
    for found in [
        numpy.load(tmp_path / "a.npy"),
        numpy.load(tmp_path / "b.npz")["again"],
        numpy.load(tmp_path / "c.npz")["arr_0"],
        numpy.loadtxt(tmp_path / "d.txt"),
        numpy.fromfile(tmp_path / "e").reshape(2, 3),
    ]:
        assert found.tolist() == MATRIX
    with pytest.raises(ValueError, match="PX018"):
        np.savez(tmp_path / "f.npz", own, np.zeros(3))
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npz", "c.npz", "d.txt", "e"]
