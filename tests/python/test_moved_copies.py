"""Arrays that lie otherwise than their partners: they are moved once, and the copy is kept."""

import pytest

from . import worlds

worlds.apart()

START = """
import numpy
import phalanx as np

np.init(split_from=1)
values = numpy.arange(40_001, dtype=float)
a = np.array(values)
# A product keeps the order of the blocks that it reads, so device 0 has the last elements.
b = a[::-1] * 1.0
np.evaluate(b)


def exchanges(array):
    return " exchange " in array.explain()


def sums(count, left=None, right=None):
    left, right = a if left is None else left, b if right is None else right
    seen = []
    for number in range(count):
        total = left + right * float(number)
        seen.append(exchanges(total))
        assert numpy.array_equal(total.get(), left.get() + right.get() * number)
    return seen
"""

# Each as devices in a process, and processes.
LAYOUTS = [(2, 1), (3, 1), (8, 1), (1, 3), (2, 2)]


@pytest.mark.parametrize(("devices", "processes"), LAYOUTS)
def test_an_array_is_exchanged_twice_and_then_lies_with_its_partners(devices, processes):
    worlds.run(START + """
# The second sum moves it, which is an exchange too.
assert sums(5) == [True, True, False, False, False]
# Another partner profits from the same copy.
assert sums(2, left=np.array(values * 2)) == [False, False]
# The array itself has not moved: work on it alone exchanges nothing.
assert not exchanges(b * 2.0)
assert numpy.array_equal((b * 2.0).get(), values[::-1] * 2)
""", devices=devices, processes=processes)


@pytest.mark.parametrize(("devices", "processes"), [(3, 1), (1, 2)])
def test_a_write_drops_the_copy(devices, processes):
    worlds.run(START + """
assert sums(3) == [True, True, False]
b[5] = -1.0
b[-7:] *= 2.0
np.evaluate(b)
assert sums(3) == [True, True, False]
b += 1.0
np.evaluate(b)
assert sums(3) == [True, True, False]
""", devices=devices, processes=processes)


def test_ranks_may_free_arrays_at_different_times():
    worlds.run(START + """
import gc

gc.disable()
kept = []
for number in range(30):
    other = a[::-1] * float(number)
    np.evaluate(other)
    assert sums(4, right=other) == [True, True, False, False]
    # Each rank keeps others of these arrays alive.
    if (number + np.rank()) % 3 == 0:
        kept.append(other)
for other in [kept[0], kept[-1]]:
    values_of_other = other.get() if np.size() == 1 else None
total = sum(float((a + a[::-1] * float(n)).sum()) for n in range(3))
assert total == sum((values + values[::-1] * n).sum() for n in range(3))
""", processes=3)


def test_copies_take_an_eighth_of_the_agreed_limit_at_most():
    # An array has 320 kB. A limit of 2 MB a device leaves 512 kB for copies on two devices.
    worlds.run(START + """
others = [a[::-1] * float(number) for number in range(3)]
np.evaluate(*others)
assert sums(3, right=others[0]) == [True, True, False]
assert sums(3, right=others[1]) == [True, True, False]
# The second copy has taken the place of the first, which begins anew.
assert sums(3, right=others[0]) == [True, True, False]
""", devices=2, environment={"PHALANX_MEMORY_LIMIT": "2000000"})
    # With half of that, there is no room for a copy.
    worlds.run(START + "assert sums(4) == [True] * 4", devices=2,
               environment={"PHALANX_MEMORY_LIMIT": "1200000"})


@pytest.mark.parametrize(("devices", "processes"), LAYOUTS)
def test_a_copy_of_a_reversed_view_lies_like_a_new_array(devices, processes):
    worlds.run(START + """
fresh = a[::-1].copy()
half = a[len(values) // 2:].copy()
np.evaluate(fresh, half)
assert numpy.array_equal(fresh.get(), values[::-1])
assert sums(2, right=fresh) == [False, False]
assert sums(2, left=np.array(values[: half.size]), right=half) == [False, False]
# A halo is not worth a move.
inner = a[1:].copy()
assert not exchanges(inner * a[1:])
""", devices=devices, processes=processes)


@pytest.mark.parametrize(("devices", "processes"), LAYOUTS)
def test_a_matrix_and_its_transpose(devices, processes):
    # Rows of the one and columns of the other lie together once the matrix has a copy in columns.
    worlds.run(START + """
matrix = np.array(values[:40_000].reshape(200, 200))
expected = matrix.get() + matrix.get().T
seen = []
for _ in range(4):
    total = matrix + matrix.T
    seen.append(exchanges(total))
    assert numpy.array_equal(total.get(), expected)
assert seen == [True, True, False, False]
""", devices=devices, processes=processes)


def test_casts_of_views_stay_where_their_partners_are():
    worlds.run(START + """
whole, short = np.array(numpy.arange(40_001)), np.array(values.astype("f4"))
np.evaluate(whole, short)
assert not exchanges(whole[::-1] * a[::-1])
assert not exchanges(short[::-1] + a[::-1])
assert not exchanges(whole[::-1] / 2)
assert not exchanges(whole[20_000:] * a[20_000:])
""", devices=4)


def test_every_array_of_a_sum_moves_in_the_end():
    worlds.run(START + """
others = [np.array(values), np.array(values)]
for _ in range(3):
    np.evaluate(b + a)
seen = []
for _ in range(6):
    total = b + a[::-1] * 1.0 + others[0] + others[1]
    seen.append(exchanges(total))
    assert numpy.array_equal(total.get(), 2 * values[::-1] + 2 * values)
assert not seen[-1]
# An array whose partners change is moved for the later ones.
shifted = np.concatenate([a[1:], a[:1]])[::-1] * 1.0
np.evaluate(b * shifted)
assert sums(4)[-1] is False
""", devices=3)


def test_explain_shows_the_copy_that_is_made():
    worlds.run(START + """
np.evaluate(np.sort(a + b))
first = np.sort(a + b).explain()
np.evaluate(np.sort(a + b))
assert "reshard" in first and "reshard0: f64[40001] @ [device]" in first
# The copy and the sum are written: two halves of 313 KiB.
assert "312.5 KiB" in first
""", devices=2)


def test_copies_give_way_to_arrays_from_the_host():
    # Two arrays and a copy take 480 kB of a device, and the large array 1600 kB.
    worlds.run(START + """
assert sums(3) == [True, True, False]
large = np.array(numpy.zeros(400_000))
assert float(large[-1]) == 0.0
del large
assert sums(2) == [True, True]
""", devices=2, environment={"PHALANX_MEMORY_LIMIT": "2000000"})


def test_a_leaf_stays_if_there_is_no_memory_for_its_copy():
    worlds.run(START + """
filler = np.array(numpy.zeros(275_000))
np.evaluate(filler)
expected = numpy.cumsum(values + values[::-1])
for _ in range(5):
    total = np.cumsum(a + b)
    assert numpy.array_equal(total.get(), expected)
    del total
# A copy was tried and refused in the second window. With less in use the leaf stays, too: each
# window would try again.
del filler
assert sums(3) == [True, True, True]
""", devices=2, environment={"PHALANX_MEMORY_LIMIT": "2000000"})


@pytest.mark.parametrize(("devices", "processes"), LAYOUTS)
def test_shards_of_a_reversed_view_are_written_where_they_belong(devices, processes):
    worlds.run(START + """
for extent in (40_001, 40_000, 7):
    expected = numpy.arange(float(extent))[::-1]
    reversed_ = np.array(numpy.arange(float(extent)))[::-1] * 1.0
    np.evaluate(reversed_)
    with reversed_.local_view() as parts:
        for part in parts:
            part += 100.0
    assert numpy.array_equal(reversed_.get(), expected + 100.0)
    columns = np.array(numpy.arange(3.0 * extent).reshape(extent, 3))[::-1] * 1.0
    with columns.local_view() as parts:
        for part in parts:
            part *= 2.0
    expected = numpy.arange(3.0 * extent).reshape(extent, 3)[::-1] * 2.0
    assert numpy.array_equal(columns.get(), expected)
""", devices=devices, processes=processes)
