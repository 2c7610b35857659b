"""Counts bright spots in an image: smoothed, cut off, opened, labelled and measured.

    python examples/python/count_cells.py [IMAGE.png] [PICTURE.png]

Without an image, a field of overlapping spots on uneven ground is drawn. The same program runs on
any number of devices; they exchange the rows at the borders of their blocks. With a second
argument, the image and its parts are written as a picture (matplotlib).
"""

import sys

import numpy

import phalanx as np
from phalanx.scipy import ndimage


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
    return image.astype(numpy.float32)


def counted(image):
    """The labels of the spots, their number, and their areas and centres."""
    image = np.array(image)
    # Uneven ground is what remains of a wide mean.
    ground = ndimage.uniform_filter(image, size=image.shape[0] // 4 | 1)
    smooth = ndimage.gaussian_filter(ndimage.median_filter(image, 3) - ground, sigma=1.5)
    threshold = smooth.mean() + 1.0 * smooth.std()
    mask = ndimage.binary_opening(smooth > threshold, iterations=2)
    mask = ndimage.binary_fill_holes(mask)
    labels, count = ndimage.label(mask)
    numbers = numpy.arange(1, count + 1)
    areas = ndimage.sum_labels(mask.astype("f8"), labels, numbers)
    centres = ndimage.center_of_mass(smooth - smooth.min(), labels, numbers)
    return labels, count, areas, centres


def main(path=None, picture=None, side=512, cells=81):
    """Counts the spots of an image, or of a drawn one; returns their number."""
    if not path:
        image = drawn(side, cells)
    else:
        from matplotlib import pyplot

        image = pyplot.imread(path)
        image = image[..., :3].mean(axis=-1) if image.ndim == 3 else image
        image = (image / image.max()).astype(numpy.float32)
    labels, count, areas, centres = counted(image)
    areas = np.asnumpy(areas)
    print(f"{count} spots, of {areas.min():.0f} to {areas.max():.0f} elements")
    if picture is not None:
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 5), layout="constrained")
        left.imshow(image, cmap="gray")
        left.set_title("image")
        labels = np.asnumpy(labels)
        right.imshow(numpy.ma.masked_equal(labels % 19 + (labels > 0), 0), cmap="tab20")
        for row, column in centres:
            right.plot(float(column), float(row), "k+", markersize=4)
        right.set_title(f"{count} parts")
        figure.savefig(picture)
    return count


if __name__ == "__main__":
    main(*sys.argv[1:3])
