"""The same programs on one GPU and on several: python benches/scaling.py [CASE ...].

Each program runs on 1, 2 and 4 GPUs (as many as there are) of one process, and in as many processes
of one GPU each, which `phalanx run` starts. The sizes of arrays are the same for all numbers of
GPUs, so with twice the GPUs each has half the work. Times are milliseconds, the median of seven
runs. Each run computes the result twenty times (`stencil5` once) and waits for the last. `x` is the
time on one GPU divided by the time on several.
"""

import json
import os
import statistics
import subprocess
import sys
import time

COUNT = int(os.environ.get("COUNT", 1 << 28))
SIDE = int(os.environ.get("SIDE", 16384))
RUNS = 7


def chain(np, a, b):
    return np.sqrt(np.sin(a) ** 2 + np.cos(a) ** 2) * a + b


def stencil5(np, g):
    for _ in range(50):
        g[1:-1, 1:-1] = 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
    return g


LINES = [(COUNT, "float64")]
CASES = {
    "add": (2 * LINES, lambda np, a, b: a + b),
    "chain": (2 * LINES, chain),
    "sum": (LINES, lambda np, a: a.sum()),
    "var": (LINES, lambda np, a: a.var()),
    "sum of columns": ([((SIDE, SIDE), "float64")], lambda np, a: a.sum(axis=0)),
    "stencil5": ([((SIDE, SIDE), "float64")], stencil5),
    "transpose": ([((SIDE, SIDE), "float32")], lambda np, a: a.T.copy()),
    "product": ([((SIDE // 2, SIDE // 2), "float32")] * 2, lambda np, a, b: a @ b),
}


def measure(devices, asked):
    """The times of this process, as a line of JSON."""
    import phalanx as np

    np.init(devices=devices.replace("RANK", os.environ.get("PHALANX_RANK", "0")))
    times = {}
    for name, (operands, program) in CASES.items():
        if asked and name not in asked:
            continue
        generator = np.random.default_rng(5)
        arrays = [generator.random(shape, dtype=dtype) for shape, dtype in operands]

        def once(repeats):
            begun = time.perf_counter()
            for _ in range(repeats):
                result = program(np, *arrays)
                np.evaluate(result)
            float(result.ravel()[0])
            return (time.perf_counter() - begun) * 1e3 / repeats

        once(2)
        # The number is the same on all ranks, because it does not depend on a measured time.
        repeats = 1 if name == "stencil5" else 20
        times[name] = statistics.median(once(repeats) for _ in range(RUNS))
        arrays = None
    if np.rank() == 0:
        print("times", json.dumps(times), flush=True)


def gpus():
    """The number of GPUs."""
    import phalanx as np

    return np._phalanx._gpu_count()


def run(devices, processes, asked):
    """The times of a program on some devices, in some processes."""
    command = [sys.executable]
    if processes > 1:
        command += ["-m", "phalanx", "run", "-n", str(processes), sys.executable]
    command += [os.path.abspath(__file__), "--devices", devices, *asked]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in ended.stdout.splitlines():
        at = line.find("times {")
        if at >= 0:
            return json.loads(line[at + 6 :])
    print(devices, processes, ended.stdout[-2000:], ended.stderr[-2000:])
    return {}


def main(asked):
    """Measures all and prints a table."""
    most = gpus()
    counts = [count for count in (1, 2, 4, 8) if count <= most]
    columns = {}
    for count in counts:
        numbers = ",".join(map(str, range(count)))
        columns[count, 1] = run(f"cuda:{numbers}", 1, asked)
        if count > 1:
            columns[count, count] = run("cuda:RANK", count, asked)
    print(f"{'':16}" + "".join(f"{count:>7} of {processes}" for count, processes in columns))
    for name in CASES:
        one = columns[1, 1].get(name)
        if one is None:
            continue
        line = f"{name:16}"
        for times in columns.values():
            now = times.get(name)
            line += f"{'-':>16}" if now is None else f"{now:9.3f} x{one / now:5.2f}"
        print(line)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--devices"]:
        measure(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1:])
