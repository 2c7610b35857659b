"""Programs run in processes of their own, several of which may form a world."""

import os
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def surroundings():
    """The variables of programs: none of ours but those that a test gives."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("PHALANX_")
    }
    # Lines come out whole, however the tests themselves are run.
    variables.pop("PYTHONUNBUFFERED", None)
    return variables | {"PHALANX_THREADS": "1"}


def run(program, *words, processes=1, devices=1, timeout=60, check=True, environment=()):
    """Runs a program, a path or a text, and returns how it ended, with its output."""
    if "\n" in program:
        command = ["-c", textwrap.dedent(program), *words]
    else:
        command = [program, *words]
    command = [sys.executable, *command]
    if processes > 1:
        command = [sys.executable, "-m", "phalanx", "run", "-n", str(processes), *command]
    variables = surroundings() | {"PHALANX_DEVICES": f"cpu:{devices}"} | dict(environment)
    ended = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=timeout, check=False
    )
    if check and ended.returncode != 0:
        raise AssertionError(f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    return ended
