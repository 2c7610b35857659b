"""Heat in a plate: a stencil over two axes as a kernel that is written in Python.

Each thread updates one element. Prints the temperature in the middle.
"""

import phalanx as np
from phalanx.x import jit


@jit.rawkernel()
def diffuse(before, after, factor):
    i, j = jit.grid(2)
    rows, columns = before.shape
    if 0 < i and i < rows - 1 and 0 < j and j < columns - 1:
        around = before[i - 1, j] + before[i + 1, j] + before[i, j - 1] + before[i, j + 1]
        after[i, j] = before[i, j] + factor * (around - 4 * before[i, j])
    elif i < rows and j < columns:
        after[i, j] = before[i, j]


def main(size=16_384, steps=4):
    """The plate before and after a number of steps; ``size`` is the number of elements, a
    square."""
    side = round(size**0.5)
    place = np.linspace(-2, 2, side)
    first = np.exp(-(place * place))[:, np.newaxis] * np.cos(place)
    before, after = first.copy(), np.empty_like(first)
    blocks = (side + 15) // 16
    for _ in range(steps):
        diffuse((blocks, blocks), (16, 16), (before, after, 0.2))
        before, after = after, before
    return {"before": first, "after": before}


if __name__ == "__main__":
    print(f"in the middle {float(main()['after'].max()):.6f}")
