"""Programs in CUDA C++: structures as arguments, a product of matrices in shared memory, templates,
threads of a whole grid that wait for each other, and a program that was compiled before.

All of them need a GPU; without one the program prints only this.
"""

import ctypes
import math

import numpy

import phalanx as np
import phalanx.cuda

structures = np.RawModule(code=r"""
struct Plane { double normal[3]; double offset; };
#pragma pack(push, 1)
struct Packed { char kind; double factor; short shift; };
#pragma pack(pop)

extern "C" __global__ void distances(
    const double* points, int count, Plane plane, Packed packed, double* out
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    double sum = -plane.offset;
    for (int axis = 0; axis < 3; ++axis) sum += plane.normal[axis] * points[3 * i + axis];
    out[i] = packed.kind == 'a' ? fabs(sum) * packed.factor + packed.shift : sum;
}
""")


class Plane(ctypes.Structure):
    """The structure of the program, for ctypes."""

    _fields_ = [("normal", ctypes.c_double * 3), ("offset", ctypes.c_double)]


# The other structure, for NumPy: without gaps between its fields.
PACKED = numpy.dtype([("kind", "S1"), ("factor", "f8"), ("shift", "i2")])


def struct_arguments(size):
    """Points, and their distances from a plane."""
    points = np.sin(np.arange(3.0 * size)).reshape(size, 3)
    out = np.empty(size)
    plane = Plane((ctypes.c_double * 3)(0.6, 0.0, 0.8), 0.25)
    packed = numpy.array([(b"a", 2.0, -3)], PACKED)
    structures.get_function("distances")(
        (math.ceil(size / 256),), (256,), (points, np.int32(size), plane, packed, out)
    )
    return points, out


TILE = 16
multiply = np.RawKernel(r"""
// Each thread block computes a tile of the product, from tiles of both factors in shared memory.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        int across = first + threadIdx.x, down = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && across < k ? a[row * k + across] : 0;
        right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;
        __syncthreads();
        for (int t = 0; t < TILE; ++t) sum += left[threadIdx.y][t] * right[t][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
""", "multiply", options=(f"-DTILE={TILE}",))


def matrix_product(m, n, k):
    """Two matrices and their product."""
    a = np.cos(np.arange(m * k)).astype("float32").reshape(m, k)
    b = np.sin(np.arange(k * n)).astype("float32").reshape(k, n)
    c = np.empty((m, n), dtype="float32")
    grid = (math.ceil(n / TILE), math.ceil(m / TILE))
    multiply(grid, (TILE, TILE), (a, b, c, np.int32(m), np.int32(n), np.int32(k)))
    return a, b, c


polynomials = np.RawModule(code=r"""
template <typename T, int degree>
__global__ void power(const T* x, T* y, long long count) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count) return;
    T result = 1;
    for (int turn = 0; turn < degree; ++turn) result *= x[i];
    y[i] = result;
}
""", name_expressions=["power<double, 3>", "power<int, 2>"])


def templates(size):
    """The third powers of floats and the squares of integers, with their operands."""
    results = []
    for name, dtype in [("power<double, 3>", "float64"), ("power<int, 2>", "int32")]:
        x = (np.arange(size) % 1000).astype(dtype)
        y = np.empty_like(x)
        polynomials.get_function(name)((math.ceil(size / 256),), (256,), (x, y, size))
        results += [x, y]
    return tuple(results)


cooperative = np.RawKernel(r"""
#include <cooperative_groups.h>
// Each thread block sums its elements. Once all blocks have done so, the first one sums the sums.
extern "C" __global__ void sum_all(const double* x, long long count, double* parts, double* total) {
    __shared__ double own[256];
    auto grid = cooperative_groups::this_grid();
    auto summed = [&]() {
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) own[threadIdx.x] += own[threadIdx.x + half];
            __syncthreads();
        }
        return own[0];
    };
    double sum = 0;
    for (long long i = grid.thread_rank(); i < count; i += grid.size()) sum += x[i];
    own[threadIdx.x] = sum;
    sum = summed();
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
    grid.sync();
    if (blockIdx.x > 0) return;
    sum = 0;
    for (int part = threadIdx.x; part < gridDim.x; part += 256) sum += parts[part];
    own[threadIdx.x] = sum;
    sum = summed();
    if (threadIdx.x == 0) *total = sum;
}
""", "sum_all", enable_cooperative_groups=True)


def cooperative_sum(size):
    """An array and its sum."""
    x = np.sqrt(np.arange(float(size)))
    blocks = 64
    parts, total = np.zeros(blocks), np.zeros(1)
    cooperative((blocks,), (256,), (x, size, parts, total))
    return x, total


def loaded_program(size):
    """An array before and after a kernel of a program in PTX, and the factor, which is a variable
    of the program."""
    image, names = phalanx.cuda.compiler.compile_using_nvrtc(r"""
        __constant__ double factor;
        template <typename T> __global__ void scale(T* x, int count) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < count) x[i] *= factor;
        }
        """, name_expressions=["scale<double>"], options=("-default-device",))
    module = phalanx.cuda.Module()
    module.load(image)
    module.mapping = names
    factor = numpy.array([2.5])
    module.get_global_var("factor").copy_from_host(factor.ctypes.data, factor.nbytes)
    x = np.arange(float(size))
    scaled = x.copy()
    module.get_function("scale<double>").linear_launch(size, (scaled, np.int32(size)))
    return x, scaled, factor


def main(size=100_000):
    """The results of all programs; nothing without a GPU."""
    if not phalanx.cuda.is_available():
        return {}
    side = round(size**0.5)
    return {
        "struct_arguments": struct_arguments(size),
        "matrix_product": matrix_product(side, side + 7, side - 5),
        "templates": templates(size),
        "cooperative_sum": cooperative_sum(size),
        "loaded_program": loaded_program(size),
    }


if __name__ == "__main__":
    made = main()
    print("programs that ran:", ", ".join(made) or "none, because there is no GPU")
