"""Programs run in processes of their own, several of which may form a world."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

from .conftest import RANKS, device_count

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The one beside the interpreter is that of the environment.
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
    """Skips a test that starts programs where these would be the same ones once more: with several
    devices, of which they have as many as they like; and in the ranks of a world, which they would
    take themselves for."""
    of_cpus = os.environ.get("PHALANX_DEVICES", "cpu").startswith("cpu")
    if RANKS > 1 or (of_cpus and device_count() > 1):
        reason = "programs of their own are started by one process with one device"
        pytest.skip(reason, allow_module_level=True)


def surroundings():
    """The variables of programs: none of ours but those that a test gives."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("PHALANX_")
    }
    # Lines come out whole, however the tests themselves are run.
    variables.pop("PYTHONUNBUFFERED", None)
    return variables | {"PHALANX_THREADS": "1"}


def python(program, *words):
    """The command that runs a program, a path or a text."""
    what = ["-c", textwrap.dedent(program)] if "\n" in program else [program]
    return [sys.executable, *what, *words]


def run(
    program, *words, processes=1, devices=1, timeout=60, check=True, environment=(), options=()
):
    """Runs a program, a path or a text, and returns how it ended, with its output. Several
    processes are those of `phalanx run`, with these options."""
    command = python(program, *words)
    if processes > 1:
        launcher = [sys.executable, "-m", "phalanx", "run", "-n", str(processes), *options]
        command = launcher + command
    variables = {"PHALANX_DEVICES": f"cpu:{devices}"} | dict(environment)
    return ended(command, variables, timeout, check)


def mpirun(program, *words, processes=3, devices=1, check=True, environment=(), folder=None):
    """Runs a program in processes of MPI. With a folder, each writes its output into a file there
    that has its number as a name."""
    command = python(program, *words)
    if folder is not None:
        number = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        command = ["sh", "-c", f'exec "$@" > "$0/{number}"', str(folder), *command]
    # An end that MPI sees to, for a killed mpirun leaves its processes behind.
    launcher = [MPIRUN, "--oversubscribe", "--timeout", "60", "-n", str(processes)]
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 # One machine, whatever networks it has.
                 "OMPI_MCA_btl": "^tcp", "OMPI_MCA_pml": "ob1"}
    variables |= {"PHALANX_DEVICES": f"cpu:{devices}"} | dict(environment)
    return ended(launcher + command, variables, 90, check)


def ended(command, variables, timeout, check):
    """How a command ended."""
    apart()
    result = subprocess.run(
        command, env=surroundings() | variables, capture_output=True, text=True, timeout=timeout,
        check=False,
    )
    if check and result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result


@contextlib.contextmanager
def started(command, variables=()):
    """A command that runs, to be interrupted; it is killed at the end, should it not have ended."""
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
    """What the processes of `mpirun` have written into files of a folder, in their order."""
    files = sorted(pathlib.Path(folder).iterdir(), key=lambda file: int(file.name))
    return [file.read_text() for file in files]
