"""Runs the texts of jit kernels on the CPU with g++, and compiles them with NVRTC.

Each thread of a thread block is a thread of the CPU if the kernel waits for other threads; else the
threads run one after the other.
"""

import ctypes
import functools
import glob
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile

import numpy
import pytest

from phalanx._jit import kernels as _jit
from phalanx._jit import prelude as _jit_prelude
from phalanx._jit.types import SPELLINGS, Array, Scalar, known_dtype

HEAD = r"""
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>
using namespace std;
#define __device__
#define __global__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline
#define warpSize 32
struct dim3 { unsigned int x, y, z; };
static thread_local dim3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static barrier<>* of_block;
static barrier<>* of_warp[32];
static mutex one_at_a_time;
static unsigned char slots[1024][8];
static inline void __syncthreads() { of_block->arrive_and_wait(); }
static inline unsigned rank_of_thread() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static inline void __syncwarp(unsigned = 0) { of_warp[rank_of_thread() / 32]->arrive_and_wait(); }
template <typename T> static T from_lane(T value, int lane, int width, bool valid) {
    int rank = rank_of_thread(), first = rank % 32 / width * width + rank / 32 * 32;
    memcpy(slots[rank], &value, sizeof(T));
    __syncwarp();
    T found;
    memcpy(&found, slots[valid ? first + lane : rank], sizeof(T));
    __syncwarp();
    return found;
}
template <typename T> static T __shfl_sync(unsigned, T v, int lane, int width = 32) {
    return from_lane(v, lane % width, width, true);
}
template <typename T> static T __shfl_up_sync(unsigned, T v, int by, int width = 32) {
    int lane = rank_of_thread() % width - by;
    return from_lane(v, lane, width, lane >= 0);
}
template <typename T> static T __shfl_down_sync(unsigned, T v, int by, int width = 32) {
    int lane = rank_of_thread() % width + by;
    return from_lane(v, lane, width, lane < width);
}
template <typename T> static T __shfl_xor_sync(unsigned, T v, int by, int width = 32) {
    int lane = (rank_of_thread() % width) ^ by;
    return from_lane(v, lane, width, lane < width);
}
#define ATOMIC(name, expression)                                                       \
    template <typename T> static T name(T* p, type_identity_t<T> v) {                  \
        lock_guard<mutex> held(one_at_a_time);                                         \
        T old = *p;                                                                    \
        *p = expression;                                                               \
        return old;                                                                    \
    }
ATOMIC(atomicAdd, old + v)
ATOMIC(atomicSub, old - v)
ATOMIC(atomicExch, v)
ATOMIC(atomicMin, (v < old ? v : old))
ATOMIC(atomicMax, (old < v ? v : old))
ATOMIC(atomicAnd, (old & v))
ATOMIC(atomicOr, (old | v))
ATOMIC(atomicXor, (old ^ v))
ATOMIC(atomicInc, (old >= v ? 0 : old + 1))
ATOMIC(atomicDec, (old == 0 || old > v ? v : old - 1))
template <typename T> static T atomicCAS(T* p, type_identity_t<T> a, type_identity_t<T> b) {
    lock_guard<mutex> held(one_at_a_time);
    T old = *p;
    if (old == a) *p = b;
    return old;
}
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrt(float x) { return 1 / sqrt(x); }
"""

HALF = r"""
inline half::half(double value) {
    // The nearest multiple of the last place, ties to even.
    unsigned short sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (value != value) { bits = 0x7e00; return; }
    if (size >= 65520) { bits = sign | 0x7c00; return; }
    int exponent = size < 6.103515625e-05 ? -14 : ilogb(size);
    double places = nearbyint(ldexp(size, 10 - exponent));
    bits = sign | (unsigned short)(places + (exponent + 14) * 1024.0);
}
inline half::half(float value) : half((double)value) {}
inline half::operator float() const {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
        : exponent ? ldexp((float)(fraction + 1024), exponent - 25) : ldexp((float)fraction, -24);
    return bits & 0x8000 ? -size : size;
}
"""

TAIL = r"""
extern "C" void launch(const unsigned* grid, const unsigned* block, void** arguments) {
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    unsigned count = block[0] * block[1] * block[2];
    for (unsigned at = 0; at < grid[0] * grid[1] * grid[2]; ++at) {
        barrier<> all(count);
        of_block = &all;
        for (unsigned warp = 0; warp < 32; ++warp) {
            unsigned rest = count > warp * 32 ? count - warp * 32 : 0;
            of_warp[warp] = rest ? new barrier<>(rest < 32 ? rest : 32) : nullptr;
        }
        auto run = [&](unsigned thread) {
            blockIdx = {at % grid[0], at / grid[0] % grid[1], at / grid[0] / grid[1]};
            threadIdx = {thread % block[0], thread / block[0] % block[1],
                         thread / block[0] / block[1]};
            KERNEL;
        };
        vector<thread> threads;
        for (unsigned thread = 0; thread < count; ++thread) {
            if (WAITS) threads.emplace_back(run, thread);
            else run(thread);
        }
        for (auto& one : threads) one.join();
        for (auto* one : of_warp) delete one;
    }
}
"""


@functools.cache
def compiler():
    """g++ with C++20; skips the test without it."""
    found = shutil.which("g++")
    if found is None:
        pytest.skip("there is no g++")
    return found


def build(text, optimize="-O1"):
    """A shared library of a text in C++."""
    folder = tempfile.mkdtemp(prefix="jit")
    source, library = os.path.join(folder, "text.cpp"), os.path.join(folder, "text.so")
    with open(source, "w") as file:
        file.write(text)
    made = subprocess.run(
        [compiler(), "-std=c++20", optimize, "-fwrapv", "-ffp-contract=off", "-w", "-shared",
         "-fPIC", "-pthread", source, "-o", library], capture_output=True, text=True,
    )
    assert made.returncode == 0, f"{made.stderr[:3000]}\n{text[-3000:]}"
    loaded = ctypes.CDLL(library)
    shutil.rmtree(folder)
    return loaded


def emulate(text, name):
    """A kernel as a function of a grid, a block and the arguments of C++."""
    head = re.search(rf"void {name}\((.*)\) \{{", text)[1]
    types = [one.rsplit(" ", 1)[0] for one in head.split(", ")] if head else []
    values = ", ".join(f"*({one}*)arguments[{at}]" for at, one in enumerate(types))
    waits = bool(re.search(r"__sync|__shfl", text))
    text = re.sub(
        r"extern __shared__ __align__\((\d+)\) unsigned char dynamic_shared_memory\[\];",
        r"alignas(\1) static unsigned char dynamic_shared_memory[65536];", text,
    )
    tail = TAIL.replace("KERNEL", f"{name}({values})").replace("WAITS", str(int(waits)))
    half = HALF if "struct half" in text else ""
    library = build(HEAD + text + half + tail)

    def launch(grid, block, arguments):
        def sizes(given):
            given = given if isinstance(given, tuple) else (given,)
            return (ctypes.c_uint * 3)(*given, *[1] * (3 - len(given)))

        boxes = [numpy.array(one) for one in arguments]
        places = (ctypes.c_void_p * len(boxes))(*(one.ctypes.data for one in boxes))
        library.launch(sizes(grid), sizes(block), places)

    return launch


def types_of(args):
    """The types of NumPy's arrays and of numbers."""
    types = []
    for one in args:
        if isinstance(one, numpy.ndarray):
            types.append(Array(known_dtype(one.dtype), one.ndim, bool(one.flags.c_contiguous)))
        else:
            types.append(Scalar(known_dtype(_jit._number("test", one).dtype)))
    return tuple(types)


@functools.cache
def _emulated(function, types, mode):
    text, name, _ = _jit.kernel_text(function, types, mode)
    return emulate(text, name)


def run(kernel, grid, block, *args):
    """Runs a jit kernel on NumPy's arrays."""
    flat = []
    for one in args:
        if isinstance(one, numpy.ndarray):
            flat.append(numpy.uint64(one.ctypes.data))
            flat += [numpy.int64(length) for length in (*one.shape, *one.strides)]
        else:
            flat.append(_jit._number("test", one))
    _emulated(kernel._jit_function, types_of(args), kernel._jit_mode)(grid, block, flat)


@functools.cache
def scalar(function, dtypes, mode="numpy"):
    """A scalar function that is compiled by g++, as a function of arrays."""
    text, name, result = _jit.compile_scalar(function, dtypes, mode, plain=True)
    return library_of([(text, name, dtypes, result)])[0], result


def library_of(functions):
    """Compiled scalar functions as functions of arrays: one library for all of them. Their texts
    are plain."""
    parts = [HEAD, _jit_prelude.HALF, HALF, _jit_prelude.COMPLEX]
    for number, (text, name, dtypes, result) in enumerate(functions):
        values = ", ".join(
            f"(({SPELLINGS[known_dtype(one).name]}*)in[{at}])[i]" for at, one in enumerate(dtypes)
        )
        out = SPELLINGS[result.name]
        loop = f"for (long long i = 0; i < n; ++i) (({out}*)out)[i] = {name}({values});"
        parts.append(f"namespace f{number} {{ {text}\n extern \"C\" void run{number}"
                     f"(long long n, void** in, void* out) {{ {loop} }} }}")
    library = build("\n".join(parts))
    return [_caller(library, number, result) for number, (*_, result) in enumerate(functions)]


def _caller(library, number, result):
    def call(*arrays):
        arrays = [numpy.ascontiguousarray(one) for one in arrays]
        out = numpy.empty(arrays[0].shape, result)
        places = (ctypes.c_void_p * len(arrays))(*(one.ctypes.data for one in arrays))
        getattr(library, f"run{number}")(
            ctypes.c_longlong(out.size), places, ctypes.c_void_p(out.ctypes.data)
        )
        return out

    return call


@functools.cache
def nvrtc():
    """NVRTC of NVIDIA's wheel or of the system; skips the test without it."""
    folder = os.path.join(sysconfig.get_paths()["purelib"], "nvidia")
    for pattern in ("libnvrtc-builtins.so.*", "libnvrtc.so.*"):
        found = [one for one in sorted(glob.glob(f"{folder}/**/{pattern}", recursive=True))
                 if "alt" not in one]
        try:
            # The compiler looks for its built-in functions among the loaded libraries.
            library = ctypes.CDLL(found[-1] if found else "libnvrtc.so", ctypes.RTLD_GLOBAL)
        except OSError:
            pytest.skip("there is no libnvrtc")
    return library


def include_folders():
    """The folders of CUDA's headers: those of a toolkit, or of NVIDIA's wheels."""
    folder = os.path.join(sysconfig.get_paths()["purelib"], "nvidia")
    given = [os.environ.get("CUDA_PATH", "/usr/local/cuda") + "/include"]
    found = glob.glob(f"{folder}/**/cooperative_groups.h", recursive=True)
    folders = [*given, *(os.path.dirname(one) for one in found)]
    folders = [one for one in folders if os.path.exists(f"{one}/cooperative_groups.h")]
    if not folders:
        pytest.skip("there are no headers of CUDA")
    return [folders[0], f"{folders[0]}/cccl"]


def compile_for_gpu(text, folders=()):
    """Compiles a text with NVRTC; fails with its messages."""
    library, program = nvrtc(), ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"jit.cu", 0, None, None)
    options = [b"--gpu-architecture=sm_90", b"--std=c++17", b"-w",
               *(f"-I{one}".encode() for one in folders)]
    status = library.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*options)
    )
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    assert status == 0, f"{log.value.decode()[:3000]}\n{text[-3000:]}"
