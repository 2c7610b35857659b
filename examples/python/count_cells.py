"""Counts cells in an image: smoothed, cut off, opened, parted at necks, labelled and measured.

    python examples/python/count_cells.py [--image nuclei | coins | drawn | FILE] [--picture FILE]

`nuclei` is a fluorescence micrograph of 512 x 512 elements from the package stardist, in which 125
nuclei were marked by hand (image set BBBC038 of the Broad Institute), and `coins` a photograph of
24 coins from scikit-image. The packages are not imported, so `pip install --no-deps stardist` is
enough. Without `--image`, it is the nuclei if they are installed; otherwise spots are drawn. The
same program runs on any number of devices, and counts the same there. With `--picture`, the image
and its parts are written as a picture (matplotlib).
"""

import argparse
import importlib.util
import pathlib

import numpy

import phalanx as np
from phalanx.scipy import ndimage

# Images in packages: what pip installs, and the file.
PACKAGED = {
    "nuclei": ("stardist", "stardist/data/images/img2d.tif"),
    "coins": ("scikit-image", "skimage/data/coins.png"),
}


def packaged(name):
    """The file of an image in a package; None if the package is not installed."""
    file = pathlib.Path(PACKAGED[name][1])
    found = importlib.util.find_spec(file.parts[0])
    path = pathlib.Path(found.submodule_search_locations[0]).parent / file if found else None
    return path if path and path.exists() else None


def read(path):
    """An image in a file, in shades of grey."""
    from matplotlib import image

    pixels = image.imread(path)
    return pixels[..., :3].mean(axis=-1) if pixels.ndim == 3 else pixels


def drawn(side, cells, seed=0):
    """An image with `cells` spots of random sizes, and noise."""
    generator = numpy.random.default_rng(seed)
    rows, columns = numpy.mgrid[0:side, 0:side]
    image = 0.2 + 0.1 * rows / side + 0.02 * generator.standard_normal((side, side))
    step = side // int(numpy.ceil(numpy.sqrt(cells)))
    places = [(row, column) for row in range(step // 2, side, step)
              for column in range(step // 2, side, step)][:cells]
    for row, column in places:
        row, column = (row, column) + generator.uniform(-step / 8, step / 8, 2)
        radius = generator.uniform(step / 8, step / 5)
        image += 0.6 * numpy.exp(-((rows - row) ** 2 + (columns - column) ** 2) / radius**2)
    return image


def threshold(image, bins=256):
    """The number that parts dark and bright elements best: by Otsu's method, from a histogram.

    Counts are integers, so it is the same number on any devices.
    """
    counts, edges = np.histogram(image, bins)
    values = (edges[1:] + edges[:-1]) / 2
    below, sums = np.cumsum(counts)[:-1], np.cumsum(counts * values)
    above = counts.sum() - below
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / above
    return values[int(np.argmax(below * above * apart**2))]


def counted(image):
    """The labels of the cells, their number, and their areas and centres."""
    image = np.array(image, dtype="f4")
    # The brightest cells would raise the threshold above the others.
    image = np.minimum(image / image.max(), np.percentile(image / image.max(), 97))
    # Uneven ground is what remains of a wide mean.
    ground = ndimage.uniform_filter(image, size=image.shape[0] // 4 | 1)
    smooth = ndimage.gaussian_filter(ndimage.median_filter(image, 3), sigma=1.0) - ground
    mask = ndimage.binary_opening(smooth > threshold(smooth), iterations=2)
    mask = ndimage.binary_fill_holes(mask)
    # Cells that touch have a neck between them: each centre is far from the border.
    depth = ndimage.gaussian_filter(ndimage.distance_transform_edt(mask), sigma=1.5)
    peaks = mask & (depth == ndimage.maximum_filter(depth, size=9))
    centres, count = ndimage.label(peaks, np.ones((3, 3)))
    # An element belongs to the centre that is nearest to it.
    rows, columns = ndimage.distance_transform_edt(
        ~peaks, return_distances=False, return_indices=True
    )
    labels = np.where(mask, centres[rows, columns], 0)
    numbers = np.arange(1, count + 1)
    areas = ndimage.sum_labels(mask.astype("f8"), labels, numbers)
    return labels, count, areas, ndimage.center_of_mass(mask, labels, numbers)


def main(name=None, picture=None, side=512, cells=81):
    """Counts the cells of an image; returns their number."""
    if name is None:
        name = "nuclei" if packaged("nuclei") else "drawn"
    if name == "drawn":
        image = drawn(side, cells)
    elif name in PACKAGED and packaged(name) is None:
        raise SystemExit(f"{name}: pip install --no-deps {PACKAGED[name][0]}")
    else:
        image = read(packaged(name) if name in PACKAGED else name)
    labels, count, areas, centres = counted(image)
    areas = np.asnumpy(areas)
    print(f"{name}: {count} cells, of {areas.min():.0f} to {areas.max():.0f} elements")
    if picture is not None:
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 5), layout="constrained")
        left.imshow(image, cmap="gray", vmax=numpy.percentile(image, 99))
        left.set_title("image")
        labels = np.asnumpy(labels)
        right.imshow(numpy.ma.masked_equal(labels % 19 + (labels > 0), 0), cmap="tab20")
        for row, column in centres:
            right.plot(float(column), float(row), "k+", markersize=4)
        right.set_title(f"{count} parts")
        figure.savefig(picture)
    return count


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--image", help="nuclei, coins, drawn, or a file")
    options.add_argument("--picture", help="a file for a picture of the parts")
    given = options.parse_args()
    main(given.image, given.picture)
