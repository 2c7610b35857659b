"""Reads, writes and searches of a split axis, by processes that exchange over TCP."""

from . import worlds

worlds.apart()

DTYPES = ["bool", "int8", "uint16", "float16", "int32", "float32", "float64", "complex128"]

# Each process checks the whole result against NumPy.
PROGRAM = """
    import sys

    import numpy
    import phalanx as np

    random = numpy.random.default_rng(5)

    def same(ours, theirs):
        numpy.testing.assert_array_equal(np.asnumpy(ours), theirs)

    for dtype in sys.argv[1:]:
        for shape, axis in [((90_001,), 0), ((70_000, 3), 0), ((3, 70_000), 1), ((2, 40_000, 2), 1)]:
            theirs = (random.random(shape) * 200 - 100).astype(dtype)
            extent = shape[axis]
            for count in [5, 1000, 20_000]:
                for at in [random.integers(-extent, extent, count), numpy.full(count, extent - 1)]:
                    ours = np.array(theirs)
                    same(np.take(ours, np.array(at), axis), numpy.take(theirs, at, axis))
                    index = (slice(None),) * axis + (at,)
                    same(ours[index], theirs[index])
                    each = list(shape)
                    each[axis] = count
                    along = random.integers(-extent, extent, each)
                    same(
                        np.take_along_axis(ours, np.array(along), axis),
                        numpy.take_along_axis(theirs, along, axis),
                    )
                    values = (random.random(each) * 200 - 100).astype(dtype)
                    expected = theirs.copy()
                    expected[index] = values
                    ours[index] = np.array(values)
                    same(ours, expected)
                    numpy.put_along_axis(expected, along, values[::-1], axis)
                    np.put_along_axis(ours, np.array(along), np.array(values[::-1]), axis)
                    same(ours, expected)
                    if dtype not in ("bool", "float16"):
                        numpy.add.at(expected, index, values)
                        np.add.at(ours, index, np.array(values))
                        same(ours, expected)
                        numpy.subtract.at(expected, index, values[..., :1] if axis == 0 else 3)
                        np.subtract.at(ours, index, np.array(values[..., :1]) if axis == 0 else 3)
                        same(ours, expected)
        line = numpy.sort((random.random(90_001) * 200 - 100).astype(dtype))
        values = (random.random(500) * 220 - 110).astype(dtype)
        if dtype[0] in "fc":
            line[-7:] = values[3] = numpy.nan
        for side in ["left", "right"]:
            found = np.searchsorted(np.array(line), np.array(values), side)
            same(found, numpy.searchsorted(line, values, side))
    x = np.array(random.random(100_000))
    at = np.array(random.integers(0, 100_000, 5000))
    written = x.copy()
    written[at] = 1.0
    added = x.copy()
    np.add.at(added, at, 1.0)
    rows = x.reshape(-1, 4)
    for result in [
        x[at], np.take_along_axis(x, at, 0), written, added, rows[at // 4], rows[at // 4, 1],
        np.searchsorted(np.sort(x), x[:500]),
    ]:
        plan = result.explain()
        assert "gather of" not in plan, plan
    print("all the same")
"""


def test_results_are_those_of_numpy_and_no_plan_gathers():
    environment = {"PHALANX_DEVICES": "cpu:1"}
    dtypes = worlds.due(DTYPES)
    told = worlds.run(PROGRAM, *dtypes, processes=3, environment=environment, timeout=240)
    assert told.stdout.count("all the same") == 3


def test_a_process_that_ends_in_the_middle_of_requests_is_an_error_on_the_others():
    program = """
        import os
        import threading
        import phalanx as np

        np.init(devices="cpu:1")
        random = np.random.default_rng(1)
        x = random.random(2_000_000)
        at = random.integers(0, x.size, 500_000)
        float(x[at][0])
        if os.environ["PHALANX_RANK"] == "1":
            threading.Timer(0.7, lambda: os._exit(7)).start()
        for turn in range(10_000):
            x[at] = x[at[::-1]] + turn
            float(x[0])
    """
    worlds.fails_within(60, program, processes=3)


def test_a_lack_of_memory_is_an_error_of_the_result_alone():
    program = """
        import phalanx as np

        random = np.random.default_rng(1)
        x = random.random(2_000_000)
        at = random.integers(0, x.size, x.size // 2)
        z = x + 1
        before = float(x[7]), int(at[7]), float(z[7])

        def write():
            z[at] = x[: at.size]
            return z

        for work in [lambda: x[at], write]:
            try:
                float(work()[3])
            except MemoryError as error:
                print("refused:", "PX050" in str(error))
            z = x + 1
        assert before == (float(x[7]), int(at[7]), float(z[7]))
        print("went on")
    """
    environment = {"PHALANX_DEVICES": "cpu:1", "PHALANX_MEMORY_LIMIT": "40M"}
    told = worlds.run(program, processes=2, environment=environment, timeout=120).stdout
    assert (told.count("refused: True"), told.count("went on")) == (4, 2), told
