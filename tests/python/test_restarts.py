"""Programs that are restarted, and programs in which one process raises."""

import re

import numpy
import pytest

import phalanx as np

from . import worlds


@pytest.mark.one_process("each process has a temporary folder of its own")
def test_a_checkpoint_comes_back(tmp_path):
    path = tmp_path / "state.npz"
    assert np.restore(path) is None
    x = np.arange(100_000.0)
    np.checkpoint(path, 3, x=x, mask=x > 5, few=[1, 2])
    np.checkpoint(str(path), 4, x=x + 1, mask=x > 6, few=[1, 2])
    step, arrays = np.restore(path)
    assert step == 4 and list(arrays) == ["x", "mask", "few"]
    assert np.array_equal(arrays["x"], x + 1) and arrays["mask"].dtype == bool
    assert arrays["few"].tolist() == [1, 2]
    assert [file.name for file in tmp_path.iterdir()] == ["state.npz"]
    with numpy.load(path) as theirs:
        assert theirs["step"] == 4 and theirs["x"][0] == 1


@pytest.mark.one_process("each process has a temporary folder of its own")
def test_files_that_are_no_checkpoints_are_refused(tmp_path):
    x = np.arange(3.0)
    for step in (-1, 1.5, "a", None):
        with pytest.raises(ValueError, match="step must be an integer"):
            np.checkpoint(tmp_path / "a.npz", step, x=x)
    with pytest.raises(OSError):
        np.checkpoint(tmp_path / "none" / "a.npz", 0, x=x)
    (tmp_path / "b.npz").write_bytes(b"no archive")
    with pytest.raises(Exception) as refused:
        np.restore(tmp_path / "b.npz")
    assert refused.value.code == "PX088"
    np.savez(tmp_path / "c.npz", x=x)
    with pytest.raises(Exception) as refused:
        np.restore(tmp_path / "c.npz")
    assert refused.value.code == "PX089"


PROGRAM = """
    import os, signal, sys
    import phalanx as np
    found = np.restore(sys.argv[1])
    first, x = (found[0] + 1, found[1]["x"]) if found else (0, np.arange(100_000.0))
    print("first", first, flush=True)
    for step in range(first, 6):
        x = x * 1.25 + 1
        np.checkpoint(sys.argv[1], step, x=x)
        if step == 3 and os.environ.get("PHALANX_ATTEMPT") == "0" and np.rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    print("sum", float(x.sum()), flush=True)
    """


def test_a_killed_program_continues_from_its_checkpoint(tmp_path):
    ended = worlds.run(
        PROGRAM, str(tmp_path / "state.npz"), processes=3, options=["--restart", "1"], timeout=90
    )
    own = [line for line in ended.stdout.splitlines() if not line.startswith("[")]
    whole = worlds.run(PROGRAM, str(tmp_path / "other.npz")).stdout.splitlines()
    assert own == ["first 0", "first 4", whole[1]], ended.stdout + ended.stderr


@pytest.mark.parametrize("work", ["x.sum()", "np.arange(10.0).sum()"])
def test_an_exception_of_one_process_ends_all_with_status_1(work):
    program = f"""
        import phalanx as np
        x = np.arange(100_000.0)
        for turn in range(200):
            if turn == 50 and np.rank() == 1:
                raise KeyError("of this process alone")
            float({work})
        """
    ended = worlds.run(program, processes=3, check=False)
    assert ended.returncode == 1, ended.stderr
    told = re.findall(r"rank 1 failed: KeyError: 'of this process alone'.*PX063", ended.stderr)
    assert len(told) >= 2, ended.stderr


def test_the_status_is_that_of_the_first_process_that_fails():
    program = """
        import os, signal, sys, time
        import phalanx as np
        float(np.arange(10.0).sum())
        if np.rank() == 1:
            {end}
        try:
            while True:
                float(np.arange(10.0).sum())
        finally:
            # A launcher that is busy is to see the other end first.
            time.sleep(0.5)
        """
    for end, status in [("os.kill(os.getpid(), signal.SIGKILL)", 137), ("os._exit(5)", 5),
                        ("os.kill(os.getpid(), signal.SIGTERM)", 143)]:
        ended = worlds.run(program.format(end=end), processes=2, check=False)
        assert ended.returncode == status, (end, ended.returncode, ended.stderr)
        assert "rank 1 died, last reported at step " in ended.stderr, ended.stderr
