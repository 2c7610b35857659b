"""Functions of SciPy's names beside SciPy on the CPU, or CuPy on a GPU: python benches/science.py
[--device cpu:1 | cuda:0] [--group images signals special space] [--only NAME] [--scale 1.0].

For each function: milliseconds, the least of some runs, each waited for, those of the peer, and how
many times as fast as the peer. Extents of arrays are multiplied by `scale`.
"""

import argparse
import importlib
import time

import numpy

import phalanx as np


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
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, np.ndarray):
            np.evaluate(part)
    np.cuda.Device().synchronize()


def images(module, convert, scale):
    """Filters of an image of 8192 x 8192 elements of float32."""
    ndimage = module("ndimage")
    generator = numpy.random.default_rng(0)
    side = int(8192 * scale)
    image = convert(generator.random((side, side), dtype=numpy.float32))
    mask = convert(generator.random((side, side)) < 0.6)
    places = convert(generator.random((2, side, side), dtype=numpy.float32) * side)
    weights = convert(generator.random((5, 5)))
    return {
        "gaussian_filter": lambda: ndimage.gaussian_filter(image, 2.0),
        "uniform_filter": lambda: ndimage.uniform_filter(image, 5),
        "median_filter 5x5": lambda: ndimage.median_filter(image, 5),
        "maximum_filter": lambda: ndimage.maximum_filter(image, 7),
        "sobel": lambda: ndimage.sobel(image),
        "correlate 5x5": lambda: ndimage.correlate(image, weights),
        "binary_dilation": lambda: ndimage.binary_dilation(mask),
        "label": lambda: ndimage.label(mask),
        "distance_transform_edt": lambda: ndimage.distance_transform_edt(mask),
        "map_coordinates, order 1": lambda: ndimage.map_coordinates(image, places, order=1),
        "map_coordinates, order 3": lambda: ndimage.map_coordinates(image, places, order=3),
        "zoom, order 1": lambda: ndimage.zoom(image, 1.5, order=1),
        "rotate, order 3": lambda: ndimage.rotate(image, 30.0, reshape=False),
    }


def signals(module, convert, scale):
    """Filters and spectra of a signal of 2**24 elements of float64."""
    signal, fft = module("signal"), module("fft")
    generator = numpy.random.default_rng(0)
    length, side = int(2**24 * scale), int(4096 * scale)
    x = convert(generator.standard_normal(length))
    short = convert(generator.standard_normal(1025))
    picture = convert(generator.random((side, side)))
    # The coefficients of Butterworth filters of order 4.
    import scipy.signal as design

    b, a = (convert(one) for one in design.butter(4, 0.2))
    sections = convert(design.butter(8, 0.2, output="sos"))
    return {
        "lfilter": lambda: signal.lfilter(b, a, x),
        "sosfilt": lambda: signal.sosfilt(sections, x),
        "fftconvolve": lambda: signal.fftconvolve(x, short),
        "stft": lambda: signal.stft(x, nperseg=1024),
        "welch": lambda: signal.welch(x, nperseg=1024),
        "resample_poly": lambda: signal.resample_poly(x, 3, 2),
        "dctn 4096x4096": lambda: fft.dctn(picture),
    }


def special(module, convert, scale):
    """Special functions of 2**26 elements of float64."""
    special = module("special")
    generator = numpy.random.default_rng(0)
    x = convert(generator.random(int(2**26 * scale)) * 20.0 + 1e-3)
    unit = convert(generator.random(int(2**26 * scale)))
    return {
        "erf": lambda: special.erf(x),
        "gamma": lambda: special.gamma(x),
        "jv": lambda: special.jv(1.5, x),
        "j0": lambda: special.j0(x),
        "ndtri": lambda: special.ndtri(unit),
    }


def space(module, convert, scale):
    """Distances of 2**14 points with 16 coordinates, neighbours of 10**6 points in space."""
    spatial = module("spatial")
    distance = module("spatial.distance")
    generator = numpy.random.default_rng(0)
    a = convert(generator.random((int(2**14 * scale), 16)))
    b = convert(generator.random((int(2**14 * scale), 16)))
    points = convert(generator.random((int(10**6 * scale), 3)))
    tree = spatial.KDTree(points)
    return {
        "cdist": lambda: distance.cdist(a, b),
        "KDTree, one query": lambda: spatial.KDTree(points).query(points[:1]),
        "KDTree.query, k=1": lambda: tree.query(points),
        "KDTree.query, k=8": lambda: tree.query(points, k=8),
    }


GROUPS = {"images": images, "signals": signals, "special": special, "space": space}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu:1")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--group", nargs="*", default=list(GROUPS), choices=list(GROUPS))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    np.init(devices=given.device)
    if given.device.startswith("cuda"):
        import cupy

        place = "cupyx.scipy"

        def wait(_result):
            cupy.cuda.Device().synchronize()

        convert = cupy.asarray
    else:
        place = "scipy"

        def wait(_result):
            pass

        convert = numpy.asarray

    def theirs(name):
        return importlib.import_module(f"{place}.{name}")

    def ours(name):
        return importlib.import_module(f"phalanx.scipy.{name}")

    for group in given.group:
        own_calls = GROUPS[group](ours, np.array, given.scale)
        try:
            other_calls = GROUPS[group](theirs, convert, given.scale)
        except Exception as error:
            other_calls = {}
            print(f"{group}: no peer ({type(error).__name__}: {error})")
        for name, call in own_calls.items():
            if given.only not in name:
                continue
            try:
                own = least(call, waited, given.runs)
            except Exception as error:
                print(f"{name:28} {type(error).__name__}: {error}", flush=True)
                continue
            try:
                other = least(other_calls[name], wait, given.runs)
            except Exception as error:  # A peer's function may need a library that is not there.
                print(f"{name:28} {own:10.2f}   ({type(error).__name__})", flush=True)
                continue
            print(f"{name:28} {own:10.2f} {other:10.2f} {other / own:8.2f}", flush=True)


main()
