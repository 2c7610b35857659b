"""Bodies that attract each other, by the leapfrog method.

Softened gravity acts between all pairs. Prints the energy before and after, which the method keeps
nearly constant, the momentum, and the positions of the first bodies.
"""

import phalanx as np

BODIES, STEPS, STEP, SOFTENING = 300, 40, 0.002, 0.05

number = np.arange(BODIES)
height = 1.0 - 2.0 * (number + 0.5) / BODIES
angle = 2.399963 * number
ring = np.sqrt(1.0 - height**2)
position = np.stack([ring * np.cos(angle), ring * np.sin(angle), height], axis=1)
velocity = 0.3 * np.stack([-position[:, 1], position[:, 0], 0.1 * height], axis=1)
mass = (1.0 + (number % 3)) / BODIES


def separations(position):
    """The vectors between all pairs, and the inverse of their softened lengths."""
    vector = position[np.newaxis, :, :] - position[:, np.newaxis, :]
    return vector, 1.0 / np.sqrt((vector**2).sum(axis=2) + SOFTENING**2)


def acceleration(position):
    vector, inverse = separations(position)
    return (vector * (mass * inverse**3)[:, :, np.newaxis]).sum(axis=1)


def energy(position, velocity):
    _, inverse = separations(position)
    kinetic = 0.5 * (mass * (velocity**2).sum(axis=1)).sum()
    pairs = np.outer(mass, mass) * np.triu(inverse, 1)
    return float(kinetic - pairs.sum())


print(f"energy before {energy(position, velocity):.9f}")
force = acceleration(position)
for step in range(STEPS):
    velocity += 0.5 * STEP * force
    position += STEP * velocity
    force = acceleration(position)
    velocity += 0.5 * STEP * force
print(f"energy after  {energy(position, velocity):.9f}")
momentum = (mass[:, np.newaxis] * velocity).sum(axis=0)
print("momentum", " ".join(f"{value:.9f}" for value in momentum.tolist()))
for x, y, z in position[:3].tolist():
    print(f"  body at ({x:.6f}, {y:.6f}, {z:.6f})")
