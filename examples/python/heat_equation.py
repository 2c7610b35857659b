"""The heat equation on a square plate by finite differences.

The left edge is held at 100 degrees and the others at 0. Each step moves every point towards the
mean of its neighbours. Prints the temperature at a few points, and the largest change of the last
step.
"""

import phalanx as np

POINTS, STEPS = 200, 500

plate = np.zeros((POINTS, POINTS))
plate[:, 0] = 100.0
for step in range(STEPS):
    inner = plate[1:-1, 1:-1]
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    change = 0.25 * around - inner
    plate[1:-1, 1:-1] += change

print(f"after {STEPS} steps")
for row, column in [(100, 1), (100, 5), (50, 10), (10, 20)]:
    print(f"  plate[{row}, {column}] = {float(plate[row, column]):.6f}")
print(f"mean {float(plate.mean()):.6f}, largest change {float(np.abs(change).max()):.6e}")
print("columns hotter than 50 on average:", int((plate.mean(axis=0) > 50).sum()))
