"""Other Python threads run during waits, and an interrupt of the user ends a wait."""

import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

from . import worlds
from .conftest import FULL

# A value whose computation takes days.
ENDLESS = """
import os, sys, threading, time
import phalanx as np
import phalanx.cuda
def endless(scale=1.0):
    return np.sin(np.arange(10.0**14) * scale).sum()
"""

# The calls that wait for it.
WAITS = {
    "number": "float(endless())",
    "item": "endless().item()",
    "truth": "bool(endless())",
    "text": "str(endless())",
    "get": "endless().get()",
    "evaluate": "endless().evaluate()",
    "list": "(np.zeros(3) + endless()).tolist()",
    "mask": "np.arange(3.0)[np.arange(3.0) < endless()]",
    "write": "x = np.zeros(4); x[x < endless()] = 1.0; x[np.flatnonzero(x)] = 2.0",
    "operator": "np.ones(3, dtype=int) ** np.full(3, endless()).astype(int)",
    "function": "np.unique(np.full(3, endless()))",
    "flush": "kept = []\nfor n in range(4): kept.append(endless(n + 1.0)); np.flush()",
    "errstate": "x = endless()\nwith np.errstate(all='raise'): 1.0 / (x + np.ones(3))",
    "device": "x = endless(); phalanx.cuda.Device().synchronize()",
    "stream": "x = endless(); phalanx.cuda.Stream().synchronize()",
    "event": "x = endless(); phalanx.cuda.Event().record()",
    "shutdown": "x = endless(); np.flush(); np.shutdown()",
}


def _program(wait, before, after):
    return ENDLESS + before + "\ntry:\n" + textwrap.indent(wait, "    ") + "\n" + after


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("devices", [1, 3])
def test_other_threads_go_on_while_one_waits(wait, devices):
    before = """
def work():
    time.sleep(0.3)
    print(sum(range(1000)), flush=True)
    os._exit(0)
threading.Thread(target=work, daemon=True).start()
"""
    program = _program(WAITS[wait], before, "finally:\n    print('over', flush=True)")
    assert worlds.run(program, devices=devices).stdout == "499500\n"


def _interrupted(program, *words, devices=1, processes=1, to=None, then=lambda: None):
    """Runs a program until it prints that it has started, and interrupts it shortly after; then
    calls `then`."""
    command = [sys.executable, "-c", program, *words]
    if processes > 1:
        command = [sys.executable, "-m", "phalanx", "run", "-n", str(processes), *command]
    with worlds.started(command, {"PHALANX_DEVICES": f"cpu:{devices}"}) as running:
        lines = [running.stdout.readline() for _ in range(processes)]
        time.sleep(0.5)
        if to is None:
            running.send_signal(signal.SIGINT)
        else:
            numbers = dict(line.split("] ")[-1].split() for line in lines)
            signal_to = int(numbers[str(to)])
            os.kill(signal_to, signal.SIGINT)
        then()
        output, errors = running.communicate(timeout=60)
    return "".join(lines) + output, errors, running.returncode


@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_is_interrupted_at_the_line_that_waits(wait):
    after = """
except KeyboardInterrupt as interrupt:
    trace = interrupt.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    print("interrupted in", trace.tb_frame.f_code.co_filename.rsplit("/", 1)[-1], flush=True)
    os._exit(0)
"""
    program = _program("print('begins', flush=True)\n" + WAITS[wait], "", after)
    output, errors, _ = _interrupted(program)
    inside = "_cuda_streams.py" if wait in ("device", "stream", "event") else "<string>"
    assert output == f"begins\ninterrupted in {inside}\n", errors


def test_an_interrupted_program_ends_at_once():
    program = ENDLESS + "print('begins', flush=True)\nfloat(endless())\n"
    _, errors, code = _interrupted(program, devices=3)
    assert code == -signal.SIGINT and "KeyboardInterrupt" in errors


def test_a_program_that_ends_while_work_runs_is_interrupted():
    program = """
import atexit
x = endless()
np.flush()
# The function registered last is called first.
atexit.register(print, "begins", flush=True)
"""
    _, errors, code = _interrupted(ENDLESS + program)
    assert code == 130 and "KeyboardInterrupt" in errors


def test_the_session_continues_after_an_interrupt():
    program = """
import phalanx as np
x = np.sin(np.arange(1e7))
for _ in range(12):
    x = np.sin(x)
total = x.sum()
try:
    print("begins", flush=True)
    while True:
        float(total)
        total = total + np.sin(np.arange(4e7)).sum() * 0.0
except KeyboardInterrupt:
    print("interrupted")
# Started operations are computed, and recorded ones are not lost.
print(abs(float(x.sum()) - float(total)) < 1e-3, float(np.arange(3.0).sum()))
"""
    output, errors, code = _interrupted(program)
    assert (output, code) == ("begins\ninterrupted\nTrue 3.0\n", 0), errors


def test_exceptions_of_a_handler_are_raised():
    ended = worlds.run(
        ENDLESS
        + """
import signal
class Late(Exception):
    pass
def handler(number, frame):
    raise Late("too late")
signal.signal(signal.SIGALRM, handler)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    float(endless())
except Late as error:
    print(error, flush=True)
    os._exit(0)
"""
    )
    assert ended.stdout == "too late\n"


def test_a_handler_that_raises_nothing_interrupts_nothing():
    ended = worlds.run(
        """
import signal
import phalanx as np
seen = []
def handler(number, frame):
    # It may use arrays, too.
    seen.append(float(np.arange(4.0).sum()))
    signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
x = np.sin(np.arange(2e7)).sum()
while not seen:
    number = float(x)
    x = x + np.sin(np.arange(2e7)).sum()
print(seen, float(x) == float(x))
"""
    )
    assert ended.stdout == "[6.0] True\n"


MANY = """
import os, sys, time
import phalanx as np
x = np.arange(100000.0)
float(x.sum())
print(np.rank(), os.getpid(), flush=True)
"""


def test_an_interrupt_of_one_process_ends_all(tmp_path):
    # Process 1 waits for process 0, which detects the interrupt at its next operation, some time
    # later.
    program = MANY + """
while np.rank() == 0 and not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
if np.rank() == 0:
    time.sleep(2.0)
print(float((x * 2).sum()))
"""
    file = tmp_path / "interrupted"
    _, errors, code = _interrupted(program, str(file), processes=2, to=1, then=file.touch)
    assert code != 0
    assert "[1] KeyboardInterrupt" in errors
    assert "rank 1 failed: the wait was interrupted" in errors, errors


def test_an_interrupt_of_the_launcher_ends_all():
    program = MANY + "if np.rank() == 0: time.sleep(60)\nprint(float((x * 2).sum()))\n"
    _, errors, code = _interrupted(program, processes=2)
    assert code != 0
    # Process 1 may receive the failure of process 0 before it checks for its own interrupt.
    told = ["[1] KeyboardInterrupt", "rank 0 failed: KeyboardInterrupt"]
    assert any(text in errors for text in told), errors


def test_an_interrupt_of_both_processes_is_reported_once_by_each():
    # As from a terminal, the interrupt is sent to the launcher and to both processes, one of which
    # waits for the other.
    program = MANY + "if np.rank() == 0: time.sleep(60)\nprint(float((x * 2).sum()))\n"
    command = [sys.executable, "-m", "phalanx", "run", "-n", "2", sys.executable, "-c", program]
    variables = worlds.surroundings() | {"PHALANX_DEVICES": "cpu:1"}
    pipe = subprocess.PIPE
    running = subprocess.Popen(command, env=variables, stdout=pipe, stderr=pipe, text=True,
                               start_new_session=True)
    try:
        for _ in range(2):
            running.stdout.readline()
        time.sleep(1.0)
        os.killpg(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130
    assert "Error in sys.excepthook" not in errors, errors
    assert errors.count("Traceback") == 2, errors


def test_an_interrupt_does_not_silence_what_ends_the_program():
    # The interrupt is pending when the hook is called, because no line of Python runs between the
    # calls.
    program = """
        import ctypes, functools, operator, signal, sys
        import phalanx
        interrupt = functools.partial(getattr(ctypes.CDLL(None), "raise"), int(signal.SIGINT))
        tell = functools.partial(sys.excepthook, ValueError, ValueError("broken here"), None)
        calls = list(map(operator.call, [interrupt, tell]))
        print("told", calls[1], signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """
    ended = worlds.run(program)
    assert ended.stdout == "told None True\n", ended.stdout
    assert ended.stderr == "ValueError: broken here\n", ended.stderr


def test_a_wait_for_processes_that_never_come_is_interrupted(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    variables = {"PHALANX_RANK": "0", "PHALANX_SIZE": "2"}
    variables["PHALANX_ADDRESS"] = f"127.0.0.1:{port}"
    token = tmp_path / "token"
    token.write_bytes(b"0123456789abcdef0123456789abcdef")
    token.chmod(0o600)
    variables["PHALANX_TOKEN_FILE"] = str(token)
    program = """
        import os, signal, threading, time
        import phalanx as np
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            np.init()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    ended = worlds.run(program, environment=variables, check=False)
    assert ended.stdout == "interrupted\n", ended.stderr


def test_long_kernels_of_several_loops_are_long():
    # The product of all extents of the kernel has more than 64 bits.
    import phalanx as np

    x = np.ones(1 << 22)
    y = ((x - x.sum()) ** 2).sum()
    total = float(((x - y) ** 2).sum())
    assert total == pytest.approx((1 - (1 - 2.0**22) ** 2 * 2**22) ** 2 * 2**22)


# Rank 1 alone reads the same value on several lines, and posts no ticket meanwhile.
READS = """
import os, signal, sys, time
import phalanx as np
x = np.arange(100_000.0)
total = x.sum()
float(total)
if np.rank() == 1:
    float(total)
    after(1)
    total.get()
    after(2)
    bool(total)
    after(3)
float((x * 2).sum())  # rank 0
"""


def _line(program, text):
    """The file and number of the line with a text, as errors and reports name it."""
    lines = program.splitlines()
    return f"<string>:{1 + next(n for n, line in enumerate(lines) if text in line)}"


@pytest.mark.parametrize("reads", [1, 2, 3])
def test_each_read_is_reported_as_the_last_step_of_a_rank(reads):
    after = f"""
def after(number):
    # Its sign of life takes some milliseconds.
    time.sleep(1.0)
    if number == {reads}:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    program = after + READS
    ended = worlds.run(program, processes=2, check=False)
    read = _line(program, ["    float(total)", "total.get()", "bool(total)"][reads - 1])
    told = f"rank 1 died, last reported at step 1 (observes a value at {read}): "
    assert told in ended.stderr, ended.stderr
    assert f"from    {_line(program, '# rank 0')}\n" in ended.stderr, ended.stderr


@pytest.mark.skipif(not FULL, reason="takes 30 s, only with PHALANX_TEST_FULL=1")
def test_a_long_wait_is_reported_with_the_lines_of_both_ranks(tmp_path):
    # Two reads precede the wait's report, and the third one follows it.
    after = """
def after(number):
    end = time.monotonic() + 120
    while number == 2 and not os.path.exists(sys.argv[1]) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.5)
"""
    program, file = after + READS, tmp_path / "reported"
    command = [sys.executable, "-m", "phalanx", "run", "-n", "2",
               *worlds.python(program, str(file))]
    with worlds.started(command, {"PHALANX_DEVICES": "cpu:1"}) as running:
        line = next((line for line in running.stderr if "waited" in line), "no report\n")
        file.touch()
        _, errors = running.communicate(timeout=60)
    own, other = _line(program, "# rank 0"), _line(program, "total.get()")
    told = rf"\[0\] phalanx: rank 0 has waited 30 s at step 2 \(observes a value at {own}\).* " \
           rf"for rank 1, last reported at step 1 \(observes a value at {other}\)\n"
    assert re.fullmatch(told, line), line
    # It is no error, and the next report is due a minute later.
    assert (running.returncode, errors) == (0, "")
