"""Random numbers: generators, seeds, and NumPy's legacy functions."""

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
    # The numbers of this seed, for any `PHALANX_DEVICES`.
    drawn = random.default_rng(7).integers(0, 1000, size=6).tolist()
    again = random.Generator(random.Philox4x3210(7)).integers(0, 1000, size=6).tolist()
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
        rng.shuffle((1, 2, 3))


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


# Distributions and parameters; numbers drawn from them are compared with NumPy's.
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
    # The largest distance of the two empirical distributions; it exceeds this bound once in a
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


@pytest.mark.parametrize("count, chances, size", [
    (5, [0.2, 0.3, 0.5], None), (5, [0.2, 0.3, 0.5], 4), (5, [0.2, 0.3, 0.5], ()), (0, [1.0], None),
    ([5, 6], [0.2, 0.8], None), ([5, 6], [[0.2, 0.8], [1, 0]], None), (5.5, [0.2, 0.8], 2),
    ([[5], [6]], [[0.2, 0.8], [1, 0]], None), (5, [[0.2, 0.8], [1, 0]], (3, 2)), ([], [0.5, 0.5], None),
    ([5, 6], [0.2, 0.8], (4, 2)), ([0, 0], [0.2, 0.8], None), ([True, False], [0.2, 0.8], None),
    (5, numpy.zeros((0, 3)), None), (5, [[0.2, 0.8], [1, 0]], 3), ([5, 6], [0.2, 0.8], (2, 1)),
    ([5, 6, 7], [[0.2, 0.8], [1, 0]], None), ([5, -1], [0.2, 0.8], None), (5, 0.5, None),
    (5, [], None), (5, [[]], None), (5, [[0.5, 0.5, 0], [0.6, 0.6, 0]], None),
    (5, [[0.5, 0.5], [-0.5, 1.5]], None), (5, [[numpy.nan, 0.5]], None),
])
@pytest.mark.parametrize("is_whole", [True, False])
def test_counts_and_chances_of_draws_that_are_arrays(count, chances, size, is_whole):
    ours, theirs = random.default_rng(5), numpy.random.default_rng(5)
    given = [count, chances] if is_whole else [
        phalanx.asarray(one) if isinstance(one, list) and one else one for one in (count, chances)
    ]
    try:
        expected = theirs.multinomial(count, chances, size)
    except ValueError:
        with pytest.raises(ValueError):
            ours.multinomial(*given, size)
        return
    drawn = ours.multinomial(*given, size)
    assert (drawn.shape, drawn.dtype) == (expected.shape, expected.dtype)
    assert drawn.sum(axis=-1).tolist() == expected.sum(axis=-1).tolist()
    assert int(drawn.min(initial=0)) >= 0


def test_every_vector_of_chances_has_its_own_counts():
    chances = numpy.array([[0.2, 0.3, 0.5], [1.0, 0, 0], [0.1, 0.9, 0]])
    drawn = random.RandomState(4).multinomial([10, 20, 5], chances, size=(20_000, 3))
    means = numpy.array([[10.0], [20], [5]]) * chances
    numpy.testing.assert_allclose(drawn.mean(axis=0).get(), means, atol=0.1)
    deviations = numpy.sqrt(means * (1 - chances))
    numpy.testing.assert_allclose(drawn.std(axis=0).get(), deviations, atol=0.1)


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


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox"])
@pytest.mark.parametrize("seed", [1, 2**70, [3, 4], "sequence"])
def test_words_of_numpys_bit_generators_are_numpys(name, seed):
    # A sequence counts its children.
    seed = numpy.random.SeedSequence(5, spawn_key=(2,)) if seed == "sequence" else seed
    ours, theirs = getattr(random, name)(seed), getattr(numpy.random, name)(seed)
    numpy.testing.assert_array_equal(ours.random_raw(1000).get(), theirs.random_raw(1000))
    drawn = ours.random_raw((3, 4))
    assert drawn.dtype == numpy.uint64
    numpy.testing.assert_array_equal(drawn.get(), theirs.random_raw(12).reshape(3, 4))
    assert ours.random_raw() == theirs.random_raw()
    generator, other = random.Generator(ours), numpy.random.Generator(theirs)
    for size in (1, 500, (70, 1000)):
        numpy.testing.assert_array_equal(generator.random(size).get(), other.random(size))
    for delta in (12345, 2**40 + 1):
        ours.advance(delta), theirs.advance(delta)
        assert ours.random_raw() == theirs.random_raw()
    if name != "Philox":
        assert ours.state == theirs.state
        assert ours.jumped(2).random_raw() == theirs.jumped(2).random_raw()
        ours.state = other_state = getattr(numpy.random, name)(77).state
        assert ours.state == other_state
        assert ours.random_raw() == getattr(numpy.random, name)(77).random_raw()
        ours.advance(-1)
        assert ours.state == other_state
    numpy.testing.assert_array_equal(
        getattr(random, name)(seed).spawn(2)[1].random_raw(3).get(),
        getattr(numpy.random, name)(seed).spawn(2)[1].random_raw(3),
    )


def recursive(words, count):
    """Numbers of MRG32k3a, one after the other."""
    moduli = [4294967087] * 3 + [4294944443] * 3
    state = [word % modulus for word, modulus in zip(words, moduli)]
    for _ in range(count):
        first = (1403580 * state[1] - 810728 * state[0]) % moduli[0]
        second = (527612 * state[5] - 1370589 * state[3]) % moduli[3]
        state = [*state[1:3], first, *state[4:], second]
        yield first - second if first > second else first - second + moduli[0]


def test_words_of_mrg32k3a_are_two_of_its_numbers():
    bits = random.MRG32k3a(5)
    numbers = list(recursive(random.SeedSequence(5).generate_state(6).tolist(), 2200))
    words = [high << 32 | low for high, low in zip(numbers[::2], numbers[1::2])]
    assert bits.random_raw(1000).tolist() == words[:1000]
    state = bits.state
    assert bits.random_raw((10, 10)).get().ravel().tolist() == words[1000:]
    bits.state = state
    generator = random.Generator(bits)
    numpy.testing.assert_array_equal(
        generator.random(100).get(), (numpy.array(words[1000:], "u8") >> 11) * 2.0**-53
    )
    # A known start: all words 12345.
    bits._stream.set_words([12345] * 6)
    assert bits.random_raw(2).tolist() == [
        high << 32 | low for high, low in zip(*[iter(recursive([12345] * 6, 4))] * 2)
    ]


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox", "MRG32k3a", "Philox4x3210"])
def test_all_distributions_draw_by_all_bit_generators(name):
    generator = random.Generator(getattr(random, name)(11))
    assert repr(generator) == f"Generator({name})"
    assert abs(float(generator.normal(2.0, 1.0, size=20_000).mean()) - 2) < 0.05
    assert abs(float(generator.gamma(3.0, size=5_000).mean()) - 3) < 0.15
    assert abs(float(generator.integers(0, 10, size=20_000).mean()) - 4.5) < 0.1
    assert sorted(generator.permutation(20).tolist()) == list(range(20))
    state = random.RandomState(getattr(random, name)(11))
    first = random.Generator(getattr(random, name)(11)).random(3).tolist()
    assert state.rand(3).tolist() == first


@pytest.mark.parametrize("name", ["MT19937", "SFC64", "XORWOW"])
def test_bit_generators_without_positions_are_refused(name):
    with pytest.raises(NotImplementedError, match=r"PX151[^~]*Philox4x3210"):
        getattr(random, name)(1)


TYPED = {
    "rand": (3, 4), "randn": (5,), "random_sample": ((2, 3),), "ranf": (4,), "sample": (4,),
    "random": (4,), "normal": (1.0, 2.0, 4), "uniform": (0, 1, 4), "exponential": (1.0, 4),
    "beta": (1.0, 2.0, 4), "chisquare": (3.0, 4), "f": (2.0, 3.0, 4), "gamma": (2.0, 1.0, 4),
    "gumbel": (0.0, 1.0, 4), "laplace": (0.0, 1.0, 4), "logistic": (0.0, 1.0, 4),
    "lognormal": (0.0, 1.0, 4), "noncentral_chisquare": (3.0, 1.0, 4),
    "noncentral_f": (2.0, 3.0, 1.0, 4), "pareto": (2.0, 4), "power": (2.0, 4),
    "rayleigh": (1.0, 4), "standard_cauchy": (4,), "standard_exponential": (4,),
    "standard_gamma": (2.0, 4), "standard_normal": (4,), "standard_t": (3.0, 4),
    "triangular": (0.0, 1.0, 2.0, 4), "vonmises": (0.0, 1.0, 4), "wald": (1.0, 1.0, 4),
    "weibull": (2.0, 4), "dirichlet": ([1.0, 2.0], 4),
    "multivariate_normal": ([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 4),
}
WHOLE = {
    "binomial": (10, 0.5, 4), "geometric": (0.5, 4), "hypergeometric": (5, 5, 3, 4),
    "logseries": (0.5, 4), "negative_binomial": (3, 0.5, 4), "poisson": (3.0, 4), "zipf": (2.0, 4),
}


@pytest.mark.parametrize("name", [*TYPED, *WHOLE])
def test_numbers_of_a_dtype(name):
    arguments = TYPED.get(name) or WHOLE[name]
    for source in (random, random.RandomState(3)):
        draw = getattr(source, name)
        assert draw(*arguments).dtype == (numpy.float64 if name in TYPED else numpy.int64)
        kinds = ["float32", "float64"] + ([] if name in TYPED else ["int16", "uint32", "int64"])
        for kind in kinds:
            drawn = draw(*arguments, dtype=kind)
            assert drawn.dtype == kind and drawn.shape == draw(*arguments).shape
        for kind in ["bool", "complex64", *(["int32"] if name in TYPED else [])]:
            with pytest.raises(TypeError):
                draw(*arguments, dtype=kind)
    with pytest.raises(TypeError):
        getattr(random.default_rng(1), "normal")(size=3, dtype="float32")


def test_a_dtype_changes_no_number_but_its_rounding():
    first = random.RandomState(8).gamma(2.0, size=50)
    second = random.RandomState(8).gamma(2.0, size=50, dtype="float32")
    numpy.testing.assert_array_equal(second.get(), first.get().astype("float32"))


def test_integers_between_arrays():
    low, high = numpy.array([[-1], [5], [100]]), numpy.array([[10, 11, 12]]) + 100
    for rng in (random, random.RandomState(3), random.default_rng(3)):
        draw = getattr(rng, "integers", None) or rng.randint
        drawn = draw(low, high)
        assert drawn.shape == (3, 3) and drawn.dtype == numpy.int64
        assert (drawn.get() >= low).all() and (drawn.get() < high).all()
        large = draw(phalanx.asarray(low), high, size=(400, 3, 3)).get()
        assert (large.min(0) == low).sum() >= 6 and (large < high).all()
        assert set(numpy.unique(draw([0, 5], 7, size=(300, 2)).get()[:, 1])) == {5, 6}
        assert draw([3], [5], dtype="int8").dtype == numpy.int8
        for wrong in [([0, 5], 5), ([0], [300], None, "int8"), ([0], [0])]:
            with pytest.raises(ValueError):
                draw(*wrong)
        with pytest.raises(TypeError):
            draw([0.5], [3])
    assert set(random.default_rng(1).integers([0], [1], size=90, endpoint=True).tolist()) == {0, 1}


def test_bounds_that_are_not_whole_are_cut_off():
    assert random.randint(-0.9, 1.1, size=3).tolist() == [0, 0, 0]
    assert random.randint(-1.1, -0.9, size=2).tolist() == [-1, -1]
    assert set(random.randint(2.9, size=100).tolist()) == {0, 1}
    for wrong in [(-0.2, 0.3), (numpy.inf,), (numpy.nan,)]:
        with pytest.raises((ValueError, OverflowError)):
            random.randint(*wrong)


def test_greatest_integers():
    state = random.RandomState(3)
    drawn = state.tomaxint((2, 3))
    assert drawn.shape == (2, 3) and drawn.dtype == numpy.int64 and (drawn.get() >= 0).all()
    assert int(state.tomaxint()) >= 0
    assert state.tomaxint(2000).get().max() > 2**62


def test_trials_of_several_chances():
    chances = [0.1, 0.5, 1.0]
    for rng in (random.default_rng(3), random.RandomState(3)):
        drawn = rng.geometric(chances, size=(4000, 3)).get()
        numpy.testing.assert_allclose(drawn.mean(0), [10, 2, 1], rtol=0.1)
        assert rng.geometric(phalanx.asarray(chances)).shape == (3,)
        for wrong in [[0.5, 0.0], [1.5], [numpy.nan]]:
            with pytest.raises(ValueError):
                rng.geometric(wrong)


def test_the_generator_of_the_module():
    random.seed(4)
    kept = random.get_random_state()
    assert isinstance(kept, random.RandomState)
    first = random.rand(3).tolist()
    # Both draw from the same generator.
    assert kept.rand(2).tolist() != first[:2]
    random.set_random_state(random.RandomState(4))
    assert random.rand(3).tolist() == first
    random.set_random_state(random.RandomState(random.PCG64(9)))
    expected = numpy.random.Generator(numpy.random.PCG64(9)).random(3)
    numpy.testing.assert_array_equal(random.rand(3).get(), expected)
    random.reset_states()
    assert random.rand(3).tolist() != random.rand(3).tolist()
    with pytest.raises(TypeError, match="PX140"):
        random.set_random_state(3)
    random.seed(4)
    assert random.rand(3).tolist() == first


# For arrays of parameters: the call, and NumPy's mean and variance for each.
EACH = {
    "poisson": [([0.0, 0.5, 9.9, 10.1, 60.0, 1e4],)],
    "binomial": [([0, 1, 30, 30, 500, 500, 40], [0.5, 0.3, 0.2, 0.9, 0.3, 0.99, 0.5])],
    "geometric": [([0.1, 0.5, 0.9],)],
    "weibull": [([0.0, 1.0, 3.0],)],
    "pareto": [([9.0, 12.0],)],
    "power": [([0.5, 2.0, 9.0],)],
    "rayleigh": [([0.0, 1.0, 5.0],)],
    "exponential": [([0.0, 1.0, 5.0],)],
    "standard_gamma": [([0.3, 1.0, 9.0],)],
    "gamma": [([0.3, 1.0, 9.0], [1.0, 2.0, 3.0])],
    "beta": [([0.5, 2.0], [3.0, 4.0])],
    "chisquare": [([1.0, 4.0],)],
    "noncentral_chisquare": [([0.5, 1.0, 4.0], [2.0, 30.0, 3.0])],
    "f": [([3.0, 5.0], [20.0, 30.0])],
    "noncentral_f": [([3.0, 5.0], [20.0, 30.0], [1.0, 2.0])],
    "standard_t": [([9.0, 20.0],)],
    "negative_binomial": [([0.5, 3.0, 200.0], [0.5, 0.9, 0.2])],
    "hypergeometric": [([10, 10, 300], [5, 50, 400], [7, 20, 100])],
    "logseries": [([0.1, 0.5, 0.9],)],
    "zipf": [([6.0, 8.0, 30.0],)],
    "vonmises": [([0.0, 1.0, 0.5, -1.0, 2.0], [3.0, 1e-6, 2e6, 40.0, 0.0])],
    "wald": [([1.0, 2.0], [3.0, 9.0])],
    "triangular": [([0.0, -1.0], [1.0, 0.0], [2.0, 0.5])],
    "laplace": [([0.0, 1.0], [1.0, 3.0])],
    "logistic": [([0.0, 1.0], [1.0, 3.0])],
    "gumbel": [([0.0, 1.0], [1.0, 3.0])],
    "lognormal": [([0.0, 1.0], [0.2, 0.5])],
    "normal": [([0.0, 1.0], [0.2, 0.5])],
    "uniform": [([0.0, 1.0], [0.2, 5.0])],
}


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_every_element_has_parameters_of_its_own(name, kind):
    if kind == "Generator":
        ours, theirs = random.default_rng(8), numpy.random.default_rng(8)
    else:
        ours, theirs = random.RandomState(8), numpy.random.RandomState(8)
    count = 20_000
    for parameters in EACH[name]:
        arrays = [numpy.array(one) for one in parameters]
        size = (count, len(arrays[0]))
        expected = getattr(theirs, name)(*arrays, size=size)
        drawn = getattr(ours, name)(*map(phalanx.asarray, arrays), size=size)
        assert drawn.dtype == expected.dtype and drawn.shape == size
        drawn = drawn.get()
        # Means within five standard errors, and variances within a fifth.
        spread = expected.std(0)
        near = numpy.abs(drawn.mean(0) - expected.mean(0)) <= 7.1 * spread / count**0.5 + 1e-12
        assert near.all(), (drawn.mean(0), expected.mean(0), spread)
        numpy.testing.assert_allclose(drawn.var(0), expected.var(0), rtol=0.2, atol=1e-9)
        assert getattr(ours, name)(*arrays).shape == arrays[0].shape
        first, *others = arrays
        several = getattr(ours, name)(first[:, None], *(one[:, None] for one in others))
        assert several.shape == (len(first), 1)
        with pytest.raises(ValueError):
            getattr(ours, name)(*arrays, size=len(first) + 1)


def test_one_parameter_draws_as_an_array_of_it():
    for name, one, several in [("hypergeometric", (10, 5, 7), ([10], [5], [7])),
                               ("weibull", (2.0,), ([2.0],)), ("zipf", (3.0,), ([3.0],))]:
        scalar = getattr(random.default_rng(2), name)(*one, size=100)
        array = getattr(random.default_rng(2), name)(*several, size=100)
        numpy.testing.assert_allclose(array.get(), scalar.get(), rtol=1e-12)


@pytest.mark.parametrize("name, parameters", [
    ("poisson", ([1.0, -1.0],)), ("poisson", ([1.0, numpy.nan],)), ("binomial", ([3, -1], 0.5)),
    ("binomial", (3, [0.5, 1.5])), ("weibull", ([1.0, -1.0],)), ("pareto", ([1.0, 0.0],)),
    ("power", ([1.0, -1.0],)), ("triangular", ([0.0, 3.0], 2.0, 4.0)), ("zipf", ([2.0, 1.0],)),
    ("logseries", ([0.5, 1.0],)), ("vonmises", (0.0, [1.0, -1.0])),
    ("negative_binomial", ([1.0, 0.0], 0.5)), ("negative_binomial", (1.0, [0.5, 0.0])),
    ("hypergeometric", ([3, -1], 2, 1)), ("hypergeometric", ([3, 4], 2, 9)),
    ("noncentral_chisquare", ([1.0, 0.0], 1.0)), ("noncentral_f", (1.0, 1.0, [1.0, -1.0])),
])
def test_parameters_of_elements_are_checked(name, parameters):
    with pytest.raises(ValueError):
        getattr(random.default_rng(1), name)(*parameters)
    with pytest.raises(ValueError):
        getattr(numpy.random.default_rng(1), name)(*parameters)


def test_counts_of_elements_are_the_same_on_any_mesh():
    # The numbers of this seed, for any `PHALANX_DEVICES`.
    rng = random.default_rng(3)
    means = numpy.linspace(0, 40, 7)
    assert rng.poisson(means).tolist() == [0, 5, 16, 14, 25, 45, 33]
    assert rng.binomial(numpy.arange(7) * 9, 0.4).tolist() == [0, 2, 6, 13, 12, 18, 26]
    assert rng.hypergeometric(numpy.arange(7), 5, 4).tolist() == [0, 1, 1, 1, 1, 2, 1]


def test_integers_beside_arrays_take_every_bound_of_their_dtype():
    rng = random.default_rng(3)
    for low, high, dtype in [([0, 1], 2**63, "int64"), ([0, 1], 2**64, "uint64"),
                             ([2**63, 2**63 + 5], 2**64 - 1, "uint64"), ([False, True], 5, "int64")]:
        drawn = rng.integers(low, high, dtype=dtype).get()
        assert drawn.dtype == dtype
        assert all(int(a) <= int(x) < high for a, x in zip(low, drawn, strict=True))
    ends = numpy.array([2**63 + 1, 2**63 + 2], "uint64")
    drawn = rng.integers(2**63, ends, dtype="uint64").get()
    assert ((drawn >= 2**63) & (drawn < ends)).all()
    for low, high, dtype in [([0, 1], 2**63 + 1, "int64"), ([-1, 0], 5, "uint64"),
                             (0, numpy.array([2**63 + 9], "uint64"), "int64")]:
        with pytest.raises(ValueError):
            rng.integers(low, high, dtype=dtype)


@pytest.mark.parametrize("count, error", [
    (float("nan"), ValueError), (float("inf"), OverflowError), (2**70, OverflowError),
    (numpy.array([1.5, numpy.nan]), ValueError), (-1, ValueError),
])
def test_counts_of_draws_are_finite_integers(count, error):
    with pytest.raises(error):
        random.default_rng(1).multinomial(count, [0.5, 0.5])


NAN = float("nan")

# Parameters at the limits of each distribution.
LIMITS = {
    "vonmises": [(0, NAN), (NAN, 1), (0, -0.0), (0, -1)],
    "triangular": [(NAN, 1, 2), (0, NAN, 2), (0, 1, NAN), (2, 1, 0), (1, 1, 1), (0, 0, 1)],
    "noncentral_chisquare": [(NAN, 1), (1, NAN), (3, NAN), (1, -0.0), (0, 1)],
    "negative_binomial": [(NAN, 0.5), (3, NAN), (0, 0.5), (3, 0), (2**62, 0.1)],
    "normal": [(0, -0.0), (0, NAN), (0, 0)],
    "gamma": [(NAN, 1), (1, NAN), (-0.0, 1), (1, -0.0), (0, 1)],
    "beta": [(NAN, 1), (0, 1)],
    "chisquare": [(NAN,), (0,)],
    "f": [(NAN, 1), (1, NAN)],
    "exponential": [(NAN,), (-0.0,), (0,)],
    "geometric": [(NAN,), (0,), (1,)],
    "gumbel": [(0, NAN), (0, -0.0)],
    "laplace": [(0, NAN), (0, -0.0)],
    "logistic": [(0, NAN), (0, -0.0)],
    "lognormal": [(0, NAN), (0, -0.0)],
    "logseries": [(NAN,), (0,), (1,)],
    "noncentral_f": [(NAN, 1, 1), (1, NAN, 1), (1, 1, NAN)],
    "pareto": [(NAN,), (0,)],
    "poisson": [(NAN,), (-0.0,)],
    "power": [(NAN,), (0,)],
    "rayleigh": [(NAN,), (-0.0,)],
    "standard_gamma": [(NAN,), (-0.0,)],
    "standard_t": [(NAN,), (0,)],
    "uniform": [(NAN, 1), (0, NAN)],
    "wald": [(NAN, 1), (1, NAN)],
    "weibull": [(NAN,), (-0.0,), (0,)],
    "zipf": [(NAN,), (1,)],
    "binomial": [(NAN, 0.5), (10, NAN), (10, -0.0), (10, 1), (2**55, 0.5)],
}


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_parameters_are_those_of_numpy(name, is_array):
    for parameters in LIMITS[name]:
        told = []
        for module in (random, numpy.random):
            given = [numpy.array([one]) if is_array else one for one in parameters]
            try:
                drawn = numpy.asarray(getattr(module.default_rng(0), name)(*given))
                told.append("NaN" if numpy.isnan(drawn).all() else "a number")
            except (ValueError, TypeError, OverflowError) as error:
                classes = (ValueError, TypeError, OverflowError)
                told.append(next(one for one in classes if isinstance(error, one)))
        assert told[0] == told[1], parameters


@pytest.mark.parametrize("name, parameters, mean, deviation", [
    ("binomial", (10**13, 0.25), 0.25e13, (0.1875e13) ** 0.5),
    ("binomial", (2**54, 0.5), 2.0**53, 2.0**26),
    ("binomial", (2**60, 0.5), 2.0**59, 2.0**29),
    ("binomial", ([2**60], 0.25), 2.0**58, (3 * 2.0**56) ** 0.5),
    ("poisson", (1e14,), 1e14, 1e7),
    ("negative_binomial", (1e13, 0.5), 1e13, (2e13) ** 0.5),
])
def test_numbers_too_large_for_a_table_are_drawn(name, parameters, mean, deviation):
    drawn = getattr(random.default_rng(5), name)(*parameters, (2000, 1)).get().astype(float)
    assert abs(drawn.mean() - mean) < 5 * deviation / 2000**0.5
    assert abs(drawn.std() / deviation - 1) < 0.1


def test_counts_that_are_elements_are_numbers():
    rng = random.default_rng(1)
    floats, words = phalanx.asarray([10.7, numpy.nan]), phalanx.asarray(numpy.array([10, 2**63], "uint64"))
    for count in (floats[0], words[0]):
        assert rng.binomial(count, 1.0, 3).tolist() == [10, 10, 10]
        assert rng.hypergeometric(count, 0, 4, 2).tolist() == [4, 4]
    for count, error in [(floats[1], ValueError), (words[1], OverflowError), (words, TypeError),
                         (floats, TypeError)]:
        with pytest.raises(error):
            rng.binomial(count, 0.5)


@pytest.mark.parametrize("name, parameters", [
    ("normal", (None,)), ("normal", (0, None)), ("uniform", (None,)), ("uniform", (0, None)),
    ("exponential", (None,)), ("poisson", (None,)), ("gamma", (1, None)), ("laplace", (None,)),
    ("rayleigh", (None,)), ("lognormal", (0, None)),
])
def test_none_is_no_parameter_of_a_distribution(name, parameters):
    for draw in (getattr(random.default_rng(1), name), getattr(random, name)):
        with pytest.raises(TypeError):
            draw(*parameters)


def test_slices_of_a_number_have_one_axis():
    for module in (phalanx, numpy):
        rng = module.random.default_rng(3)
        assert 0 <= int(rng.choice(5, axis=None)) < 5
        assert sorted(rng.permutation(5, axis=None).tolist()) == [0, 1, 2, 3, 4]


def test_a_choice_without_replacement_is_the_start_of_a_random_order():
    for count, wanted in [(1000, 0), (1000, 1), (1000, 7), (20_000, 7), (20_000, 20_000), (0, 0)]:
        order = numpy.asarray(random.default_rng(3).permutation(count))
        chosen = random.default_rng(3).choice(max(count, 1), wanted, replace=False)
        if count:
            numpy.testing.assert_array_equal(numpy.asarray(chosen), order[:wanted])
        else:
            assert chosen.shape == (0,)
    chances = numpy.arange(1000) / numpy.arange(1000).sum()
    chosen = numpy.asarray(random.default_rng(3).choice(1000, 9, replace=False, p=chances))
    assert len(set(chosen.tolist())) == 9 and 0 not in chosen
