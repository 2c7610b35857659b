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
