"""Ranks that record different operations: the error names the first operation that differs, with
its line on each rank, no matter where the difference was detected."""

import re

import pytest

from . import worlds

# The different lines of rank 1, and the error's text about each rank.
PROGRAMS = {
    "operation": (
        ["y = y + x", "y = y * x"],
        ["add -> f64[6] at", "multiply -> f64[6] at"],
    ),
    "number": (
        ["y = y * 2.0", "y = y * 3.0"],
        ["multiply with 2", "multiply with 3"],
    ),
    "shape": (
        ["y = y[:4] + 1.0", "y = y[:5] + 1.0"],
        ["-> f64[4] at", "-> f64[5] at"],
    ),
    "place": (
        ["y = y[1:4] + y[:3]", "y = y[2:5] + y[:3]"],
        ["add -> f64[3] at", "add -> f64[3] at"],
    ),
    "dtype": (
        ["y = y.astype('f4')", "y = y.astype('i4')"],
        ["cast -> f32[6] at", "cast -> i32[6] at"],
    ),
    "axis": (
        ["y = y.reshape(2, 3).sum(axis=0)", "y = y.reshape(2, 3).sum(axis=1)"],
        ["sum -> f64[3] at", "sum -> f64[2] at"],
    ),
    "order": (
        ["a = np.sin(y); y = np.cos(x) + a", "a = np.cos(x); y = np.sin(y) + a"],
        ["sin -> f64[6] at", "cos -> f64[6] at"],
    ),
    "one more": (
        ["pass", "y = np.exp(y)"],
        ["add with 7", "exp -> f64[6] at"],
    ),
}


def diverged(program, processes=2, devices=1):
    """The line of the error, which is the same on all ranks."""
    ended = worlds.run(program, processes=processes, devices=devices, check=False)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    found = re.findall(r"ranks diverged.*\[PX062\]", ended.stderr)
    assert len(found) >= processes and len(set(found)) == 1, ended.stderr
    return found[0]


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_operation_that_differs_is_named(name, devices):
    (first, second), (of_first, of_second) = PROGRAMS[name]
    error = diverged(
        f"""
        import phalanx as np
        np.init(split_from=1)
        x = np.arange(6.0) + 0.5
        y = np.sqrt(x) - 1.0
        if np.rank() == 0:
            {first}
        else:
            {second}
        y = y + 7.0
        for _ in range(20):
            y = y * 1.5
        print(float(y.sum()))
        """,
        devices=devices,
    )
    # The first line after both branches, if one of them records nothing.
    line = 10 if name == "one more" else 7
    one, other = re.fullmatch(
        r".*rank 0 (records .*) at <string>:(\d+), rank 1 (records .*) at <string>:(\d+) .*", error
    ).group(1, 3)
    lines = re.findall(r"<string>:(\d+)", error)
    assert lines == [str(line), "9"], error
    assert of_first.removesuffix(" at") in one and of_second.removesuffix(" at") in other, error


def test_of_three_ranks_the_two_that_differ_first_are_named():
    error = diverged(
        """
        import phalanx as np
        x = np.arange(6.0)
        if np.rank() == 2:
            x = x - 1.0
        else:
            x = x + 1.0
        print(float(x.sum()))
        """,
        processes=3,
    )
    assert "rank 2 records subtract" in error and "records add" in error, error
    assert "<string>:5" in error and "<string>:7" in error, error


def test_a_step_that_one_rank_takes_is_named_as_before():
    error = diverged(
        """
        import phalanx as np
        x = np.arange(6.0)
        y = x * 2.0
        if np.rank() == 0:
            y.get()
        z = y + 1.0
        z.get()
        """
    )
    assert "rank 0 observes a value at <string>:6" in error, error
    assert "rank 1 records add with 1" in error and "<string>:7" in error, error


def test_the_end_of_the_program_is_named():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.asarray([np.rank()])
        """,
        processes=2,
        check=False,
    )
    assert ended.returncode != 0 and "the end of the program" in ended.stderr, ended.stderr
    assert ":0" not in ended.stderr.replace("127.0.0.1:0", ""), ended.stderr
