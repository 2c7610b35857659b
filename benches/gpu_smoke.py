"""Programs that run on a GPU as on a CPU: python benches/gpu_smoke.py."""

import time

import numpy
import phalanx as np

print(np.__file__)
a = np.arange(1000.0)
print(a[:5], float(a.sum()), a.dtype)
b = a.reshape(10, 100)
print(float((b.T @ b).sum()), b.sum(axis=0)[:3], b.sum(axis=1)[:3], b.var(), b.argmax(axis=1)[:3])
c = np.asarray(numpy.random.default_rng(0).random((300, 200)))
h = np.asnumpy(c)
for name, got, want in [
    ("T", c.T.copy(), h.T.copy()),
    ("cumsum", c.cumsum(), h.cumsum()),
    ("cumsum0", c.cumsum(axis=0), h.cumsum(axis=0)),
    ("sort", np.sort(c, axis=1), numpy.sort(h, axis=1)),
    ("take", c[[3, 5, 7]], h[[3, 5, 7]]),
    ("mask", c[c > 0.5], h[h > 0.5]),
    ("std", c.std(axis=0), h.std(axis=0)),
    ("chain", np.sqrt(np.sin(c) ** 2 + np.cos(c) ** 2) * c + c, numpy.sqrt(numpy.sin(h) ** 2 + numpy.cos(h) ** 2) * h + h),
    ("softmax", np.exp(c - c.max(axis=1, keepdims=True)), numpy.exp(h - h.max(axis=1, keepdims=True))),
    ("matmul", c @ c.T, h @ h.T),
    ("fft", np.fft.fft(c), numpy.fft.fft(h)),
    ("addT", c[:200, :] + c[:200, :].T, h[:200, :] + h[:200, :].T),
]:
    print(name, numpy.allclose(np.asnumpy(got), want))
for n in (1 << 20, 5_000_011):
    x = numpy.random.default_rng(1).random(n)
    y = np.asarray(x)
    print(n, numpy.allclose(np.asnumpy(y.cumsum()), x.cumsum()), abs(float(y.sum()) - x.sum()), abs(float(y.var()) - x.var()), int(y.argmax()) == int(x.argmax()))
d = np.zeros(100)
d[10:20] += 5
d[::3] = -1
print(d[:24])
begun = time.perf_counter()
x = np.ones(1000)
for _ in range(1000):
    x = x * 1.0001 + 0.5
print(float(x.sum()), (time.perf_counter() - begun) / 2000 * 1e6, "µs an operation")
