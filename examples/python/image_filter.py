"""Filters of an image: blur, edges, threshold and histogram.

The image is a pattern of rings with a bright square. Prints statistics of the filtered images.
"""

import phalanx as np

SIZE, RADIUS = 256, 3

y, x = np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing="ij")
distance = np.hypot(x - SIZE / 2, y - SIZE / 2)
image = 127.5 + 127.5 * np.cos(distance / 6.0)
image[40:80, 150:200] = 255.0

# A Gaussian blur along each axis, with the edges repeated.
offsets = np.arange(-RADIUS, RADIUS + 1)
kernel = np.exp(-(offsets**2) / 4.5)
kernel = (kernel / kernel.sum()).tolist()
padded = np.pad(image, RADIUS, mode="edge")
rows = sum(kernel[k] * padded[k : k + SIZE, :] for k in range(2 * RADIUS + 1))
blurred = sum(kernel[k] * rows[:, k : k + SIZE] for k in range(2 * RADIUS + 1))

# Edges by the Sobel operator.
p = np.pad(blurred, 1, mode="edge")
across = (p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2])
down = (p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:])
edges = np.sqrt(across**2 + down**2)
mask = edges > np.percentile(edges, 90)

counts, bounds = np.histogram(blurred, bins=8, range=(0.0, 256.0))
print(f"blurred: mean {float(blurred.mean()):.6f}, deviation {float(blurred.std()):.6f}")
print(f"edges: strongest {float(edges.max()):.6f}, points in the mask {int(mask.sum())}")
print("histogram", counts.tolist())
row, column = np.unravel_index(int(edges.argmax()), edges.shape)
print(f"strongest edge in row {int(row)}, column {int(column)}")
print("rows of the mask that are not empty:", int(mask.any(axis=1).sum()))
