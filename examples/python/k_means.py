"""K-means clustering of points around five centres.

Points come from a fixed sequence of numbers, so that every run clusters the same points. Prints the
number of points of each centre, the centres, and the sum of squared distances.
"""

import phalanx as np

POINTS, CENTRES, STEPS = 20_000, 5, 25

number = np.arange(POINTS)
group = number % CENTRES
# Two irrational steps around a circle fill a disc evenly.
angle, radius = 2.399963 * number, np.sqrt((number * 0.7548776662) % 1.0)
points = np.stack([np.cos(angle) * radius, np.sin(angle) * radius], axis=1)
points += np.stack([3.0 * np.cos(1.2566 * group), 3.0 * np.sin(1.2566 * group)], axis=1)

centres = points[:CENTRES].copy()
for step in range(STEPS):
    distance = ((points[:, np.newaxis, :] - centres[np.newaxis, :, :]) ** 2).sum(axis=2)
    nearest = distance.argmin(axis=1)
    member = (nearest[:, np.newaxis] == np.arange(CENTRES)).astype(float)
    counts = member.sum(axis=0)
    centres = (member.T @ points) / np.maximum(counts, 1.0)[:, np.newaxis]

print("points of each centre:", counts.astype(int).tolist())
for x, y in centres.tolist():
    print(f"  centre ({x:9.6f}, {y:9.6f})")
print(f"sum of squares {float(distance.min(axis=1).sum()):.6f}")
