"""A mixture of two normal distributions in the plane, fitted by expectation and maximisation.

An ElementwiseKernel computes the density of each point. Prints the means and the likelihood.
"""

import math

import phalanx as np

log_density = np.ElementwiseKernel(
    "T x, T y, T mean_x, T mean_y, T variance_x, T variance_y", "T z",
    """
    T dx = x - mean_x, dy = y - mean_y;
    z = -(dx * dx / variance_x + dy * dy / variance_y + log(variance_x) + log(variance_y)) / 2;
    """,
    "log_density",
)


def points(size):
    """Half of the points are around (-1, -1), the others around (2, 1)."""
    number = np.arange(size)
    first, second = (number + 0.5) * 0.7548776662 % 1.0, (number + 0.5) * 0.5698402909 % 1.0
    radius, angle = np.sqrt(-2 * np.log(1 - first)), 2 * np.pi * second
    group = number % 2
    x = np.where(group == 0, -1 + 0.8 * radius * np.cos(angle), 2 + radius * np.cos(angle))
    y = np.where(group == 0, -1 + radius * np.sin(angle), 1 + 0.6 * radius * np.sin(angle))
    return x, y


def fit(x, y, steps):
    """The means, the variances and the weights of the two parts, and the mean logarithm of the
    likelihood before the last step."""
    means = np.asarray([[-0.5, 0.0], [0.5, 0.0]])
    variances = np.ones((2, 2))
    weights = np.full(2, 0.5)
    likelihood = np.zeros(())
    row, column = np.stack([x, y]), (slice(None), np.newaxis)
    for _ in range(steps):
        each = log_density(
            x, y, means[:, 0][column], means[:, 1][column], variances[:, 0][column],
            variances[:, 1][column],
        ) + np.log(weights)[column]
        greatest = each.max(axis=0)
        total = greatest + np.log(np.exp(each - greatest).sum(axis=0))
        likelihood = total.mean() - math.log(2 * math.pi)
        share = np.exp(each - total)
        count = share.sum(axis=1)
        means = share @ row.T / count[column]
        variances = share @ (row * row).T / count[column] - means * means
        weights = count / x.size
    return means, variances, weights, likelihood


def main(size=100_000, steps=10):
    """The points, and what was fitted to them."""
    x, y = points(size)
    return {"points": (x, y), "fitted": fit(x, y, steps)}


if __name__ == "__main__":
    centres, _, shares, mean = main()["fitted"]
    for (centre_x, centre_y), share in zip(centres.tolist(), shares.tolist()):
        print(f"mean ({centre_x:9.6f}, {centre_y:9.6f}), weight {share:.6f}")
    print(f"logarithm of the likelihood {float(mean):.6f}")
