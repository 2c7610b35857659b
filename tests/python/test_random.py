"""Random numbers: generators, seeds, and the functions of older programs."""

import numpy
import pytest

import phalanx
from phalanx import random

from . import worlds

DRAWS = [
    ("random", (), {}),
    ("normal", (2.0, 0.5), {}),
    ("standard_normal", (), {}),
    ("uniform", (-1, 3), {}),
    ("exponential", (2.0,), {}),
    ("standard_exponential", (), {}),
    ("integers", (3, 9), {}),
    ("poisson", (4.0,), {}),
    ("binomial", (10, 0.3), {}),
    ("geometric", (0.25,), {}),
    ("laplace", (), {}),
    ("logistic", (), {}),
    ("gumbel", (), {}),
    ("lognormal", (), {}),
    ("rayleigh", (), {}),
    ("weibull", (1.5,), {}),
    ("pareto", (3.0,), {}),
    ("power", (2.0,), {}),
    ("triangular", (0, 1, 4), {}),
    ("standard_cauchy", (), {}),
]


@pytest.mark.parametrize("name, arguments, keywords", DRAWS)
def test_draws(name, arguments, keywords):
    def draw(size, seed=5):
        return getattr(random.default_rng(seed), name)(*arguments, size=size, **keywords)

    theirs = getattr(numpy.random.default_rng(5), name)(*arguments, size=(20_000,), **keywords)
    ours = draw((20_000,))
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    ours = ours.get()
    # Distributions without a mean are compared by their quartiles.
    numpy.testing.assert_allclose(
        numpy.percentile(ours, [25, 50, 75]), numpy.percentile(theirs, [25, 50, 75]), atol=0.11
    )
    numpy.testing.assert_array_equal(draw((20_000,)).get(), ours)
    numpy.testing.assert_array_equal(draw(20_000).get(), ours)
    assert not numpy.array_equal(draw((20_000,), seed=6).get(), ours)
    assert draw(None).shape == ()
    assert draw((2, 3)).shape == (2, 3)


def test_numbers_are_the_same_on_any_mesh():
    # The numbers of this seed, whatever `PHALANX_DEVICES` says.
    drawn = random.default_rng(7).integers(0, 1000, size=6).tolist()
    again = random.Generator(random.Philox(7)).integers(0, 1000, size=6).tolist()
    large = random.default_rng(7).integers(0, 1000, size=100_000)[:6].tolist()
    assert drawn == again == large


@pytest.mark.parametrize("seed", [0, 2**63, 2**70, [1, 2], numpy.int64(3), numpy.array([4, 5])])
def test_seeds(seed):
    first, second = random.default_rng(seed), random.default_rng(seed)
    assert first.random(4).tolist() == second.random(4).tolist()
    assert first.random(4).tolist() != random.default_rng(12345).random(4).tolist()


def test_seed_sequences_and_generators():
    sequence = random.SeedSequence(9)
    assert random.default_rng(sequence).random(3).tolist() == random.default_rng(9).random(3).tolist()
    rng = random.default_rng(1)
    assert random.default_rng(rng) is rng
    children = rng.spawn(2)
    assert [type(child) for child in children] == [random.Generator] * 2
    assert children[0].random(3).tolist() != children[1].random(3).tolist()


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_seeds_that_are_none(seed):
    with pytest.raises((TypeError, ValueError)):
        random.default_rng(seed)


def test_without_a_seed():
    assert random.default_rng().random(8).tolist() != random.default_rng().random(8).tolist()
    assert random.Generator(random.PCG64()).random(3).shape == (3,)


def test_parameters_with_axes():
    rng = random.default_rng(3)
    means = numpy.array([0.0, 100.0, 200.0])
    drawn = rng.normal(phalanx.asarray(means), 0.5, size=(1000, 3))
    numpy.testing.assert_allclose(drawn.get().mean(0), means, atol=0.1)
    assert rng.normal(means, [[1.0], [2.0]]).shape == (2, 3)
    scales = rng.exponential(numpy.array([1.0, 50.0]), size=(5000, 2)).get().mean(0)
    numpy.testing.assert_allclose(scales, [1, 50], rtol=0.1)
    between = rng.uniform([0, 10], [1, 11], size=(100, 2)).get()
    assert (between.min(0) >= [0, 10]).all() and (between.max(0) < [1, 11]).all()
    with pytest.raises(ValueError):
        rng.normal(0, [1.0, -1.0])
    with pytest.raises(ValueError):
        rng.normal(0, -1.0)
    with pytest.raises(ValueError):
        rng.normal([0.0, 1.0], 1.0, size=3)


def test_integers():
    rng = random.default_rng(3)
    drawn = rng.integers(5, size=1000, dtype="int8").get()
    assert drawn.dtype == numpy.int8 and set(drawn) == {0, 1, 2, 3, 4}
    assert set(rng.integers(1, 3, size=100, endpoint=True).tolist()) == {1, 2, 3}
    assert 0 <= int(rng.integers(10)) < 10
    for low, high in [(5, 5), (5, 2)]:
        with pytest.raises(ValueError):
            rng.integers(low, high)


def test_orders():
    rng = random.default_rng(4)
    assert sorted(rng.permutation(50).tolist()) == list(range(50))
    array = phalanx.asarray(numpy.arange(40).reshape(10, 4))
    rows = rng.permutation(array).get()
    assert sorted(map(tuple, rows)) == sorted(map(tuple, array.get()))
    columns = rng.permutation(array, axis=1).get()
    assert sorted(map(tuple, columns.T)) == sorted(map(tuple, array.get().T))
    lines = rng.permuted(array, axis=1).get()
    numpy.testing.assert_array_equal(numpy.sort(lines, 1), array.get())
    assert rng.shuffle(array) is None
    assert sorted(array.get()[:, 0].tolist()) == list(range(0, 40, 4))
    with pytest.raises(TypeError):
        rng.shuffle([1, 2, 3])


def test_choice():
    rng = random.default_rng(4)
    assert set(rng.choice(5, size=200).tolist()) == {0, 1, 2, 3, 4}
    assert sorted(rng.choice(6, size=6, replace=False).tolist()) == [0, 1, 2, 3, 4, 5]
    weighted = rng.choice(3, size=4000, p=[0.5, 0, 0.5]).get()
    assert not (weighted == 1).any() and abs((weighted == 0).mean() - 0.5) < 0.05
    table = phalanx.asarray(numpy.arange(12).reshape(3, 4))
    assert rng.choice(table, size=(2, 5)).shape == (2, 5, 4)
    assert rng.choice(table, size=(2, 5), axis=1).shape == (3, 2, 5)
    with pytest.raises(ValueError):
        rng.choice(3, size=4, replace=False)
    with pytest.raises(ValueError):
        rng.choice(3, size=4, p=[0.5, 0.1, 0.1])


def test_out_and_dtype():
    rng = random.default_rng(4)
    assert rng.random(3, dtype="float32").dtype == numpy.float32
    out = phalanx.zeros((4,))
    assert rng.standard_normal(out=out) is out
    assert (out.get() != 0).all()
    with pytest.raises(TypeError):
        rng.random(3, dtype="int64")


def test_multivariate_normal():
    rng = random.default_rng(4)
    covariance = numpy.array([[2.0, 0.5], [0.5, 1.0]])
    drawn = rng.multivariate_normal([1.0, -1.0], covariance, size=20_000).get()
    numpy.testing.assert_allclose(drawn.mean(0), [1, -1], atol=0.05)
    numpy.testing.assert_allclose(numpy.cov(drawn.T), covariance, atol=0.1)


def test_bytes():
    drawn = random.default_rng(4).bytes(13)
    assert isinstance(drawn, bytes) and len(drawn) == 13


def test_functions_of_older_programs():
    random.seed(11)
    first = [
        random.rand(2, 3), random.randn(4), random.random(3), random.randint(0, 9, (5,)),
        random.uniform(0, 1, 4), random.normal(size=3), random.permutation(5),
        random.choice(5, 3), random.random_sample(2), random.standard_normal((2, 2)),
    ]
    shapes = [(2, 3), (4,), (3,), (5,), (4,), (3,), (5,), (3,), (2,), (2, 2)]
    assert [one.shape for one in first] == shapes
    random.seed(11)
    assert random.rand(2, 3).tolist() == first[0].tolist()
    assert random.randn(4).tolist() == first[1].tolist()
    state = random.RandomState(11)
    assert state.rand(2, 3).tolist() == first[0].tolist()
    assert random.rand().shape == ()
    array = phalanx.arange(10)
    random.shuffle(array)
    assert sorted(array.tolist()) == list(range(10))
    random.seed()
    random.seed(None)


@pytest.mark.parametrize("devices", [1, 2])
def test_processes_agree_on_seeds(devices):
    ended = worlds.run(
        """
        import phalanx as np
        rng = np.random.default_rng()
        print("drawn", rng.random(3).tolist(), np.random.rand(2).tolist(),
              np.random.default_rng(5).integers(0, 100, 4).tolist())
        mean = float(rng.normal(3, 1, size=100_000).mean())
        assert abs(mean - 3) < 0.05, mean
        matrix = np.scipy.sparse.csr_matrix(np.asarray([[4.0, 1], [1, 3]]))
        x, info = np.scipy.sparse.linalg.cg(matrix, np.asarray([1.0, 2]), rtol=1e-10)
        print("solved", info, [round(one, 6) for one in x.tolist()])
        """,
        processes=3,
        devices=devices,
    )
    lines = [line[line.index("drawn") :] for line in ended.stdout.splitlines() if "drawn" in line]
    assert len(lines) >= 1 and len(set(lines)) == 1
    assert "solved 0 [0.090909, 0.636364]" in ended.stdout


# Distributions with the parameters of which numbers are compared with NumPy's.
FAMILIES = [
    ("gamma", (0.3, 2.0)),
    ("gamma", (1.0,)),
    ("gamma", (7.5, 0.5)),
    ("standard_gamma", (2.5,)),
    ("beta", (0.5, 0.5)),
    ("beta", (2.0, 5.0)),
    ("beta", (0.01, 0.02)),
    ("chisquare", (0.7,)),
    ("chisquare", (4,)),
    ("noncentral_chisquare", (3.0, 2.0)),
    ("noncentral_chisquare", (0.5, 2.0)),
    ("f", (3.0, 12.0)),
    ("noncentral_f", (3.0, 12.0, 1.5)),
    ("standard_t", (2.5,)),
    ("wald", (1.0, 2.0)),
    ("vonmises", (0.5, 2.0)),
    ("vonmises", (3.0, 0.001)),
    ("vonmises", (0.0, 1e-9)),
    ("negative_binomial", (3, 0.4)),
    ("negative_binomial", (0.5, 0.1)),
    ("hypergeometric", (15, 20, 10)),
    ("hypergeometric", (3, 1, 4)),
    ("logseries", (0.6,)),
    ("logseries", (0.999,)),
    ("zipf", (2.0,)),
    ("zipf", (1.2,)),
]


@pytest.mark.parametrize("name, parameters", FAMILIES)
def test_families(name, parameters):
    count = 40_000
    theirs = getattr(numpy.random.default_rng(5), name)(*parameters, size=count)
    drawn = getattr(random.default_rng(5), name)(*parameters, size=count)
    assert drawn.dtype == theirs.dtype and drawn.shape == theirs.shape
    ours = drawn.get()
    # The largest distance of the two empirical distributions, which is above this bound once in a
    # million samples (Kolmogorov and Smirnov).
    values = numpy.unique(numpy.concatenate([ours, theirs]))
    places = [numpy.searchsorted(numpy.sort(one), values, "right") for one in (ours, theirs)]
    assert abs(places[0] - places[1]).max() / count < 2.7 * (2 / count) ** 0.5
    again = getattr(random.default_rng(5), name)(*parameters, size=count)
    numpy.testing.assert_array_equal(again.get(), ours)
    assert getattr(random, name)(*parameters).shape == ()


def test_vectors_of_families():
    parts = random.default_rng(3).dirichlet([0.5, 2.0, 4.0], size=20_000)
    assert parts.shape == (20_000, 3)
    numpy.testing.assert_allclose(parts.sum(axis=-1).get(), 1.0)
    numpy.testing.assert_allclose(parts.mean(axis=0).get(), numpy.array([0.5, 2, 4]) / 6.5, atol=0.01)
    counts = random.default_rng(3).multinomial(10, [0.2, 0.3, 0.5], size=(20_000,))
    assert counts.shape == (20_000, 3) and counts.dtype == numpy.int64
    assert bool((counts.sum(axis=-1) == 10).all())
    numpy.testing.assert_allclose(counts.mean(axis=0).get(), [2, 3, 5], atol=0.1)
    numpy.testing.assert_allclose(counts.std(axis=0).get(), [1.265, 1.449, 1.581], atol=0.1)


def test_parameters_that_are_arrays():
    generator = random.default_rng(1)
    drawn = generator.gamma(numpy.array([1.0, 50.0]), phalanx.asarray([1.0, 2.0]), size=(5000, 2))
    numpy.testing.assert_allclose(drawn.mean(axis=0).get(), [1, 100], rtol=0.1)
    assert generator.beta([1.0, 2.0, 3.0], 2.0).shape == (3,)
    with pytest.raises(ValueError):
        generator.gamma([1.0, 2.0], size=3)
    for wrong in (
        lambda: generator.gamma(-1.0),
        lambda: generator.gamma([-1.0, 1.0]),
        lambda: generator.beta(0.0, 1.0),
        lambda: generator.standard_t(0),
        lambda: generator.zipf(1.0),
        lambda: generator.vonmises(0, -1),
        lambda: generator.hypergeometric(1, 1, 5),
        lambda: generator.negative_binomial(0, 0.5),
        lambda: generator.multinomial(3, [0.9, 0.9, 0.1]),
        lambda: generator.dirichlet([0.0, 1.0]),
        lambda: generator.logseries(1.0),
    ):
        with pytest.raises(ValueError):
            wrong()
