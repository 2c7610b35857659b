"""Clusters of points by the eigenvectors of a graph's Laplacian.

The points lie on two rings, one inside the other, which no straight line separates. Each point is
joined to its nearest neighbours. Prints how many points are in the cluster of their ring.
"""

import phalanx as np
from phalanx.scipy import sparse
from phalanx.scipy.sparse.linalg import lobpcg


def rings(count, seed=2):
    """Points on two rings, and the ring of each."""
    generator = np.random.default_rng(seed)
    ring = np.arange(count) % 2
    angle = 2 * np.pi * np.arange(count) / count
    radius = 1 + ring + 0.05 * generator.standard_normal(count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), ring


def neighbours(points, k):
    """The symmetric matrix with 1 where one of two points is among the k nearest of the other."""
    count = len(points)
    square = (points**2).sum(axis=1)
    distance = square[:, np.newaxis] + square - 2 * points @ points.T
    nearest = np.argsort(distance, axis=1)[:, 1 : k + 1]
    rows = np.repeat(np.arange(count), k)
    graph = sparse.coo_array((np.ones(count * k), (rows, nearest.ravel())), shape=(count, count))
    graph = graph.tocsr()
    return graph.maximum(graph.T)


def clusters(graph):
    """The cluster of each point: the sign of the second eigenvector of the normalised graph."""
    degree = graph.sum(axis=1)
    scale = sparse.diags(1 / np.sqrt(degree))
    # The largest eigenvalues of D^-1/2 W D^-1/2 belong to the smallest of the Laplacian. Parts that
    # are not joined have equal eigenvalues, which a block of vectors finds.
    start = np.random.default_rng(4).standard_normal((len(degree), 4))
    matrix = (scale @ graph @ scale).tocsr()
    values, vectors = lobpcg(matrix, start, largest=True, tol=1e-6, maxiter=300)
    vectors = vectors[:, :2] / np.sqrt(degree)[:, np.newaxis]
    # Both are constant on each cluster, and their differences tell the clusters apart.
    first = vectors[0]
    return (np.abs(vectors - first).sum(axis=1) > 1e-3 * np.abs(vectors).max()).astype("int64")


def main(count=600, k=8):
    """The points, their rings and their clusters."""
    points, ring = rings(count)
    return {"points": points, "ring": ring, "cluster": clusters(neighbours(points, k))}


if __name__ == "__main__":
    found = main()
    equal = int((found["ring"] == found["cluster"]).sum())
    print(f"{max(equal, len(found['ring']) - equal)} of {len(found['ring'])} points")
