"""Poisson's equation on a square by conjugate gradients, without a matrix.

An ElementwiseKernel applies the operator and fused reductions compute the products. Prints the
residual.
"""

import phalanx as np

# The difference of an inner element from its four neighbours, in an array with a margin of zeros.
apply = np.ElementwiseKernel(
    "T middle, T left, T right, T above, T below", "T z",
    "z = 4 * middle - left - right - above - below",
    "laplacian",
)
step_along = np.ElementwiseKernel("T x, T y, T factor", "T z", "z = x + factor * y", "step_along")


def operator(x):
    """The discrete Laplacian, with zeros outside of the square."""
    wide = np.pad(x, 1)
    return apply(x, wide[1:-1, :-2], wide[1:-1, 2:], wide[:-2, 1:-1], wide[2:, 1:-1])


def solve(right, steps):
    """The solution after a number of steps, and the norm of its residual."""
    x = np.zeros_like(right)
    residual = right.copy()
    direction = residual
    square = (residual * residual).sum()
    for _ in range(steps):
        image = operator(direction)
        factor = square / (direction * image).sum()
        x = step_along(x, direction, factor)
        residual = step_along(residual, image, -factor)
        after = (residual * residual).sum()
        direction = step_along(residual, direction, after / square)
        square = after
    return x, np.sqrt(square)


def main(size=65_536, steps=40):
    """The right side, the solution and the norm of its residual; ``size`` is the number of
    elements, a square."""
    side = round(size**0.5)
    place = np.linspace(0, 1, side)
    right = np.sin(3 * np.pi * place)[:, np.newaxis] * (place * (1 - place)) + place[:, np.newaxis]
    return {"right": right, "solution": solve(right, steps)}


if __name__ == "__main__":
    solution = main()["solution"]
    print(f"residual {float(solution[1]):.6f}, middle {float(solution[0].max()):.6f}")
