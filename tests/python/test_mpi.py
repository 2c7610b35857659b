"""Programs that mpirun starts, whose processes meet by a communicator of mpi4py."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap


import pytest

from . import worlds

# The one beside the interpreter is that of the environment.
MPIRUN = shutil.which("mpirun", path=os.path.dirname(sys.executable)) or shutil.which("mpirun")

HAS_MPI4PY = importlib.util.find_spec("mpi4py") is not None
needs_mpirun = pytest.mark.skipif(MPIRUN is None, reason="mpirun is not installed")
needs_mpi = pytest.mark.skipif(
    MPIRUN is None or not HAS_MPI4PY,
    reason="mpirun or mpi4py is not installed",
)


def mpirun(program, processes=3, check=True, environment=()):
    """Runs a program in processes of MPI."""
    # An end that MPI sees to, for a killed mpirun leaves its processes behind.
    command = [MPIRUN, "--oversubscribe", "--timeout", "60", "-n", str(processes),
               sys.executable, "-c", textwrap.dedent(program)]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            # One machine, whatever networks it has.
            "OMPI_MCA_btl": "self,sm,vader", "OMPI_MCA_pml": "ob1"}
    ended = subprocess.run(
        command, env=worlds.surroundings() | root | dict(environment), capture_output=True,
        text=True, timeout=90, check=False,
    )
    if check and ended.returncode != 0:
        raise AssertionError(f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    return ended


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

        # What each process has for itself.
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
    assert "comm has no rank, size and allgather" in told and "PX099" in told, told
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
