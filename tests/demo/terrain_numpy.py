"""The terrain program (examples/terrain.rs) in NumPy: prints the same JSON document.

    python terrain_numpy.py [INPUT] [--cell X,Y] [--scale N] [--steps N] [--save FILE.npz]

compare.py compares the two documents. INPUT is an .npy or .npz file, or, where Pillow is
installed, a .png file.
"""

import argparse
import json
import math
import pathlib

import numpy as np

METRES_PER_DEGREE = 111_200.0
DEGREES = 180.0 / math.pi
BINS = 32
PERCENTILES = [5.0, 25.0, 50.0, 75.0, 95.0]
TILE_SIDE = 20
STEEP = 25.0


def read_png(path):
    """Grey samples, or the luminance (ITU-R BT.601) of coloured ones."""
    from PIL import Image

    image = Image.open(path)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    pixels = np.asarray(image).astype(float)
    if image.mode == "1":
        pixels *= 255.0
    if pixels.ndim == 2:
        return pixels
    if pixels.shape[2] <= 2:
        return pixels[:, :, 0]
    red, green, blue = (pixels[:, :, channel] for channel in range(3))
    return (299.0 * red + 587.0 * green + 114.0 * blue) / 1000.0


def load(path):
    """The heights, and the size of a cell if the file states it."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        return read_png(path), None
    file = np.load(path)
    if suffix == ".npy":
        return file, None
    height = file["elevation" if "elevation" in file.files else file.files[0]]
    if not {"elevation", "dx", "dy", "ymin"} <= set(file.files):
        return height, None
    dx, dy, latitude = (float(file[name]) for name in ("dx", "dy", "ymin"))
    x = METRES_PER_DEGREE * dx * math.cos(math.radians(latitude))
    return height, (x, METRES_PER_DEGREE * dy)


def neighbours(height):
    """The cells to the north, south, west and east of every inner cell, and the cell itself."""
    return (
        height[:-2, 1:-1],
        height[2:, 1:-1],
        height[1:-1, :-2],
        height[1:-1, 2:],
        height[1:-1, 1:-1],
    )


def relief(height, x, y):
    """Slope, aspect, curvature, hillshade, and a mask of flat cells."""
    north, south, west, east, centre = neighbours(height)
    eastward = (east - west) / (2.0 * x)
    northward = (north - south) / (2.0 * y)
    rise = np.hypot(eastward, northward)
    flat = rise == 0.0
    slope = np.arctan(rise) * DEGREES

    bearing = np.arctan2(-eastward, -northward) * DEGREES
    bearing = np.where(bearing < 0.0, bearing + 360.0, bearing)
    aspect = np.where(flat, -1.0, bearing)

    curvature = (west - 2.0 * centre + east) / (x * x) + (north - 2.0 * centre + south) / (y * y)

    azimuth, altitude = math.radians(315.0), math.radians(45.0)
    light_east = math.sin(azimuth) * math.cos(altitude)
    light_north = math.cos(azimuth) * math.cos(altitude)
    light = math.sin(altitude) - (eastward * light_east + northward * light_north)
    shade = light / np.sqrt(eastward * eastward + northward * northward + 1.0)
    hillshade = np.floor(np.maximum(shade, 0.0) * 255.0 + 0.5).astype(np.uint8)
    return slope, aspect, curvature, hillshade, flat


def smooth(height, steps):
    height = height.copy()
    north, south, west, east, centre = neighbours(height)
    for _ in range(steps):
        centre += 0.2 * (north + south + west + east - 4.0 * centre)
    return height


def analyse(height, cell, scale, steps):
    """The document and the arrays."""
    height = np.tile(height.astype(float), (scale, scale))
    slope, aspect, curvature, hillshade, flat = relief(height, *cell)
    counts, edges = np.histogram(height, BINS)
    percentiles = np.percentile(height, PERCENTILES)

    rows, columns = height.shape
    side = min(TILE_SIDE, rows, columns)
    down, across = rows // side, columns // side
    tiles = height[: down * side, : across * side].reshape(down, side, across, side)
    tile_mean, tile_variance = tiles.mean((1, 3)), tiles.var((1, 3))

    steep = slope > STEEP
    steep_heights = height[1:-1, 1:-1][steep]
    summit_row, summit_column = np.unravel_index(height.argmax(), height.shape)
    smoothed = smooth(height, steps)

    arrays = {
        "slope": slope,
        "aspect": aspect,
        "curvature": curvature,
        "hillshade": hillshade,
        "histogram_counts": counts,
        "histogram_edges": edges,
        "percentiles": percentiles,
        "tile_mean": tile_mean,
        "tile_variance": tile_variance,
        "smoothed": smoothed,
    }
    document = {
        "shape": list(height.shape),
        "cell": list(cell),
        "scale": scale,
        "steps": steps,
        "height": {
            "minimum": height.min(),
            "maximum": height.max(),
            "mean": height.mean(),
            "standard_deviation": height.std(),
            "percentiles": [list(pair) for pair in zip(PERCENTILES, percentiles)],
        },
        "histogram": {"counts": counts.tolist(), "edges": edges.tolist()},
        "summit": {"row": summit_row, "column": summit_column},
        "steep": {
            "degrees": STEEP,
            "cells": np.count_nonzero(steep),
            "mean_height": steep_heights.mean() if steep_heights.size else None,
        },
        "flat_cells": np.count_nonzero(flat),
        "slope": {"mean": slope.mean(), "maximum": slope.max()},
        "tiles": {
            "side": side,
            "shape": list(tile_mean.shape),
            "lowest_mean": tile_mean.min(),
            "highest_mean": tile_mean.max(),
            "largest_variance": tile_variance.max(),
        },
        "smoothed": {
            "minimum": smoothed.min(),
            "maximum": smoothed.max(),
            "mean_change": np.abs(height - smoothed).mean(),
        },
        "arrays": {name: sums(array) for name, array in arrays.items()},
    }
    return document, arrays


def sums(array):
    wide = array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "sum_absolute": np.abs(wide).sum(),
        "sum_squares": (wide * wide).sum(),
    }


def cell_size(text):
    lengths = [float(length) for length in text.split(",")]
    return (lengths * 2)[:2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parents[2]
    default = root / "data" / "jacksboro_fault_dem.npz"
    parser.add_argument("input", nargs="?", type=pathlib.Path, default=default)
    parser.add_argument("--cell", type=cell_size)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--save", type=pathlib.Path, help="write the arrays to this .npz file")
    arguments = parser.parse_args()

    height, own_cell = load(arguments.input)
    cell = arguments.cell or own_cell or (1.0, 1.0)
    document, arrays = analyse(height, cell, arguments.scale, arguments.steps)
    if arguments.save:
        np.savez(arguments.save, **arrays)
    print(json.dumps(document, indent=2, sort_keys=True, default=lambda number: number.item()))


if __name__ == "__main__":
    main()
