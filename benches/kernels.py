"""Kernels of the user's own beside CuPy's: python benches/kernels.py [--device cuda:0].

For each kernel: milliseconds for a result, the median of seven runs of twenty results each, for
Phalanx, for the same computation written with arrays, and for CuPy if it is installed; the share of
the bandwidth of a copy; and microseconds of the host for a call whose result is not waited for.
Then launches of kernels in CUDA C++.
"""

import argparse
import statistics
import time

import phalanx as np

COUNT = 1 << 27
RUNS, REPEATS = 7, 20

ELEMENTWISE = {
    "saxpy": (("T a, T x, T y", "T z", "z = a * x + y"), 3, lambda m, x, y: 2.5 * x + y),
    "polynomial": (
        ("T a, T x, T y", "T z", "z = ((((x + a) * x + 2) * x + 3) * x + 4) * x + y"),
        3,
        lambda m, x, y: ((((x + 2.5) * x + 2) * x + 3) * x + 4) * x + y,
    ),
    "branches": (
        ("T a, T x, T y", "T z", "if (x > y) z = a * x; else z = y - x;"),
        3,
        lambda m, x, y: m.where(x > y, 2.5 * x, y - x),
    ),
}
REDUCTIONS = {
    "l2 norm": (
        ("T x, T y", "T z", "x * x", "a + b", "z = sqrt(a)", "0"), 1,
        lambda m, x, y: m.sqrt((x * x).sum()),
    ),
    "masked sum": (
        ("T x, T y", "T z", "x > y ? x : T(0)", "a + b", "z = a", "0"), 2,
        lambda m, x, y: m.where(x > y, x, 0).sum(),
    ),
}


def timed(compute, wait):
    """Milliseconds for a result, and microseconds of the host for a call."""
    def once():
        begun = time.perf_counter()
        for _ in range(REPEATS):
            wait(compute())
        wait(compute(), True)
        return (time.perf_counter() - begun) * 1e3 / (REPEATS + 1)

    once()
    took = statistics.median(once() for _ in range(RUNS))
    calls = []
    for _ in range(50):
        begun = time.perf_counter()
        result = compute()
        calls.append(time.perf_counter() - begun)
        wait(result, True)
    return took, statistics.median(calls) * 1e6


def ours(result, is_last=False):
    np.evaluate(result)
    if is_last:
        result[(0,) * result.ndim].item()


def modules():
    """The modules to measure, with their waits."""
    found = [("phalanx", np, ours)]
    try:
        import cupy

        def theirs(result, is_last=False):
            if is_last:
                cupy.cuda.Device().synchronize()

        found.append(("cupy", cupy, theirs))
    except ImportError:
        pass
    return found


# A kernel that does nothing, and one that is the saxpy above.
EMPTY = 'extern "C" __global__ void nothing(float* x, int n) {}'
SAXPY = """
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* z, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        z[i] = a * x[i] + y[i];
    }
}
"""


def raw(name, module, wait, x, y, copied):
    """Launches of kernels in CUDA C++: microseconds of the host for a launch of many, milliseconds
    of one on large arrays, and milliseconds to compile a text that is new."""
    nothing = module.RawKernel(EMPTY, "nothing")
    small = module.zeros(10, dtype="float32")
    count = module.int32(10)
    took = []
    for _ in range(RUNS):
        wait(small, True)
        begun = time.perf_counter()
        for _ in range(1000):
            nothing((1,), (32,), (small, count))
        took.append((time.perf_counter() - begun) * 1e3)
    wait(small, True)
    z = module.zeros_like(x)
    saxpy = module.RawKernel(SAXPY, "saxpy")
    a, n = module.float32(2.5), module.int32(COUNT)

    def launch():
        saxpy((132 * 16,), (256,), (a, x, y, z, n))
        return z

    large, call = timed(launch, wait)
    begun = time.perf_counter()
    unique = f"/* {time.time()} */"
    module.RawKernel(SAXPY + unique, "saxpy").compile()
    compiled = (time.perf_counter() - begun) * 1e3
    print(f"a launch     {statistics.median(took):6.2f} µs of the host")
    print(f"raw saxpy    {large:8.3f} ms  {copied * 1.5 / large:5.2f} of a copy  {call:7.1f} µs a call"
          f"  {compiled:6.1f} ms to compile", flush=True)


def main(device):
    np.init(devices=device)
    dtype = "float32"
    kinds = [(ELEMENTWISE, "ElementwiseKernel"), (REDUCTIONS, "ReductionKernel")]
    for name, module, wait in modules():
        x = module.random.default_rng(1).random(COUNT, dtype=dtype)
        y = module.random.default_rng(2).random(COUNT, dtype=dtype)
        # Random numbers are not stored with Phalanx until they are evaluated.
        wait(x, True)
        wait(y, True)
        copied, _ = timed(lambda: x * module.float32(1), wait)
        print(f"{name}: a copy takes {copied:.3f} ms")
        for cases, kind in kinds:
            for case, (texts, arrays, program) in cases.items():
                kernel = getattr(module, kind)(*texts)
                scalars = [module.float32(2.5)] if kind == "ElementwiseKernel" else []
                took, call = timed(lambda: kernel(*scalars, x, y), wait)
                plain, _ = timed(lambda: program(module, x, y), wait)
                share = copied * arrays / 2 / took
                print(f"{case:12} {took:8.3f} ms  {share:5.2f} of a copy  {call:7.1f} µs a call"
                      f"  {plain:8.3f} ms with arrays", flush=True)
        raw(name, module, wait, x, y, copied)
        del x, y


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Kernels of the user's own beside CuPy's.")
    parser.add_argument("--device", default="cuda:0")
    main(parser.parse_args().device)
