"""Logistic regression by gradient descent.

Points with four features and a bias. The side of a plane determines the label of a point, and some
labels are flipped. Prints the weights, the loss and the fraction of correct predictions.
"""

import phalanx as np

SAMPLES, FEATURES, STEPS, RATE = 30_000, 4, 200, 0.5

number = np.arange(SAMPLES)[:, np.newaxis]
steps = np.array([0.6180339887, 0.7548776662, 0.8191725134, 0.8566748839])
features = 2.0 * ((number * steps) % 1.0) - 1.0
plane = np.array([1.5, -2.0, 0.5, 1.0])
score = features @ plane + 0.25
labels = (score > 0).astype(float)
labels[::17] = 1.0 - labels[::17]

design = np.concatenate([features, np.ones((SAMPLES, 1))], axis=1)
weights = np.zeros(FEATURES + 1)
for step in range(STEPS):
    chance = 1.0 / (1.0 + np.exp(-(design @ weights)))
    weights -= RATE * (design.T @ (chance - labels)) / SAMPLES

chance = 1.0 / (1.0 + np.exp(-(design @ weights)))
loss = -(labels * np.log(chance) + (1.0 - labels) * np.log1p(-chance)).mean()
right = ((chance > 0.5) == (labels > 0.5)).mean()
print("weights", " ".join(f"{weight:.6f}" for weight in weights.tolist()))
print(f"loss {float(loss):.8f}, correct {float(right):.6f}")
