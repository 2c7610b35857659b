"""A panic of ours becomes a RuntimeError, wherever it reaches Python."""

import subprocess
import sys

import phalanx as np
import pytest
from phalanx import _phalanx

from . import worlds


def panics():
    """Calls that cause a panic on purpose."""
    _phalanx._refusal(ValueError, "no kind of mistake", "text")


def test_panics_are_runtime_errors_with_a_code():
    with pytest.raises(RuntimeError) as caught:
        panics()
    assert caught.value.code == "PX033"
    assert "bug: there is no kind of mistake" in str(caught.value)
    assert "[PX033]" in str(caught.value)
    assert isinstance(caught.value, Exception)
    assert type(caught.value).__name__ == "RuntimeError"


class Panicking:
    """An object whose conversion causes a panic."""

    def __array__(self, dtype=None, copy=None):
        panics()

    def __index__(self):
        panics()

    def __iter__(self):
        panics()

    def __len__(self):
        return 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.asarray(Panicking()),
        lambda: np.ones(3)[Panicking()],
        lambda: np.zeros(Panicking()),
        lambda: np.ones(3).reshape(Panicking()),
        lambda: np.ones(3).__setitem__(0, Panicking()),
        lambda: np.vectorize(lambda element: panics())(np.ones(3)),
    ],
)
def test_panics_inside_of_a_users_object_are_runtime_errors(call):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert caught.value.code == "PX033"
    assert float((np.ones(3) + 1).sum()) == 6.0


@pytest.mark.one_process("another process is started")
def test_a_program_that_catches_exceptions_continues():
    program = """
import phalanx as np
from phalanx import _phalanx

x = np.arange(5)
try:
    _phalanx._refusal(ValueError, "none", "text")
except Exception as error:
    print(type(error).__name__, error.code)
print(int(x.sum()))
_phalanx._refusal(ValueError, "none", "text")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "RuntimeError PX033\n10\n"
    assert ended.returncode == 1
    assert "PanicException" not in ended.stderr
    assert "RuntimeError: bug: there is no kind of mistake" in ended.stderr


@pytest.mark.one_process("another process is started")
def test_finalisers_use_arrays_while_the_interpreter_ends():
    program = """
import phalanx as np

class Holder:
    def __init__(self):
        self.array = np.arange(4.0)
        self.pending = np.arange(4.0) + 1

    def __del__(self):
        for name in ("array", "pending"):
            try:
                print(name, float(getattr(self, name).sum()))
            except Exception as error:
                print(name, type(error).__name__)

holder = Holder()
holder.itself = holder
np.ones(3).sum()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "panic" not in ended.stderr.lower()
    assert [line.split()[0] for line in ended.stdout.splitlines()] == ["array", "pending"]


@pytest.mark.one_process("other processes are started")
def test_texts_of_arrays_that_cannot_be_read_raise():
    # The shown part of a long array is copied to all ranks, which lack the memory for it.
    ended = worlds.run(
        """
        import phalanx as np

        x = np.zeros(1 << 20)
        x.evaluate()
        for show in (str, repr, "{}".format, np.array2string):
            try:
                np.print(len(show(x)), "characters")
            except MemoryError as error:
                np.print(error.code)
        """,
        processes=2,
        environment={"PHALANX_MEMORY_LIMIT": "4194304"},
    )
    assert ended.stdout == "PX050\n" * 4
