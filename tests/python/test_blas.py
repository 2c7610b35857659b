"""The library that multiplies and factorises matrices: found in the process, agreed by ranks."""

import re

import pytest

from .worlds import apart, run

apart()

# Prints a digest of replicated products and factorisations. Ranks that are arguments use own
# routines, others what they find: NumPy's library is there if the system has none.
PROGRAM = """
    import hashlib, os, sys
    import numpy
    if os.environ.get("PHALANX_RANK", "0") in sys.argv[1:]:
        os.environ["PHALANX_BLAS"] = "own"
    import phalanx as np
    from phalanx import linalg

    np.random.seed(7)
    a, b = np.random.rand(150, 150), np.random.rand(150, 150)
    results = [a @ b, a[:70].T @ b[:70], linalg.inv(a), *linalg.qr(a), *linalg.svd(a)]
    results += [linalg.solve(a, b), linalg.cholesky(a @ a.T + 150 * np.eye(150))]
    results += [*linalg.eigh(a + a.T), linalg.det(a), (a.astype("f") @ b.astype("f"))]
    assert abs(results[0] @ linalg.inv(b) - a).max() < 1e-9
    digest = hashlib.sha256(repr([result.tolist() for result in results]).encode())
    print("digest", digest.hexdigest(), flush=True)
"""


def digests(*own, environment=(), processes=2):
    """The digests of ranks; those of the given numbers ask for own routines."""
    ended = run(PROGRAM, *own, processes=processes, environment=environment)
    found = re.findall(r"digest (\w+)", ended.stdout + ended.stderr)
    assert len(found) == processes, ended
    return found


def test_ranks_with_different_libraries_use_own_routines():
    own = set(digests(environment={"PHALANX_BLAS": "own"}))
    assert len(own) == 1
    assert set(digests("1")) == own
    assert set(digests("0")) == own


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ranks_with_the_same_library_have_the_same_bits(threads):
    found = digests(environment={"PHALANX_THREADS": threads})
    assert found[0] == found[1]


def test_own_routines_are_used_on_request():
    assert digests("0", "1") == digests(environment={"PHALANX_BLAS": "own"})


def test_info_names_the_library_and_what_was_passed_over():
    told = run("-m", "phalanx", "info").stdout
    assert re.search(r"^BLAS +\S", told, re.MULTILINE), told
    told = run("-m", "phalanx", "info", environment={"PHALANX_BLAS": "/no/library.so"}).stdout
    assert "passed over: /no/library.so: not found" in told, told
    told = run("-m", "phalanx", "info", environment={"PHALANX_BLAS": "own"}).stdout
    assert re.search(r"^BLAS +own: gemm and faer \(PHALANX_BLAS\)$", told, re.MULTILINE), told


def test_the_library_of_numpy_computes_as_numpy():
    told = run("-m", "phalanx", "info").stdout
    if not re.search(r"^BLAS +\S*/numpy.libs/\S*openblas", told, re.MULTILINE):
        pytest.skip("NumPy's own OpenBLAS is not the library here")
    program = """
        import numpy
        import phalanx
        a, b = numpy.random.rand(2, 200, 200)
        x, y = phalanx.array(a), phalanx.array(b)
        assert ((x @ y).get() == a @ b).all()
        assert (phalanx.linalg.solve(x, y).get() == numpy.linalg.solve(a, b)).all()
        for ours, numpys in zip(phalanx.linalg.svd(x), numpy.linalg.svd(a)):
            assert (ours.get() == numpys).all()
    """
    run(program, environment={"PHALANX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
