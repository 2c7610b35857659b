"""Sessions: how they start and end, in one process and in several."""

import signal
import sys
import time

import pytest

from . import worlds


def test_a_program_that_fails_ends_the_others():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.arange(1000.0)
        print(float(x.sum()))
        if np.rank() == 1:
            raise ValueError("oops")
        print(float(x.mean()))
        """,
        processes=3,
        check=False,
    )
    assert ended.returncode == 1
    assert "[1] ValueError: oops" in ended.stderr
    for process in (0, 2):
        lines = [line for line in ended.stderr.splitlines() if line.startswith(f"[{process}]")]
        assert any("rank 1 failed: ValueError: oops" in line for line in lines), ended.stderr


def test_processes_that_diverge_are_reported():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.arange(100000.0)
        if np.rank() == 0:
            print(float(x.sum()))
        else:
            print(float(x.max()))
        """,
        processes=2,
        check=False,
    )
    assert ended.returncode == 1
    assert "PX062" in ended.stderr, ended.stderr


def test_host_data_that_differ_are_reported():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.asarray([1.0, 2.0, float(np.rank())])
        print(float(x.sum()))
        """,
        processes=2,
        check=False,
    )
    assert ended.returncode == 1
    assert "PX062" in ended.stderr, ended.stderr


def test_collections_at_any_time_change_nothing():
    ended = worlds.run(
        """
        import gc
        import random
        import phalanx as np
        random.seed(np.rank())
        kept, x = {}, np.arange(100000.0)
        for step in range(200):
            # Sets and dictionaries of texts, and when arrays are forgotten, differ by process.
            kept[str(random.random())] = x * step
            if random.random() < 0.3:
                kept.clear()
                gc.collect()
            x = x * 0.999 + 1.0
        print(f"{float(x.sum()):.6e}")
        """,
        processes=3,
    )
    assert len({line.split()[-1] for line in ended.stdout.splitlines()}) == 1, ended.stdout


def test_threads_of_one_process_may_share_arrays():
    ended = worlds.run(
        """
        import threading
        import phalanx as np
        x = np.arange(10000.0)
        sums = {}
        def work(number):
            y = x
            for step in range(50):
                y = y + number
                if step % 10 == 0:
                    float(y[0])
            sums[number] = float(y.sum())
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        base = float(x.sum())
        print(sums == {n: base + 10000 * 50 * n for n in range(4)})
        """,
        devices=3,
    )
    assert ended.stdout == "True\n"


def test_after_shutdown_nothing_is_made_until_init():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.arange(3)
        np.shutdown()
        try:
            np.arange(3)
        except RuntimeError as error:
            print(str(error).splitlines()[0])
        np.init(devices=2)
        print(np.mesh().devices, np.arange(3).tolist())
        try:
            np.init(devices=3)
        except ValueError as error:
            print(error)
        """
    )
    lines = ended.stdout.splitlines()
    assert "phalanx.init() starts another" in lines[0]
    assert lines[1] == "2 [0, 1, 2]"
    assert "has already started" in lines[2]


def test_processes_may_begin_one_world_after_the_other():
    """Rank 0 listens on the port where connections of the world before are still closing."""
    ended = worlds.run(
        """
        import phalanx as np
        for turn in range(6):
            np.init(split_from=1)
            assert np.arange(10).sum() == 45
            np.shutdown()
        print("ended", flush=True)
        """,
        processes=3,
    )
    assert ended.stdout.count("ended") == 3


def test_init_takes_a_mesh():
    ended = worlds.run(
        """
        import phalanx as np
        np.init(devices=4, mesh={"x": 2, "y": 2})
        x = np.arange(64.0).reshape(8, 8).with_sharding(np.Sharding("x", "y"))
        print(np.mesh().shape, x.sharding, float(x.sum()))
        """
    )
    assert ended.stdout == "{'x': 2, 'y': 2} Sharding('x', 'y') 2016.0\n"


def test_a_script_is_run_by_its_name(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import phalanx as np\nprint(f'{np.rank()} {np.size()}')\n")
    command = [sys.executable, "-m", "phalanx", "run", "-n", "2", str(script)]
    ended = worlds.ended(command, {}, timeout=60, check=True)
    assert sorted(ended.stdout.splitlines()) == ["0 2", "[1] 1 2"]


def test_a_wrong_variable_is_a_value_error():
    ended = worlds.run(
        """
        import phalanx as np
        try:
            np.arange(3)
        except ValueError as error:
            print(error)
        """,
        environment={"PHALANX_DEVICES": "gpu:many"},
    )
    assert "PHALANX_DEVICES is `gpu:many`" in ended.stdout


def test_an_interrupt_is_a_keyboard_interrupt():
    program = """
import sys, time
import phalanx as np
x = np.arange(1000.0)
try:
    print(float(x.sum()), flush=True)
    while True:
        x = x * 0.5
        float(x.sum())
except KeyboardInterrupt:
    print("interrupted", float(np.arange(3.0).sum()))
"""
    with worlds.started([sys.executable, "-c", program]) as running:
        running.stdout.readline()
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=30)
    assert output == "interrupted 3.0\n"


def test_import_is_quick_and_leaves_numpy_alone():
    ended = worlds.run(
        """
        import sys
        import phalanx
        print("numpy" in sys.modules)
        """
    )
    assert ended.stdout == "False\n"


MESSAGES = {
    "receives": "group.recv(numpy.empty(3), 0)",
    "connects": "group.send(numpy.zeros(3), 0)",
    # More bytes than the buffers of sockets hold.
    "sends": "group.send(numpy.zeros(1 << 22), 0)",
}


@pytest.mark.parametrize("wait", MESSAGES)
def test_a_wait_for_the_messages_of_a_process_that_hangs_ends_with_the_world(wait):
    ended = worlds.run(
        f"""
        import os, signal, time
        import numpy
        import phalanx as np
        from phalanx.distributed import init_process_group

        group = init_process_group()
        if {wait == "sends"}:
            if np.rank() == 0:
                group.recv(numpy.empty(1), 1)
            else:
                group.send(numpy.zeros(1), 0)
        group.barrier()
        if np.rank() == 0:
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(0.5)
        began = time.monotonic()
        try:
            {MESSAGES[wait]}
        finally:
            print("waited", time.monotonic() - began, flush=True)
        """,
        processes=2,
        environment={"PHALANX_STALL": "4"},
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert "rank 0 has been silent for 4 s" in ended.stderr, ended.stderr
    waited = float(ended.stdout.rsplit(" ", 1)[-1])
    assert waited < 30, "as long as a process may be that nobody has told"


ENDINGS = {
    "a global array": "keep = Keeper()",
    "a cycle": "keep = Keeper(); keep.own = keep",
    "a module": "import sys; sys.modules['kept'] = Keeper()",
    "a name of builtins": "import builtins; builtins.kept = Keeper()",
    "a generator": """
def numbers():
    x = np.arange(3.0)
    try:
        yield x
    finally:
        tried(lambda: float(x.sum()))
kept = numbers()
next(kept)
""",
}


@pytest.mark.one_process("starts a process of its own")
@pytest.mark.parametrize("kept", ENDINGS)
def test_arrays_that_are_used_while_the_interpreter_ends_are_errors(kept):
    program = """
import phalanx as np

def tried(*calls):
    for call in calls:
        try:
            call()
        except Exception as error:
            print("refused", type(error).__name__, flush=True)
        else:
            print("done", flush=True)

class Keeper:
    def __init__(self):
        self.np, self.tried = np, tried
        self.x, self.rng = np.eye(3), np.random.default_rng(1)
        self.element = self.x[0, 0]
        self.x.evaluate()

    def __del__(self):
        np, x = self.np, self.x
        self.tried(
            lambda: x + 1, lambda: float((x + 1).sum()), lambda: x["a"], lambda: x[0, 0],
            lambda: x.__setitem__(0, 1), lambda: x.__iadd__(1), lambda: str(x), lambda: x.get(),
            lambda: list(x), lambda: hash(self.element), lambda: bool(x), lambda: len(x),
            lambda: np.ones(3), lambda: np.ones("a"), lambda: np.sort(x), lambda: np.linalg.inv(x),
            lambda: np.array([1, 2]), lambda: np.add(x, "a"), lambda: self.rng.random(3),
            lambda: np.synchronize(), lambda: x.explain(), lambda: x.sharding, lambda: memoryview(x),
            lambda: np.init(), lambda: np.shutdown(), lambda: x.tolist(), lambda: x.reshape("a"),
        )
"""
    ended = worlds.run(program + ENDINGS[kept])
    assert "anic" not in ended.stderr + ended.stdout, ended.stderr
    assert ended.stdout.count("refused") + ended.stdout.count("done") in (1, 27), ended.stdout
