"""Seeds, states and copies of generators, and integers over the whole range of their dtypes."""

import copy
import pickle

import numpy
import pytest

import phalanx as np

from . import worlds

SEEDS = [0, 5, 2**31, 2**32, 2**100 + 7, [1, 2, 3], [2**40, 0], range(9), ()]


@pytest.mark.parametrize("entropy", SEEDS, ids=str)
@pytest.mark.parametrize("options", [{}, {"pool_size": 8}, {"spawn_key": (3, 2**33)}], ids=str)
def test_seed_sequences_make_numpys_words(entropy, options):
    ours = np.random.SeedSequence(entropy, **options)
    theirs = numpy.random.SeedSequence(entropy, **options)
    for ours, theirs in [(ours, theirs), (ours.spawn(3)[2], theirs.spawn(3)[2])]:
        for count, dtype in [(1, "u4"), (11, "u4"), (5, "u8")]:
            words = ours.generate_state(count, dtype)
            expected = theirs.generate_state(count, dtype)
            assert words.dtype == expected.dtype
            numpy.testing.assert_array_equal(words, expected)
        numpy.testing.assert_array_equal(ours.pool, theirs.pool)
        assert ours.state == theirs.state and repr(ours) == repr(theirs)


def test_seeds_that_are_refused():
    for wrong in [-1, [1, -2], 2.5, "abc", object()]:
        with pytest.raises((TypeError, ValueError)) as theirs:
            numpy.random.SeedSequence(wrong)
        with pytest.raises(theirs.type, match="PX14"):
            np.random.SeedSequence(wrong)
    with pytest.raises(ValueError, match="PX141"):
        np.random.SeedSequence(1).generate_state(2, "u2")
    with pytest.raises(ValueError, match="PX144"):
        np.random.SeedSequence(1, pool_size=2)


def test_children_are_others_each_time():
    sequence = np.random.SeedSequence(7)
    first, second = sequence.spawn(2)
    third, = sequence.spawn(1)
    assert sequence.n_children_spawned == 3 and third.spawn_key == (2,)
    drawn = {tuple(np.random.default_rng(s).integers(0, 1 << 60, 3).tolist())
             for s in [sequence, first, second, third]}
    assert len(drawn) == 4
    # Children of equal seeds are equal.
    again = np.random.SeedSequence(7).spawn(2)[1]
    equal = [np.random.default_rng(s).random(4).tolist() for s in (second, again)]
    assert equal[0] == equal[1]


def test_generators_spawn_children_of_their_seeds():
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    children = rng.spawn(2)
    assert [type(child) for child in children] == [np.random.Generator] * 2
    # Spawning draws nothing.
    assert rng.random(3).tolist() == other.random(3).tolist()
    more = rng.spawn(1)[0]
    drawn = {tuple(one.random(3).tolist()) for one in [*children, more, rng]}
    assert len(drawn) == 4
    assert other.spawn(2)[1].random(2).tolist() == np.random.default_rng(3).spawn(2)[1].random(
        2
    ).tolist()
    bits = np.random.PCG64(3).spawn(2)
    assert isinstance(bits[0], np.random.PCG64) and bits[1].seed_seq.spawn_key == (1,)


def test_seeds_that_are_given_in_several_ways_are_one():
    expected = np.random.default_rng(9).random(3).tolist()
    for seed in [np.random.SeedSequence(9), np.random.Philox4x3210(9), [9][0]]:
        assert np.random.default_rng(seed).random(3).tolist() == expected
    assert np.random.Generator(np.random.Philox4x3210(9)).random(3).tolist() == expected
    bits = np.random.Philox4x3210(np.random.SeedSequence(9))
    first, second = np.random.Generator(bits), np.random.Generator(bits)
    # Both draw from the same generator.
    drawn = first.random(1).tolist() + second.random(1).tolist() + first.random(1).tolist()
    assert drawn == expected
    assert first.bit_generator is bits and repr(first) == "Generator(Philox4x3210)"
    assert np.random.default_rng(first) is first


COPIES = {
    "pickled": lambda rng: pickle.loads(pickle.dumps(rng)),
    "deep copied": copy.deepcopy,
}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("kind", ["default_rng", "RandomState", "PCG64", "Philox", "MRG32k3a"])
def test_copies_go_on_where_their_originals_stand(name, kind):
    rng = getattr(np.random, kind)(4)
    is_source = kind in ("default_rng", "RandomState")
    draw = lambda one: (one if is_source else np.random.Generator(one)).normal(size=5)  # noqa: E731
    draw(rng)
    copied = COPIES[name](rng)
    assert type(copied) is type(rng)
    expected = [draw(rng).tolist() for _ in range(2)]
    assert [draw(copied).tolist() for _ in range(2)] == expected
    if kind == "default_rng":
        assert copied.spawn(1)[0].random() == rng.spawn(1)[0].random()


def test_states_are_read_and_set():
    rng = np.random.default_rng(1)
    rng.random(10)
    state = rng.bit_generator.state
    assert state["bit_generator"] == "Philox4x3210" and set(state["state"]) == {"counter", "key"}
    first = rng.random(4).tolist()
    rng.bit_generator.state = state
    assert rng.random(4).tolist() == first
    other = np.random.default_rng()
    other.bit_generator.state = state
    assert other.random(4).tolist() == first
    for wrong in [{"bit_generator": "PCG64", "state": {}}, {}]:
        with pytest.raises(ValueError, match="PX144"):
            rng.bit_generator.state = wrong
    bits = np.random.Philox4x3210(1)
    bits.advance(10)
    assert np.random.Generator(bits).random(4).tolist() == first


def test_the_state_of_older_generators():
    state = np.random.RandomState(2)
    first = state.rand(3).tolist()
    kept = state.get_state()
    assert kept[0] == "Philox" and isinstance(kept, tuple) and len(kept) == 5
    second = state.rand(3).tolist()
    state.set_state(kept)
    assert state.rand(3).tolist() == second
    state.seed(2)
    assert state.rand(3).tolist() == first
    assert state.get_state(legacy=False)["state"]["counter"] == 3
    state.set_state(np.random.RandomState(5).get_state(legacy=False))
    assert state.rand(3).tolist() == np.random.RandomState(5).rand(3).tolist()
    with pytest.raises(ValueError, match="PX144"):
        state.set_state(numpy.random.RandomState(5).get_state())
    np.random.seed(8)
    kept = np.random.get_state()
    drawn = np.random.rand(2).tolist()
    np.random.set_state(kept)
    assert np.random.rand(2).tolist() == drawn
    assert np.random.RandomState(8).rand(2).tolist() == drawn


@pytest.mark.parametrize(
    "low, high, dtype",
    [(0, 2**63, "u8"), (0, 2**64, "u8"), (2**63, 2**64, "u8"), (-(2**63), 2**63, "i8"),
     (2**64 - 3, 2**64, "u8"), (-(2**63), -(2**63) + 2, "i8"), (0, 2**32, "u4"),
     (-128, 128, "i1"), (0, 2, "?")],
)
def test_integers_over_the_whole_range_of_a_dtype(low, high, dtype):
    drawn = np.random.default_rng(0).integers(low, high, 2000, dtype=dtype)
    assert drawn.dtype == numpy.dtype(dtype)
    numbers = [int(number) for number in drawn.get()]
    assert all(low <= number < high for number in numbers)
    width = high - low
    for place in range(min(width, 4)):
        part = [low + width * place // 4 <= n < low + width * (place + 1) // 4 for n in numbers]
        assert width < 4 or sum(part) > 400
    if width < 4:
        assert len(set(numbers)) == width
    last = np.random.default_rng(0).integers(low, high - 1, 2000, dtype=dtype, endpoint=True)
    numpy.testing.assert_array_equal(last.get(), drawn.get())
    limits = numpy.iinfo(dtype) if dtype != "?" else None
    least, most = (limits.min, limits.max) if limits else (0, 1)
    for beyond in [(least - 1, most), (most, most + 2)]:
        with pytest.raises(ValueError, match="PX017"):
            np.random.default_rng(0).integers(*beyond, 3, dtype=dtype)


def test_shardings_and_meshes_are_copied():
    shardings = [np.Sharding("device", None), np.Sharding(("x", "y"), None, blocks={0: [3, 0, 5]}),
                 np.Sharding()]
    for made in [*shardings, np.mesh()]:
        for copied in [pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)]:
            assert copied == made and repr(copied) == repr(made)


def test_ranks_agree_on_sequences_without_a_seed():
    ended = worlds.run(
        """
        import pickle
        import phalanx as np
        sequence = np.random.SeedSequence()
        rng = np.random.default_rng(sequence.spawn(2)[1])
        print(sequence.entropy > 2**80, rng.random(2).tolist(), flush=True)
        copied = pickle.loads(pickle.dumps(np.random.default_rng()))
        print(float(copied.random()), flush=True)
        """,
        processes=2,
    )
    lines = sorted(line.split("] ")[-1] for line in ended.stdout.splitlines())
    assert len(lines) == 4 and len(set(lines)) == 2, ended.stdout


def test_sequences_of_numpy_are_seeds():
    for entropy in [5, 2**100, [1, 2, 3]]:
        own, other = np.random.SeedSequence(entropy), numpy.random.SeedSequence(entropy)
        pairs = [(own, other), *zip(own.spawn(2), other.spawn(2), strict=True)]
        for first, second in pairs:
            expected = np.random.default_rng(first).random(3).tolist()
            assert np.random.default_rng(second).random(3).tolist() == expected
