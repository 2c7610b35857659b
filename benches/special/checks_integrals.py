"""Exponential integrals and incomplete gamma and beta functions."""

from mpmath import mp, mpf
from checks_gamma import pairs, powers, rng, safe, uniform
import numpy as np


def gammainc(a, x, digits=60):
    with mp.workdps(digits):
        return mp.gammainc(a, 0, x, regularized=True)


def gammaincc(a, x):
    with mp.workdps(60):
        return mp.gammainc(a, x, mp.inf, regularized=True)


def near(low, high, n, spread):
    """Pairs of a and an x near it."""
    a = 10 ** rng.uniform(low, high, n)
    return list(zip(a, a * np.exp(rng.normal(0, 1, n) * spread / np.sqrt(a))))


def betainc(a, b, x):
    with mp.workdps(60):
        return mp.betainc(a, b, 0, x, regularized=True)


def betaincc(a, b, x):
    with mp.workdps(60):
        return mp.betainc(b, a, 0, 1 - x, regularized=True)


def beta_points(n, low, high):
    a, b = 10 ** rng.uniform(low, high, (2, n))
    x = a / (a + b)
    u = np.log(a / b) + rng.normal(0, 2, n) * np.sqrt(1 / a + 1 / b)
    x = 1 / (1 + np.exp(-u))
    return [p for p in zip(a, b, x) if 1e-290 < p[2] < 1]


def spence(z):
    with mp.workdps(60):
        return mp.re(mp.polylog(2, 1 - z))


gamma_points = (
    pairs(powers(-2, 1.3, 300), powers(-3, 1.7, 300))
    + near(0, 3, 200, 3)
    + near(1, 3, 100, 8)
    + near(3, 6, 20, 2)
)
CHECKS = {
    "exp1": (mp.e1, powers(-10, 2.8, 400) + uniform(0, 12)),
    "expi": (mp.ei, powers(-10, 2.8, 400) + uniform(-12, 60, 400) + uniform(0.3, 0.45)),
    "expn": (
        safe(lambda n, x: mp.expint(int(n), x)),
        [(n, x) for n in range(0, 30) for x in powers(-3, 2, 12)],
    ),
    "shichi_shi": (mp.shi, powers(-10, 2.8, 200) + uniform(-12, 12)),
    "shichi_chi": (
        lambda x: mp.re(mp.chi(abs(x))),
        powers(-10, 2.8, 200) + uniform(-12, 12) + uniform(0.5, 0.6),
    ),
    "sici_si": (mp.si, powers(-10, 2.8, 200) + uniform(-42, 42)),
    "sici_ci": (
        lambda x: mp.ci(abs(x)),
        powers(-10, 2.8, 200) + uniform(-3.6, 42) + uniform(0.5, 0.7),
    ),
    "fresnel_s": (mp.fresnels, powers(-10, 5, 200) + uniform(-6, 6)),
    "fresnel_c": (mp.fresnelc, powers(-10, 5, 200) + uniform(-6, 6)),
    "spence": (spence, powers(-10, 5, 200) + uniform(0, 3)),
    "gammainc": (gammainc, gamma_points),
    "gammaincc": (gammaincc, gamma_points),
    "betainc": (betainc, beta_points(150, -2, 2) + beta_points(50, 2, 3)),
    "betaincc": (betaincc, beta_points(150, -2, 2) + beta_points(50, 2, 3)),
}


def check_inverse(lib, name, cdf, density, points, position=-1):
    """Prints the largest relative error of x, divided by the condition number if above 1."""
    import check

    worst = (-1, None)
    values = lib(name, *np.array(points).T)
    for point, x in zip(points, values):
        if not np.isfinite(x) or x == 0:
            continue
        a = [mpf(float(v)) for v in point[:-1]]
        p = mpf(float(point[-1]))
        try:
            with mp.workdps(60):
                f = cdf(*a, mpf(float(x)))
                d = density(*a, mpf(float(x)))
                step = (f - p) / d
                check.record(
                    name, point, mpf(float(x)) - step, 16.0 + 8 * float(abs(p / d / mpf(float(x))))
                )
                error = abs(step / mpf(float(x))) * 2**52
                condition = abs(p / d / mpf(float(x)))
        except Exception:
            continue
        scaled = float(error / max(condition, 1))
        if scaled > worst[0]:
            worst = (scaled, point, float(x), float(error), float(condition))
    print(
        f"{name:18s} {worst[0]:12.4g} ulp at {worst[1]}: {worst[2]}, "
        f"error {worst[3]:.3g}, condition {worst[4]:.3g}",
        flush=True,
    )


def inverses(lib):
    gd = lambda a, x: mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))
    points = [(a, p) for a, p in pairs(powers(-2, 3, 150), uniform(0, 1, 150))] + pairs(
        powers(-1, 3, 60), powers(-30, 0, 60)
    )
    check_inverse(lib, "gammaincinv", gammainc, gd, points)
    check_inverse(lib, "gammainccinv", gammaincc, lambda a, x: -gd(a, x), points)
    bd = lambda a, b, x: mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x)) / mp.beta(a, b)
    points = [
        (*ab, p) for *ab, p in pairs(powers(-1, 2, 150), powers(-1, 2, 150), uniform(0, 1, 150))
    ]
    points += pairs(powers(-1, 2, 60), powers(-1, 2, 60), powers(-30, 0, 60))
    check_inverse(lib, "betaincinv", betainc, bd, points)
    check_inverse(lib, "betainccinv", betaincc, lambda a, b, x: -bd(a, b, x), points)
