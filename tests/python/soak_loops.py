"""Loops that must not leak memory: `python soak_loops.py NAME STEPS` prints the growth of one.

Each step is a typical step of a long-running program. The first quarter of the steps fills caches,
pools and the allocator; after it the resident memory must not grow.
"""

import gc
import sys

import numpy
import phalanx as np


def updates_in_place():
    x, y = np.zeros(16), np.ones(16)

    def step(turn):
        nonlocal x, y
        x += 1
        x.evaluate()
        y *= 0.5
        y += x
        if turn % 16 == 0:
            float(y[3])

    return step


def reads_of_elements():
    x = np.arange(16.0)

    def step(turn):
        x[turn % 16] = turn % 7
        float(x[(turn + 1) % 16])
        x[2].item()

    return step


def slices():
    x = np.zeros((24, 8))

    def step(turn):
        x[1:-1] = x[:-2] * 0.5 + x[2:] * 0.5
        x[0] = 1
        if turn % 8 == 0:
            x[::2, 1:].get()

    return step


def reductions():
    x = np.arange(64.0).reshape(8, 8)

    def step(turn):
        rows = x.sum(axis=1)
        float(rows.max())
        x.mean(axis=0).get()
        int(x.argmax())

    return step


def positions():
    x, chosen = np.arange(64.0), np.array([3, 5, 7, 60])

    def step(turn):
        part = x[chosen]
        x[chosen] = part * 0.5 + 1
        x[[turn % 64, 1]].get()

    return step


def products():
    left, right = np.ones((8, 8)), np.ones((8, 8)) * 0.1

    def step(turn):
        nonlocal left
        left = left @ right + 0.5
        float((left[0] @ right)[1])

    return step


def draws():
    generator = np.random.default_rng(3)

    def step(turn):
        generator.random(8).get()
        float(np.random.rand(3).sum())
        generator.integers(0, 10, 4).get()

    return step


def masks():
    x = np.arange(32.0)

    def step(turn):
        x[x > 20] = turn % 30
        x[x < 5].get()
        np.where(x > 3, x, -x).get()

    return step


def numbers():
    x = np.array(1.0)

    def step(turn):
        nonlocal x
        x = x * 0.5 + 1
        if float(x) > 3 or bool(x < 0):
            raise ArithmeticError
        int(np.array(turn % 5) + 1)

    return step


def changing_shapes():
    def step(turn):
        rows, columns = 1 + turn % 23, 1 + turn % 29
        x = np.ones((rows, columns)) + 1
        float(x.sum())
        np.arange(rows * columns).reshape(columns, rows).T.copy().get()
        np.zeros((turn % 3, rows)).sum(axis=0).get()

    return step


def several_devices():
    # Every array is split, so that iterations exchange halos and combine sums.
    np.init(split_from=1)
    x = np.zeros(64)

    def step(turn):
        x[1:-1] = (x[:-2] + x[2:]) * 0.5
        x[0] += 1
        if turn % 4 == 0:
            float(x.sum())

    return step


def host_data():
    host = numpy.arange(10.0)

    def step(turn):
        x = np.asarray(host) + turn
        x.tolist()
        str(x)
        numpy.asarray(x.get())

    return step


def refusals():
    x = np.ones(16)

    def step(turn):
        for wrong in (lambda: x.reshape(3, 5), lambda: x + np.ones(3), lambda: x[99]):
            try:
                wrong()
            except (ValueError, IndexError):
                continue
            raise AssertionError

    return step


def values_that_nobody_reads():
    x = np.ones(16)

    def step(turn):
        (x + turn) * 2
        kept = [x + number for number in range(turn % 5)]
        if kept:
            kept[0].evaluate()

    return step


LOOPS = {
    loop.__name__: loop
    for loop in (
        updates_in_place,
        reads_of_elements,
        slices,
        reductions,
        positions,
        products,
        draws,
        masks,
        numbers,
        changing_shapes,
        several_devices,
        host_data,
        refusals,
        values_that_nobody_reads,
    )
}


def resident():
    """The exact resident bytes of this process; `statm` is updated in batches."""
    with open("/proc/self/smaps_rollup") as rollup:
        for line in rollup:
            if line.startswith("Rss:"):
                return int(line.split()[1]) << 10
    raise OSError("no resident memory is told")


def growth(name, steps):
    """The growth of the loop in bytes after the first quarter of its iterations."""
    step = LOOPS[name]()
    for turn in range(steps // 4):
        step(turn)
    gc.collect()
    before = resident()
    for turn in range(steps // 4, steps):
        step(turn)
    gc.collect()
    return resident() - before


if __name__ == "__main__":
    print(growth(sys.argv[1], int(sys.argv[2])))
