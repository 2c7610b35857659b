"""Programs that mpirun starts, whose processes connect through a communicator of mpi4py."""

import importlib.util
import re
import subprocess
import time

import pytest

from . import worlds
from .worlds import MPIRUN, mpirun, needs_mpirun

HAS_MPI4PY = importlib.util.find_spec("mpi4py") is not None
needs_mpi4py = worlds.needs("mpi4py", HAS_MPI4PY, "mpi4py")


def needs_mpi(test):
    """A test with mpirun and mpi4py."""
    return needs_mpirun(needs_mpi4py(test))


@needs_mpirun
def test_processes_of_mpirun_are_a_world_without_a_setting():
    program = """
        import phalanx as np
        x = np.arange(100_000.0)
        print("sums", np.size(), float(x.sum()), float((x * x).mean()), flush=True)
        """
    started = mpirun(program, processes=4).stdout
    here = worlds.run(program, processes=4).stdout
    told = sorted(line[line.index("sums"):] for line in started.splitlines())
    assert len(told) == 4 and len(set(told)) == 1 and told[0].startswith("sums 4 "), started
    assert told[0] in here
    assert mpirun(program, processes=1).stdout.startswith("sums 1 ")


@needs_mpirun
def test_a_process_of_mpirun_that_raises_ends_all():
    ended = mpirun(
        """
        import time
        import phalanx as np

        x = np.arange(100_000.0)
        float(x.sum())
        if np.rank() == 1:
            raise ValueError("broken here")
        while True:
            float(x.sum())
            time.sleep(0.01)
        """,
        check=False,
    )
    assert ended.returncode not in (0, 124)
    assert "broken here" in ended.stderr, ended.stderr


def open_mpi_version():
    """The number before the first point of Open MPI's version; 0 of another MPI."""
    told = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Open MPI\D*(\d+)\.", told)
    return int(found.group(1)) if found else 0


@needs_mpi
@pytest.mark.parametrize("mpi_is_first", [True, False])
def test_mpi_begins_beside_the_session(mpi_is_first):
    if not mpi_is_first and open_mpi_version() != 4:
        pytest.skip("MPI of this version begins before all others (docs/launching.md)")
    lines = ["import mpi4py.MPI", "np.init()"]
    first, second = lines if mpi_is_first else reversed(lines)
    program = f"""
        import phalanx as np
        {first}
        {second}
        from mpi4py import MPI
        total = MPI.COMM_WORLD.allreduce(np.rank())
        assert (np.size(), MPI.COMM_WORLD.size, total) == (3, 3, 3)
        np.shutdown()
        np.init()
        assert float(np.arange(10.0).sum()) == 45
        print("well", flush=True)
        """
    assert mpirun(program).stdout.count("well") == 3


@needs_mpi
@pytest.mark.parametrize("level", ["funneled", "serialized"])
def test_a_library_for_one_thread_at_a_time_is_called_on_the_programs(level):
    program = f"""
        import mpi4py
        mpi4py.rc.thread_level = "{level}"
        from mpi4py import MPI
        import phalanx as np

        assert MPI.Query_thread() == MPI.THREAD_{level.upper()}
        x = np.arange(200_000.0)
        for turn in range(20):
            x = x[::-1] + turn
            if turn % 4 == 0:
                MPI.COMM_WORLD.Barrier()
        product = x.reshape(400, 500) @ np.ones((500, 3))
        print("sums", float(x.sum()), float(product.max()), float(np.sort(x)[77]), flush=True)
        """
    here = worlds.run(program.replace("import mpi4py", "").replace("mpi4py.rc", "#")
                      .replace("from mpi4py import MPI", "")
                      .replace("assert MPI", "#").replace("MPI.COMM_WORLD.Barrier()", "pass"),
                      processes=3).stdout
    environment = {"PHALANX_LOG": "info", "PHALANX_TRANSPORT": "mpi"}
    ended = mpirun(program, environment=environment)
    told = {line[line.index("sums"):] for line in ended.stdout.splitlines() if "sums" in line}
    assert len(told) == 1 and told.pop() in here, ended.stdout
    assert ended.stderr.count('transport="mpi"') == 3, ended.stderr
    ended = mpirun(program, environment=environment | {"PHALANX_TRANSPORT": "auto"})
    assert ended.stderr.count(f"initialised with MPI_THREAD_{level.upper()}") == 3, ended.stderr
    refused = mpirun(program, check=False, environment=environment | {"PHALANX_DEVICES": "cpu:2"})
    assert refused.returncode != 0 and "[PX165]" in refused.stderr, refused.stderr
    assert "enough for one device in each process" in refused.stderr, refused.stderr


@needs_mpi
def test_another_thread_may_not_call_a_library_of_one():
    ended = mpirun(
        """
        import mpi4py
        mpi4py.rc.thread_level = "funneled"
        from mpi4py import MPI
        import threading
        import phalanx as np

        def work():
            try:
                float(np.arange(200_000.0).sum())
            except RuntimeError as error:
                print("refused", error.code, flush=True)

        np.init()
        # None is refused before all have met.
        MPI.COMM_WORLD.Barrier()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        # The world has ended with an error, for which mpirun ends all as soon as one process exits.
        MPI.COMM_WORLD.Barrier()
        """,
        check=False, environment={"PHALANX_TRANSPORT": "mpi"},
    )
    assert ended.stdout.count("refused PX167") == 3, ended.stdout + ended.stderr


@needs_mpi
def test_processes_of_mpi_are_a_world():
    ended = mpirun(
        """
        from mpi4py import MPI
        import numpy
        import phalanx as np

        comm = MPI.COMM_WORLD
        np.init(comm=comm, split_from=1)
        assert (np.rank(), np.size()) == (comm.rank, comm.size)
        x = np.arange(10.0)
        assert float((x * x).sum()) == 285

        # A shard that MPI reads, and one that it writes.
        own = x.local_view()[0]
        assert not own.flags.writeable
        sums = numpy.empty(1)
        comm.Allreduce(own.sum(keepdims=True), sums)
        assert sums[0] == 45

        y = np.ones((comm.size, 4)).with_sharding(0)
        with y.local_view() as shards:
            shards[0] += comm.rank
            comm.Allreduce(MPI.IN_PLACE, shards[0])
        total = comm.size + sum(range(comm.size))
        assert (y == total).all()

        # Arrays of each process alone.
        joined = np.from_local(numpy.full(2, comm.rank))
        assert joined.tolist() == [0, 0, 1, 1, 2, 2], joined
        print("well", flush=True)
        """
    )
    assert ended.stdout.count("well") == 3, ended.stdout


@needs_mpi
def test_parts_of_a_communicator_are_worlds_of_their_own():
    ended = mpirun(
        """
        from mpi4py import MPI
        import phalanx as np

        part = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank // 2)
        np.init(comm=part, devices=2)
        assert (np.rank(), np.size()) == (part.rank, part.size)
        assert np.mesh().devices == 2 * part.size
        print(f"part of {np.size()}: {int(np.arange(5).sum())}", flush=True)
        """
    )
    assert ended.stdout.count("part of 2: 10") == 2 and ended.stdout.count("part of 1: 10") == 1


@needs_mpi
def test_a_process_of_mpi_that_fails_ends_all():
    ended = mpirun(
        """
        from mpi4py import MPI
        import phalanx as np

        np.init(comm=MPI.COMM_WORLD)
        if np.rank() == 1:
            raise ValueError("broken here")
        float(np.arange(5.0).sum())
        np.shutdown()
        """,
        check=False,
    )
    assert ended.returncode != 0
    assert "broken here" in ended.stderr and "rank 1" in ended.stderr, ended.stderr



@needs_mpirun
@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("is_late", [False, True])
def test_a_process_of_mpirun_that_stops_while_all_meet_is_an_error(victim, is_late):
    program = """
        import os, signal, sys, time
        victim, is_late = sys.argv[1:]
        is_victim = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) == victim
        if is_victim and is_late == "False":
            os.kill(os.getpid(), signal.SIGSTOP)
        import phalanx as np

        if is_victim:
            pid = os.getpid()
            if os.fork() == 0:
                time.sleep(0.05)
                os.kill(pid, signal.SIGSTOP)
                os._exit(0)
        np.init()
        if is_victim:
            time.sleep(60)
        # If they have met before the process stopped.
        float(np.arange(100_000.0).sum())
        """
    limit = 6
    variables = {"PHALANX_TIMEOUT": str(limit), "PHALANX_STALL": str(limit)}
    began = time.monotonic()
    ended = mpirun(program, str(victim), str(is_late), check=False, environment=variables)
    passed = time.monotonic() - began
    # 124 is the exit status of mpirun after it has killed processes that hang.
    assert ended.returncode not in (0, 124), ended.stderr
    codes = ["PX066", "PX067", "PX099", "PX168"] if is_late else ["PX066", "PX099"]
    assert any(f"[{code}]" in ended.stderr for code in codes), ended.stderr
    # The limit, and then ten seconds until all ranks have ended; a busy machine takes longer.
    assert passed < limit + 10 + 20, passed


@needs_mpi
def test_processes_in_a_call_of_mpi_end_when_one_hangs():
    program = """
        import os, signal, time
        from mpi4py import MPI
        import phalanx as np

        float(np.arange(100_000.0).sum())
        if np.rank() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        began = time.time()
        print("waits since", began, flush=True)
        MPI.COMM_WORLD.Barrier()
        """
    # The other process computes while it waits, so there is only one.
    ended = mpirun(program, processes=2, check=False, environment={"PHALANX_STALL": "3"})
    over = time.time()
    assert ended.returncode not in (0, 124), ended.stderr
    assert "error[PX168]: rank 0 has been silent for 3 s" in ended.stderr, ended.stderr
    assert "has not received this error for 8 s and is ended" in ended.stderr, ended.stderr
    began = max(float(line.split()[-1]) for line in ended.stdout.splitlines())
    # Three seconds of silence, and then ten seconds; a busy machine takes longer.
    assert over - began < 45, over - began


def test_communicators_of_other_kinds():
    program = """
        import threading
        import numpy
        import phalanx as np

        class Alone:
            rank, size = 0, 1
        np.init(comm=Alone())
        assert np.size() == 1
        np.shutdown()
        class Liar:
            rank, size = 0, 2
            def allgather(self, text):
                return [text]
        for wrong, error in [(3, TypeError), (Liar(), ValueError)]:
            try:
                np.init(comm=wrong)
            except error as refused:
                print(refused)
        np.init()
        """
    told = worlds.run(program).stdout
    assert "comm must have rank, size and allgather" in told and "PX099" in told, told
    ended = worlds.run(
        """
        import phalanx as np
        class Pair:
            rank, size = np.rank(), np.size()
            def allgather(self, text):
                return [text] * 2
        np.shutdown()
        try:
            np.init(comm=Pair())
        except ValueError as error:
            print(error)
        """,
        processes=2,
    )
    assert ended.stdout.count("was started by a launcher") == 2, ended.stdout
