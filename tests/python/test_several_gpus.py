"""Several GPUs that communicate by NCCL, in one process and in two. Skipped on fewer."""

import os

import pytest

from . import worlds

KEPT = {name: os.environ[name] for name in ["PHALANX_CUDA_PATH"] if name in os.environ}


def count():
    """The number of GPUs of the machine, independent of this session."""
    program = "import phalanx as np\nprint(np._phalanx._gpu_count())\n"
    ended = worlds.run(program, environment=KEPT | {"PHALANX_DEVICES": "cuda"}, check=False)
    return int(ended.stdout) if ended.returncode == 0 else 0


if count() < 2:
    worlds.lacks("gpus", "second GPU")

# A program with every kind of communication in plans, compared with NumPy.
PROGRAM = """
    import os
    import numpy
    import phalanx as np

    devices = os.environ.get("DEVICES") or f"cuda:{os.environ['PHALANX_RANK']}"
    np.init(devices=devices)
    random = numpy.random.default_rng(3)
    a = random.random((600, 500))
    b = random.random((500, 600)).astype(numpy.float32)
    hole = a.copy()
    hole[123, 45] = numpy.nan
    x, y, z = np.array(a), np.array(b), np.array(hole)

    def same(ours, theirs, name):
        numpy.testing.assert_allclose(np.asnumpy(ours), theirs, rtol=1e-5, err_msg=name)

    for turn in range(3):
        same(x.sum(), a.sum(), "sum")
        same(x.sum(axis=0), a.sum(axis=0), "sum of columns")
        same(x.var(), a.var(), "var")
        same(x.max(), a.max(), "max")
        same(z.min(axis=0), hole.min(axis=0), "min with what is no number")
        same(x.argmax(), a.argmax(), "argmax")
        same((x > 0.999).any(), True, "any")
        same((x * 1j).prod(axis=0)[:3], (a * 1j).prod(axis=0)[:3], "product of complex numbers")
        same(np.array((a * 100).astype("int16")).max(), (a * 100).astype("int16").max(), "int16")
        same(x[2:] - x[:-2], a[2:] - a[:-2], "rims")
        same(x.T + 1, a.T + 1, "transposed")
        same(x @ y, a @ b, "product")
        same(np.sort(x, axis=0), numpy.sort(a, axis=0), "sorted")
        same(x[x > 0.5].sum(), a[a > 0.5].sum(), "chosen")
        same(np.cumsum(x, axis=0), a.cumsum(axis=0), "running sums")
        # Vectors whose elements go to the device that has their rank, in turn more of them, so that
        # a plan runs with other numbers.
        for dtype in ["int8", "uint32", "float32", "float64", "complex64"]:
            line = (random.random(70_000 + 9999 * turn) * 1000 - 500).astype(dtype)
            ours = np.array(line)
            same(np.sort(ours), numpy.sort(line), f"sorted {dtype}")
            same(np.argsort(ours), numpy.argsort(line, kind="stable"), f"order of {dtype}")
            # Of positive numbers, so that no sum is near 0.
            same(np.cumsum(abs(ours)), numpy.cumsum(abs(line)), f"running sums of {dtype}")
            assert "route(" in np.sort(ours).explain()
    # Short data, whose results have every length around what the kernels move at a time.
    for dtype in ["bool", "int8", "int16", "int64", "float32", "float64", "complex128"]:
        for width in [1, 2, 3, 5, 8, 31, 1000, 4097, 30000]:
            rows = (random.random((6, width)) * 9).astype(dtype)
            ours = np.array(rows)
            same(ours.sum(axis=0), rows.sum(axis=0), f"sum of {width} {dtype}")
            same(ours.max(axis=0), rows.max(axis=0), f"max of {width} {dtype}")
            same(ours.argmax(axis=0), rows.argmax(axis=0), f"argmax of {width} {dtype}")
            same(ours.all(axis=0), rows.all(axis=0), f"all of {width} {dtype}")
    for width in [1, 7, 500, 4096]:
        rows = random.random((6, width))
        ours = np.array(rows)
        for turn in range(100):
            ours = ours - ours.mean(axis=0)
            rows = rows - rows.mean(axis=0)
        numpy.testing.assert_allclose(np.asnumpy(ours), rows, atol=1e-12)
    print("plane:", "by nccl" in (x.sum(axis=0) * 2).explain())
    u, v = np.array(a), a.copy()
    for turn in range(200):
        u[1:-1] = (u[:-2] + u[2:]) / 2
        v[1:-1] = (v[:-2] + v[2:]) / 2
    same(u, v, "200 turns")
    print("all the same")
"""


def run(environment, processes=1):
    return worlds.run(PROGRAM, processes=processes, environment=KEPT | environment, timeout=240)


def test_devices_of_one_process_communicate_by_nccl():
    output = run({"DEVICES": "cuda:0,1"}).stdout
    assert "plane: True" in output and "all the same" in output


def test_processes_communicate_by_nccl():
    output = run({}, processes=2).stdout
    assert output.count("plane: True") == 2 and output.count("all the same") == 2


def test_two_devices_on_one_gpu_go_over_the_host():
    output = run({"DEVICES": "cuda:0,0"}).stdout
    assert "plane: False" in output and "all the same" in output


def test_a_process_that_ends_is_an_error_on_the_other_and_nobody_hangs():
    program = """
        import os
        import phalanx as np

        rank = int(os.environ["PHALANX_RANK"])
        np.init(devices=f"cuda:{rank}")
        x = np.ones((2000, 2000))
        print(float(x.sum()), flush=True)
        if rank == 1:
            os._exit(7)
        for turn in range(1000):
            x = x + x.sum(axis=0)
            float(x[0, 0])
    """
    worlds.fails_within(100, program, processes=2, environment=KEPT)


def test_a_process_that_ends_in_the_middle_of_short_sums_is_an_error_on_the_other():
    program = """
        import os
        import phalanx as np

        rank = int(os.environ["PHALANX_RANK"])
        np.init(devices=f"cuda:{rank}")
        x = np.ones((4, 300))
        for turn in range(100000):
            x = x * 0.5 + x.sum(axis=0) / 8
            if turn == 500:
                float(x[0, 0])
                if rank == 1:
                    os._exit(7)
        print(float(x[0, 0]))
    """
    worlds.fails_within(100, program, processes=2, environment=KEPT)


def test_new_shapes_and_kernels_are_met_while_plans_are_under_way():
    # Each turn allocates memory and loads new kernels and combinations while plans are in flight,
    # in which devices wait for each other.
    program = """
        import numpy
        import phalanx as np

        np.init(devices="cuda:0,1")
        dtypes = ["int16", "float32", "float64", "complex64", "uint16", "float16"]
        total = np.zeros(64)
        expected = numpy.zeros(64)
        for turn in range(60):
            rows, width = 64 + turn, 70000 + 37 * turn
            dtype = dtypes[turn % len(dtypes)]
            host = (numpy.arange(rows * width) % 97).reshape(rows, width).astype(dtype)
            x = np.array(host)
            top, low = x.max(axis=0), (x * 1).prod(axis=0) if turn % 5 == 0 else x.min(axis=0)
            np.flush()
            y = np.sqrt(abs(x)) * (turn + 1)
            part = y.sum(axis=0)[:64].real.astype("float64") + turn % 3
            np.flush()
            total = total + top[:64].real + part
            expected = expected + host.max(axis=0)[:64].real
            expected = expected + (numpy.sqrt(abs(host.astype("float64"))) * (turn + 1)).sum(axis=0)[:64].real + turn % 3
            numpy.testing.assert_array_equal(np.asnumpy(top), host.max(axis=0))
        numpy.testing.assert_allclose(np.asnumpy(total), expected, rtol=2e-2)
        print("all the same")
    """
    output = worlds.run(program, environment=KEPT, timeout=240).stdout
    assert "all the same" in output


def test_transforms_of_new_shapes_are_met_while_devices_wait_for_each_other():
    """A plan that is used again with other extents needs other plans of cuFFT, and more plans than
    a device keeps are made again. To make one while another GPU waited for ever."""
    program = """
        import numpy
        import phalanx as np
        random = numpy.random.default_rng(3)
        shapes = [(257 + 3 * turn, 131 + turn, 96 + turn) for turn in range(12)]
        values = [random.random(shape) + 1j * random.random(shape) for shape in shapes]
        for _ in range(2):
            for value in values:
                ours = np.fft.fftn(np.array(value))
                numpy.testing.assert_allclose(
                    np.asnumpy(ours), numpy.fft.fftn(value), rtol=1e-9, atol=1e-6)
                back = np.fft.ifftn(ours)
                numpy.testing.assert_allclose(np.asnumpy(back), value, rtol=1e-9, atol=1e-12)
    """
    worlds.run(program, environment=KEPT | {"PHALANX_DEVICES": "cuda:0,1"}, timeout=120)


def test_a_stream_comes_before_and_after_the_work_of_all_gpus():
    program = """
        import phalanx as np
        import phalanx.cuda

        np.init(devices="cuda:0,1")
        x = np.ones((8192, 4096))
        # Each GPU has one of the halves, and works on that alone.
        first, second = x[:4096], x[4096:]
        # Later it is there at once: nothing is compiled meanwhile.
        (second + 1).evaluate()
        own = [np._phalanx._Stream.of_work(number) for number in (0, 1)]

        def work(y):
            for turn in range(400):
                y = np.sin(y)
            return y

        for half in [first, second]:
            stream = phalanx.cuda.Stream(non_blocking=True)
            with stream:
                kept = work(half)
            stream._native.synchronize()
            assert all(one.is_done() for one in own), "the stream is after all of our work"

        # The stream, which is the first GPU's, holds what that one has been given.
        kept = work(first)
        np._phalanx._hand_over()
        event = np._phalanx._Event(0, False, False)
        event.record(own[0])
        stream = phalanx.cuda.Stream(non_blocking=True)
        stream._native.wait_event(event)
        with stream:
            after = second + 1
        own[1].synchronize()
        assert event.is_done(), "our work on the other GPU is after the stream"
        print("all in order")
    """
    output = worlds.run(program, environment=KEPT, timeout=120).stdout
    assert "all in order" in output
