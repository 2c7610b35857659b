"""cuda.compiler and other small modules of CuPy's: compilers, ranges for profilers, calls that
wait, and the magic of IPython. Programs run where there is a GPU."""

import os
import re
import stat
import threading

import numpy
import pytest

import phalanx as np
import phalanx.x
from phalanx import _cuda_toolkit
from phalanx.x import profiler

compiler, nvtx = np.cuda.compiler, np.cuda.nvtx
has_gpu = np.cuda.is_available()
needs_gpu = pytest.mark.skipif(not has_gpu, reason="the session has no GPU")

SCALE = """
__constant__ double factor = 3;
template <typename T> __global__ void scale(T* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""
ADD = 'extern "C" __global__ void add(double* x) { x[threadIdx.x] += VALUE; }'
# A kernel that launches another one for each of its thread blocks.
NESTED = """
__global__ void child(double* x, int first) { x[first + threadIdx.x] += first + 1; }
extern "C" __global__ void parent(double* x) {
    if (threadIdx.x == 0) child<<<1, 32>>>(x, 32 * blockIdx.x);
}
"""


@pytest.fixture
def nvrtc():
    """Skips a test where NVRTC is not installed."""
    try:
        np.RawModule(code='extern "C" __global__ void nothing() {}').compile()
    except RuntimeError as error:
        assert "NVRTC was not found" in str(error)
        pytest.skip("NVRTC is not installed")


needs_nvrtc = pytest.mark.usefixtures("nvrtc")


@pytest.fixture
def nvcc():
    """Skips a test where nvcc is not installed."""
    if np.cuda.get_nvcc_path() is None:
        pytest.skip("nvcc is not installed")


@pytest.fixture
def programs(monkeypatch, tmp_path):
    """A folder for programs, the only ones that are found."""
    for name in ("CUDA_PATH", "CUDA_HOME", "NVCC", "ROCM_HOME", "HIPCC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_cuda_toolkit, "_homes", lambda: [
        os.environ[name] for name in ("CUDA_PATH",) if name in os.environ])
    folder = tmp_path / "programs" / "bin"
    folder.mkdir(parents=True)

    def make(name, status=0):
        """A program that writes its arguments, and its text, to the file after ``-o``."""
        path = folder / name
        path.write_text(
            "#!/bin/sh\n"
            'echo "messages of the compiler"\n'
            'all="$*"; while [ $# -gt 0 ]; do\n'
            '  case "$1" in -o) out="$2";; *.cu|*.cpp) text=$(cat "$1");; esac; shift\n'
            "done\n"
            f'echo "$all|$text" >> "$out"; exit {status}\n'
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return make


@needs_nvrtc
def test_nvrtc_gives_machine_code_and_names():
    image, names = compiler.compile_using_nvrtc(
        SCALE, name_expressions=["scale<float>", "scale<double>"])
    assert image[:4] == b"\x7fELF" and list(names) == ["scale<float>", "scale<double>"]
    assert all(name.encode() in image for name in names.values())
    assert len(set(names.values())) == 2
    assert compiler.compile_using_nvrtc(ADD, ("-DVALUE=3",))[1] == {}


@needs_nvrtc
@pytest.mark.parametrize("option", ["-dc", "--device-c", "-rdc=true",
                                    "--relocatable-device-code=true"])
def test_nvrtc_gives_text_to_be_linked(option):
    image, names = compiler.compile_using_nvrtc(
        SCALE, (option,), arch="90", name_expressions=["scale<int>"])
    assert b".target sm_90" in image and image.rstrip().endswith(b"}")
    assert f".entry {names['scale<int>']}(".encode() in image


@needs_nvrtc
@pytest.mark.parametrize("options", [(), ("-rdc=true",)])
def test_nvrtc_shows_the_line(options, tmp_path):
    with open(tmp_path / "log", "w+") as log:
        with pytest.raises(compiler.CompileException, match="> nothing;"):
            compiler.compile_using_nvrtc(
                "__global__ void f() {\nnothing;\n}", options, log_stream=log)
        log.seek(0)
        assert "nothing" in log.read()


@needs_gpu
def test_programs_of_nvrtc_are_loaded():
    image, names = compiler.compile_using_nvrtc(SCALE, name_expressions=["scale<float>"])
    module = np.cuda.Module()
    module.load(image)
    module.mapping = names
    function = module.get_function("scale<float>")
    assert function.module is module and module.mapping is names
    x = np.arange(1000, dtype="f4")
    function((4,), (256,), (x, numpy.int32(1000)))
    assert numpy.array_equal(np.asnumpy(x), 3 * numpy.arange(1000, dtype="f4"))


@needs_gpu
@pytest.mark.parametrize("backend", ["nvrtc", "nvcc"])
@pytest.mark.parametrize("option", ["-dc", "-rdc=true"])
def test_kernels_launch_kernels(nvcc, backend, option):
    module = np.RawModule(code=NESTED, options=(option,), backend=backend)
    x = np.zeros(320)
    module.get_function("parent")((10,), (32,), (x,))
    # A kernel ends after those that it has launched.
    assert numpy.array_equal(np.asnumpy(x), numpy.repeat(numpy.arange(10) * 32 + 1.0, 32))


@needs_gpu
def test_linked_programs_have_templates_and_variables(nvcc):
    module = np.RawModule(code=SCALE, options=("-rdc=true",), name_expressions=["scale<double>"])
    x = np.arange(100.0)
    scale = module.get_function("scale<double>")
    scale((1,), (128,), (x, numpy.int32(100)))
    five = numpy.array([5.0])
    module.get_global("factor").copy_from_host(five.ctypes.data, 8)
    scale((1,), (128,), (x, numpy.int32(100)))
    assert numpy.array_equal(np.asnumpy(x), numpy.arange(100.0) * 15)


@needs_gpu
@pytest.mark.parametrize("kind", ["cubin", "ptx", "linked"])
def test_programs_of_nvcc_are_loaded(nvcc, kind):
    image = compiler.compile_using_nvcc(
        ADD, ("-DVALUE=2",), code_type="ptx" if kind == "ptx" else "cubin",
        separate_compilation=kind == "linked")
    assert image.lstrip().startswith(b"//" if kind == "ptx" else b"\x7fELF")
    module = np.cuda.Module()
    module.load(image)
    x = np.arange(32.0)
    module.get_function("add")((1,), (32,), (x,))
    assert numpy.array_equal(np.asnumpy(x), numpy.arange(32.0) + 2)


@needs_gpu
def test_kernels_by_nvcc(nvcc):
    x = np.arange(32.0)
    kernel = np.RawKernel(ADD, "add", options=("-DVALUE=4",), backend="nvcc")
    kernel((1,), (32,), (x,))
    assert numpy.array_equal(np.asnumpy(x), numpy.arange(32.0) + 4)
    with pytest.raises(compiler.NVCCException, match="VALUE"):
        np.RawKernel(ADD, "add", backend="nvcc").compile()


def test_without_nvcc(programs):
    assert np.cuda.get_nvcc_path() is None
    with pytest.raises(compiler.NVCCException, match="nvcc was not found"):
        compiler.compile_using_nvcc(ADD)
    with pytest.raises(compiler.CompileException, match="nvcc was not found"):
        np.RawKernel(ADD, "add", backend="nvcc").compile()


def test_how_nvcc_is_called(programs, monkeypatch, tmp_path):
    own = programs("nvcc")
    assert np.cuda.get_nvcc_path() == own
    made = compiler.compile_using_nvcc(ADD, ("-DVALUE=1",), arch="75", code_type="ptx").decode()
    assert "-ptx" in made and "code=compute_75" in made and "-DVALUE=1" in made
    assert made.rstrip().endswith(f"|{ADD}")
    with open(tmp_path / "log", "w+") as log:
        made = compiler.compile_using_nvcc(ADD, arch="90", separate_compilation=True,
                                           log_stream=log).decode()
        log.seek(0)
        assert log.read() == "messages of the compiler\n" * 2
    # The second call links what the first one compiled.
    assert "-dlink" in made and "-cubin" in made and "-lcudadevrt" in made and "part.o" in made
    # The toolkit that is named comes before PATH, and the variable NVCC before both.
    monkeypatch.setenv("CUDA_PATH", os.path.dirname(os.path.dirname(own)))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert np.cuda.get_nvcc_path() == own
    other = tmp_path / "other"
    other.symlink_to(own)
    monkeypatch.setenv("NVCC", str(other))
    assert np.cuda.get_nvcc_path() == str(other)


def test_messages_of_nvcc(programs):
    programs("nvcc", status=3)
    with pytest.raises(compiler.NVCCException, match="status 3.*\nmessages of the compiler"):
        compiler.compile_using_nvcc(ADD)


@pytest.mark.parametrize("error, options", [
    (ValueError, {"code_type": "object"}),
    (ValueError, {"code_type": "ptx", "separate_compilation": True}),
])
def test_wrong_options_of_nvcc(programs, error, options):
    programs("nvcc")
    with pytest.raises(error, match="cubin"):
        compiler.compile_using_nvcc(ADD, **options)
    with pytest.raises(TypeError, match="text"):
        compiler.compile_using_nvcc(ADD.encode())


def test_hipcc(programs, monkeypatch, tmp_path):
    with pytest.raises(compiler.HIPCCException, match="hipcc was not found"):
        compiler.compile_using_hipcc(ADD)
    own = programs("hipcc")
    assert np.cuda.get_hipcc_path() == own
    made = compiler.compile_using_hipcc(ADD, ("-O2",), arch="gfx90a").decode()
    assert "--offload-arch=gfx90a" in made and "-O2" in made and made.rstrip().endswith(f"|{ADD}")
    monkeypatch.setenv("ROCM_HOME", str(tmp_path))
    assert np.cuda.get_rocm_path() == str(tmp_path)
    monkeypatch.setenv("ROCM_HOME", str(tmp_path / "missing"))
    assert np.cuda.get_rocm_path() is None


def test_version_of_the_runtime():
    version = np.cuda.get_local_runtime_version()
    assert version >= 12000 if has_gpu else version == 0


def test_attributes_of_programs(tmp_path):
    text = tmp_path / "text.cu"
    text.write_text(ADD)
    module = np.RawModule(path=str(text), options=("-DVALUE=1",), enable_cooperative_groups=True)
    assert (module.code, module.file_path, module.backend) == (None, str(text), "nvrtc")
    assert module.options == ("-DVALUE=1",) and module.enable_cooperative_groups
    module = np.RawModule(code=SCALE, name_expressions=["scale<int>"])
    assert module.name_expressions == ("scale<int>",) and module.code == SCALE
    kernel = module.get_function("scale<int>")
    assert kernel.name == "scale<int>" and kernel.file_path is None


def test_ranges_overlap_and_end_in_any_thread():
    first, second = nvtx.RangeStart("first"), nvtx.RangeStart("second", id_color=3)
    assert first != second
    nvtx.RangeEnd(first)
    thread = threading.Thread(target=nvtx.RangeEnd, args=(second,))
    thread.start()
    thread.join()
    for ended in (first, second):
        with pytest.raises(ValueError, match=f"no range {ended}"):
            nvtx.RangeEnd(ended)
    with pytest.raises(TypeError, match="text"):
        nvtx.RangeStart(3)
    assert isinstance(nvtx.available, bool) and (has_gpu or not nvtx.available)


def test_calls_that_wait_are_found():
    device, x = np.cuda.Device(), np.arange(10.0)
    stream = np.cuda.Stream()
    event = stream.record()
    device.synchronize()
    with phalanx.x.allow_synchronize(False):
        y = x + 1
        for wait in (device.synchronize, np.cuda.Stream.null.synchronize, stream.synchronize,
                     event.synchronize, np.cuda.runtime.deviceSynchronize):
            with pytest.raises(phalanx.x.DeviceSynchronized, match="synchronization"):
                wait()
        with phalanx.x.allow_synchronize(True):
            device.synchronize()
        with pytest.raises(phalanx.x.DeviceSynchronized):
            device.synchronize()
        # Other threads may wait; with several processes one thread owns the operations.
        if np.size() == 1:
            thread = threading.Thread(target=lambda: ended.append(device.synchronize()))
            ended = []
            thread.start()
            thread.join()
            assert ended == [None]
    device.synchronize()
    assert y.tolist() == list(range(1, 11))
    assert str(phalanx.x.DeviceSynchronized("own")) == "own"


def test_the_earlier_place_of_benchmark():
    calls = []
    with pytest.warns(DeprecationWarning, match="benchmark"):
        times = phalanx.x.time.repeat(calls.append, (3,), n_repeat=4, n_warmup=1, name="own")
    assert calls == [3] * 5 and times.name == "own" and len(times.cpu_times) == 4


class Shell:
    """What the magic needs of IPython."""

    def __init__(self):
        self.user_ns, self.magics = {"np": np, "calls": []}, {}

    def register_magic_function(self, function, kind, name):
        assert kind == "line_cell"
        self.magics[name] = function

    def transform_cell(self, text):
        return text


@pytest.mark.parametrize("line, cell, repeats, warmup", [
    ("-n 3 calls.append(1)", None, 3, 10),
    ("--n-repeat 2 -w 1 calls.append( 'two  words' )", None, 2, 1),
    ("--n-warmup=0 -n 4 -len(calls) - len([calls.append(1)])", None, 4, 0),
    ("-w 2 -n 5", "for k in range(1):\n    calls.append(k)\n", 5, 2),
])
def test_magic_of_ipython(line, cell, repeats, warmup, capsys):
    shell = Shell()
    profiler.load_ipython_extension(shell)
    shell.magics["gpu_timeit"](line, cell)
    assert len(shell.user_ns["calls"]) == repeats + warmup
    text = capsys.readouterr().out
    assert re.match(r"run +: +CPU: +\d+\.\d+ us", text) and text.count("\n") == 1


def test_magic_ends_after_its_seconds():
    if np.size() > 1:
        pytest.skip("processes measure other times")
    shell = Shell()
    profiler.load_ipython_extension(shell)
    shell.user_ns["wait"] = lambda: shell.user_ns["calls"].append(threading.Event().wait(0.01))
    shell.magics["gpu_timeit"]("-w 0 --max-duration 0.05 wait()")
    assert 2 <= len(shell.user_ns["calls"]) <= 6


@pytest.mark.parametrize(
    "line, cell", [("", None), ("-n 3", None), ("-n many f()", None), ("", " ")])
def test_wrong_lines_of_the_magic(line, cell):
    shell = Shell()
    profiler.load_ipython_extension(shell)
    with pytest.raises(ValueError, match="gpu_timeit"):
        shell.magics["gpu_timeit"](line, cell)


@needs_nvrtc
def test_nvrtc_by_its_own_functions():
    nvrtc = np.cuda.nvrtc
    assert nvrtc.getVersion() >= (11, 0)
    assert 80 in nvrtc.getSupportedArchs()
    text = '#include "factor.cuh"\ntemplate <typename T> __global__ void scale(T* x) { *x *= FACTOR; }'
    program = nvrtc.createProgram(text, "scale.cu", ["#define FACTOR 3\n"], ["factor.cuh"])
    nvrtc.addNameExpression(program, "scale<float>")
    nvrtc.compileProgram(program, ("--gpu-architecture=sm_80",))
    name = nvrtc.getLoweredName(program, "scale<float>")
    assert "scale" in name and name != "scale<float>"
    assert name.encode() in nvrtc.getPTX(program)
    assert name.encode() in nvrtc.getCUBIN(program)
    nvrtc.destroyProgram(program)
    program = nvrtc.createProgram("__global__ void f() { x; }", "wrong.cu")
    with pytest.raises(nvrtc.NVRTCError, match="NVRTC_ERROR_COMPILATION") as raised:
        nvrtc.compileProgram(program, ())
    assert raised.value.status == 6 and "undefined" in nvrtc.getProgramLog(program)
    nvrtc.destroyProgram(program)
    with pytest.raises(ValueError, match="1 headers have 0 names"):
        nvrtc.createProgram(text, "scale.cu", ["#define FACTOR 3"])
    nvrtc.check_status(0)
    with pytest.raises(nvrtc.NVRTCError):
        nvrtc.check_status(3)
