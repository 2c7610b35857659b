"""PHALANX_CHECK_KERNELS: writes of kernels outside of their arrays are found."""

import os
import subprocess
import sys
import textwrap

import pytest

import phalanx as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason="the session has no GPU")

_KERNEL = r"""
import phalanx as np
kernel = np.RawKernel('''
extern "C" __global__ void shift(const float* x, float* y, long long n, long long by) {
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i + by] = 2 * x[i];
}''', "shift")
x, y = np.arange(1000, dtype="f4"), np.zeros(1000, dtype="f4")
"""


def run(program, check):
    """The outcome of a program after the kernel."""
    environment = dict(os.environ, PHALANX_CHECK_KERNELS=check)
    return subprocess.run(
        [sys.executable, "-c", _KERNEL + textwrap.dedent(program)],
        capture_output=True, text=True, timeout=120, env=environment,
    )


def test_kernels_inside_of_their_arrays_run():
    ended = run(
        """
        for _ in range(3):
            kernel((8,), (128,), (x[10:], y[5:], 990, 5))
        assert y[:10].tolist() == [0.0] * 10 and y[10:].tolist() == [2.0 * i for i in range(10, 1000)]
        kernel((1,), (32,), (x, np.zeros(0, "f4"), 0, 0))
        print("done", float(y.sum()))
        """,
        "1",
    )
    assert ended.returncode == 0 and ended.stdout.startswith("done"), ended


@pytest.mark.parametrize(
    "by, place", [(3, "12 bytes after the last"), (-5, "20 bytes before the first")]
)
def test_a_write_outside_is_found(by, place):
    program = f"""
        try:
            kernel((8,), (128,), (x, y, 1000, {by}))
            y.evaluate()
        except RuntimeError as error:
            print(error)
    """
    ended = run(program, "1")
    assert "PX182" in ended.stdout and f"{place} element of its parameter 1" in ended.stdout, ended
    assert "'shift'" in ended.stdout and "<string>:11" in ended.stdout, ended
    assert "PX182" not in run(program, "0").stdout
