"""Runs the kernels of callbacks of Fourier transforms on the CPU with g++, block by block."""

import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile

import numpy
import pytest

import phalanx as np

HEAD = r"""
#include <cmath>
#include <cstddef>
using namespace std;
#define __device__
#define __host__
#define __global__
#define __constant__ static const
#define __forceinline__ inline
struct float2 { float x, y; };
struct double2 { double x, y; };
static const struct { unsigned x; } threadIdx = {0}, blockIdx = {0}, blockDim = {1}, gridDim = {1};
template <typename T> static T atomicAdd(T* p, T v) { T old = *p; *p += v; return old; }
"""
SHARD = """#pragma once
struct phalanx_shard { long long axes, extents[8], offsets[8]; };
"""


class Place(ctypes.Structure):
    _fields_ = [("axes", ctypes.c_longlong), ("extents", ctypes.c_longlong * 8),
                ("offsets", ctypes.c_longlong * 8)]


class Extents(ctypes.Structure):
    _fields_ = [("axes", ctypes.c_longlong * 8)]


@functools.lru_cache(maxsize=None)
def library(text):
    """The program of a text, by g++."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "kernel.cpp"), os.path.join(folder, "kernel.so")
        with open(os.path.join(folder, "phalanx.cuh"), "w") as file:
            file.write(SHARD)
        with open(source, "w") as file:
            file.write(HEAD + re.sub(r'#line 1 "\w+"', "", text))
        command = ["g++", "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-I", folder]
        ended = subprocess.run([*command, "-o", made, source], capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ctypes.CDLL(made)


def blocks(shape, splits):
    """The blocks of a shape of which each axis is split into a number of parts; some are empty if
    there are more parts than elements."""
    found = [()]
    for extent, parts in zip(shape, splits):
        size = -(-extent // parts)
        bounds = [(min(k * size, extent), min((k + 1) * size, extent)) for k in range(parts)]
        found = [(*one, slice(*bound)) for one in found for bound in bounds]
    return found


class Kernel:
    """What `RawKernel` is for callbacks: it runs on the CPU, on each device on its blocks."""

    # How many parts the axes of arrays have, from the first axis on.
    splits = (3, 2)
    # The kernels that ran, and whether on each device.
    ran = []

    def __init__(self, text, name, options=(), per_shard=False):
        self.text, self.name, self.options, self.per_shard = text, name, options, per_shard

    def compile(self):
        library(self.text)

    def __call__(self, grid, block, args):
        Kernel.ran.append((self.name, self.per_shard))
        run = getattr(library(self.text), self.name)
        writes_info = "const void* info" not in self.text
        arrays = [one if isinstance(one, np.ndarray) else None for one in args]
        host = [one if one is None else numpy.ascontiguousarray(one.get()) for one in arrays]
        if self.per_shard:
            self._each(run, args, host)
            arrays[0][...] = np.asarray(host[0])
            return
        pointers = [None if one is None else ctypes.c_void_p(one.ctypes.data) for one in host]
        run(*pointers[:3], ctypes.c_longlong(args[3]))
        arrays[1][...] = np.asarray(host[1])
        if writes_info and arrays[2] is not None:
            arrays[2][...] = np.asarray(host[2])

    def _each(self, run, args, host):
        data, info = host[:2]
        assert args[2].array is args[0]
        whole = Extents.from_buffer_copy(args[3])
        splits = (*self.splits, *[1] * data.ndim)[: data.ndim]
        for part in blocks(data.shape, splits):
            # Nothing but the elements of the block is within reach.
            own = data[part].copy()
            place = Place(data.ndim, (ctypes.c_longlong * 8)(*[1] * 8))
            for axis, (extent, one) in enumerate(zip(own.shape, part)):
                place.extents[axis], place.offsets[axis] = extent, one.start
            run(ctypes.c_void_p(own.ctypes.data),
                None if info is None else ctypes.c_void_p(info.ctypes.data), place, whole)
            data[part] = own
