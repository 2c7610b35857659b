"""Corner cases that were wrong once."""

import threading

import numpy
import pytest

import phalanx as np
import phalanx.distributed

from . import worlds


def test_lists_in_themselves_are_refused():
    endless = []
    endless.append(endless)
    deep = [1]
    for _ in range(100_000):
        deep = [deep]
    for wrong in (endless, deep):
        with pytest.raises((ValueError, RecursionError)):
            np.asarray(wrong)


@pytest.mark.parametrize("axis", [0, -1])
def test_an_array_without_axes_is_taken_from_as_a_vector(axis):
    for taken in (
        lambda m, x: m.take(x, [0, -1, 0], axis=axis),
        lambda m, x: m.take(x, 0, axis=axis),
        lambda m, x: m.take(x, [[5]], axis=axis, mode="clip"),
        lambda m, x: m.compress([True], x, axis=axis),
        lambda m, x: m.compress([False], x, axis=axis),
    ):
        found, wanted = taken(np, np.array(3.0)), taken(numpy, numpy.array(3.0))
        assert found.shape == wanted.shape and found.tolist() == wanted.tolist()
    for m in (np, numpy):
        with pytest.raises(IndexError):
            m.take(m.array(3.0), [1], axis=axis)
        with pytest.raises(numpy.exceptions.AxisError):
            m.take(m.array(3.0), [0], axis=1)


@pytest.mark.one_process("threads record")
def test_threads_that_write_and_read_one_array():
    array, failures = np.zeros(1000), []

    def work():
        nonlocal array
        try:
            mine = array
            for step in range(300):
                mine += 1
                if step % 50 == 0:
                    mine.get()
        except Exception as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_collectives_inside_of_a_local_block():
    ended = worlds.run(
        """
        import numpy
        import phalanx as np
        import phalanx.distributed
        group = phalanx.distributed.init_process_group()
        with np.local():
            own, out = np.ones(2) * (group.rank + 1), np.zeros(2)
            group.all_reduce(own, out)
            print(f"sum {out.tolist()}")
            try:
                phalanx.distributed.agree("broken" if group.rank == 1 else None)
            except Exception as error:
                print(f"agreed {'broken' in str(error)}")
        """,
        processes=3,
    )
    lines = sorted(line.split("] ")[-1] for line in ended.stdout.splitlines())
    assert lines == ["agreed True"] * 3 + ["sum [6.0, 6.0]"] * 3, ended.stdout


def test_blocks_of_errstate_have_their_own_errors():
    zero = np.zeros(3)
    with pytest.raises(FloatingPointError):
        with np.errstate(divide="raise"):
            1 / zero
            with np.errstate(divide="ignore"):
                1 / zero
    with pytest.warns(RuntimeWarning):
        with np.errstate(divide="warn"):
            1 / zero
            with np.errstate(invalid="raise"):
                zero + 1
    with pytest.raises(FloatingPointError):
        with np.errstate(divide="raise"):
            one = np.ones(3)
            one /= zero


def test_numbers_of_any_size():
    assert float((np.asarray([1.0, 2.0]) + 2**70)[0]) == 2.0**70
    small = np.arange(6, dtype="uint8")
    for key, value in [(slice(2), [1, 300]), (slice(None), [256] * 6)]:
        with pytest.raises(OverflowError):
            small[key] = value
    small[:2] = [7, 8]
    assert small.tolist() == [7, 8, 2, 3, 4, 5]


def test_calls_that_numpy_refuses_are_refused():
    with pytest.raises(TypeError):
        pow(np.arange(3), 2, 3)
    for convert in (float, int, complex):
        with pytest.raises(TypeError):
            convert(np.ones(1))
    assert np.ones(1).item() == 1.0
    assert numpy.float64(np.ones(()).item()) == 1.0


def test_nothing_equals_what_is_no_number():
    x = np.arange(3)
    assert (x == None).tolist() == [False] * 3  # noqa: E711 - elementwise, as in NumPy
    assert (x != "a").tolist() == [True] * 3
    with pytest.raises(TypeError):
        x < None


def test_exceptions_of_a_position_are_raised():
    class Broken:
        def __index__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        np.arange(3)[Broken()]
    for wrong in (10**30, 1.5, "a"):
        with pytest.raises(IndexError):
            np.arange(3)[wrong]


def test_wrong_sessions_are_refused():
    ended = worlds.run(
        """
        import phalanx as np
        for wrong in ({"devices": True}, {"threads": 0}, {"mesh": {"x": 0}}):
            try:
                np.init(**wrong)
            except ValueError as error:
                print("refused")
        """
    )
    assert ended.stdout == "refused\n" * 3
