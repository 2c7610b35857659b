"""The cost of small work in Python, beside NumPy's: python benches/small.py [--only TEXT].

Measures the statements of the table below in loops, each on small arrays that are there.
Prints microseconds for ours and for NumPy, the best of seven rounds, and the goal.
"""

import importlib
import sys
import time

ROUNDS, SECONDS = 7, 0.02

# Statement, goal in microseconds. Names: a, b, z of 1,000 elements, i of three positions, m of 10
# by 10, r its first row, c its first column, v of 3 numbers as a list.
CASES = [
    ("a[1:-1]", 0.25),
    ("a + b", 0.5),
    ("a[1:-1] + b[2:]", 0.9),
    ("z[1:-1] = a[1:-1]", 0.8),
    ("z[5] = 2.0", 0.25),
    ("float(a[5])", 0.25),
    ("float((a + b)[5])", 1.3),
    ("float(a.sum())", 1.3),
    ("bool(a[0] > 0)", 0.5),
    ("float(a[i][0])", 1.2),
    ("np.zeros(1000)", 0.4),
    ("np.asarray(v)", 0.6),
    ("r @ c", 1.5),
    ("z[7] = z[6] * 0.5 + a[7]", None),
    ("m[2, 3] = m[1, 2]", None),
    ("m[2, :] += m[1, :] * 0.5", None),
    ("a.max()", None),
    ("np.sqrt(a)", None),
]


def timed(statement, names):
    """Microseconds of a statement."""
    code = compile(f"def run(count):\n for _ in range(count):\n  {statement}", "<case>", "exec")
    exec(code, names)
    run, count = names["run"], 8
    run(count)
    while True:
        start = time.perf_counter()
        run(count)
        elapsed = time.perf_counter() - start
        if elapsed > SECONDS:
            break
        count *= 2
    best = elapsed
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run(count)
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def names_of(module):
    """The variables of the statements."""
    np = importlib.import_module(module)
    m = np.arange(100.0).reshape(10, 10) + 0.0
    names = {
        "np": np,
        "a": np.arange(1000.0) + 1.0,
        "b": np.arange(1000.0) + 2.0,
        "z": np.zeros(1000),
        "i": np.asarray([3, 1, 2]),
        "m": m,
        "r": m[1],
        "c": m[:, 2],
        "v": [1.0, 2.0, 3.0],
    }
    for name in ("a", "b", "z", "i", "m"):
        float(names[name].sum())
    return names


wanted = sys.argv[2] if sys.argv[1:2] == ["--only"] else ""
for statement, goal in CASES:
    if wanted not in statement:
        continue
    ours, numpy = (timed(statement, names_of(module)) for module in ("phalanx", "numpy"))
    goal = "–" if goal is None else f"{goal:.2f}"
    print(f"{statement:26} {ours:7.2f} µs   NumPy {numpy:6.2f}   goal {goal}", flush=True)
