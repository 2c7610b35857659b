"""Functions that move elements among devices send each element to few of them: none gathers a
split axis to all devices."""

import json
import os
import pathlib

import numpy

import phalanx as np

from . import worlds

COUNT, DEVICES = 80_000, 8


def plus_transpose(x, at, mask):
    matrix = x[:78_400].reshape(280, 280)
    return matrix + matrix.T


# For each function: a program, and the most that a device may send, in blocks of 8 bytes for each
# of its elements. A gather sends a block to each of the seven others.
CASES = {
    "sort": (lambda x, at, mask: np.sort(x), 2),
    "argsort": (lambda x, at, mask: np.argsort(x), 4),
    "partition": (lambda x, at, mask: np.partition(x, 1000), 2),
    "argpartition": (lambda x, at, mask: np.argpartition(x, 1000), 4),
    "median": (lambda x, at, mask: np.median(x), 2),
    "percentile": (lambda x, at, mask: np.percentile(x, [10, 90]), 4),
    "quantile": (lambda x, at, mask: np.quantile(x, 0.3), 2),
    "unique": (lambda x, at, mask: np.unique(x), 2),
    "union1d": (lambda x, at, mask: np.union1d(at, at + 7), 6),
    "intersect1d": (lambda x, at, mask: np.intersect1d(at, at + 7), 6),
    "setxor1d": (lambda x, at, mask: np.setxor1d(at, at + 7), 6),
    "histogram": (lambda x, at, mask: np.histogram(x, 50)[0], 1),
    "bincount": (lambda x, at, mask: np.bincount(at % 100), 1),
    "searchsorted": (lambda x, at, mask: np.searchsorted(np.sort(x), x[::-1]), 5),
    "isin": (lambda x, at, mask: np.isin(at, at + 7), 6),
    "setdiff1d": (lambda x, at, mask: np.setdiff1d(at, at + 7), 6),
    "digitize": (lambda x, at, mask: np.digitize(x, np.sort(x[:1000])), 1),
    "take": (lambda x, at, mask: np.take(x, at), 2),
    "put": (lambda x, at, mask: np.put(x, at, x), 3),
    "x[at]": (lambda x, at, mask: x[at], 2),
    "x[mask]": (lambda x, at, mask: x[mask], 1),
    "nonzero": (lambda x, at, mask: np.nonzero(mask), 1),
    "argwhere": (lambda x, at, mask: np.argwhere(mask), 1),
    "flatnonzero": (lambda x, at, mask: np.flatnonzero(mask), 1),
    "extract": (lambda x, at, mask: np.extract(mask, x), 1),
    "compress": (lambda x, at, mask: np.compress(mask, x), 1),
    "add.at": (lambda x, at, mask: np.add.at(x, at, x), 3),
    "roll": (lambda x, at, mask: np.roll(x, 12_345), 3),
    "repeat": (lambda x, at, mask: np.repeat(x, 2), 1),
    "repeat counts": (lambda x, at, mask: np.repeat(x, at % 3), 1),
    "concatenate": (lambda x, at, mask: np.concatenate([x, x[::-1]]), 3),
    "delete": (lambda x, at, mask: np.delete(x, 5), 1),
    "insert": (lambda x, at, mask: np.insert(x, 5, 1.0), 1),
    "cumsum": (lambda x, at, mask: np.cumsum(x), 1),
    "cumprod": (lambda x, at, mask: np.cumprod(x), 1),
    "maximum.accumulate": (lambda x, at, mask: np.maximum.accumulate(x), 1),
    "logaddexp.accumulate": (lambda x, at, mask: np.logaddexp.accumulate(x), 1),
    "permutation": (lambda x, at, mask: np.random.default_rng(1).permutation(x), 5),
    "plus transpose": (plus_transpose, 2),
    "fftn": (lambda x, at, mask: np.fft.fftn(x.reshape(40, 40, 50)), 3),
    "rfftn": (lambda x, at, mask: np.fft.rfftn(x.reshape(40, 40, 50)), 3),
    # Three transposes of complex numbers.
    "fft": (lambda x, at, mask: np.fft.fft(x), 6),
}


def sent(path):
    """The bytes that the busiest device sends, from a timeline."""
    devices = {}
    for event in json.loads(pathlib.Path(path).read_text())["traceEvents"]:
        if event.get("cat") == "message":
            device = event["pid"], event["tid"]
            devices[device] = devices.get(device, 0) + event["args"].get("bytes", 0)
    return max(devices.values(), default=0)


def measure(folder):
    """Prints the blocks that the busiest device sends for each function."""
    blocks = {}
    for number, (name, (program, _)) in enumerate(CASES.items()):
        path = os.environ["PHALANX_TRACE"] = os.path.join(folder, f"{number}.json")
        np.init(devices=f"cpu:{DEVICES}", split_from=1)
        rng = numpy.random.default_rng(0)
        x, at = np.array(rng.random(COUNT)), np.array(rng.integers(0, COUNT, COUNT))
        mask = np.array(rng.random(COUNT) > 0.5)
        np.evaluate(x, at, mask)
        result = program(x, at, mask)
        np.evaluate(*(result if isinstance(result, tuple) else [x if result is None else result]))
        np.shutdown()
        blocks[name] = sent(path) / (COUNT // DEVICES * 8)
    print(json.dumps(blocks))


def test_no_axis_is_gathered(tmp_path):
    folder = os.fspath(tmp_path)
    ended = worlds.run(f"""
import sys
sys.path.insert(0, {worlds.ROOT!r})
from tests.python import test_gathers
test_gathers.measure({folder!r})
""")
    blocks = json.loads(ended.stdout.splitlines()[-1])
    assert blocks.keys() == CASES.keys()
    too_many = {name: found for name, found in blocks.items() if found > CASES[name][1]}
    assert too_many == {}
