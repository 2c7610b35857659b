"""Texts of callbacks of Fourier transforms, and what they compute, by NumPy."""

import numpy

import phalanx as np
import phalanx.fft.config

callbacks = phalanx.fft.config.set_cufft_callbacks

TYPES = {
    "c8": ("cufftComplex", "C", "float"),
    "c16": ("cufftDoubleComplex", "Z", "double"),
    "f4": ("cufftReal", "R", "float"),
    "f8": ("cufftDoubleReal", "D", "double"),
}
LOAD = """
#include <cufftXt.h>
// Scales an element by its place and by the auxiliary data.
__device__ {type} scaled(void* dataIn, size_t offset, void* callerInfo, void* sharedPtr)
{{
    {type} x = (({type}*)dataIn)[offset];
    {real} factor = ((const {real}*)callerInfo)[offset % 3] * (offset % 5 + 1);
    {first} *= factor;
    return x;
}}
__device__ cufftCallbackLoad{letter} d_loadCallbackPtr = scaled;
"""
STORE = """
__device__ void moved(void* dataOut, size_t offset, {type} element, void* callerInfo, void* shared)
{{
    {type} x = element;
    {last} = {last} / *(({real}*)callerInfo) + offset % 7;
    (({type}*)dataOut)[offset] = x;
}}
__device__ cufftCallbackStore{letter} d_storeCallbackPtr = moved;
"""
LOAD_DATA, STORE_DATA = numpy.array([2.5, -0.5, 1.25]), numpy.array(3.8)


def text_of(template, dtype):
    kind, letter, real = TYPES[dtype]
    is_complex = dtype.startswith("c")
    parts = ("x.x", "x.y") if is_complex else ("x", "x")
    return template.format(type=kind, letter=letter, real=real, first=parts[0], last=parts[1])


def loaded(array):
    """What the load callback does."""
    offset = numpy.arange(array.size).reshape(array.shape)
    factor = LOAD_DATA[offset % 3] * (offset % 5 + 1)
    if array.dtype.kind == "c":
        return array.real * factor + 1j * array.imag
    return array * factor


def stored(array):
    """What the store callback does."""
    offset = numpy.arange(array.size).reshape(array.shape)
    if array.dtype.kind == "c":
        return array.real + 1j * (array.imag / STORE_DATA + offset % 7)
    return array / STORE_DATA + offset % 7


def resized(array, axis, extent):
    """An array of another extent."""
    made = numpy.zeros([*array.shape[:axis], extent, *array.shape[axis + 1 :]], array.dtype)
    kept = (slice(None),) * axis + (slice(min(extent, array.shape[axis])),)
    made[kept] = array[kept]
    return made


def expected(name, array, extents, axes, norm, load=loaded, store=stored):
    """A transform with callbacks, by NumPy. `extents` are those of the result's real numbers."""
    plain = name.rstrip("2n")
    is_inverse = plain in ("ifft", "irfft", "ihfft")
    takes_half = plain in ("irfft", "hfft")
    array = array.astype("f8" if plain in ("rfft", "ihfft") else "c16")
    array = numpy.conj(array) if plain == "hfft" else array
    axes = [axis % array.ndim for axis in axes]
    for axis, extent in zip(axes, extents):
        wanted = extent // 2 + 1 if takes_half and axis == axes[-1] else extent
        array = resized(array, axis, wanted)
    last = axes[-1]
    if len(axes) == 1:
        array, axes = array.swapaxes(last, -1), [array.ndim - 1]
    array = load(array)
    if takes_half:
        found = numpy.fft.irfftn(array, extents, axes, norm="forward")
    elif plain in ("rfft", "ihfft"):
        found = numpy.fft.rfftn(array, axes=axes)
    elif is_inverse:
        found = numpy.fft.ifftn(array, axes=axes, norm="forward")
    else:
        found = numpy.fft.fftn(array, axes=axes)
    found = store(found)
    found = found.swapaxes(last, -1) if len(axes) == 1 else found
    found = numpy.conj(found) if plain == "ihfft" else found
    count = numpy.prod(extents)
    if norm == "ortho":
        return found / numpy.sqrt(count)
    is_scaled = is_inverse == (norm in (None, "backward"))
    return found / count if is_scaled else found


def drawn(shape, dtype, seed=1):
    rng = numpy.random.default_rng(seed)
    array = rng.normal(size=shape)
    return (array + 1j * rng.normal(size=shape) if dtype.startswith("c") else array).astype(dtype)


def kinds_of(name, is_single):
    """The dtypes of the elements that a transform reads and writes."""
    real, complex = ("f4", "c8") if is_single else ("f8", "c16")
    plain = name.rstrip("2n")
    reads = real if plain in ("rfft", "ihfft") else complex
    return reads, real if plain in ("irfft", "hfft") else complex


def contexts(name, is_single):
    reads, writes = kinds_of(name, is_single)
    real = "f4" if is_single else "f8"
    return callbacks(
        cb_load=text_of(LOAD, reads), cb_store=text_of(STORE, writes),
        cb_load_data=np.asarray(LOAD_DATA.astype(real)),
        cb_store_aux_arr=np.asarray(STORE_DATA.astype(real)),
    )


def check(name, array, call, extents, axes, norm, is_single, function=None):
    x = np.asarray(array)
    with contexts(name, is_single):
        found = (function or getattr(np.fft, name))(x, **call, norm=norm)
    wanted = expected(name, array, extents, axes, norm)
    assert found.dtype == kinds_of(name, is_single)[1]
    tolerance = 2e-5 if is_single else 1e-12
    scale = max(abs(wanted).max(), 1)
    numpy.testing.assert_allclose(found.get(), wanted, rtol=0, atol=tolerance * scale)
    assert numpy.array_equal(x.get(), array)


TWICE = text_of(LOAD, "c16").replace("*= factor", "*= 2").replace(
    "((const double*)callerInfo)[offset % 3] * (offset % 5 + 1)", "1")
HALF = TWICE.replace("*= 2", "*= 0.5")
SHIFTED = """
__device__ cufftDoubleComplex shifted(void* in, size_t offset, void* info, void* shared) {
    return ((cufftDoubleComplex*)in)[(offset + 4) % 8];
}
__device__ cufftCallbackLoadZ d_loadCallbackPtr = shifted;
"""
COUNTED = """
__device__ void counted(void* out, size_t offset, cufftDoubleComplex x, void* info, void* shared) {
    atomicAdd((int*)info + (x.x > 0), 1);
    ((cufftDoubleComplex*)out)[offset] = x;
}
__device__ cufftCallbackStoreZ d_storeCallbackPtr = counted;
"""
JIT = """
__device__ float helper(float x) { return 2 * x; }
__device__ cufftComplex doubled(void* dataIn, unsigned long long offset, void* info, void* shared) {
    cufftComplex x = ((cufftComplex*)dataIn)[offset];
    return make_cuComplex(helper(x.x), 2 * x.y);
}
"""

# Bodies of load callbacks for double complex numbers, and what they do.
PLAIN = {
    "alias": (
        "cufftDoubleComplex* in = (cufftDoubleComplex*)in_; return in[offset];", lambda x, k: x),
    "arithmetic": (
        "double2 a = *((double2*)in_ + offset), b = {2, 1}; return cuCmul(a, cuConj(b));",
        lambda x, k: x * (2 - 1j)),
    "division": (
        "cuDoubleComplex a = static_cast<cuDoubleComplex*>(in_)[offset];"
        "return cuCdiv(a, make_cuDoubleComplex(0.25, -3));", lambda x, k: x / (0.25 - 3j)),
    "padding": (
        "if (offset % 4 < 2) { cufftDoubleComplex zero = {0, 0}; return zero; }"
        "return ((cufftDoubleComplex*)in_)[offset];", lambda x, k: numpy.where(k % 4 < 2, 0, x)),
    "constant": (
        "cufftDoubleComplex x, y; x.x = offset; x.y = 0; y = x; y.y -= 1; return y;",
        lambda x, k: k - 1j),
    "names": (
        "int i = (int)(offset % 4); double real = 2; double n = real + i;"
        "cufftDoubleComplex x = ((cufftDoubleComplex*)in_)[offset]; x.x *= n; return x;",
        lambda x, k: x.real * (2 + k % 4) + 1j * x.imag),
    "loop": (
        "cufftDoubleComplex x = ((cufftDoubleComplex*)in_)[offset];"
        "for (int k = 0; k < 3; k++) { x.y += k; } return x;", lambda x, k: x + 3j),
    "auto": (
        "auto x = ((cufftDoubleComplex*)in_)[offset]; const auto y = x; x.x = -y.y; return x;",
        lambda x, k: -x.imag + 1j * x.imag),
    "unsigned": (
        "cufftDoubleComplex x = ((double2*)in_)[offset]; if (offset - 3 > 1000) x.x = 7; return x;",
        lambda x, k: numpy.where(k < 3, 7, x.real) + 1j * x.imag),
    "branches": (
        "cufftDoubleComplex x = ((cufftDoubleComplex*)in_)[offset]; if (x.x > 0) { x.y = -x.y; }"
        " else if (x.y > 0) x.x = 0; else { x.x -= 1; } return x;",
        lambda x, k: numpy.where(
            x.real > 0, x.conj(), numpy.where(x.imag > 0, 1j * x.imag, x - 1))),
    "function": (
        "return turned(((cufftDoubleComplex*)in_)[offset]);",
        lambda x, k: -x.imag + 1j * x.real),
}
HELPER = """#define ONE 1
__device__ __host__ inline cufftDoubleComplex turned(cufftDoubleComplex value) {
    cufftDoubleComplex result;
    result.x = -value.y;
    result.y = value.x * ONE;
    return result;
}
"""


def load_of(body, helper=HELPER):
    return (
        f"{helper}\n__device__ cufftDoubleComplex cb(void* in_, size_t offset, void* info, void*) "
        f"{{\n{body}\n}}\n__device__ cufftCallbackLoadZ d_loadCallbackPtr = cb;\n"
    )
