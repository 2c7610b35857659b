"""RawKernel and RawModule: kernels in CUDA C++. Texts are compiled wherever NVRTC is installed; the
kernels run where there is a GPU."""

import ctypes
import io

import numpy
import pytest

import phalanx as np

from . import worlds

ADD = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""


def has_gpu():
    return np.cuda.is_available()


@pytest.fixture
def nvrtc():
    """Skips a test where NVRTC is not installed."""
    try:
        np.RawModule(code='extern "C" __global__ void nothing() {}').compile()
    except RuntimeError as error:
        assert "NVRTC was not found" in str(error)
        pytest.skip("NVRTC is not installed")


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="the session has no GPU")
needs_nvrtc = pytest.mark.usefixtures("nvrtc")


@needs_nvrtc
def test_a_text_that_the_compiler_refuses_shows_the_line():
    kernel = np.RawKernel('extern "C" __global__ void bad(float* x) {\n  x[0] = nothing;\n}', "bad")
    with pytest.raises(np.cuda.compiler.CompileException) as caught:
        kernel.compile()
    assert "> x[0] = nothing;" in str(caught.value) and "PX054" in str(caught.value)
    log = io.StringIO()
    with pytest.raises(np.cuda.compiler.CompileException):
        kernel.compile(log_stream=log)
    assert "nothing" in log.getvalue()


@needs_nvrtc
def test_options_reach_the_compiler():
    code = 'extern "C" __global__ void k(int* x) { x[0] = VALUE; }'
    np.RawKernel(code, "k", options=("-DVALUE=3",)).compile()
    with pytest.raises(np.cuda.compiler.CompileException, match="VALUE"):
        np.RawKernel(code, "k").compile()
    with pytest.raises(np.cuda.compiler.CompileException, match="(?i)option"):
        np.RawKernel(code, "k", options=("--no-such-option",)).compile()


@needs_nvrtc
def test_expressions_name_instances_of_templates():
    code = "template <typename T> __global__ void scale(T* x) { x[0] *= T(2); }"
    np.RawModule(code=code, name_expressions=["scale<float>", "scale<double>"]).compile()
    with pytest.raises(np.cuda.compiler.CompileException):
        np.RawModule(code=code, name_expressions=["missing<float>"]).compile()


def test_arguments_of_the_constructors_are_checked():
    with pytest.raises(TypeError, match="code or path"):
        np.RawModule()
    with pytest.raises(TypeError, match="code or path"):
        np.RawModule(code="", path="a.cu")
    with pytest.raises(ValueError, match="backend"):
        np.RawKernel(ADD, "add", backend="clang")
    with pytest.raises(TypeError, match="texts"):
        np.RawKernel(ADD, "add", options=(3,))
    kernel = np.RawKernel(ADD, "add", options=("-DX",))
    assert (kernel.name, kernel.code, kernel.options) == ("add", ADD, ("-DX",))
    assert (kernel.backend, kernel.file_path) == ("nvrtc", None)
    assert not kernel.enable_cooperative_groups


@pytest.mark.skipif(has_gpu(), reason="the session has GPUs")
def test_without_gpus_a_launch_is_refused():
    x = np.ones(10, dtype="f4")
    with pytest.raises(ValueError, match="devices of this session are CPUs.*PX180"):
        np.RawKernel(ADD, "add")((1,), (32,), (x, x, x, numpy.int32(10)))


@needs_gpu
@pytest.mark.parametrize("n", [1, 1000, 1 << 20])
def test_arrays_are_passed_by_address(n):
    add = np.RawKernel(ADD, "add")
    x, y = np.arange(n, dtype="f4"), np.full(n, 2, dtype="f4")
    z = np.zeros(n, dtype="f4")
    for _ in range(3):
        add(((n + 255) // 256,), (256,), (x, y, z, numpy.int32(n)))
    assert numpy.array_equal(np.asnumpy(z), numpy.arange(n, dtype="f4") + 2)
    assert float(x.sum()) == numpy.arange(n, dtype="f4").sum(dtype="f8") or n == 1 << 20


@needs_gpu
def test_operations_and_launches_are_in_order():
    code = 'extern "C" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }'
    twice = np.RawKernel(code, "twice")
    x = np.ones(32)
    for _ in range(5):
        x += 1
        before = x.copy()
        twice((1,), (32,), (x,))
        x -= before
    expected = numpy.ones(32)
    for _ in range(5):
        expected += 1
        before = expected.copy()
        expected *= 2
        expected -= before
    assert numpy.array_equal(np.asnumpy(x), expected)


@needs_gpu
def test_views_are_places_in_their_base():
    code = 'extern "C" __global__ void count(int* x) { x[threadIdx.x] = threadIdx.x + 1; }'
    count = np.RawKernel(code, "count")
    x = np.zeros((10, 10), dtype="i4")
    count((1,), (3,), (x[2, 3:],))
    count((1,), (2,), (x.T[9],))
    expected = numpy.zeros(100, dtype="i4")
    expected[23:26] = [1, 2, 3]
    expected[9:11] = [1, 2]
    assert numpy.array_equal(np.asnumpy(x).ravel(), expected)
    y = np.zeros(4, dtype="c8")
    code = 'extern "C" __global__ void imaginary(float* x) { x[0] = 5; }'
    np.RawKernel(code, "imaginary")((1,), (1,), (y.imag,))
    assert complex(y[0]) == 5j


@needs_gpu
def test_values_of_all_kinds():
    code = r"""
    struct Pair { int a; double b; };
    struct Big { double v[20]; };
    extern "C" __global__ void take(
        double* out, bool flag, long long i, double d, float f, signed char c,
        unsigned long long u, Pair pair, Pair record, Big big, double2 z
    ) {
        double all[] = {double(flag), double(i), d, f, double(c), double(u),
                        double(pair.a), pair.b, double(record.a), record.b,
                        big.v[0], big.v[19], z.x, z.y};
        for (int k = 0; k < 14; k++) out[k] = all[k];
    }"""

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]

    record = numpy.zeros((), dtype=numpy.dtype({"names": ["a", "b"], "formats": ["i4", "f8"],
                                                "offsets": [0, 8], "itemsize": 16}))
    record["a"], record["b"] = 9, 10.5
    big = (ctypes.c_double * 20)(*range(20))
    out = np.zeros(14)
    np.RawKernel(code, "take")((1,), (1,), (
        out, True, 2, 3.5, numpy.float32(4.5), numpy.int8(-5), numpy.uint64(6), Pair(7, 8.5),
        record, big, 1 + 2j))
    assert out.tolist() == [1, 2, 3.5, 4.5, -5, 6, 7, 8.5, 9, 10.5, 0, 19, 1, 2]


@needs_gpu
def test_elements_are_passed_as_the_parameter_says():
    code = """extern "C" __global__ void both(const double* p, double v, double* out) {
        out[0] += p[0] * v;
    }"""
    both = np.RawKernel(code, "both")
    x, out = np.asarray([2.0, 3.0]), np.zeros(1)
    for element in x:
        both((1,), (1,), (element, 10.0, out))
    both((1,), (1,), (x[1], numpy.float64(1), out))
    assert float(out[0]) == 53
    with pytest.raises(ValueError, match="cannot be written"):
        for element in x:
            both((1,), (1,), (x, 1.0, element))


@needs_gpu
def test_wrong_launches_are_refused_before_they_run():
    add = np.RawKernel(ADD, "add")
    x = np.ones(10, dtype="f4")
    good = (x, x, x, numpy.int32(10))
    for grid, block, args, shared, match in [
        ((0,), (32,), good, 0, "grid"),
        ((1, 70000), (32,), good, 0, "grid"),
        ((-1,), (32,), good, 0, "grid"),
        ((1,), (2048,), good, 0, "threads"),
        ((1,), (1024, 2), good, 0, "threads"),
        ((1,), (0,), good, 0, "threads"),
        ((1,), (32,), good, 1 << 20, "shared memory"),
        ((1,), (32,), good[:3], 0, "takes 4 arguments, not 3"),
        ((1,), (32,), (x, x, x, 10), 0, "argument 3 is a value of 8 bytes"),
        ((1,), (32,), (x, x, np.broadcast_to(x, (2, 10)), numpy.int32(10)), 0, "argument 2"),
    ]:
        with pytest.raises(ValueError, match=match):
            add(grid, block, args, shared_mem=shared)
    for wrong in [numpy.ones(10, dtype="f4"), numpy.array(1.0), "text", object(), None, [1], 1.5, True]:
        with pytest.raises(TypeError, match="a kernel cannot take"):
            add((1,), (32,), (x, x, wrong, numpy.int32(10)))
    with pytest.raises(TypeError, match="at most 3"):
        add((1, 1, 1, 1), (32,), good)
    for grid in (1.5, (1.5,), "1"):
        with pytest.raises(TypeError, match="one to three integers"):
            add(grid, (32,), good)
    with pytest.raises(ValueError, match="grid"):
        add(2**40, (32,), good)
    with pytest.raises(ValueError, match="shared memory"):
        add((1,), (32,), good, shared_mem=-1)
    with pytest.raises(ValueError, match="parameter is a number"):
        add((1,), (32,), (x, x, x, x))
    with pytest.raises(ValueError, match="no kernel of this name"):
        np.RawModule(code=ADD).get_function("add\0")((1,), (1,), ())
    with pytest.raises(ValueError, match="no kernel of this name"):
        np.RawModule(code=ADD).get_function("subtract")((1,), (1,), ())
    with pytest.raises(ValueError, match="refused the image"):
        np.RawModule(path=__file__).get_function("add").compile()
    add((1,), (32,), good)
    assert float(x.sum()) == 20


@needs_gpu
def test_attributes():
    code = r"""
    extern "C" __global__ void shared(float* x) {
        __shared__ float fixed[100];
        extern __shared__ float more[];
        more[threadIdx.x] = fixed[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = more[blockDim.x - 1 - threadIdx.x] + 0 * fixed[0];
    }"""
    kernel = np.RawKernel(code, "shared")
    assert kernel.shared_size_bytes == 400
    assert kernel.max_threads_per_block == 1024
    assert kernel.num_regs > 0 and kernel.local_size_bytes == 0
    assert kernel.binary_version == int(np.cuda.Device(0).compute_capability)
    assert set(kernel.attributes) >= {"num_regs", "const_size_bytes", "ptx_version"}
    kernel.max_dynamic_shared_size_bytes = 65536
    assert kernel.max_dynamic_shared_size_bytes == 65536
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.preferred_shared_memory_carveout == 50
    x = np.arange(64, dtype="f4")
    kernel((1,), (64,), (x,), shared_mem=200 * 1024)
    assert x.tolist() == list(range(63, -1, -1))


@needs_gpu
def test_modules_have_kernels_and_variables():
    code = r"""
    __constant__ float factor;
    __device__ int counter;
    extern "C" __global__ void scale(float* x) {
        x[threadIdx.x] *= factor;
        atomicAdd(&counter, 1);
    }
    template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
    """
    expressions = ["fill<float>", "fill<double>"]
    module = np.RawModule(code=code, options=("--std=c++17",), name_expressions=expressions)
    x = np.zeros(32, dtype="f4")
    module.get_function("fill<float>")((1,), (32,), (x, numpy.float32(3)))
    factor = module.get_global("factor")
    assert factor.size() == 4
    for value in [2, 5]:
        number = numpy.array([value], dtype="f4")
        factor.copy_from_host(number.ctypes.data, 4)
        module.get_function("scale")((1,), (32,), (x,))
    y = np.zeros(32)
    module.get_function("fill<double>")((1,), (32,), (y, 1.5))
    assert x.tolist() == [30.0] * 32 and y.tolist() == [1.5] * 32
    counted = numpy.zeros(1, dtype="i4")
    module.get_global("counter").copy_to_host(counted.ctypes.data, 4)
    assert counted[0] == 64
    with pytest.raises(ValueError, match="no variable"):
        module.get_global("missing")


@needs_gpu
def test_programs_from_files(tmp_path):
    source = tmp_path / "add.cu"
    source.write_text(ADD)
    x = np.ones(10, dtype="f4")
    z = np.zeros(10, dtype="f4")
    np.RawModule(path=str(source)).get_function("add")((1,), (32,), (x, x, z, numpy.int32(10)))
    assert z.tolist() == [2.0] * 10


@needs_gpu
def test_thread_blocks_that_wait_for_each_other():
    code = r"""
    #include <cooperative_groups.h>
    extern "C" __global__ void pass(int* x, int* total) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] = i;
        grid.sync();
        atomicAdd(total, x[(i + blockDim.x) % (gridDim.x * blockDim.x)]);
    }"""
    kernel = np.RawKernel(code, "pass", enable_cooperative_groups=True)
    x, total = np.zeros(64 * 128, dtype="i4"), np.zeros(1, dtype="i4")
    kernel((64,), (128,), (x, total))
    assert int(total[0]) == (64 * 128) * (64 * 128 - 1) // 2


@needs_gpu
@pytest.mark.parametrize("n", [1, 7, 1000, 100_001])
def test_on_each_device(n):
    code = r"""
    #include <phalanx.cuh>
    extern "C" __global__ void index(long long* x, phalanx_shard place, long long n) {
        for (long long i = threadIdx.x; i < place.extents[0]; i += blockDim.x) {
            x[i] += place.offsets[0] + i + n * (place.axes - 1) + n * (place.extents[1] - 1);
        }
    }"""
    x = np.arange(n)
    index = np.RawKernel(code, "index", per_shard=True)
    for _ in range(2):
        index((1,), (128,), (x, np.cuda.shard(x), n))
    assert numpy.array_equal(np.asnumpy(x), 3 * numpy.arange(n))
    with pytest.raises(ValueError, match="view"):
        index((1,), (128,), (x[:0], np.cuda.shard(x), 10))
    with pytest.raises(ValueError, match="view"):
        index((1,), (128,), (x, np.cuda.shard(x[:0]), 10))
    with pytest.raises(ValueError, match="does not run on each device"):
        np.RawKernel(code, "index")((1,), (128,), (x, np.cuda.shard(x), 10))
    with pytest.raises(ValueError, match="9 axes"):
        nine = np.zeros((1,) * 9, dtype="i8")
        index((1,), (128,), (nine, np.cuda.shard(nine), 10))
    with pytest.raises(TypeError, match="shard"):
        np.cuda.shard([1, 2])


@needs_gpu
def test_a_plan_shows_the_kernel():
    x = np.ones(100, dtype="f4")
    np.RawKernel(ADD, "add")((1,), (128,), (x, x, x, numpy.int32(100)))
    assert "add(" in np.explain(x)


@needs_gpu
def test_streams_and_events_count_launches():
    spin = r"""
    extern "C" __global__ void spin(long long cycles) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
    }"""
    kernel = np.RawKernel(spin, "spin")
    kernel((1,), (1,), (1000,))
    begin, end = np.cuda.Event(), np.cuda.Event()
    begin.record()
    kernel((1,), (1,), (20_000_000,))
    end.record()
    end.synchronize()
    assert np.cuda.get_elapsed_time(begin, end) > 5


@needs_gpu
def test_memory_of_others_and_pointers():
    add = np.RawKernel(ADD, "add")
    memory = np.cuda.alloc(40)
    memory.memset(0, 40)
    x = np.ones(10, dtype="f4")
    add((1,), (32,), (x, x, memory, numpy.int32(10)))
    np.cuda.Stream.null.synchronize()
    out = numpy.zeros(10, dtype="f4")
    memory.copy_to_host(out.ctypes.data, 40)
    assert out.tolist() == [2.0] * 10


@needs_gpu
def test_a_fault_names_the_kernel_and_its_call(tmp_path):
    program = """
import phalanx as np
code = 'extern "C" __global__ void wild(float* x) { *(float*)(0x10) = 1; }'
x = np.ones(10, dtype="f4")
np.RawKernel(code, "wild")((1,), (1,), (x,))  # the launch
try:
    print(float(x.sum()))
except RuntimeError as error:
    print(error)
"""
    environment = {"PHALANX_DEVICES": "cuda:0"}
    shown = worlds.run(program, environment=environment, timeout=120, check=False).stdout
    assert "'wild', last launched at" in shown and ":5" in shown, shown


@needs_gpu
def test_modules_of_machine_code_and_their_functions():
    ptx = b"""
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter;
.visible .entry count(.param .u64 to) {
    .reg .u64 %a<3>;
    .reg .u32 %r<3>;
    ld.param.u64 %a0, [to];
    cvta.to.global.u64 %a1, %a0;
    atom.global.add.u32 %r0, [%a1], 1;
    atom.global.add.u32 %r1, [counter], 2;
    ret;
}
"""
    module = np.cuda.Module()
    with pytest.raises(RuntimeError, match="load"):
        module.get_function("count")
    module.load(ptx)
    count = module.get_function("count")
    assert module.ptr > 0 and count.ptr > 0 and count.module is module
    x = np.zeros(1, dtype="i4")
    count((2,), (3,), (x,))
    count.linear_launch(100, (x,), block_max_size=32)
    assert int(x[0]) == 6 + 128
    count((1,), (4,), (x,), enable_cooperative_groups=True)
    assert int(x[0]) == 6 + 128 + 4
    counter = numpy.zeros(1, dtype="i4")
    module.get_global_var("counter").copy_to_host(counter.ctypes.data, 4)
    assert counter[0] == 2 * (6 + 128 + 4)


def test_functions_of_the_host_are_called_in_order():
    seen = []
    x = np.zeros(100) + 1
    for stream in (np.cuda.Stream.null, np.cuda.Stream()):
        stream.launch_host_func(seen.append, (1, float(x.size)))
        stream.add_callback(lambda *arguments: seen.append(arguments[1:]), "x")
        stream.synchronize()
    assert seen == [(1, 100.0), (0, "x")] * 2
    with pytest.raises(TypeError, match="callable"):
        np.cuda.Stream.null.launch_host_func(3, None)
    stream = np.cuda.Stream(non_blocking=True)
    assert stream.is_non_blocking and stream.device_id == 0 and stream.priority == 0
    other = np.cuda.Stream.from_external(stream)
    assert other.ptr == stream.ptr


def test_compilers():
    assert np.cuda.compiler.is_valid_kernel_name("add_1")
    assert not np.cuda.compiler.is_valid_kernel_name("1add")
    assert not np.cuda.compiler.is_valid_kernel_name("add<float>")
