"""Gamma, zeta, error and elementary functions."""

import numpy as np
from mpmath import mp, mpf

rng = np.random.default_rng(1)


def uniform(low, high, n=300):
    return list(rng.uniform(low, high, n))


def powers(low, high, n=200, signs=False):
    values = 10.0 ** rng.uniform(low, high, n)
    if signs:
        values *= rng.choice([-1, 1], n)
    return list(values)


def pairs(*columns):
    n = max(len(c) for c in columns)
    columns = [list(rng.permutation(np.resize(c, n))) for c in columns]
    return list(zip(*columns))


def ndtri(p):
    return -mp.sqrt(2) * mp.erfinv(1 - 2 * p) if p > 1e-30 else tail(p)


def tail(p):
    z = -mp.sqrt(-2 * mp.log(p) - mp.log(2 * mp.pi * -2 * mp.log(p)))
    return mp.findroot(lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2) - mp.log(p), z)


def erfcinv(y):
    return -ndtri(y / 2) / mp.sqrt(2) if y <= 1 else ndtri(1 - y / 2) / mp.sqrt(2)


def log_ndtr(x):
    with mp.workdps(60):
        return (
            mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)
            if x < 5
            else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
        )


def ratio(above, below):
    with mp.workdps(60):
        return mp.gammaprod(above, below)


def boxcox(x, l):
    with mp.workdps(80):
        return (mp.power(x, l) - 1) / l if l else mp.log(x)


def safe(f, digits=60):
    def g(*a):
        with mp.workdps(digits):
            return f(*a)

    return g


def hurwitz(x, q):
    # mpmath's own function loses digits for large q.
    with mp.workdps(60):
        total = sum((q + k) ** -x for k in range(40))
        y = q + 40
        total += y ** (1 - x) / (x - 1) + y**-x / 2
        term = x * y ** (-x - 1)
        for k in range(1, 40):
            add = mp.bernoulli(2 * k) / mp.factorial(2 * k) * term
            total += add
            if abs(add) < abs(total) * mpf(10) ** -45:
                break
            term *= (x + 2 * k - 1) * (x + 2 * k) / y**2
        return total


turn = mp.pi / 180
CHECKS = {
    "gamma": (mp.gamma, uniform(-12, 30) + uniform(-170, 171) + powers(-300, 0, 100, True)),
    "gammaln": (
        lambda x: mp.re(mp.loggamma(x)),
        uniform(-12, 12, 600) + powers(-300, 300) + uniform(0, 40),
    ),
    "loggamma": (mp.loggamma, powers(-300, 300) + uniform(0, 40)),
    "rgamma": (mp.rgamma, uniform(-12, 30) + uniform(-170, 178)),
    "gammasgn": (lambda x: mp.sign(mp.gamma(x)), uniform(-12, 30)),
    "poch": (
        lambda a, m: ratio([a + m], [a]),
        pairs(uniform(-20, 20, 400), uniform(-10, 20, 400)) + pairs(powers(-2, 4), uniform(-1, 30)),
    ),
    "beta": (
        lambda a, b: ratio([a, b], [a + b]),
        pairs(powers(-3, 2), powers(-3, 2))
        + pairs(uniform(-10, 10), uniform(-10, 10))
        + pairs(powers(2, 5, 50), powers(-2, 1, 50)),
    ),
    "betaln": (
        safe(lambda a, b: mp.re(mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b))),
        pairs(powers(-3, 6), powers(-3, 6)),
    ),
    "binom": (
        safe(lambda n, k: mp.binomial(n, k)),
        pairs(uniform(0, 100), uniform(0, 60))
        + [(n, k) for n in range(0, 60, 3) for k in range(0, n + 1, 2)]
        + pairs(uniform(-5, 5), uniform(-5, 5)),
    ),
    "digamma": (
        mp.digamma,
        uniform(-12, 12, 600) + powers(-300, 300) + uniform(1.4, 1.5) + uniform(-0.55, -0.45),
    ),
    "psi": (mp.digamma, uniform(0, 30)),
    "polygamma": (
        lambda n, x: mp.psi(int(n), x),
        pairs(list(range(0, 12)) * 30, powers(-2, 3, 360)),
    ),
    "zeta": (hurwitz, pairs(list(1 + 10 ** rng.uniform(-3, 1.6, 300)), powers(-2, 4, 300))),
    "zetac": (
        safe(lambda x: mp.zeta(x) - 1),
        uniform(-20, 70, 400) + uniform(-1, 3) + uniform(-130, -20, 50),
    ),
    "riemann_zeta": (mp.zeta, uniform(-20, 70, 400) + uniform(-1, 3)),
    "erf": (mp.erf, uniform(-6.5, 6.5, 600) + powers(-300, 0, 100, True)),
    "erfc": (mp.erfc, uniform(-6.5, 26.5, 600) + powers(-300, 0, 100, True)),
    "erfcx": (
        safe(lambda x: mp.exp(x * x) * mp.erfc(x)),
        uniform(-26, 10, 600) + powers(-3, 30, 100),
    ),
    "erfi": (mp.erfi, uniform(-26, 26, 600) + powers(-300, 0, 100, True)),
    "dawsn": (
        safe(lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)),
        uniform(-15, 15, 600) + powers(-20, 1, 100),
    ),
    "erfinv": (
        mp.erfinv,
        uniform(-1, 1, 400) + powers(-20, 0, 100, True) + list(1 - 10 ** rng.uniform(-15, -1, 50)),
    ),
    "erfcinv": (safe(erfcinv), uniform(0, 2) + powers(-300, 0)),
    "ndtr": (safe(lambda x: mp.erfc(-x / mp.sqrt(2)) / 2), uniform(-38, 8, 600)),
    "log_ndtr": (log_ndtr, uniform(-38, 8, 600) + uniform(-300, 0)),
    "ndtri": (safe(ndtri), uniform(0, 1) + powers(-300, 0)),
    "ndtri_exp": (
        safe(lambda y: ndtri(mp.exp(y))),
        uniform(-5, -1e-3) + uniform(-700, -5, 100) + [-1e3, -1e4, -2.3e3],
    ),
    "cosm1": (safe(lambda x: mp.cos(x) - 1), uniform(-4, 4) + powers(-10, 0)),
    "powm1": (
        safe(lambda x, y: mp.power(x, y) - 1),
        pairs(uniform(0.1, 5), uniform(-2, 2)) + pairs(powers(-3, 3), powers(-10, 0)),
    ),
    "exprel": (
        safe(lambda x: mp.expm1(x) / x),
        uniform(-5, 5) + uniform(-700, 715) + powers(-20, 0),
    ),
    "sinc": (safe(lambda x: mp.sinpi(x) / (mp.pi * x)), uniform(-20, 20)),
    "sindg": (safe(lambda x: mp.sin(x * turn)), uniform(-720, 720) + powers(-10, 10)),
    "cosdg": (safe(lambda x: mp.cos(x * turn)), uniform(-720, 720) + powers(-10, 10)),
    "tandg": (safe(lambda x: mp.tan(x * turn)), uniform(-720, 720)),
    "cotdg": (safe(lambda x: mp.cot(x * turn)), uniform(-720, 720)),
    "radian": (
        safe(lambda d, m, s: (d + m / 60 + s / 3600) * mp.pi / 180),
        pairs(uniform(0, 360), uniform(0, 60), uniform(0, 60)),
    ),
    "agm": (lambda a, b: mp.agm(a, b), pairs(powers(-10, 10), powers(-10, 10))),
    "cbrt": (lambda x: mp.cbrt(x) if x > 0 else -mp.cbrt(-x), uniform(-9, 9)),
    "exp2": (lambda x: mp.power(2, x), uniform(-300, 300)),
    "exp10": (lambda x: mp.power(10, x), uniform(-300, 300)),
    "expm1": (mp.expm1, uniform(-3, 3)),
    "log1p": (mp.log1p, uniform(-0.9, 3)),
    "round": (lambda x: mp.nint(x), uniform(-3, 3)),
    "xlogy": (lambda x, y: x * mp.log(y), pairs(uniform(-3, 3), uniform(0, 3))),
    "xlog1py": (lambda x, y: x * mp.log1p(y), pairs(uniform(-3, 3), uniform(-0.9, 3))),
    "entr": (lambda x: -x * mp.log(x), uniform(0, 3)),
    "rel_entr": (
        lambda x, y: x * mp.log(x / y),
        pairs(uniform(0, 3), uniform(0, 3)) + [(1 + 1e-9, 1.0)],
    ),
    "kl_div": (
        safe(lambda x, y: x * mp.log(x / y) - x + y),
        pairs(uniform(0, 3), uniform(0, 3)) + [(1 + 1e-9, 1.0)],
    ),
    "huber": (
        lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2),
        pairs(uniform(0, 3), uniform(-9, 9)),
    ),
    "pseudo_huber": (
        safe(lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)),
        pairs(uniform(0, 3), uniform(-9, 9)) + pairs(powers(-9, 9), powers(-9, 9)),
    ),
    "logit": (safe(lambda p: mp.log(p / (1 - p))), uniform(0, 1) + uniform(0.49, 0.51)),
    "expit": (safe(lambda x: 1 / (1 + mp.exp(-x))), uniform(-50, 50) + uniform(-740, 0)),
    "log_expit": (safe(lambda x: -mp.log1p(mp.exp(-x)), 400), uniform(-50, 50)),
    "softplus": (safe(lambda x: mp.log1p(mp.exp(x))), uniform(-50, 50)),
    "boxcox": (boxcox, pairs(powers(-3, 3), uniform(-3, 3)) + pairs(powers(-3, 3), powers(-12, 0))),
    "boxcox1p": (
        lambda x, l: safe(lambda: (mp.power(1 + x, l) - 1) / l, 80)(),
        pairs(powers(-8, 3), uniform(-3, 3)),
    ),
    "inv_boxcox": (
        safe(lambda x, l: mp.power(l * x + 1, 1 / l)),
        pairs(uniform(0, 9), uniform(0, 3)),
    ),
    "inv_boxcox1p": (
        safe(lambda x, l: mp.power(l * x + 1, 1 / l) - 1),
        pairs(powers(-9, 1), uniform(0, 3)),
    ),
}
