"""Draws weak scaling: python benches/weak.py TABLE PICTURE, of the table that the benchmark `weak`
prints. The time on one device divided by the time on several, which have as much each. Needs
matplotlib.
"""

import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def main(table, picture):
    with open(table, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    head, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    curves = {}
    for row in rows:
        found = dict(zip(head, row, strict=True))
        curves.setdefault(found["case"], []).append((int(found["devices"]), float(found["ratio"])))
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    marks = iter("osv^D*Xp")
    for case, points in curves.items():
        devices, ratios = zip(*points, strict=True)
        axes.plot(devices, [1 / ratio for ratio in ratios], marker=next(marks), label=case)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 8, 64, 512, 4096], ["1", "8", "64", "512", "4096"])
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("GPUs, each with the same share")
    axes.set_ylabel("efficiency, predicted")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right", bbox_to_anchor=(1.28, 1.0), fontsize=8)
    figure.savefig(picture, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
