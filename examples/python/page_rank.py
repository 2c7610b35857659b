"""PageRank of a generated web graph, by products of a sparse matrix and a vector.

Few pages have most of the links, as on the web. Prints the pages of the highest ranks.
"""

import phalanx as np
from phalanx.scipy import sparse


def links(pages, count, seed=1):
    """The matrix whose element (i, j) counts the links from page j to page i."""
    generator = np.random.default_rng(seed)
    # Pages of low numbers are linked often.
    to = (pages * generator.random(count) ** 4).astype("int64")
    start = (pages * generator.random(count)).astype("int64")
    return sparse.coo_array((np.ones(count), (to, start)), shape=(pages, pages)).tocsr()


def ranks(matrix, damping=0.85, tolerance=1e-12, most=200):
    """The ranks of the pages, whose sum is 1, and the number of steps."""
    pages = matrix.shape[0]
    out = matrix.sum(axis=0)
    weight = np.where(out > 0, 1 / np.maximum(out, 1), 0)
    is_dead_end = out == 0
    rank = np.full(pages, 1 / pages)
    for step in range(1, most + 1):
        # A reader on a page without links goes anywhere.
        lost = np.where(is_dead_end, rank, 0).sum()
        new = damping * (matrix @ (rank * weight) + lost / pages) + (1 - damping) / pages
        change = np.abs(new - rank).sum()
        rank = new
        if step % 10 == 0 and float(change) < tolerance:
            break
    return rank, step


def main(pages=100_000, count=1_000_000):
    """The ranks of the pages and the number of steps."""
    matrix = links(pages, count)
    rank, steps = ranks(matrix)
    return {"matrix": matrix, "ranks": rank, "steps": steps}


if __name__ == "__main__":
    found = main()
    best = np.argsort(found["ranks"])[::-1][:5]
    print(f"{found['steps']} steps; best pages: {best.tolist()}")
