"""Scans and sorts along a split axis, by processes that exchange over TCP."""

from . import worlds

worlds.apart()

DTYPES = ["int8", "int32", "uint64", "float32", "float64", "complex128", "float16"]

# Each process checks the whole result against NumPy.
PROGRAM = """
    import sys

    import numpy
    import phalanx as np

    random = numpy.random.default_rng(5)
    for count in [70_001, 90_000]:
        for dtype in sys.argv[1:]:
            mixed = (random.random(count) * 200 - 100).astype(dtype)
            for line in [mixed, numpy.sort(mixed)[::-1], mixed % 3 if dtype[0] != "c" else mixed]:
                if dtype[0] in "fc":
                    line = line.copy()
                    line[random.integers(0, count, 40)] = numpy.nan
                ours = np.array(line)
                order = numpy.argsort(line, kind="stable")
                numpy.testing.assert_array_equal(np.asnumpy(np.sort(ours)), line[order])
                numpy.testing.assert_array_equal(np.asnumpy(np.argsort(ours)), order)
                back = np.asnumpy(np.argsort(ours[::-1]))
                numpy.testing.assert_array_equal(back, numpy.argsort(line[::-1], kind="stable"))
                if dtype != "float16" and dtype[0] != "c":
                    sums = np.asnumpy(np.cumsum(ours))
                    numpy.testing.assert_allclose(sums, numpy.cumsum(line), rtol=1e-3, atol=1e-2)
                    largest = np.asnumpy(np.maximum.accumulate(ours))
                    numpy.testing.assert_array_equal(largest, numpy.maximum.accumulate(line))
    x = np.array(random.random(100_000))
    for result in [
        np.sort(x), np.argsort(x), np.partition(x, 5), np.cumsum(x), np.cumprod(x),
        np.logaddexp.accumulate(x), np.median(x),
    ]:
        plan = result.explain()
        assert "gather of in0" not in plan, plan
    print("all the same")
"""


def test_results_are_those_of_numpy_and_no_plan_gathers():
    environment = {"PHALANX_DEVICES": "cpu:1"}
    dtypes = worlds.due(DTYPES)
    told = worlds.run(PROGRAM, *dtypes, processes=3, environment=environment, timeout=240)
    assert told.stdout.count("all the same") == 3


def test_a_process_that_ends_in_the_middle_of_sorts_is_an_error_on_the_others():
    program = """
        import os
        import threading
        import phalanx as np

        np.init(devices="cpu:1")
        x = np.random.default_rng(1).random(2_000_000)
        float(x[0])
        if os.environ["PHALANX_RANK"] == "1":
            threading.Timer(0.7, lambda: os._exit(7)).start()
        for turn in range(10_000):
            float(np.sort(x + turn)[0])
    """
    worlds.fails_within(60, program, processes=3)
