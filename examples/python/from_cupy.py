"""A CuPy program after changing its imports: a histogram of a random walk by scatter_add.

The CuPy program has ``import cupy as cp`` and ``import cupyx``. All other lines are the same:
streams and events, copies between host and device, get_array_module, scatter_add and errstate.
"""

import numpy as np
import phalanx as cp
import phalanx.cuda
import phalanx.x as cupyx

STEPS, CELLS = 20_000, 41


def softmax(values):
    """Works with arrays of either module."""
    xp = cp.get_array_module(values)
    shifted = xp.exp(values - values.max())
    return shifted / shifted.sum()


host = np.where((np.arange(STEPS) * 0.7548776662) % 1.0 < 0.5, 1, -1)
with cp.cuda.Stream() as stream:
    start = stream.record()
    walk = cp.cumsum(cp.asarray(host)) % CELLS
    visits = cp.zeros(CELLS, dtype=cp.float64)
    cupyx.scatter_add(visits, walk, 1.0)
    stream.synchronize()
    milliseconds = cp.cuda.get_elapsed_time(start, stream.record())

weights = softmax(visits / visits.max())
print("most visited", int(visits.argmax()), "times", int(visits.max()))
print("visits", cp.asnumpy(visits).astype(int).tolist())
counted = visits.get()
print(f"weights sum to {float(weights.sum()):.12f}, as on the host:",
      bool(np.allclose(weights.get(), softmax(counted / counted.max()))))
with cp.errstate(all="ignore"):
    print("infinities", int(cp.isinf(1.0 / (visits - visits)).sum()))
assert milliseconds >= 0
