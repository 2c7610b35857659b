"""Runs programs in separate processes, several of which may form a world."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import time

import pytest

from .conftest import RANKS, device_count

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The launcher beside the interpreter is that of the environment.
MPIRUN = shutil.which("mpirun", path=os.path.dirname(sys.executable)) or shutil.which("mpirun")

REQUIRED = os.environ.get("PHALANX_TEST_REQUIRE", "").split(",")


def needs(name, is_here, what):
    """Skips tests for the lack of something, unless `PHALANX_TEST_REQUIRE` has its name."""
    return pytest.mark.skipif(not is_here and name not in REQUIRED, reason=f"no {what} here")


def lacks(name, what):
    """Skips a test, or a module, for the lack of something, unless `PHALANX_TEST_REQUIRE` has its
    name."""
    if name in REQUIRED:
        pytest.fail(f"there is no {what} here, and PHALANX_TEST_REQUIRE has {name}")
    pytest.skip(f"no {what} here", allow_module_level=True)


needs_mpirun = needs("openmpi", MPIRUN is not None, "mpirun")


def apart():
    """Skips a test that starts programs: with several devices, because the programs choose their
    own number and would run the same test again; and in the ranks of a world, because the programs
    would act as ranks of it."""
    of_cpus = os.environ.get("PHALANX_DEVICES", "cpu").startswith("cpu")
    if RANKS > 1 or (of_cpus and device_count() > 1):
        reason = "programs of their own are started by one process with one device"
        pytest.skip(reason, allow_module_level=True)


def surroundings():
    """The variables of programs, without ours; a test adds its own."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("PHALANX_")
    }
    # Buffered output, so that lines are written whole.
    variables.pop("PYTHONUNBUFFERED", None)
    return variables | {"PHALANX_THREADS": "1"}


def due(cases):
    """The third of the cases in a program that is due for a commit; all without a turn."""
    turn = os.environ.get("PHALANX_TEST_TURN")
    return [case for number, case in enumerate(cases) if not turn or (number + int(turn)) % 3 == 0]


def python(program, *words):
    """The command that runs a program, a path or a text."""
    what = ["-c", textwrap.dedent(program)] if "\n" in program else [program]
    return [sys.executable, *what, *words]


def run(
    program, *words, processes=1, devices=1, timeout=60, check=True, environment=(), options=()
):
    """Runs a program, a path or a text, and returns its exit status and output. `phalanx run`
    starts several processes, with these options."""
    command = python(program, *words)
    if processes > 1:
        launcher = [sys.executable, "-m", "phalanx", "run", "-n", str(processes), *options]
        command = launcher + command
    variables = {"PHALANX_DEVICES": f"cpu:{devices}"} | dict(environment)
    return ended(command, variables, timeout, check)


def mpirun(program, *words, processes=3, devices=1, check=True, environment=(), folder=None):
    """Runs a program in processes of MPI. With a folder, each process writes its output into a file
    there; its name is the process's number."""
    command = python(program, *words)
    if folder is not None:
        number = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        command = ["sh", "-c", f'exec "$@" > "$0/{number}"', str(folder), *command]
    # MPI's own timeout, since a killed mpirun leaves its processes running.
    launcher = [MPIRUN, "--oversubscribe", "--timeout", "60", "-n", str(processes)]
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 # One machine only, so no network is needed.
                 "OMPI_MCA_btl": "^tcp", "OMPI_MCA_pml": "ob1"}
    variables |= {"PHALANX_DEVICES": f"cpu:{devices}"} | dict(environment)
    return ended(launcher + command, variables, 90, check)


def ended(command, variables, timeout, check):
    """Runs a command to its end and returns its exit status and output."""
    apart()
    result = subprocess.run(
        command, env=surroundings() | variables, capture_output=True, text=True, timeout=timeout,
        check=False,
    )
    if check and result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result


def fails_within(seconds, program, processes, environment=()):
    """Runs a program in which a process ends, and checks that the others fail in time."""
    start = time.monotonic()
    told = run(program, processes=processes, environment=environment, timeout=120, check=False)
    assert told.returncode != 0 and time.monotonic() - start < seconds
    assert "PX06" in told.stderr + told.stdout


@contextlib.contextmanager
def started(command, variables=()):
    """A running command, to be interrupted; it is killed at the end if it still runs."""
    apart()
    running = subprocess.Popen(
        command, env=surroundings() | dict(variables), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def outputs(folder):
    """The texts that the processes of `mpirun` have written into a folder, in their order."""
    files = sorted(pathlib.Path(folder).iterdir(), key=lambda file: int(file.name))
    return [file.read_text() for file in files]
