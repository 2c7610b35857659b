"""A map of temperatures from measurements at scattered stations, and one from their triangles.

    python examples/python/station_map.py [PICTURE.png]

The stations and their measurements are generated. Radial basis functions make a smooth map that
allows for the errors of the measurements; linear interpolation in the triangles of stations passes
through them, and ends at the outermost stations. Points of both maps are computed where they are,
on any number of devices. With an argument, the maps are written as a picture (matplotlib).
"""

import sys

import numpy

import phalanx as np
from phalanx.scipy import interpolate


def temperature(x, y):
    """The temperature at a position, in degrees: warm in the south, cold on two mountains."""
    cold = 9.0 * np.exp(-((x - 60) ** 2 + (y - 65) ** 2) / 250)
    cold = cold + 6.0 * np.exp(-((x - 25) ** 2 / 120 + (y - 30) ** 2 / 500))
    return 18.0 - 0.08 * y + 1.5 * np.sin(x / 15) - cold


def measured(stations, error=0.3, seed=0):
    """The positions of stations, in kilometres, and what they measure."""
    generator = np.random.default_rng(seed)
    places = 100.0 * generator.random((stations, 2))
    truth = temperature(places[:, 0], places[:, 1])
    return places, truth + error * generator.standard_normal(stations)


def mapped(places, values, side):
    """The temperatures on a grid: smooth ones, and linear ones in triangles."""
    axis = np.linspace(0.0, 100.0, side)
    x, y = np.meshgrid(axis, axis)
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    smooth = interpolate.RBFInterpolator(places, values, smoothing=30.0)(points)
    linear = interpolate.griddata(places, values, (x, y), method="linear")
    return x, y, smooth.reshape(side, side), linear


def main(picture=None, stations=400, side=256):
    """Computes both maps; returns the root of the mean squared error of each, in degrees."""
    places, values = measured(stations)
    x, y, smooth, linear = mapped(places, values, side)
    truth = temperature(x, y)
    # Triangles do not cover the border of the map.
    known = ~np.isnan(linear)
    errors = []
    for one in (smooth, linear):
        squares = np.where(known, one - truth, 0.0) ** 2
        errors.append(float(np.sqrt(squares.sum() / known.sum())))
    print(f"{stations} stations, {side * side} points; errors of the smooth map {errors[0]:.2f}, "
          f"of triangles {errors[1]:.2f} degrees")
    if picture is not None:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained", sharey=True)
        levels = numpy.linspace(0, 20, 21)
        titles = ("temperature", f"radial functions, error {errors[0]:.2f}",
                  f"triangles, error {errors[1]:.2f}")
        for panel, one, title in zip(axes, (truth, smooth, linear), titles):
            shown = panel.contourf(*map(np.asnumpy, (x, y, one)), levels, cmap="RdYlBu_r",
                                   extend="both")
            panel.set(title=title, xlabel="km", aspect="equal")
        for panel in axes[1:]:
            panel.plot(*np.asnumpy(places).T, "k.", markersize=2)
        axes[0].set_ylabel("km")
        figure.colorbar(shown, ax=axes, label="degrees")
        figure.savefig(picture)
    return tuple(errors)


if __name__ == "__main__":
    main(*sys.argv[1:2])
