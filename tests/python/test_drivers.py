"""Unusable drivers of CUDA: a program gets the reason, and continues on the CPU. The driver is a
small library that answers like the real one."""

import shutil
import subprocess

import pytest

from . import worlds

DRIVER = r"""
#include <stdlib.h>
#include <string.h>

static int number(const char* name, int otherwise) {
    const char* text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags) { return number("FAKE_INIT", 0); }
int cuDriverGetVersion(int* version) { *version = number("FAKE_VERSION", 13000); return 0; }
int cuDeviceGetCount(int* count) { *count = number("FAKE_COUNT", 1); return 0; }
int cuDeviceGet(int* device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char* name, int length, int device) {
    strncpy(name, "a GPU of a test", length);
    return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { *bytes = 1ull << 30; return 0; }
/* 75 and 76 are the compute capability. */
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    if (device == number("FAKE_FAILING", -1)) return 999;
    *value = attribute == 75 ? number("FAKE_MAJOR", 9) : attribute == 76 ? 0 : 1;
    return 0;
}
int cuGetErrorName(int error, const char** name) { *name = "CUDA_ERROR_OF_A_TEST"; return 0; }
int cuGetErrorString(int error, const char** text) { *text = "as the test has it"; return 0; }
"""

PROGRAM = """
import sys
import phalanx as np
try:
    np.init(devices=sys.argv[1])
except Exception as error:
    print(type(error).__name__, error)
else:
    print("a session")
    np.finish()
np.init(devices="cpu")
print("goes on:", float(np.arange(5.0).sum()))
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler here")
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(DRIVER)
    (folder / "compiler.c").write_text("int nothing;")
    # These names are searched first, so that no real driver and no real NVRTC is loaded.
    for name, file, text in [
        ("libcuda.so", "libcuda.so.1", "driver.c"),
        ("libnvrtc.so", "libnvrtc.so.13", "compiler.c"),
    ]:
        words = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", file, text]
        subprocess.run([compiler, *words], cwd=folder, check=True)
    return {"PHALANX_CUDA_PATH": str(folder)}


@pytest.mark.parametrize(
    ("devices", "variables", "code", "words"),
    [
        ("cuda", {"FAKE_VERSION": "11080"}, "PX057", "is for CUDA 11.8, and 12.0 is needed"),
        ("cuda:7", {"FAKE_COUNT": "2"}, "PX055", "there is no cuda:7: GPUs found: 2"),
        ("cuda", {"FAKE_COUNT": "0"}, "PX055", "GPUs found: 0"),
        ("cuda", {"FAKE_MAJOR": "7"}, "PX056", "compute capability 7.0, and 8.0 is needed"),
        ("cuda", {"FAKE_INIT": "999"}, "PX052", "cuInit failed with CUDA_ERROR_OF_A_TEST"),
    ],
)
def test_an_unusable_driver_is_reported(driver, devices, variables, code, words):
    ended = worlds.run(PROGRAM, devices, environment=driver | variables)
    assert code in ended.stdout and words in ended.stdout, ended.stdout
    assert ended.stdout.endswith("goes on: 10.0\n")


# Drivers without a usable GPU, and the reasons why their GPUs are unusable.
NO_GPU = [
    ({"FAKE_COUNT": "0"}, None),
    ({"FAKE_COUNT": "0", "FAKE_VERSION": "11080"}, None),
    ({"FAKE_INIT": "999"}, None),
    ({"FAKE_VERSION": "11080"}, "the driver is for CUDA 11.8"),
    ({"FAKE_MAJOR": "7"}, "compute capability 7.0"),
    ({"FAKE_FAILING": "0"}, "CUDA_ERROR_OF_A_TEST"),
]


@pytest.mark.parametrize(("variables", "reason"), NO_GPU)
def test_the_cpu_is_chosen_where_no_gpu_is_of_use(driver, variables, reason):
    program = """
    import phalanx as np
    np.init(devices="auto")
    print(float(np.arange(5.0).sum()))
    """
    ended = worlds.run(program, environment=driver | variables | {"PHALANX_LOG": "warn"})
    assert ended.stdout.strip() == "10.0"
    warnings = [line for line in ended.stderr.splitlines() if "although GPUs exist" in line]
    assert len(warnings) == (reason is not None), ended.stderr
    assert all(reason in line for line in warnings), ended.stderr


@pytest.mark.parametrize(("failing", "count"), [("-1", 2), ("0", 1), ("1", 1)])
def test_a_gpu_that_fails_is_passed_over(driver, failing, count):
    program = """
    import phalanx as np
    print(np._phalanx._gpu_count())
    """
    variables = {"PHALANX_DEVICES": "auto", "FAKE_COUNT": "2", "FAKE_FAILING": failing}
    ended = worlds.run(program, environment=driver | variables)
    assert ended.stdout.strip() == str(count)


def test_info_reports_a_driver_that_is_too_old(driver):
    program = """
    import subprocess, sys
    subprocess.run([sys.executable, "-m", "phalanx", "info"])
    """
    ended = worlds.run(program, environment=driver | {"FAKE_VERSION": "11080"})
    assert "the driver is for CUDA 11.8" in ended.stdout
