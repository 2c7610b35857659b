"""Differences between ranks: equal behaviour, or an error on every rank, and never a hang."""

import re

import pytest

from . import worlds


def refused(program, processes=2, environment=()):
    """The error of a program that ranks run differently; each rank raises it."""
    ended = worlds.run(program, processes=processes, check=False, environment=environment)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    lines = [line for line in ended.stderr.splitlines() if "PX062" in line]
    for rank in range(1, processes):
        assert any(line.startswith(f"[{rank}] ") for line in lines), ended.stderr
    assert any(not line.startswith("[") or line.startswith("[0] ") for line in lines), ended.stderr
    assert len({line.split("] ", 1)[-1] for line in lines}) == 1, ended.stderr
    return lines[0]


def equal(program, **options):
    """The lines that every rank prints."""
    ended = worlds.run(program, **options)
    told = {}
    for line in ended.stdout.splitlines():
        rank, text = re.fullmatch(r"(?:\[(\d+)\] )?(.*)", line).groups("0")
        told.setdefault(rank, []).append(text)
    assert len(told) == options.get("processes", 1), ended.stdout
    assert len(set(map(tuple, told.values()))) == 1, ended.stdout
    return told["0"]


OTHER_DATA = {
    "used": "float(np.asarray([1.0, np.rank()]).sum())",
    "only read": "float(np.asarray(np.rank()))",
    "fetched": "np.asarray([np.rank()]).get()",
    "written to": "np.zeros(2)[...] = [1, np.rank()]",
    "never used": "np.asarray([1.0, np.rank()])",
    "more of it": "[np.asarray([1.0]) for _ in range(1 + np.rank())]",
    "a great many": "[np.asarray([n, n == 70 and np.rank()]) for n in range(100)]",
    "of another dtype": "np.asarray([1], dtype=['int32', 'int64'][np.rank()])",
    "drawn by NumPy": "np.asarray(numpy.random.default_rng().random(5))",
    "drawn by Python": "np.asarray(random.random())",
    "in the order of a set": "[np.asarray([len(name)]) for name in sorted(NAMES, key=hash)]",
}


@pytest.mark.parametrize("name", OTHER_DATA)
@pytest.mark.parametrize("rest", ["", "float(np.arange(5.0).sum())"])
def test_host_data_that_differ_are_reported_however_they_are_used(name, rest):
    told = refused(
        f"""
        import random
        import numpy
        import phalanx as np
        # Texts have other hashes in every process.
        NAMES = ["a" * n for n in range(1, 60)]
        float(np.arange(5.0).sum())
        {OTHER_DATA[name]}
        {rest}
        """
    )
    assert "ranks gave different data" in told, told
    # The rank that gives less data is already at a later line.
    assert told.count(" at <string>:8") == (1 if name == "more of it" else 2), told


def test_seeds_that_nobody_gives_are_agreed_on():
    program = """
        import phalanx as np
        first = np.random.default_rng()
        print(first.random(3).tolist(), first.integers(0, 1 << 40))
        print(np.random.random(3).tolist(), np.random.permutation(20).tolist())
        np.random.seed()
        print(np.random.normal(size=3).tolist())
        """
    assert len(equal(program, processes=2)) == 3


def test_draws_of_a_process_alone_leave_the_others_alone():
    equal(
        """
        import phalanx as np
        np.random.seed(5)
        with np.local():
            np.random.seed(np.rank())
            for _ in range(1 + np.rank()):
                float(np.random.random(3).sum())
        print(np.random.random(3).tolist())
        rng = np.random.default_rng(2)
        try:
            with np.local():
                rng.random(1 + np.rank())
        except ValueError as error:
            print("PX018" in str(error))
        print(rng.random(3).tolist())
        """,
        processes=2,
    )


def test_arrays_that_are_read_are_no_data_of_the_host():
    equal(
        """
        import phalanx as np
        x = np.arange(10.0) * 2
        x.evaluate()
        x = x.with_sharding(None)
        elements = list(x)
        if np.rank() == 1:
            # A value that this process knows may be read here.
            assert [float(one) for one in elements] == [2.0 * n for n in range(10)]
        print(float(sum(elements)))
        """,
        processes=2,
    )


def test_elements_of_an_array_are_looked_at_by_one_rank():
    equal(
        """
        import phalanx as np
        x = np.arange(10.0)
        kept = list(x)
        with np.local():
            own = np.arange(3.0 + np.rank())
        # Outside of its `with` block, and of another length on each rank.
        print(sum(float(one) for one in own) == own.size * (own.size - 1) / 2)
        print(float(x.sum()))
        """,
        processes=2,
    )


def test_each_process_writes_its_own_arrays(tmp_path):
    worlds.run(
        f"""
        import numpy
        import phalanx as np
        with np.local():
            own = np.arange(3.0) + np.rank()
        path = {str(tmp_path)!r} + f"/{{np.rank()}}"
        np.save(path + ".npy", own)
        np.savez(path + ".npz", own=own)
        np.savez_compressed(path + "c.npz", own=own)
        np.savetxt(path + ".txt", own)
        own.tofile(path + ".raw")
        for found in [numpy.load(path + ".npy"), numpy.load(path + ".npz")["own"],
                      numpy.load(path + "c.npz")["own"], numpy.loadtxt(path + ".txt"),
                      numpy.fromfile(path + ".raw")]:
            assert found.tolist() == [np.rank() + n for n in range(3)], found
        float(np.arange(3.0).sum())
        """,
        processes=2,
    )
    assert len(list(tmp_path.iterdir())) == 10


SAVES = {
    "save": "np.save(path + '.npy', x)",
    "savez": "np.savez(path + '.npz', x)",
    "savez_compressed": "np.savez_compressed(path + '.npz', x)",
    "savetxt": "np.savetxt(path, x)",
    "tofile": "x.tofile(path)",
    "load": "np.load(path + '.0.npy')",
}


@pytest.mark.parametrize("name", SAVES)
def test_ranks_that_name_files_differently_are_reported(name, tmp_path):
    told = refused(
        f"""
        import numpy
        import phalanx as np
        path = {str(tmp_path)!r} + f"/{{np.rank()}}"
        x = np.arange(10.0)
        numpy.save(path + ".0.npy", numpy.arange(10.0))
        {SAVES[name]}
        """
    )
    assert "ranks gave different data" in told and told.count("<string>:7") == 2, told


def test_arrays_dropped_at_random_change_nothing():
    lines = equal(
        """
        import gc
        import random
        import weakref
        import phalanx as np

        class Noted:
            def __init__(self, array):
                self.array, self.own = array, self
            def __del__(self):
                # Finalisers may look at an array, and forget others.
                seen.append(self.array.shape)

        random.seed(np.rank())
        seen, kept, x = [], [], np.arange(100000.0)
        for step in range(200):
            noted = Noted(x * step)
            kept.append(noted.array)
            weakref.finalize(noted.array, seen.append, step)
            del noted
            if random.random() < 0.2:
                gc.collect()
            if random.random() < 0.1:
                random.shuffle(kept)
                del kept[: len(kept) // 2]
            x = x * 0.999 + 1.0
            if step % 50 == 0:
                float(x[3])
        gc.disable()
        if np.rank() == 1:
            gc.collect()
        print(f"{float(x.sum()):.6e}")
        """,
        processes=2,
    )
    assert len(lines) == 1


def test_two_threads_of_each_rank_are_reported():
    # The threads of ranks run in any order, so only one thread of each rank may record. The other
    # thread gets an error, and so does the other rank.
    for turn in range(3):
        ended = worlds.run(
            """
            import random
            import threading
            import time
            import phalanx as np
            x = np.arange(1000.0)
            sums, failed = {}, []
            def work(number):
                try:
                    y = x
                    for step in range(30):
                        y = y + np.asarray([float(number)])
                        if step % 10 == 0:
                            time.sleep(random.random() / 100)
                            float(y[0])
                    sums[number] = float(y.sum())
                except Exception as error:
                    failed.append(str(error))
            threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            if failed:
                raise SystemExit(failed[0])
            assert sums == {n: 499500.0 + 30000 * n for n in range(2)}, sums
            print("known")
            """,
            processes=2,
            check=False,
        )
        assert "AssertionError" not in ended.stderr, ended.stderr
        assert ended.returncode != 0, ended.stdout
        assert "PX036" in ended.stderr, ended.stderr
