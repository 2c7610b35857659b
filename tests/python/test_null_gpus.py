"""Null devices instead of GPUs: programs are planned, and nothing is computed."""

import pathlib

import pytest

import phalanx as np
import phalanx.cuda

from . import worlds

PROGRAM = """
import phalanx as np
x = np.ones((4096, 4096), dtype=np.float32)
y = (x * 2 + 1).sum(axis=1)
plan = y.explain()
assert "gpu 0, " in plan and "mesh(device=4)" in plan, plan
assert y.shape == (4096,)
for read in (lambda: float(y[0]), lambda: np.asnumpy(y), lambda: x[x > 1].shape):
    try:
        read()
    except RuntimeError as error:
        assert "PX059" in str(error) and "only plans" in str(error), error
    else:
        raise AssertionError("read")
assert "gpu 0, " in (y + 1).explain()
print("planned")
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_programs_are_planned_and_not_computed(processes):
    devices = {"PHALANX_DEVICES": f"null-cuda:{4 // processes}"}
    ended = worlds.run(PROGRAM, processes=processes, environment=devices)
    assert "planned" in ended.stdout


def test_the_devices_can_be_named_by_the_program():
    worlds.run(
        """
        import phalanx as np
        np.init(devices="null-cuda:2")
        assert "mesh(device=2)" in (np.ones(1000000) + 1).explain()
        """
    )


def test_texts_of_kernels_are_written(tmp_path: pathlib.Path):
    variables = {"PHALANX_DEVICES": "null-cuda", "PHALANX_SAVE_SOURCE": str(tmp_path)}
    worlds.run("import phalanx as np\nnp.sin(np.ones(100000)).evaluate()\n", environment=variables)
    texts = [path.read_text() for path in tmp_path.glob("*.cu")]
    assert any("op_sin" in text for text in texts), texts


def test_a_device_that_there_is_not_is_refused():
    for number in (99, -1, phalanx.cuda.runtime.getDeviceCount()):
        with pytest.raises(phalanx.cuda.runtime.CUDARuntimeError, match=f"no device {number}"):
            phalanx.cuda.Device(number)
    assert int(phalanx.cuda.Device(0)) == 0
    assert float(np.ones(3).sum()) == 3
