"""Processes that a process with a session forks."""

import pytest

from . import worlds


@pytest.mark.parametrize("processes", [1, 2])
def test_a_fork_is_refused_what_needs_the_session_and_ends_without_touching_it(processes):
    ended = worlds.run(
        """
        import os, sys
        import phalanx as np

        x = np.arange(100_000.0)
        float(x.sum())
        pending = x + 1.0
        child = os.fork()
        if child == 0:
            refused = [
                lambda: float(pending.sum()), lambda: x.get(), lambda: np.zeros(3) + 1,
                lambda: np.from_local([1.0]), np.rank, np.flush, np.init,
            ]
            for number, call in enumerate(refused):
                try:
                    call()
                except RuntimeError as error:
                    if error.code == "PX037" and "by spawn" in str(error):
                        continue
                    print(error, flush=True)
                os._exit(10 + number)
            np.shutdown()
            # Ends as programs do: what is registered for that runs.
            sys.exit(5)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print("the fork ended with", code, "and then", float(pending.sum()), flush=True)
        """,
        processes=processes,
        devices=2,
    )
    told = "the fork ended with 5 and then 5000050000.0"
    assert ended.stdout.count(told) == processes, ended.stdout + ended.stderr


@pytest.mark.parametrize("processes", [1, 2])
def test_multiprocessing_by_fork_leaves_the_session_working(processes):
    ended = worlds.run(
        """
        import multiprocessing
        import phalanx as np

        def square(number):
            return number * number

        x = np.arange(100_000.0)
        float(x.sum())
        with multiprocessing.get_context("fork").Pool(2) as pool:
            squares = pool.map(square, range(4))
        print(squares, float((x * 2).sum()), flush=True)
        """,
        processes=processes,
    )
    assert ended.stdout.count("[0, 1, 4, 9] 9999900000.0") == processes, ended.stdout


def test_messages_of_a_fork_are_refused_and_those_of_its_parent_go_on():
    ended = worlds.run(
        """
        import os
        import numpy
        import phalanx as np
        from phalanx.distributed import init_process_group

        group, place = init_process_group(), numpy.empty(1)
        other = 1 - np.rank()
        group.send(numpy.full(1, 3.0), other)
        group.recv(place, other)
        child = os.fork()
        if child == 0:
            for call in group.send, group.recv:
                try:
                    call(place, other)
                except RuntimeError as error:
                    assert error.code == "PX037", error
                else:
                    os._exit(1)
            raise SystemExit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        group.send(numpy.full(1, 4.0), other)
        group.recv(place, other)
        print("got", place[0], flush=True)
        """,
        processes=2,
    )
    assert ended.stdout.count("got 4.0") == 2, ended.stdout + ended.stderr


def test_a_fork_may_begin_a_session_where_there_was_none():
    ended = worlds.run(
        """
        import os
        import phalanx as np

        child = os.fork()
        total = float(np.arange(10.0).sum())
        if child == 0:
            raise SystemExit(int(total))
        print(total, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert ended.stdout == "45.0 45\n", ended.stdout + ended.stderr
