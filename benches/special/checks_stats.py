"""Distributions, Lambert's and Wright's functions, Owen's function, the Voigt profile."""

import numpy as np
import scipy.special as sc
from mpmath import mp, mpf
from checks_gamma import pairs, powers, rng, safe, uniform
from checks_integrals import beta_points, betainc, betaincc, gammainc, gammaincc, gamma_points

whole = lambda low, high, n: [float(v) for v in rng.integers(low, high, n)]
I = lambda a, b, x: betainc(a, b, x)


def fdtr(n, d, x):
    with mp.workdps(60):
        return mp.betainc(n / 2, d / 2, 0, n * x / (d + n * x), regularized=True)


def fdtrc(n, d, x):
    with mp.workdps(60):
        return mp.betainc(d / 2, n / 2, 0, d / (d + n * x), regularized=True)


def stdtr(df, t):
    with mp.workdps(60):
        tail = mp.betainc(df / 2, mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
        return tail if t < 0 else 1 - tail


def mixture(m, term):
    with mp.workdps(40):
        total = mpf(0)
        w = mp.exp(-m)
        j = 0
        while True:
            add = w * term(j)
            total += add
            if j > m and add < total * mpf(10) ** -25 or j > 3000:
                return total
            j += 1
            w *= m / j


chndtr = lambda x, df, nc: mixture(nc / 2, lambda j: gammainc(df / 2 + j, x / 2, 40))
ncfdtr = lambda n, d, nc, f: mixture(nc / 2, lambda j: fdtr_j(n, d, f, j))


def fdtr_j(n, d, f, j):
    with mp.workdps(40):
        return mp.betainc(n / 2 + j, d / 2, 0, n * f / (d + n * f), regularized=True)


def nctdtr(df, nc, t):
    with mp.workdps(30):
        c = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2)
        f = lambda u: mp.ncdf(t * mp.exp(u) - nc) * mp.exp(df * u - df / 2 * mp.exp(2 * u))
        # The trapezoidal rule around the largest value.
        h = mpf("0.15") / mp.sqrt(df + t * t + nc * nc)
        grid = [k * h * 4 for k in range(-200, 60)]
        peak = max(grid, key=f)
        total = f(peak)
        for sign in (1, -1):
            k = 1
            while True:
                term = f(peak + sign * k * h)
                total += term
                if term < total * mpf(10) ** -22:
                    break
                k += 1
        return c * h * total


def kolmogorov(x):
    with mp.workdps(50):
        if x > 0.5:
            return 2 * sum((-1) ** (k - 1) * mp.exp(-2 * k * k * x * x) for k in range(1, 30))
        return 1 - mp.sqrt(2 * mp.pi) / x * sum(
            mp.exp(-((2 * k - 1) ** 2) * mp.pi**2 / (8 * x * x)) for k in range(1, 20)
        )


def smirnov(n, d):
    with mp.workdps(60):
        n = int(n)
        return sum(
            mp.binomial(n, j) * (d + mpf(j) / n) ** (j - 1) * (1 - d - mpf(j) / n) ** (n - j) * d
            for j in range(0, int(mp.floor(n * (1 - d))) + 1)
        )


def owens(h, a):
    with mp.workdps(30):
        f = lambda x: mp.exp(-h * h * x * x / 2) / (1 + x * x)
        end = min(abs(a), 12 / abs(h)) if h else abs(a)
        value = mp.quad(f, mp.linspace(0, end, 6)) / (2 * mp.pi)
        return value * mp.sign(a) * mp.exp(-h * h / 2)


def wofz(z):
    with mp.workdps(60):
        return mp.exp(-z * z) * mp.erfc(-1j * z)


def voigt(x, s, g):
    with mp.workdps(60):
        return mp.re(wofz((x + 1j * g) / (s * mp.sqrt(2)))) / (s * mp.sqrt(2 * mp.pi))


def wright(a, b, x):
    with mp.workdps(60):
        total, k = mpf(0), 0
        log = mp.log(x)
        while True:
            term = mp.exp(k * log - mp.loggamma(k + 1)) * mp.rgamma(a * k + b)
            total += term
            if k > 20 and term < total * mpf(10) ** -25:
                return total
            k += 1
            if k > 20000:
                return None


def wrightomega(x):
    w = mpf(float(sc.wrightomega(float(x))))
    for _ in range(4):
        w -= (w + mp.log(w) - x) / (1 + 1 / w)
    return w


CHECKS = {
    "bdtr": (
        lambda k, n, p: betaincc(mp.floor(k) + 1, n - mp.floor(k), p),
        [(k, n, p) for k, n, p in pairs(whole(0, 30, 200), whole(30, 90, 200), uniform(0, 1, 200))],
    ),
    "bdtrc": (
        lambda k, n, p: betainc(mp.floor(k) + 1, n - mp.floor(k), p),
        [(k, n, p) for k, n, p in pairs(whole(0, 30, 200), whole(30, 90, 200), uniform(0, 1, 200))],
    ),
    "chdtr": (lambda v, x: gammainc(v / 2, x / 2), gamma_points[:300]),
    "chdtrc": (lambda v, x: gammaincc(v / 2, x / 2), gamma_points[:300]),
    "fdtr": (fdtr, pairs(powers(-1, 2, 200), powers(-1, 2, 200), powers(-3, 3, 200))),
    "fdtrc": (fdtrc, pairs(powers(-1, 2, 200), powers(-1, 2, 200), powers(-3, 3, 200))),
    "gdtr": (
        lambda a, b, x: gammainc(b, a * x),
        pairs(powers(-1, 1, 200), powers(-1, 1, 200), powers(-1, 1, 200)),
    ),
    "gdtrc": (
        lambda a, b, x: gammaincc(b, a * x),
        pairs(powers(-1, 1, 200), powers(-1, 1, 200), powers(-1, 1, 200)),
    ),
    "nbdtr": (
        lambda k, n, p: betainc(n, mp.floor(k) + 1, p),
        pairs(whole(0, 60, 200), whole(1, 60, 200), uniform(0, 1, 200)),
    ),
    "nbdtrc": (
        lambda k, n, p: betaincc(n, mp.floor(k) + 1, p),
        pairs(whole(0, 60, 200), whole(1, 60, 200), uniform(0, 1, 200)),
    ),
    "pdtr": (
        lambda k, m: gammaincc(mp.floor(k) + 1, m),
        pairs(whole(0, 60, 200), powers(-2, 2, 200)),
    ),
    "pdtrc": (
        lambda k, m: gammainc(mp.floor(k) + 1, m),
        pairs(whole(0, 60, 200), powers(-2, 2, 200)),
    ),
    "stdtr": (stdtr, pairs(powers(-1, 4, 300), list(rng.standard_t(2, 300)))),
    "chndtr": (chndtr, pairs(powers(-1, 2.3, 80), powers(-0.5, 2, 80), powers(-1, 2.3, 80))),
    "ncfdtr": (
        ncfdtr,
        pairs(powers(0, 2, 60), powers(0, 2, 60), powers(-1, 2, 60), powers(-1, 1, 60)),
    ),
    "nctdtr": (nctdtr, pairs(powers(0, 2.5, 60), uniform(-6, 6, 60), uniform(-8, 8, 60))),
    "nrdtrimn": (
        safe(lambda p, s, x: x - s * -mp.sqrt(2) * mp.erfinv(1 - 2 * p)),
        pairs(uniform(0, 1), uniform(0.1, 3), uniform(5, 9)),
    ),
    "nrdtrisd": (
        safe(lambda m, p, x: (x - m) / (-mp.sqrt(2) * mp.erfinv(1 - 2 * p))),
        pairs(uniform(0, 1), uniform(0, 1), uniform(5, 9)),
    ),
    "kolmogorov": (kolmogorov, uniform(0.05, 4, 200)),
    "smirnov": (
        smirnov,
        pairs(whole(1, 40, 100), uniform(0, 1, 100))
        + pairs(whole(100, 400, 20), uniform(0.01, 0.2, 20)),
    ),
    "owens_t": (
        owens,
        pairs(powers(-3, 1.3, 60), powers(-3, 1, 60)) + pairs(uniform(0, 6, 40), uniform(0, 2, 40)),
    ),
    "wofz_real": (
        lambda x, y: mp.re(wofz(mp.mpc(x, y))),
        pairs(powers(-3, 2, 200), powers(-3, 2, 200))
        + pairs(uniform(0, 9), powers(-12, 1))
        + pairs(uniform(-3, 3), uniform(-3, 0)),
    ),
    "wofz_imag": (
        lambda x, y: mp.im(wofz(mp.mpc(x, y))),
        pairs(powers(-3, 2, 200), powers(-3, 2, 200))
        + pairs(uniform(0, 9), powers(-12, 1))
        + pairs(uniform(-3, 3), uniform(-3, 0)),
    ),
    "voigt_profile": (voigt, pairs(uniform(-9, 9), powers(-1, 1), powers(-6, 1))),
    "lambertw": (
        lambda x, k: mp.re(mp.lambertw(x, int(k))),
        [
            (x, 0.0)
            for x in powers(-30, 300, 200)
            + uniform(-0.3678, 3, 300)
            + list(-powers(-30, 0)[0] * np.ones(1))
        ]
        + [(x, -1.0) for x in uniform(-0.3678, 0, 200) + list(-np.array(powers(-300, -1)))],
    ),
    "wrightomega": (wrightomega, uniform(-60, 60, 400) + powers(0, 20, 50)),
    "wright_bessel": (wright, pairs(powers(-2, 1, 80), powers(-2, 1, 80), powers(-2, 1.6, 80))),
    "log_wright_bessel": (
        lambda a, b, x: mp.log(wright(a, b, x)),
        pairs(powers(-1, 1, 40), powers(-2, 1, 40), powers(-2, 2, 40)),
    ),
    "tklmbda": (lambda x, l: None, pairs(uniform(-3, 3), uniform(-3, 3))),
}


def solve_error(lib, name, forward, position, points, target):
    """The error of an inverse: forward(*args) = args[target], the unknown at `position`.

    `points` hold the arguments of the inverse; forward takes them with the target removed and the
    unknown put in its place in forward's own order by `forward` itself: forward(x, *points).
    """
    values = lib(name, *np.array(points, dtype=float).T)
    worst = (-1, None, 0, 0, 0)
    count = 0
    for point, x in zip(points, values):
        if not np.isfinite(x) or x == 0:
            continue
        p = mpf(float(point[target]))
        arguments = [mpf(float(v)) for v in point]
        with mp.workdps(50):
            X = mpf(float(x))
            try:
                f = forward(X, *arguments)
                e = mpf(10) ** -12
                d = (forward(X * (1 + e), *arguments) - f) / (X * e)
                if d == 0:
                    continue
                error = float(abs((f - p) / d / X) * 2**52)
                import check

                check.record(name, point, X - (f - p) / d, max(error, 4 * float(abs(p / d / X))))
                condition = (
                    float(max(abs(p / d / X), 1))
                    if p <= 0.5
                    else float(max(abs((1 - p) / d / X), 1))
                )
            except Exception:
                continue
        count += 1
        if error / condition > worst[0]:
            worst = (error / condition, tuple(float(v) for v in point), float(x), error, condition)
    print(
        f"{name:18s} {worst[0]:12.4g} ulp at {worst[1]}: {worst[2]!r}; "
        f"error {worst[3]:.3g}, condition {worst[4]:.3g}, {count} of {len(points)}",
        flush=True,
    )


def inverses(lib):
    u = lambda n=60: list(rng.uniform(0.001, 0.999, n))
    q = lambda low, high, n=60: powers(low, high, n)

    def solvable(forward, position, *columns):
        """Arguments of an inverse in the parameter at a position, with a probability there."""
        points = []
        for point in pairs(*columns):
            changed = list(point)
            changed[position] = lib(forward, *point)
            if 1e-3 < changed[position] < 0.999:
                points.append(tuple(changed))
        return points

    checks = [
        (
            "bdtri",
            lambda x, k, n, y: betaincc(mp.floor(k) + 1, n - mp.floor(k), x),
            pairs(whole(0, 30, 60), whole(31, 60, 60), u()),
            2,
        ),
        (
            "bdtrik",
            lambda x, y, n, p: betaincc(x + 1, n - x, p),
            pairs(u(), whole(10, 60, 60), u()),
            0,
        ),
        (
            "bdtrin",
            lambda x, k, y, p: betaincc(k + 1, x - k, p),
            pairs(whole(0, 30, 60), u(), u()),
            1,
        ),
        ("btdtria", lambda x, p, b, y: betainc(x, b, y), pairs(u(), q(-1, 2), u()), 0),
        ("btdtrib", lambda x, a, p, y: betainc(a, x, y), pairs(q(-1, 2), u(), u()), 1),
        ("chdtri", lambda x, v, p: gammaincc(v / 2, x / 2), pairs(q(-1, 3), u()), 1),
        ("chdtriv", lambda x, p, y: gammainc(x / 2, y / 2), pairs(u(), q(-1, 2)), 0),
        ("fdtri", lambda x, a, b, p: fdtr(a, b, x), pairs(q(-0.5, 2), q(-0.5, 2), u()), 2),
        (
            "fdtridfd",
            lambda x, a, p, f: fdtr(a, x, f),
            solvable("fdtr", 1, q(-0.5, 2), q(-0.5, 2), q(-0.5, 1)),
            1,
        ),
        ("gdtria", lambda x, p, b, y: gammainc(b, x * y), pairs(u(), q(-1, 1), q(-1, 1)), 0),
        ("gdtrib", lambda x, a, p, y: gammainc(x, a * y), pairs(q(-1, 1), u(), q(-1, 1)), 1),
        ("gdtrix", lambda x, a, b, p: gammainc(b, a * x), pairs(q(-1, 1), q(-1, 1), u()), 2),
        (
            "nbdtri",
            lambda x, k, n, y: betainc(n, mp.floor(k) + 1, x),
            pairs(whole(0, 40, 60), whole(1, 40, 60), u()),
            2,
        ),
        ("nbdtrik", lambda x, y, n, p: betainc(n, x + 1, p), pairs(u(), whole(1, 40, 60), u()), 0),
        ("nbdtrin", lambda x, k, y, p: betainc(x, k + 1, p), pairs(whole(0, 40, 60), u(), u()), 1),
        ("pdtri", lambda x, k, y: gammaincc(mp.floor(k) + 1, x), pairs(whole(0, 40, 60), u()), 1),
        ("pdtrik", lambda x, p, m: gammaincc(x + 1, m), pairs(u(), q(0, 2)), 0),
        ("stdtrit", lambda x, df, p: stdtr(df, x), pairs(q(-0.5, 3), u()), 1),
        (
            "stdtridf",
            lambda x, p, t: stdtr(x, t),
            solvable("stdtr", 0, q(-0.5, 2), list(rng.uniform(-4, 4, 60))),
            0,
        ),
        ("tklmbda", None, None, 0),
        ("kolmogi", lambda x, p: kolmogorov(x), [(p,) for p in u() + q(-30, 0)], 0),
        ("smirnovi", lambda x, n, p: smirnov(n, x), pairs(whole(1, 60, 60), u()), 1),
        (
            "chndtrix",
            lambda x, p, df, nc: chndtr(x, df, nc),
            pairs(u(20), q(-0.5, 1, 20), q(-0.5, 1, 20)),
            0,
        ),
        (
            "chndtridf",
            lambda x, y, p, nc: chndtr(y, x, nc),
            solvable("chndtr", 1, q(0, 1.5, 20), q(-0.5, 1.5, 20), q(-0.5, 0, 20)),
            1,
        ),
        (
            "chndtrinc",
            lambda x, y, df, p: chndtr(y, df, x),
            pairs(q(1, 2, 20), q(-0.5, 1, 20), u(20)),
            2,
        ),
        (
            "ncfdtri",
            lambda x, a, b, nc, p: ncfdtr(a, b, nc, x),
            pairs(q(0, 1, 12), q(0, 1, 12), q(-0.5, 1, 12), u(12)),
            3,
        ),
        (
            "ncfdtridfd",
            lambda x, a, p, nc, f: ncfdtr(a, x, nc, f),
            solvable("ncfdtr", 1, q(0, 1, 12), q(0, 1, 12), q(-0.5, 0.5, 12), q(0, 0.7, 12)),
            1,
        ),
        (
            "ncfdtridfn",
            lambda x, p, b, nc, f: ncfdtr(x, b, nc, f),
            solvable("ncfdtr", 0, q(0.3, 1, 12), q(0, 1, 12), q(-0.5, 0.5, 12), q(0, 0.7, 12)),
            0,
        ),
        (
            "ncfdtrinc",
            lambda x, a, b, p, f: ncfdtr(a, b, x, f),
            pairs(q(0, 1, 12), q(0, 1, 12), u(12), q(0.5, 1, 12)),
            2,
        ),
        (
            "nctdtrit",
            lambda x, df, nc, p: nctdtr(df, nc, x),
            pairs(q(0, 1.5, 12), list(rng.uniform(-3, 3, 12)), u(12)),
            2,
        ),
        (
            "nctdtridf",
            lambda x, p, nc, t: nctdtr(x, nc, t),
            solvable(
                "nctdtr",
                0,
                q(0, 1.3, 12),
                list(rng.uniform(-1, 1, 12)),
                list(rng.uniform(1, 3, 12)),
            ),
            0,
        ),
        (
            "nctdtrinc",
            lambda x, df, p, t: nctdtr(df, x, t),
            pairs(q(0, 1.5, 12), u(12), list(rng.uniform(-2, 2, 12))),
            1,
        ),
    ]
    for name, forward, points, target in checks:
        if forward is not None:
            solve_error(lib, name, forward, None, points, target)
