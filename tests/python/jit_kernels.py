"""Kernels that several tests of jit run: on the CPU, through NVRTC, and on GPUs.

Each function below makes a case: the kernel, its grid and block, its arguments as NumPy's arrays
and numbers, and the arrays that are expected in their place afterwards (None for those that are
read only).
"""

import math

import numpy

import phalanx as np
from phalanx.x import jit

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def drawn(*shape, dtype="float32", high=100):
    values = numpy.random.default_rng(3).random(shape) * high
    return values.astype(dtype)


@jit.rawkernel
def copy_kernel(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


@case
def grid_stride_copy():
    x = drawn(1000)
    return copy_kernel, 3, 32, [x, numpy.zeros_like(x), numpy.uint32(1000)], [None, x, None]


@jit.rawkernel()
def transpose_kernel(x, y):
    i, j = jit.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[j, i] = x[i, j]


@case
def transposition():
    x = drawn(20, 33, dtype="int64")
    y = numpy.zeros((33, 20), "int64")
    return transpose_kernel, (2, 3), (16, 16), [x, y], [None, x.T]


@case
def transposition_of_strided():
    x = drawn(40, 33, dtype="int64")[::2, ::-1]
    y = numpy.zeros((20, 33), "int64").T
    return transpose_kernel, (2, 3), (16, 16), [x, y], [None, x.T]


@jit.rawkernel()
def mandelbrot_kernel(out, turns):
    i, j = jit.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        c = complex(-2.0 + 3.0 * j / out.shape[1], -1.0 + 2.0 * i / out.shape[0])
        z = c
        count = 0
        while count < turns and abs(z) < 2:
            z = z * z + c
            count += 1
        out[i, j] = count


@case
def mandelbrot():
    expected = numpy.zeros((16, 24), "int32")
    for i, j in numpy.ndindex(16, 24):
        c = complex(-2.0 + 3.0 * j / 24, -1.0 + 2.0 * i / 16)
        z, count = c, 0
        while count < 50 and abs(z) < 2:
            z, count = z * z + c, count + 1
        expected[i, j] = count
    return mandelbrot_kernel, (1, 2), (16, 16), [expected * 0, 50], [expected, None]


@jit.rawkernel()
def reduction_kernel(x, y):
    tid = jit.threadIdx.x
    part = jit.shared_memory(numpy.float64, 64)
    total = 0.0
    for i in range(jit.grid(1), len(x), jit.gridsize(1)):
        total += x[i]
    part[tid] = total
    jit.syncthreads()
    half = 32
    while half > 0:
        if tid < half:
            part[tid] += part[tid + half]
        jit.syncthreads()
        half //= 2
    if tid == 0:
        jit.atomic_add(y, 0, part[0])


@case
def reduction_in_shared_memory():
    x = numpy.arange(1000.0)
    return reduction_kernel, 3, 64, [x, numpy.zeros(1)], [None, numpy.array([x.sum()])]


@jit.rawkernel()
def dynamic_kernel(x, y):
    tid, count = jit.threadIdx.x, jit.blockDim.x
    memory = jit.shared_memory(numpy.int32, None)
    memory[tid] = x[tid]
    jit.syncthreads()
    y[tid] = memory[count - tid - 1]


@case
def dynamic_shared_memory():
    x = numpy.arange(32, dtype="int32")
    return dynamic_kernel, 1, 32, [x, x * 0], [None, x[::-1]]


@jit.rawkernel()
def shuffle_kernel(x, y):
    lane = jit.laneid()
    value = x[lane]
    y[0, lane] = jit.shfl_sync(0xFFFFFFFF, value, 5)
    y[1, lane] = jit.shfl_up_sync(0xFFFFFFFF, value, 3)
    y[2, lane] = jit.shfl_down_sync(0xFFFFFFFF, value, 3)
    y[3, lane] = jit.shfl_xor_sync(0xFFFFFFFF, value, 1, width=16)
    total = value
    offset = 16
    while offset >= 1:
        total += jit.shfl_xor_sync(0xFFFFFFFF, total, offset)
        offset //= 2
    jit.syncwarp()
    y[4, lane] = total


def _shuffled(dtype):
    x = drawn(32, dtype=dtype, high=10)
    lanes = numpy.arange(32)
    rows = [x[[5] * 32], x[numpy.where(lanes < 3, lanes, lanes - 3)],
            x[numpy.where(lanes > 28, lanes, lanes + 3)], x[lanes ^ 1]]
    total = x
    for offset in (16, 8, 4, 2, 1):
        total = total + total[lanes ^ offset]
    expected = numpy.stack([*rows, total]).astype(dtype)
    return shuffle_kernel, 1, 32, [x, expected * 0], [None, expected]


for _dtype in ("int8", "uint32", "int64", "float16", "float32", "float64"):
    CASES[f"shuffles_{_dtype}"] = lambda dtype=_dtype: _shuffled(dtype)


@jit.rawkernel()
def histogram_kernel(x, counts):
    for i in range(jit.grid(1), x.size, jit.gridsize(1)):
        jit.atomic_add(counts, int(x[i]) % len(counts), 1)


@case
def histogram():
    x = drawn(2000)
    expected = numpy.bincount(x.astype(int) % 10, minlength=10).astype("int32")
    return histogram_kernel, 2, 64, [x, expected * 0], [None, expected]


def _atomics(dtype):
    @jit.rawkernel()
    def kernel(x, out):
        i = jit.grid(1)
        jit.atomic_add(out, 0, x[i])
        jit.atomic_sub(out, 1, x[i])
        jit.atomic_min(out, 2, x[i])
        jit.atomic_max(out, 3, x[i])
        jit.atomic_exch(out, (4,), x[0])

    x = numpy.random.default_rng(1).integers(0, 20, 64).astype(dtype)
    before = numpy.full(5, 10, dtype)
    total = x.sum(dtype=dtype)
    expected = numpy.array([10, 10, min(10, x.min()), max(10, x.max()), x[0]], dtype)
    with numpy.errstate(over="ignore"):
        expected[0] += total
        expected[1] -= total
    return kernel, 2, 32, [x, before], [None, expected]


for _dtype in ("int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
    CASES[f"atomics_{_dtype}"] = lambda dtype=_dtype: _atomics(dtype)


def _bits(dtype):
    @jit.rawkernel()
    def kernel(x, out):
        i = jit.grid(1)
        jit.atomic_and(out, 0, x[i])
        jit.atomic_or(out, 1, x[i])
        jit.atomic_xor(out, 2, x[i])
        old = jit.atomic_cas(out, 3, 7, 9)
        if old == 7:
            out[4] = 1

    x = numpy.random.default_rng(1).integers(0, 100, 64).astype(dtype)
    before = numpy.array([127, 0, 5, 7, 0], dtype)
    both, either, odd = 127, 0, 5
    for one in x.tolist():
        both, either, odd = both & one, either | one, odd ^ one
    return kernel, 2, 32, [x, before], [None, numpy.array([both, either, odd, 9, 1], dtype)]


for _dtype in ("int32", "uint32", "int64", "uint64"):
    CASES[f"bits_{_dtype}"] = lambda dtype=_dtype: _bits(dtype)


@jit.rawkernel()
def counters_kernel(out, old):
    i = jit.grid(1)
    jit.atomic_inc(out, 0, numpy.uint32(9))
    jit.atomic_dec(out, 1, numpy.uint32(9))
    old[i] = jit.atomic_add(out, -1, 2)


@case
def counters():
    before = numpy.array([0, 0, 0], "uint32")
    after = numpy.array([64 % 10, 10 - 64 % 10, 128], "uint32")
    return counters_kernel, 2, 32, [before, numpy.zeros(64, "int64")], [after, ...]


@jit.rawkernel(device=True)
def larger_and_smaller(x, y):
    x += 1
    if x > y:
        return x, y
    return y, x


@jit.rawkernel(device=True)
def first_of(row, start=0):
    return row[start]


@jit.rawkernel(device=True)
def increment(x, i):
    x[i] += 1
    return i


def power_of(exponent):
    @jit.rawkernel(device=True)
    def inner(x):
        return x**exponent

    return inner


@jit.rawkernel(device=True, mode="numpy")
def sum_of(pair, scale, function=None):
    if function is None:
        return (pair[0] + pair[1]) * scale
    return function(pair[0] + pair[1]) * scale


def undecorated(x):
    return math.sqrt(x) if x > 0 else 0.0


@jit.rawkernel()
def functions_kernel(x, y, counts):
    i = jit.grid(1)
    high, low = larger_and_smaller(x[i, 0], first_of(x[i], 1))
    y[i, 0] = high
    y[i, 1] = low
    y[i, 2] = power_of(2)(x[i, 0]) + power_of(3)(x[i, 1])
    y[i, 3] = undecorated(x[i, 0] - 50)
    y[i, 4] = sum_of((x[i, 0], 1), 2) + sum_of((x[i, 0], x[i, 1]), 2.0, math.sqrt)
    y[i, 4] += sum_of((3, 4), 1, undecorated)
    counts[increment(counts, i)] += 1


@case
def device_functions():
    x = drawn(32, 2, dtype="float64")
    a, b = x[:, 0] + 1, x[:, 1]
    root = numpy.sqrt(numpy.maximum(x[:, 0] - 50, 0))
    y = numpy.stack([numpy.maximum(a, b), numpy.minimum(a, b), x[:, 0]**2 + x[:, 1]**3, root,
                     (x[:, 0] + 1) * 2 + numpy.sqrt(x[:, 0] + x[:, 1]) * 2 + 7**0.5], 1)
    return (functions_kernel, 1, 32, [x, y * 0, numpy.zeros(32, "int32")],
            [None, y, numpy.full(32, 2, "int32")])


def halving(step):
    @jit.rawkernel(device=True)
    def inner(x):
        if step < 32:
            tid = jit.threadIdx.x
            if tid % (step * 2) == 0:
                x[tid] += x[tid + step]
            jit.syncthreads()
            halving(step * 2)(x)

    return inner


@jit.rawkernel()
def template_kernel(x, y):
    y[jit.threadIdx.x] = x[jit.threadIdx.x]
    jit.syncthreads()
    halving(1)(y)


@case
def functions_that_make_functions():
    x = numpy.arange(32)
    y = x.copy()
    for step in (1, 2, 4, 8, 16):
        for at in range(0, 32, 2 * step):
            y[at] += y[at + step]
    return template_kernel, 1, 32, [x, x * 0], [None, y]


@jit.rawkernel()
def loops_kernel(x, y, z):
    tid = jit.grid(1)
    for i in range(10):
        if i == 5:
            continue
        x[tid] += i
    n = 0
    while True:
        n += 1
        if n == 6:
            break
        y[tid] += n
    for i in range(10, 0, -3):
        z[tid] += i
        i = 0
    z[tid] += i
    step = -2 + tid * 0
    for i in range(tid + 6, tid, step):
        z[tid] += 100
    for factor in (1, 2, 3):
        for i in jit.range(3, unroll=True):
            z[tid] += factor * 1000


@case
def loops():
    zeros = numpy.zeros(32, int)
    expected = [zeros + 40, zeros + 15, zeros + 10 + 7 + 4 + 1 + 0 + 300 + 18000]
    return loops_kernel, 1, 32, [zeros, zeros.copy(), zeros.copy()], expected


@jit.rawkernel()
def views_kernel(x, y, nothing):
    i = jit.threadIdx.x
    row = x[i]
    shape, strides = x.shape, x.strides
    y[i, 0] = row[-1]
    y[i, 1] = shape[1] + len(row) + x.ndim + x.size
    y[i, 2] = strides[0] + row.strides[0]
    y[i, 3] = shape[i % 2]
    y[i][4] = x[i, i]
    nothing[()] = 7


@case
def views():
    x = drawn(4, 5, dtype="int32")
    i = numpy.arange(4)
    y = numpy.stack([x[:, -1], i * 0 + 5 + 5 + 2 + 20, i * 0 + 24,
                     numpy.array([4, 5, 4, 5]), x[i, i]], 1).astype("int64")
    return views_kernel, 1, 4, [x, y * 0, numpy.zeros((), "int8")], [
        None, y, numpy.array(7, "int8")]


WARP = jit.cub.WarpReduce[numpy.float32]


@jit.rawkernel()
def cub_kernel(x, y):
    BlockReduce = jit.cub.BlockReduce[numpy.float64, 64]
    i, j = jit.blockIdx.x, jit.threadIdx.x
    memory = jit.shared_memory(BlockReduce.TempStorage, 1)
    block = BlockReduce(memory[0])
    total = block.Sum(x[i, j])
    jit.syncthreads()
    highest = block.Reduce(x[i, j], jit.cub.Max())
    warp = WARP(jit.shared_memory(dtype=WARP.TempStorage, size=2)[j // 32])
    lowest = warp.Reduce(x[i, j], jit.cub.Min())
    if j == 0:
        y[i, 0] = total
        y[i, 1] = highest
        y[i, 2] = lowest


@case
def cub_reductions():
    x = drawn(3, 64)
    y = numpy.stack([x.sum(1, dtype=float), x.max(1), x[:, :32].min(1)], 1)
    return cub_kernel, 3, 64, [x, y * 0], [None, y]


@jit.rawkernel()
def groups_kernel(x):
    group, grid = jit.cg.this_thread_block(), jit.cg.this_grid()
    rank = group.thread_rank()
    if grid.thread_rank() == 33:
        x[0], x[1] = group.size(), grid.num_threads()
        index, dim = group.thread_index(), group.group_dim()
        x[2], x[3], x[4] = index.x, index.y, dim.y
        x[5], x[6] = rank, grid.block_rank()
        x[7] = grid.dim_blocks().x + group.group_index().x
    jit.cg.sync(group)
    group.sync()


@case
def groups():
    expected = numpy.array([16, 48, 1, 0, 2, 1, 2, 5])
    return groups_kernel, 3, (8, 2), [expected * 0], [expected]


@jit.rawkernel()
def complex_kernel(x, y):
    i = jit.grid(1)
    z = x[i]
    y[0, i] = z * (1 + 2j) - z.conj() / z
    y[1, i] = numpy.exp(z) + numpy.sqrt(z)
    y[2, i] = complex(abs(z), z.imag) + z.real
    y[3, i] = z**2 + numpy.sin(z) * 1j
    y[4, i] = 1 if z == z and z != 0 else 0


@case
def complex_numbers():
    values = drawn(2, 32, dtype="float64", high=2)
    x = values[0] - 1 + 1j * values[1]
    y = numpy.stack([x * (1 + 2j) - x.conj() / x, numpy.exp(x) + numpy.sqrt(x),
                     abs(x) + 1j * x.imag + x.real, x**2 + numpy.sin(x) * 1j, x * 0 + 1])
    return complex_kernel, 1, 32, [x, y * 0], [None, y]


@jit.rawkernel(mode="numpy")
def numpy_kernel(x, y, z):
    i = jit.grid(1)
    value = x[i] + 1
    y[i] = value
    if value.dtype == numpy.int8:
        y[i] += 1
    z[i] = numpy.hypot(x[i] / 2, 1.5) + numpy.where(x[i] > 50, numpy.float32(0.25), 0)


@case
def mode_of_numpy():
    x = numpy.arange(96, 128).astype("int8")
    y = x + numpy.int8(1) + numpy.int8(1)
    z = numpy.hypot(x / 2, 1.5) + 0.25
    return numpy_kernel, 1, 32, [x, y * 0, z * 0], [None, y, z]


@jit.rawkernel()
def logic_kernel(x, out):
    i = jit.grid(1)
    value = x[i]
    small = value < 10 or value in (20, 30)
    out[i] = (1 if small else 0) + 2 * (not small) + (value and 4) + min(value, 5, 3) * 100
    if 5 < value <= 15 and value != 7:
        out[i] += 1000
    elif value == 7:
        out[i] -= 1
    else:
        pass


@case
def logic():
    x = numpy.arange(32)
    expected = [
        (1 if v < 10 or v in (20, 30) else 2) + (v and 4) + min(v, 5, 3) * 100
        + (1000 if 5 < v <= 15 and v != 7 else -1 if v == 7 else 0) for v in x.tolist()
    ]
    return logic_kernel, 1, 32, [x, x * 0], [None, numpy.array(expected)]


@jit.rawkernel()
def waiting_kernel(x, y):
    memory = jit.shared_memory(numpy.int32, 64, alignment=16)
    group = jit.cg.this_thread_block()
    tid = group.thread_rank()
    jit.cg.memcpy_async(group, memory, 0, x, 0, 4 * 32, aligned_size=16)
    jit.cg.memcpy_async(group, memory, 32, x, 32, 4 * 32)
    jit.cg.wait_prior(group, 1)
    if tid < 32:
        y[tid] = memory[tid]
    jit.cg.wait(group)
    if 32 <= tid < 64:
        y[tid] = memory[tid]


@case
def waiting_copies():
    x = numpy.arange(64, dtype="int32")
    return waiting_kernel, 1, 64, [x, x * 0], [None, x]


@jit.rawkernel()
def phalanx_kernel(x, y):
    i = jit.grid(1)
    y[0, i] = np.sin(x[i]) + np.where(x[i] > 50, np.pi, np.float64(1)) + np.sqrt(4.0)
    y[1, i] = np.clip(x[i], 10, 20) + np.maximum(x[i], 3.0) + np.int32(x[i]) + np.clip(3, 1, 2)
    y[2, i] = np.real(x[i]) + math.floor(x[i]) + math.log(x[i] + 1, 2) + math.pow(x[i], 0.5)
    y[3, i] = x[i].astype(np.int64) + round(x[i]) + pow(x[i], 2) + divmod(x[i], 7)[1] + sum((1, 2))


@case
def functions_of_phalanx():
    x = drawn(32, dtype="float64")
    whole = numpy.floor(x)
    y = numpy.stack([
        numpy.sin(x) + numpy.where(x > 50, numpy.pi, 1) + 2,
        numpy.clip(x, 10, 20) + numpy.maximum(x, 3) + whole + 2,
        x + whole + numpy.log2(x + 1) + x**0.5, whole + numpy.rint(x) + x**2 + x % 7 + 3,
    ])
    return phalanx_kernel, 1, 32, [x, y * 0], [None, y]


def _scalars(dtype):
    type_of = numpy.dtype(dtype).type

    @jit.rawkernel()
    def kernel(x, y):
        lane = jit.threadIdx.x & 0x1F
        if lane == 0:
            value = y
        else:
            value = type_of(0)
        x[lane] = value
        x[32] = type_of(1)
        if x.dtype.kind in "fc":
            x[33] = np.dtype(dtype).type(np.inf)
            x[34] = np.nan

    expected = numpy.zeros(35, dtype)
    expected[0], expected[32] = type_of(5), 1
    if expected.dtype.kind in "fc":
        expected[33], expected[34] = numpy.inf, numpy.nan
    return kernel, 1, 32, [numpy.zeros(35, dtype), type_of(5)], [expected, None]


for _dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
               "float16", "float32", "float64", "complex64", "complex128"):
    CASES[f"scalars_{_dtype}"] = lambda dtype=_dtype: _scalars(dtype)


@jit.rawkernel()
def python_numbers_kernel(x, a, b, c, d):
    x[0] = a * c
    x[1] = b + d


@case
def python_numbers():
    x = numpy.zeros(2, complex)
    return python_numbers_kernel, 1, 1, [x, 3, 0.25, True, 1j], [
        numpy.array([3, 0.25 + 1j]), None, None, None, None]
