"""Callbacks of Fourier transforms as kernels in CUDA C++, before and after the transform."""

import functools as _functools

from .. import _phalanx
from .._raw import RawKernel as _RawKernel
from .._raw import shard as _shard
from .texts import without_headers

_THREADS = 256
# Each thread computes several elements of larger arrays.
_MOST_BLOCKS = 1 << 16
# The axes whose place in an array a kernel can get.
_MOST_AXES = 8

# cuFFT's spelling of each dtype, and the letter in the names of its types of callbacks.
_TYPES = {
    "complex64": ("cufftComplex", "C"),
    "complex128": ("cufftDoubleComplex", "Z"),
    "float32": ("cufftReal", "R"),
    "float64": ("cufftDoubleReal", "D"),
}


def _arithmetic(real, complex, letter):
    """The functions of cuComplex.h for one precision; `letter` is that of CUDA's names."""
    f = letter
    return f"""
__device__ inline {real} cuCreal{f}({complex} a) {{ return a.x; }}
__device__ inline {real} cuCimag{f}({complex} a) {{ return a.y; }}
__device__ inline {complex} make_{complex}({real} x, {real} y) {{
    {complex} made;
    made.x = x;
    made.y = y;
    return made;
}}
__device__ inline {complex} cuConj{f}({complex} a) {{ return make_{complex}(a.x, -a.y); }}
__device__ inline {complex} cuCadd{f}({complex} a, {complex} b) {{
    return make_{complex}(a.x + b.x, a.y + b.y);
}}
__device__ inline {complex} cuCsub{f}({complex} a, {complex} b) {{
    return make_{complex}(a.x - b.x, a.y - b.y);
}}
__device__ inline {complex} cuCmul{f}({complex} a, {complex} b) {{
    return make_{complex}(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}}
__device__ inline {complex} cuCfma{f}({complex} a, {complex} b, {complex} c) {{
    return cuCadd{f}(cuCmul{f}(a, b), c);
}}
__device__ inline {real} cuCabs{f}({complex} a) {{ return hypot{f}(a.x, a.y); }}
// By the larger part of the divisor, so that squares do not overflow (R. L. Smith, 1962).
__device__ inline {complex} cuCdiv{f}({complex} a, {complex} b) {{
    if (fabs{f}(b.x) >= fabs{f}(b.y)) {{
        {real} ratio = b.y / b.x, scale = b.x + b.y * ratio;
        return make_{complex}((a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale);
    }}
    {real} ratio = b.x / b.y, scale = b.x * ratio + b.y;
    return make_{complex}((a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale);
}}
"""


def _callback_types():
    """The types of pointers to callbacks: legacy ones, and those of the kind ``jit``."""
    text = ""
    for prefix, offset in (("cufft", "size_t"), ("cufftJIT", "unsigned long long")):
        for spelled, letter in _TYPES.values():
            text += (
                f"typedef {spelled} (*{prefix}CallbackLoad{letter})"
                f"(void*, {offset}, void*, void*);\n"
                f"typedef void (*{prefix}CallbackStore{letter})"
                f"(void*, {offset}, {spelled}, void*, void*);\n"
            )
    return text


# The names of cufftXt.h and cuComplex.h, which programs without the toolkit of CUDA lack. The
# macros are those of the headers, so that one that another header includes is empty.
PRELUDE = (
    "#define _CUFFT_H_\n#define _CUFFTXT_H_\n#define CU_COMPLEX_H_\n"
    "typedef float2 cuFloatComplex;\ntypedef float2 cuComplex;\ntypedef double2 cuDoubleComplex;\n"
    "typedef float2 cufftComplex;\ntypedef double2 cufftDoubleComplex;\n"
    "typedef float cufftReal;\ntypedef double cufftDoubleReal;\n"
    + _arithmetic("float", "cuFloatComplex", "f")
    + _arithmetic("double", "cuDoubleComplex", "")
    + "__device__ inline cuComplex make_cuComplex(float x, float y) {\n"
    + "    return make_cuFloatComplex(x, y);\n}\n"
    + "__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {\n"
    + "    return make_cuDoubleComplex(a.x, a.y);\n}\n"
    + "__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {\n"
    + "    return make_cuFloatComplex((float)a.x, (float)a.y);\n}\n"
    + _callback_types()
)

# On each device: `data` is moved so that the element of an offset in the whole array is that of the
# block.
_EACH = """
#include <phalanx.cuh>
struct phalanx_extents {{ long long axes[8]; }};
extern "C" __global__ void {symbol}(
    {spelled}* data, {const}void* info, phalanx_shard block, phalanx_extents whole
) {{
    // The block is one row of the whole if outside of the innermost axis that is cut all extents
    // are 1: then no index is divided.
    long long count = 1, first = 0, distance = 1;
    bool is_cut = false, is_row = true;
    for (int axis = 7; axis >= 0; --axis) {{
        const long long extent = block.extents[axis];
        is_row = is_row && (!is_cut || extent == 1);
        is_cut = is_cut || extent != whole.axes[axis];
        first += block.offsets[axis] * distance;
        distance *= whole.axes[axis];
        count *= extent;
    }}
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {{
        long long offset = first + i;
        if (!is_row) {{
            long long rest = i;
            offset = first;
            distance = 1;
            for (int axis = 7; axis >= 0; --axis) {{
                if (whole.axes[axis] == 1) continue;
                const long long above = rest / block.extents[axis];
                offset += (rest - above * block.extents[axis]) * distance;
                distance *= whole.axes[axis];
                rest = above;
            }}
        }}
        void* moved = (void*)((char*)data + (i - offset) * (long long)sizeof({spelled}));
        {call}
    }}
}}
"""
# On one device, with whole arrays.
_WHOLE = """
extern "C" __global__ void {symbol}(
    {from_const}{spelled}* from, {spelled}* to, {const}void* info, long long count
) {{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {{
        const long long offset = i;
        {call}
    }}
}}
"""
_CALLS = {
    ("load", True): "data[i] = phalanx_callback(moved, offset, (void*)info);",
    ("store", True): "phalanx_callback(moved, offset, data[i], (void*)info);",
    ("load", False): "to[i] = phalanx_callback((void*)from, offset, (void*)info);",
    ("store", False): "phalanx_callback((void*)to, offset, from[i], (void*)info);",
}
# The callback under a name that no variable of the kernel hides.
_NAMED = {
    "load": """
__device__ inline {spelled} phalanx_callback(
    void* phalanx_data, long long phalanx_offset, void* phalanx_info
) {{
    return {name}(phalanx_data, (size_t)phalanx_offset, phalanx_info, (void*)0);
}}
""",
    "store": """
__device__ inline void phalanx_callback(
    void* phalanx_data, long long phalanx_offset, {spelled} phalanx_element, void* phalanx_info
) {{
    {name}(phalanx_data, (size_t)phalanx_offset, phalanx_element, phalanx_info, (void*)0);
}}
""",
}


def _checks(callback, dtype):
    """The conditions on a callback that only the compiler can check."""
    spelled, letter = _TYPES[dtype]
    name = callback.name or callback.pointer
    if callback.name is None:
        prefix = "cufftJIT" if callback.is_jit else "cufft"
        wanted = f"{prefix}Callback{callback.kind.capitalize()}{letter}"
        return (
            "template <typename A, typename B> struct phalanx_same { enum { value = 0 }; };\n"
            "template <typename A> struct phalanx_same<A, A> { enum { value = 1 }; };\n"
            f"static_assert(phalanx_same<decltype({name}), {wanted}>::value,\n"
            f'    "{name} must be a {wanted} for this transform");\n'
        )
    if callback.kind == "store":
        return ""
    return (
        f"static_assert(sizeof({name}((void*)0, (size_t)0, (void*)0, (void*)0)) =="
        f' sizeof({spelled}),\n    "{name} must return a {spelled} for this transform");\n'
    )


def text_of(callback, dtype, is_each):
    """The text of a kernel that runs a callback for elements of a dtype: the one that runs on each
    device with its block, or the one that gets whole arrays."""
    spelled, _ = _TYPES[dtype]
    name = callback.name or callback.pointer
    parts = [PRELUDE]
    if callback.before:
        parts.append(f'#line 1 "cb_load"\n{without_headers(callback.before.text)}\n')
    parts.append(f'#line 1 "cb_{callback.kind}"\n{without_headers(callback.text)}\n')
    parts.append('#line 1 "phalanx"\n' + _checks(callback, dtype))
    parts.append(_NAMED[callback.kind].format(spelled=spelled, name=name))
    parts.append((_EACH if is_each else _WHOLE).format(
        symbol=symbol(callback),
        spelled=spelled,
        const="const " if callback.reads_info_only else "",
        from_const="const " if callback.kind == "store" or callback.reads_data_only else "",
        call=_CALLS[callback.kind, is_each],
    ))
    return "".join(parts)


def symbol(callback):
    """The name of the kernel, which plans show."""
    return f"fft_{callback.kind}_callback"


@_functools.lru_cache(maxsize=256)
def kernel(callback, dtype, is_each, options):
    """The kernel that runs a callback for elements of a dtype."""
    text = text_of(callback, dtype, is_each)
    made = _RawKernel(text, symbol(callback), options, per_shard=is_each)
    # A text that the compiler refuses is an error of the transform, not of a later operation.
    made.compile()
    return made


def _whole_on_each(info):
    """An auxiliary array, whole on each device."""
    return info.copy().with_sharding(None)


def launch(callback, array, info, options):
    """The elements of an array after a callback, in C order of the array's indices.

    `info` is the auxiliary array, the address of one, or None.
    """
    from .._cuda_arguments import CPointer

    dtype = array.dtype.name
    is_array = isinstance(info, _phalanx.ndarray)
    info = CPointer(0) if info is None else info
    count = array.size
    if count == 0:
        return array
    grid = (min(-(-count // _THREADS), _MOST_BLOCKS),)
    knows_info = isinstance(info, CPointer) or is_array and callback.reads_info_only
    is_each = callback.is_own and knows_info and array.ndim <= _MOST_AXES
    run = kernel(callback, dtype, is_each, options)
    if is_each:
        # Memory of its own, in C order, which the kernel changes in place.
        result = array.copy()
        extents = [1] * _MOST_AXES
        extents[: array.ndim] = array.shape
        extents = b"".join(one.to_bytes(8, "little") for one in extents)
        info = _whole_on_each(info) if is_array else info
        run(grid, (_THREADS,), (result, info, _shard(result), extents))
        return result
    array = array if array.flags.c_contiguous else array.copy()
    result = _phalanx.empty(array.shape, dtype=array.dtype)
    run(grid, (_THREADS,), (array, result, info, count))
    return result
