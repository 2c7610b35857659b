"""The cost of an operation on the host, in Python: python benches/tiny.py [phalanx|numpy].

Measures 2,000 operations in a chain on arrays of 1,000 elements, evaluation and reading included.
Prints microseconds per operation, minimum and median of 20 chains, and the time of the import.
"""

import importlib
import statistics
import sys
import time

OPERATIONS, ELEMENTS, CHAINS = 2_000, 1_000, 20

begun = time.perf_counter()
np = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "phalanx")
imported = time.perf_counter() - begun


def chain():
    """Seconds for a chain, read at its end."""
    x = np.ones(ELEMENTS)
    float(x.sum())
    start = time.perf_counter()
    for _ in range(OPERATIONS // 2):
        x = x * 1.0001
        x = x + 0.5
    float(x.sum())
    return time.perf_counter() - start


chain()
times = [chain() / OPERATIONS * 1e6 for _ in range(CHAINS)]
print(f"{min(times):.2f} least, {statistics.median(times):.2f} median (µs per operation)")
print(f"import {imported * 1e3:.1f} ms")
