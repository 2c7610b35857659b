"""What devices send each other in a product of a sparse matrix and a vector, with rows and with
blocks of rows and columns: python benches/sparse_blocks.py [matrix.mtx] [--devices 2,4,8,16,32,64]
[--size 20].

Without a file, for generated patterns of about 2^size rows (power laws: 2^(size - 2)). With rows, a
device receives the elements of x that its rows need. With blocks, device (i, j) of a grid receives
the elements of x that its block needs (from its column of the grid) and sends the sums of the rows
that have entries in its block (to its row of the grid). Cuts give each part of the rows, and of the
columns, about as many entries. Printed are the largest numbers of elements that a device receives,
in thousandths of the mean number of its entries, the messages that it receives, and the ratio of its
entries to the mean; then the microseconds that these elements take with two networks, and those
that the entries take.
"""

import argparse
import math

import numpy
import scipy.io

ELEMENT, ENTRY = 8, 12
# Seconds of a message and bytes per second of a device, and of its memory.
NETWORKS = {"one host": (3e-6, 300e9), "hosts": (5e-6, 40e9)}
MEMORY = 3.5e12


def grid_points(side, axes):
    """The positions of the entries of the matrix of 2 `axes` + 1 points."""
    points = numpy.arange(side**axes)
    rows, columns = [points], [points]
    for axis in range(axes):
        step = side**axis
        at = points // step % side
        for way in (-1, 1):
            inside = points[(at + way >= 0) & (at + way < side)]
            rows.append(inside)
            columns.append(inside + way * step)
    return numpy.concatenate(rows), numpy.concatenate(columns)


def random_points(rows, entries, generator):
    return generator.integers(0, rows, (2, rows * entries))


def power_law(bits, entries, generator):
    """The positions of the edges of a random graph with a few very long rows (R-MAT: D. Chakrabarti,
    Y. Zhan, C. Faloutsos, SDM 2004)."""
    count = entries << bits
    positions = numpy.zeros((2, count), numpy.int64)
    for _ in range(bits):
        draw = generator.random(count)
        positions *= 2
        positions[0] += draw >= 0.76
        positions[1] += ((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)
    return positions


def patterns(bits):
    generator = numpy.random.default_rng(0)
    rows = 1 << bits
    yield "Poisson 2-D", math.isqrt(rows) ** 2, grid_points(math.isqrt(rows), 2)
    side = round(rows ** (1 / 3))
    yield "Poisson 3-D", side**3, grid_points(side, 3)
    yield "random, 16 a row", rows >> 2, random_points(rows >> 2, 16, generator)
    yield "power law, 16 a row", rows >> 2, power_law(bits - 2, 16, generator)


def parts_of(numbers, size, parts):
    """The part of each number among parts with about as many entries."""
    before = numpy.cumsum(numpy.bincount(numbers, minlength=size))
    return (before * parts - 1) // (before[-1] + 1)


def received(devices, elements, owners, size, count):
    """For each device, how many elements it receives, and from how many devices."""
    pairs = numpy.unique(devices * size + elements)
    devices, owners = pairs // size, owners[pairs % size]
    is_far = devices != owners
    devices, owners = devices[is_far], owners[is_far]
    senders = numpy.unique(devices * count + owners) // count
    return [numpy.bincount(of, minlength=count) for of in (devices, senders)]


def count(size, rows, columns, devices):
    """For rows and for blocks: elements and messages of the device that receives most, and entries
    of the one that has most."""
    owner = parts_of(rows, size, devices)
    device = owner[rows]
    by_rows = [of.max() for of in received(device, columns, owner, size, devices)]
    by_rows.append(numpy.bincount(device, minlength=devices).max())
    high = 1 << (devices.bit_length() // 2)
    wide = devices // high
    # A device has the elements of x and y of the middle of its row and column of the grid.
    row_part, column_part = parts_of(rows, size, high), parts_of(columns, size, wide)
    device = row_part[rows] * wide + column_part[columns]
    row_owner = row_part * wide + numpy.arange(size) * devices // size % wide
    column_owner = numpy.arange(size) * devices // size % high * wide + column_part
    both = zip(
        received(device, columns, column_owner, size, devices),
        received(device, rows, row_owner, size, devices),
    )
    by_blocks = [(x + y).max() for x, y in both]
    by_blocks.append(numpy.bincount(device, minlength=devices).max())
    return by_rows, by_blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--devices", default="2,4,8,16,32,64")
    parser.add_argument("--size", type=int, default=20)
    given = parser.parse_args()
    every = patterns(given.size)
    if given.file:
        matrix = scipy.io.mmread(given.file).tocoo()
        every = [(given.file, max(matrix.shape), matrix.coords)]
    titles = ["devices", "", "received", "messages", "entries", *NETWORKS, "memory"]
    for name, size, (rows, columns) in every:
        print(f"{name}: {size} rows, {rows.size} entries")
        print("".join(f"{title:>16}" for title in titles))
        for devices in map(int, given.devices.split(",")):
            mean = rows.size / devices
            for kind, found in zip(["rows", "blocks"], count(size, rows, columns, devices)):
                elements, messages, entries = map(int, found)
                times = [
                    messages * each + elements * ELEMENT / speed
                    for each, speed in NETWORKS.values()
                ]
                times.append(entries * ENTRY / MEMORY)
                numbers = [1e3 * elements / mean, messages, entries / mean]
                line = [f"{devices}", kind, *(f"{number:.2f}" for number in numbers)]
                line += [f"{1e6 * time:.1f}" for time in times]
                print("".join(f"{word:>16}" for word in line))


if __name__ == "__main__":
    main()
