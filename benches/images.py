"""Functions of images beside SciPy's on the CPU, or CuPy's on a GPU: python benches/images.py
[--device cpu:1 | cuda:0] [--side 8192] [--only NAME].

For each function: milliseconds, the least of some runs, each waited for, and how many times as
fast as the peer. Images have `side` x `side` elements of float32.
"""

import argparse
import time

import numpy

import phalanx as np
from phalanx.scipy import ndimage


def least(call, wait, runs):
    """The least milliseconds of some runs, after one that compiles and caches."""
    wait(call())
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        wait(call())
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def waited(result):
    """Waits for a result of ours."""
    result = result[0] if isinstance(result, tuple) else result
    np.evaluate(result)
    np.cuda.Device().synchronize()


def functions(module, image, mask, points):
    """Functions of images by name, for a module with SciPy's names."""
    return {
        "gaussian_filter": lambda: module.gaussian_filter(image, 2.0),
        "uniform_filter": lambda: module.uniform_filter(image, 5),
        "median_filter 5x5": lambda: module.median_filter(image, 5),
        "maximum_filter": lambda: module.maximum_filter(image, 7),
        "sobel": lambda: module.sobel(image),
        "correlate 5x5": lambda: module.correlate(image, points["weights"]),
        "binary_dilation": lambda: module.binary_dilation(mask),
        "label": lambda: module.label(mask),
        "distance_transform_edt": lambda: module.distance_transform_edt(mask),
        "map_coordinates, order 1": lambda: module.map_coordinates(
            image, points["places"], order=1
        ),
        "map_coordinates, order 3": lambda: module.map_coordinates(
            image, points["places"], order=3
        ),
        "zoom, order 1": lambda: module.zoom(image, 1.5, order=1),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu:1")
    parser.add_argument("--side", type=int, default=8192)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    np.init(devices=given.device)
    first = given.device.split(",")[0]
    generator = numpy.random.default_rng(0)
    image = generator.random((given.side, given.side), dtype=numpy.float32)
    mask = generator.random((given.side, given.side)) < 0.6
    places = generator.random((2, given.side, given.side), dtype=numpy.float32) * given.side
    weights = generator.random((5, 5))
    if first.startswith("cuda"):
        import cupy
        import cupyx.scipy.ndimage as peer

        def wait(_result):
            cupy.cuda.Device().synchronize()

        convert = cupy.asarray
    else:
        import scipy.ndimage as peer

        def wait(_result):
            pass

        convert = numpy.asarray
    ours = functions(
        ndimage,
        np.array(image),
        np.array(mask),
        {"places": np.array(places), "weights": np.array(weights)},
    )
    theirs = functions(
        peer,
        convert(image),
        convert(mask),
        {"places": convert(places), "weights": convert(weights)},
    )
    for name, call in ours.items():
        if given.only not in name:
            continue
        own = least(call, waited, given.runs)
        try:
            other = least(theirs[name], wait, given.runs)
        except Exception as error:  # A peer's function may need a library that is not there.
            print(f"{name:28} {own:10.2f}   ({type(error).__name__})")
            continue
        print(f"{name:28} {own:10.2f} {other:10.2f} {other / own:8.2f}", flush=True)


main()
