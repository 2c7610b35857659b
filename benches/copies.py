"""Copies during the work of a GPU: python benches/copies.py.

Prints the milliseconds of matrix products alone, of a large copy to the GPU and of one from it
alone, and of each copy while the products run. A copy that waits for the products takes as long as
both together. Times are medians of five.
"""

import statistics
import time

import numpy

import phalanx as np

HOST = numpy.arange(float(1 << 25))
SQUARE = np.ones((8192, 8192)) * (1 / 8192)
READY = np.asarray(HOST) + 1


def products():
    """Enqueues products without waiting for them."""
    value = SQUARE
    for _ in range(12):
        value = value @ SQUARE
    np.flush()
    return value


def to_gpu():
    np.asarray(HOST).evaluate()


def to_host():
    READY.get()


def timed(call):
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3


def median(prepare, call):
    """The time of a call after a preparation, and the time of both until all work is done."""
    times = []
    for _ in range(6):
        begun = time.perf_counter()
        value = prepare()
        own = timed(call)
        if value is not None:
            float(value[0, 0])
        times.append((own, (time.perf_counter() - begun) * 1e3))
    return [statistics.median(column) for column in zip(*times[1:])]


def main():
    float(READY[0])
    float(products()[0, 0])
    alone = median(products, lambda: None)[1]
    print(f"products alone {alone:.1f}")
    for name, call in (("to the GPU", to_gpu), ("to the host", to_host)):
        own = median(lambda: None, call)[0]
        beside, both = median(products, call)
        print(f"copy {name}: alone {own:.1f}, beside {beside:.1f}, both done after {both:.1f}")


if __name__ == "__main__":
    main()
