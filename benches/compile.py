"""The cost of the first call of a fused kernel on a GPU: python benches/compile.py.

Two processes run the same program with one cache of kernels on disk: the first compiles the
kernels, and the second finds them in the cache. Each runs another kernel first, which loads the
driver and the compiler. Times are milliseconds of a call with its result, minimum and median of
eight kernels that differ in their operations.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time


def measure():
    """The first calls of eight kernels, in milliseconds."""
    import phalanx as np

    x, y = np.linspace(0, 1, 1 << 20), np.linspace(1, 2, 1 << 20)
    float((x + y)[5])
    steps = [np.sin, np.cos, np.exp, np.sqrt, np.log1p, np.tanh, np.arctan, np.expm1]
    times = []
    for first in steps:
        begun = time.perf_counter()
        value = np.sqrt(first(x) ** 2 + y) * x + y / (1 + x)
        float(value[7])
        times.append((time.perf_counter() - begun) * 1e3)
    return times


if __name__ == "__main__":
    if os.environ.get("BENCH_COMPILE"):
        print(*measure())
        sys.exit()
    with tempfile.TemporaryDirectory() as folder:
        for what in ("never seen", "in the cache on disk"):
            child = subprocess.run(
                [sys.executable, __file__],
                env={**os.environ, "PHALANX_KERNEL_CACHE": folder, "BENCH_COMPILE": "1"},
                capture_output=True,
                text=True,
                check=True,
            )
            times = [float(word) for word in child.stdout.split()]
            print(f"{what:22} least {min(times):7.2f} ms  median {statistics.median(times):7.2f} ms")
