"""Textures and surfaces: kernels fetch elements and interpolate them as NumPy does. Texts are
compiled wherever NVRTC is installed; the kernels run where there is a GPU."""

import gc

import numpy
import pytest

import phalanx as np
from phalanx import cuda
from phalanx.cuda import runtime
from phalanx.cuda.texture import (
    ChannelFormatDescriptor,
    CUDAarray,
    ResourceDescriptor,
    SurfaceObject,
    TextureDescriptor,
    TextureObject,
)

from .conftest import RANKS


def has_gpu():
    return np.cuda.is_available()


# Addresses of a process are not arguments of launches that several processes record.
needs_gpu = pytest.mark.skipif(
    not has_gpu() or RANKS > 1, reason="the session has no GPU, or several processes"
)

# Each kernel reads a texture at given coordinates.
FETCH = r"""
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
extern "C" {
__global__ void linear(float* z, cudaTextureObject_t t, int n) {
    INDEX z[i] = tex1Dfetch<float>(t, i);
}
__global__ void linear_integers(int* z, cudaTextureObject_t t, int n) {
    INDEX z[i] = tex1Dfetch<int>(t, i);
}
__global__ void line(float* z, cudaTextureObject_t t, const float* x, int n) {
    INDEX z[i] = tex1D<float>(t, x[i]);
}
__global__ void plane(float* z, cudaTextureObject_t t, const float* x, const float* y, int n) {
    INDEX z[i] = tex2D<float>(t, x[i], y[i]);
}
__global__ void space(float* z, cudaTextureObject_t t, const float* x, const float* y,
                      const float* w, int n) {
    INDEX z[i] = tex3D<float>(t, x[i], y[i], w[i]);
}
__global__ void colours(float* z, cudaTextureObject_t t, int width, int n) {
    INDEX
    float4 c = tex2D<float4>(t, i % width + 0.5f, i / width + 0.5f);
    z[4 * i] = c.x; z[4 * i + 1] = c.y; z[4 * i + 2] = c.z; z[4 * i + 3] = c.w;
}
__global__ void paint(cudaSurfaceObject_t s, int width, int n) {
    INDEX surf2Dwrite(100.0f + i, s, (i % width) * 4, i / width);
}
__global__ void read(float* z, cudaSurfaceObject_t s, int width, int n) {
    INDEX z[i] = surf2Dread<float>(s, (i % width) * 4, i / width);
}
__global__ void paint_space(cudaSurfaceObject_t s, int width, int height, int n) {
    INDEX
    int x = i % width, y = i / width % height, z = i / (width * height);
    surf3Dwrite(surf3Dread<int>(s, x * 4, y, z) + i, s, x * 4, y, z);
}
}
"""


@pytest.fixture(scope="module")
def program():
    program = np.RawModule(code=FETCH)
    try:
        program.compile()
    except RuntimeError as error:
        assert "NVRTC was not found" in str(error)
        pytest.skip("NVRTC is not installed")
    return program


def test_kernels_with_textures_compile(program):
    assert program.get_function("space").name == "space"
    with pytest.raises(np.cuda.compiler.CompileException):
        np.RawModule(code="__global__ void f(cudaTextureObject_t t) { tex4D<float>(t); }").compile()


def floats(count=1):
    bits = [32] * count + [0] * (4 - count)
    return ChannelFormatDescriptor(*bits, runtime.cudaChannelFormatKindFloat)


def test_descriptors_have_their_arguments():
    form = ChannelFormatDescriptor(8, 16, 0, 0, runtime.cudaChannelFormatKindSigned)
    assert form.get_channel_format() == {"x": 8, "y": 16, "z": 0, "w": 0, "f": 0} and form.ptr
    texture = TextureDescriptor(
        (runtime.cudaAddressModeBorder, runtime.cudaAddressModeMirror),
        filterMode=runtime.cudaFilterModeLinear, readMode=runtime.cudaReadModeNormalizedFloat,
        borderColors=(1.5, 2), normalizedCoords=1, maxAnisotropy=4,
    )
    assert texture.get_texture_desc() == {
        "addressMode": (3, 2, 0), "borderColor": (1.5, 2, 0, 0), "filterMode": 1, "readMode": 1,
        "sRGB": 0, "normalizedCoords": 1, "maxAnisotropy": 4,
    }
    linear = ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=4096, chDesc=form, sizeInBytes=64)
    assert linear.get_resource_desc() == {
        "resType": 2, "linear": {
            "devPtr": 4096, "desc": form.get_channel_format(), "sizeInBytes": 64}}
    rows = ResourceDescriptor(
        runtime.cudaResourceTypePitch2D, arr=8192, chDesc=form, width=3, height=4, pitchInBytes=32)
    assert rows.get_resource_desc()["pitch2D"] == {
        "devPtr": 8192, "desc": form.get_channel_format(), "width": 3, "height": 4,
        "pitchInBytes": 32}


def test_descriptors_refuse_wrong_arguments():
    with pytest.raises(ValueError, match="at most 3"):
        TextureDescriptor((0, 0, 0, 0))
    with pytest.raises(ValueError, match="at most 4"):
        TextureDescriptor(borderColors=range(5))
    with pytest.raises(NotImplementedError):
        ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray)
    with pytest.raises(TypeError, match="chDesc"):
        ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=4096)
    with pytest.raises(TypeError, match="cuArr"):
        ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=4)
    with pytest.raises(ValueError):
        CUDAarray(floats(), 0)
    with pytest.raises(ValueError):
        CUDAarray(floats(), 4, 0, 3)
    with pytest.raises(TypeError, match="desc"):
        CUDAarray("f4", 4)


@pytest.mark.skipif(has_gpu(), reason="the session has GPUs")
def test_cpus_have_no_textures():
    for make in (
        lambda: CUDAarray(floats(), 8),
        lambda: ResourceDescriptor(
            runtime.cudaResourceTypeLinear, arr=np.ones(4, "f4"), chDesc=floats(), sizeInBytes=16),
        lambda: TextureObject(
            ResourceDescriptor(
                runtime.cudaResourceTypeLinear, arr=4096, chDesc=floats(), sizeInBytes=16),
            TextureDescriptor()),
    ):
        with pytest.raises(runtime.CUDARuntimeError, match="^cudaErrorNoDevice"):
            make()


def launch(kernel, count, *arguments):
    kernel(((count + 127) // 128,), (128,), (*arguments, numpy.int32(count)))


def whole(x):
    """An array that the first device has whole."""
    return x if runtime.getDeviceCount() == 1 else pytest.skip("the array is split")


@needs_gpu
def test_a_texture_over_an_array(program):
    x = whole(np.arange(1000, dtype="f4") * 2)
    resource = ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=x, chDesc=floats(), sizeInBytes=4000)
    texture = TextureObject(resource, TextureDescriptor())
    assert texture.ResDesc is resource and isinstance(texture.ptr, int)
    z = np.zeros(1000, "f4")
    launch(program.get_function("linear"), 1000, z, texture)
    assert (z == x).all()
    # The texture has the elements of the time when the descriptor was made.
    x += 1
    launch(program.get_function("linear"), 1000, z, texture)
    assert z.tolist() == list(range(0, 2000, 2)) and x[1] == 3


@needs_gpu
def test_a_texture_over_memory(program):
    memory = cuda.alloc(400)
    form = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    texture = TextureObject(
        ResourceDescriptor(
            runtime.cudaResourceTypeLinear, arr=memory, chDesc=form, sizeInBytes=400),
        TextureDescriptor())
    fetch = program.get_function("linear_integers")
    z = np.zeros(100, "i4")
    for turn in range(3):
        host = numpy.arange(100, dtype="i4") * turn - 50
        memory.copy_from_host(host.ctypes.data, 400)
        launch(fetch, 100, z, texture)
        assert z.tolist() == host.tolist()


@needs_gpu
def test_a_texture_over_rows_of_an_array(program):
    host = numpy.random.default_rng(1).random((10, 128), "f4")
    texture = TextureObject(
        ResourceDescriptor(
            runtime.cudaResourceTypePitch2D, arr=whole(np.asarray(host)), chDesc=floats(),
            width=128, height=10, pitchInBytes=512),
        TextureDescriptor((runtime.cudaAddressModeClamp,) * 2))
    x, y = numpy.meshgrid(numpy.arange(-2, 130), numpy.arange(-2, 12))
    z = np.zeros(x.size, "f4")
    launch(program.get_function("plane"), x.size, z, texture,
           np.asarray(x.ravel() + 0.5, "f4"), np.asarray(y.ravel() + 0.5, "f4"))
    expected = host[y.clip(0, 9), x.clip(0, 127)]
    assert (z.get().reshape(x.shape) == expected).all()


def interpolated(host, *places):
    """Elements between those of an array, whose places are at 0.5, 1.5, ...; the edges go on. The
    weights have 8 bits, as in CUDA."""
    total = 0
    lower, weights = [], []
    for place in places:
        below = numpy.floor(place - 0.5)
        lower.append(below.astype(int))
        weights.append(numpy.round((place - 0.5 - below) * 256) / 256)
    for corner in numpy.ndindex(*[2] * host.ndim):
        index, weight = [], 1
        for axis, step in enumerate(corner):
            index.append((lower[axis] + step).clip(0, host.shape[axis] - 1))
            weight = weight * (weights[axis] if step else 1 - weights[axis])
        total = total + weight * host[tuple(index)]
    return total


LINEAR = TextureDescriptor(
    (runtime.cudaAddressModeClamp,) * 3, filterMode=runtime.cudaFilterModeLinear)


def texture_of(host, descriptor, from_numpy=True):
    """A texture over an array of CUDA with the elements of an array."""
    extents = host.shape[::-1]
    array = CUDAarray(floats(), *extents)
    assert array.ndim == host.ndim and (array.width, array.device_id) == (extents[0], 0)
    array.copy_from(host if from_numpy else np.asarray(host))
    return TextureObject(ResourceDescriptor(runtime.cudaResourceTypeArray, array), descriptor)


@needs_gpu
@pytest.mark.parametrize("from_numpy", [True, False])
@pytest.mark.parametrize("ndim, name", [(1, "line"), (2, "plane"), (3, "space")])
def test_textures_interpolate(program, ndim, name, from_numpy):
    rng = numpy.random.default_rng(ndim)
    host = rng.random((5, 7, 9)[:ndim], "f4")
    texture = texture_of(host, LINEAR, from_numpy)
    gc.collect()
    places = [
        (rng.random(500) * (extent + 2) - 1).astype("f4") for extent in host.shape
    ]
    z = np.zeros(500, "f4")
    # The first coordinate is that of the last axis.
    launch(program.get_function(name), 500, z, texture, *map(np.asarray, places[::-1]))
    expected = interpolated(host.astype(float), *[place.astype(float) for place in places])
    numpy.testing.assert_allclose(z.get(), expected, atol=0.01)
    # A texture without interpolation gives elements themselves.
    nearest = texture_of(host, TextureDescriptor((runtime.cudaAddressModeClamp,) * 3))
    launch(program.get_function(name), 500, z, nearest, *map(np.asarray, places[::-1]))
    index = [
        numpy.floor(place).astype(int).clip(0, extent - 1)
        for place, extent in zip(places, host.shape)
    ]
    assert (z.get() == host[tuple(index)]).all()


@needs_gpu
def test_normalized_coordinates_and_edges(program):
    host = numpy.arange(8, dtype="f4")
    x = numpy.arange(-8, 24, dtype="f4") / 8 + 1 / 16
    place = numpy.arange(-8, 24)
    edges = {
        runtime.cudaAddressModeWrap: host[place % 8],
        runtime.cudaAddressModeMirror: numpy.concatenate([host, host[::-1]])[place % 16],
        runtime.cudaAddressModeClamp: host[place.clip(0, 7)],
        runtime.cudaAddressModeBorder: numpy.where((place >= 0) & (place < 8), host[place % 8], 9),
    }
    for mode, expected in edges.items():
        texture = texture_of(
            host, TextureDescriptor((mode,), normalizedCoords=1, borderColors=(9,)))
        z = np.zeros(len(x), "f4")
        launch(program.get_function("line"), len(x), z, texture, np.asarray(x))
        assert z.tolist() == expected.tolist(), mode


@needs_gpu
def test_channels_and_normalized_elements(program):
    host = numpy.random.default_rng(3).integers(0, 256, (6, 5 * 4)).astype("u1")
    form = ChannelFormatDescriptor(8, 8, 8, 8, runtime.cudaChannelFormatKindUnsigned)
    array = CUDAarray(form, 5, 6)
    array.copy_from(np.asarray(host))
    texture = TextureObject(
        ResourceDescriptor(runtime.cudaResourceTypeArray, array),
        TextureDescriptor(readMode=runtime.cudaReadModeNormalizedFloat))
    z = np.zeros(6 * 5 * 4, "f4")
    launch(program.get_function("colours"), 30, z, texture, numpy.int32(5))
    numpy.testing.assert_allclose(z.get().reshape(6, 20), host / numpy.float32(255), atol=1e-6)


def surface_of(array):
    return SurfaceObject(ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array))


@needs_gpu
def test_surfaces_are_written_and_read(program):
    array = CUDAarray(floats(), 16, 4, flags=runtime.cudaArraySurfaceLoadStore)
    surface = surface_of(array)
    launch(program.get_function("paint"), 64, surface, numpy.int32(16))
    z = np.zeros(64, "f4")
    launch(program.get_function("read"), 64, z, surface, numpy.int32(16))
    assert z.tolist() == list(range(100, 164))
    out = numpy.zeros((4, 16), "f4")
    array.copy_to(out)
    assert (out.ravel() == z.get()).all()
    flat = CUDAarray(floats(), 16, 4)
    with pytest.raises(runtime.CUDARuntimeError):
        surface_of(flat)


@needs_gpu
def test_a_surface_of_three_axes(program):
    host = numpy.random.default_rng(4).integers(-99, 99, (3, 4, 8)).astype("i4")
    form = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    array = CUDAarray(form, 8, 4, 3, runtime.cudaArraySurfaceLoadStore)
    array.copy_from(host)
    launch(program.get_function("paint_space"), 96, surface_of(array), numpy.int32(8),
           numpy.int32(4))
    out = np.zeros((3, 4, 8), "i4")
    array.copy_to(out)
    assert (out.get() == host + numpy.arange(96).reshape(host.shape)).all()


@needs_gpu
@pytest.mark.parametrize("shape", [(32,), (8, 6), (3, 4, 10)])
@pytest.mark.parametrize("dtype, kind", [
    ("f4", runtime.cudaChannelFormatKindFloat), ("f2", runtime.cudaChannelFormatKindFloat),
    ("u1", runtime.cudaChannelFormatKindUnsigned), ("i2", runtime.cudaChannelFormatKindSigned)])
def test_copies_to_and_from_arrays_of_cuda(shape, dtype, kind):
    bits = numpy.dtype(dtype).itemsize * 8
    form = ChannelFormatDescriptor(bits, bits, 0, 0, kind)
    host = (numpy.random.default_rng(5).random(shape) * 100).astype(dtype)
    extents = (shape[-1] // 2, *shape[-2::-1])
    stream = cuda.Stream(non_blocking=True)
    array = CUDAarray(form, *extents)
    for given in (host, np.asarray(host), np.asarray(host * 2)[...] / 2):
        given = given.astype(dtype)
        for in_stream in (None, stream):
            array.copy_from(given, in_stream)
            out, ours = numpy.zeros(shape, dtype), np.zeros(shape, dtype)
            array.copy_to(out, in_stream)
            array.copy_to(ours, in_stream)
            stream.synchronize()
            assert (out == host).all() and (ours.get() == host).all()
        array.copy_from(numpy.zeros_like(host))
    with pytest.raises(ValueError, match="shape"):
        array.copy_from(host[:-1])
    with pytest.raises(ValueError, match="kind of the channels"):
        array.copy_from(host.astype("f8"))
    with pytest.raises(ValueError, match="contiguous"):
        array.copy_to(numpy.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2])


@needs_gpu
def test_a_launch_keeps_its_texture(program):
    host = numpy.arange(64, dtype="f4")
    z = np.zeros(64, "f4")
    x = np.arange(64, dtype="f4") + np.float32(0.5)
    total = np.zeros(64, "f4")
    for turn in range(100):
        # Nothing but the launch refers to the texture and its array.
        launch(program.get_function("line"), 64, z,
               texture_of(host + turn, TextureDescriptor()), x)
        total += z
    assert total.tolist() == [100 * value + 4950 for value in range(64)]
