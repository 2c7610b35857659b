"""Plain NumPy programs beside NumPy: python benches/programs.py [--size small|large] [--only NAME].

Each program runs unchanged with both modules, in two processes, on the same inputs. Prints the
milliseconds of the best of several runs after a first one, the first run, and NumPy's time divided
by ours; at the end their geometric mean. Results are compared.
"""

import importlib
import json
import math
import subprocess
import sys
import time

RUNS, SECONDS = 15, 1.0


def jacobi_2d(np, steps, n):
    a = np.fromfunction(lambda i, j: i * (j + 2) / n, (n, n), dtype=np.float64)
    b = np.fromfunction(lambda i, j: i * (j + 3) / n, (n, n), dtype=np.float64)
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def heat_3d(np, steps, n):
    a = np.fromfunction(lambda i, j, k: (i + j + (n - k)) * 10 / n, (n, n, n), dtype=np.float64)
    for _ in range(steps):
        c = a[1:-1, 1:-1, 1:-1]
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * c + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * c + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * c + a[1:-1, 1:-1, :-2])
            + c
        )
    return a


def lu_by_rows(np, n):
    a = np.fromfunction(lambda i, j: 1.0 / (i + j + 1), (n, n)) + n * np.eye(n)
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def cholesky_by_rows(np, n):
    a = np.fromfunction(lambda i, j: 1.0 / (i + j + 1), (n, n)) + n * np.eye(n)
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def seidel_2d(np, steps, n):
    a = np.fromfunction(lambda i, j: (i * (j + 2) + 2) / n, (n, n), dtype=np.float64)
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
                + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0
    return a


def longest_common(np, n):
    x = (np.arange(n) * 7 + 3) % 4
    y = (np.arange(n) * 5 + 1) % 4
    table = np.zeros((n + 1, n + 1), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            if x[i] == y[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table


def k_means(np, points, steps):
    index = np.arange(points * 8, dtype=np.float64).reshape(points, 8)
    x = np.sin(index * 12.9898) * 43758.5453
    x = x - np.floor(x)
    centres = x[:16].copy()
    for _ in range(steps):
        distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = np.argmin(distance, axis=1)
        for k in range(16):
            mask = nearest == k
            count = mask.sum()
            if count > 0:
                centres[k] = (x * mask[:, None]).sum(axis=0) / count
    return centres


def n_body(np, n, steps):
    index = np.arange(n, dtype=np.float64)
    position = np.stack([np.sin(index), np.cos(2 * index), np.sin(3 * index)], axis=1)
    velocity = np.zeros((n, 3))
    mass = 20.0 * np.ones((n, 1)) / n
    for _ in range(steps):
        x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inverse = (dx**2 + dy**2 + dz**2 + 0.01) ** -1.5
        acceleration = np.hstack((
            (dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass,
        ))
        velocity += acceleration * 0.01
        position += velocity * 0.01
    return position


def mandelbrot(np, n, steps):
    c = np.linspace(-2.25, 0.75, n)[None, :] + 1j * np.linspace(-1.25, 1.25, n)[:, None]
    count = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, dtype=np.complex128)
    for step in range(steps):
        inside = np.less(abs(z), 2.0)
        count[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    return count


def spectral_filter(np, n, steps):
    t = np.arange(n, dtype=np.float64)
    signal = np.sin(t * 0.01) + 0.5 * np.sin(t * 1.7)
    for _ in range(steps):
        spectrum = np.fft.rfft(signal)
        spectrum[np.abs(spectrum) < 0.1 * np.abs(spectrum).max()] = 0
        signal = np.fft.irfft(spectrum, n=n) * 0.99
    return signal


def crc16(np, n):
    data = (np.arange(n) * 31 + 7) % 256
    crc = 0xFFFF
    for i in range(n):
        b = int(data[i])
        current = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (current & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    return np.asarray([crc])


def back_substitution(np, n):
    a = np.fromfunction(lambda i, j: 1.0 / (i + j + 1), (n, n)) + n * np.eye(n)
    b = np.arange(n, dtype=np.float64)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def gram_schmidt(np, m, n):
    a = np.fromfunction(lambda i, j: ((i * j) % m) / m * 100 + 10, (m, n)) + np.eye(m, n)
    q, r = np.zeros((m, n)), np.zeros((n, n))
    for k in range(n):
        norm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(norm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, n):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q


PROGRAMS = {
    "jacobi_2d": (jacobi_2d, (50, 150), (100, 1500)),
    "heat_3d": (heat_3d, (25, 25), (50, 150)),
    "lu_by_rows": (lu_by_rows, (60,), (300,)),
    "cholesky_by_rows": (cholesky_by_rows, (70,), (300,)),
    "seidel_2d": (seidel_2d, (4, 50), (10, 200)),
    "longest_common": (longest_common, (60,), (300,)),
    "k_means": (k_means, (2000, 3), (200_000, 5)),
    "n_body": (n_body, (50, 20), (1000, 50)),
    "mandelbrot": (mandelbrot, (125, 20), (1000, 60)),
    "spectral_filter": (spectral_filter, (20_000, 5), (2_000_000, 5)),
    "crc16": (crc16, (1600,), (100_000,)),
    "back_substitution": (back_substitution, (400,), (3000,)),
    "gram_schmidt": (gram_schmidt, (60, 50), (240, 200)),
}


def measure(module, size, wanted):
    """Prints a line of JSON for each program: its name, first and best time, and a checksum."""
    np = importlib.import_module(module)
    for name, (program, small, large) in PROGRAMS.items():
        if wanted not in name:
            continue
        arguments = small if size == "small" else large
        times = []
        begun = time.perf_counter()
        while len(times) < 2 or (len(times) < RUNS and time.perf_counter() - begun < SECONDS):
            start = time.perf_counter()
            result = program(np, *arguments)
            total = float(abs(result).sum())
            times.append(time.perf_counter() - start)
        print(json.dumps([name, times[0] * 1e3, min(times[1:]) * 1e3, total]), flush=True)


def main():
    """Runs the programs with both modules, each in a process of its own."""
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    size, wanted = options.get("--size", "small"), options.get("--only", "")
    rows = {}
    for module in ("numpy", "phalanx"):
        command = [sys.executable, __file__, "--measure", module, size, wanted]
        lines = subprocess.run(command, capture_output=True, text=True, check=False)
        if lines.returncode != 0:
            print(lines.stderr[-2000:])
        for line in lines.stdout.splitlines():
            name, *values = json.loads(line)
            rows.setdefault(name, []).append(values)
    ratios = []
    print(f"{'program':18} {'NumPy ms':>10} {'ours ms':>10} {'first ms':>10} {'ratio':>6}")
    for name, measured in rows.items():
        if len(measured) < 2:
            print(f"{name:18} {measured[0][1]:10.2f}   failed")
            continue
        (_, numpy, expected), (first, ours, total) = measured
        ratios.append(numpy / ours)
        same = "" if math.isclose(expected, total, rel_tol=1e-6) else f"  {expected} != {total}"
        print(f"{name:18} {numpy:10.2f} {ours:10.2f} {first:10.2f} {numpy / ours:6.2f}{same}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f} of {len(ratios)} programs, {size}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:5])
    else:
        main()
