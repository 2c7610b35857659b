"""The arguments with which special functions are compared with SciPy, and the precision.

A line of `DOMAINS` has the ranges of the arguments, and the names. `3..8` is a real number in that
range, `i0..20` an integer, `p` a probability, `e-5..5` a positive number whose decimal exponent is
in that range, `s` a number of any sign and size.
"""

import math

DOMAINS = """
e-3..3 e-3..3: agm
e-2..1.5 e-2..1.5: beta betaln
-12..12: airy
-8..30: airye
-8..8: itairy
i0..20 i20..40 p: bdtr bdtrc
i0..20 i21..40 p: bdtri
p 5..40 p: bdtrik
1..20 p p: bdtrin
-30..30: bei beip ber berp
0.01..30: kei keip ker kerp kelvin
s: cbrt
-720..720: cosdg sindg tandg
1..179: cotdg
-1..1: cosm1
-5..5: dawsn erfi
-20..20: digamma gamma rgamma
-20..20: psi
e-9..12: gammaln loggamma
-20..20: gammasgn
e-9..9: entr
-6..6: erf
-5..25: erfc
-5..100: erfcx
-1..1: erfinv
0..2: erfcinv
e-6..2.5: exp1
-30..30: expi
-300..300: exp10
-1000..1000: exp2
-40..40: expit log_expit softplus
s: round
-10..10: expm1
-0.9..20: log1p
i0..20 e-3..2: expn
-20..20: exprel
-20..20: fresnel
-5..12: modfresnelp modfresnelm
-40..40: i0 i0e i1 i1e
e-3..2.5: k0 k0e k1 k1e
0..60: j0 j1 itj0y0
e-3..1.7: y0 y1
0.01..15: iti0k0
0.01..30: it2i0k0
0.01..30: it2j0y0
0.3..5: kolmogorov
p: kolmogi logit ndtri
-30..8: log_ndtr
-30..8: ndtr
-50..-0.01: ndtri_exp
-5..5: wrightomega
0.01..10: shichi sici spence
-20..60: zetac
0.1..3 0..3 0..5: besselpoly
e-1..1.5 e-1..1.5 p: betainc betaincc betaincinv betainccinv btdtria btdtrib
i0..40 i0..40: binom
e-2..2 -3..3: boxcox boxcox1p
-3..3 -0.3..0.3: inv_boxcox inv_boxcox1p
0.01..5 -3..3: tklmbda
0.5..20 0.1..40: chdtr chdtrc
0.5..20 p: chdtri
p 0.5..20: chdtriv
0.1..30 1..20 0.1..15: chndtr
p 1..20 0.1..15: chndtrix
2..30 0.05..0.9 0.1..5: chndtridf
5..30 1..4 0.05..0.5: chndtrinc
-3..3 0..1: ellipeinc ellipkinc
0..0.99: ellipe ellipk
p: ellipkm1
-5..5 0..1: ellipj
e-2..2 e-2..2: elliprc
e-2..2 e-2..2 e-2..2: elliprd elliprf elliprg
e-2..2 e-2..2 e-2..2 e-2..2: elliprj
e-3..2 e-3..2: kl_div rel_entr
e-3..2 -5..5: powm1
-5..5 0.1..9: xlog1py xlogy
i0..20 -1..1: eval_chebyt eval_chebyu eval_legendre
i0..20 -2..2: eval_chebyc eval_chebys
i0..20 0..1: eval_sh_chebyt eval_sh_chebyu eval_sh_legendre
i0..20 -4..4: eval_hermite eval_hermitenorm
i0..15 0..10: eval_laguerre
i0..12 0.1..3 -1..1: eval_gegenbauer
i0..12 0.1..3 0..10: eval_genlaguerre
i0..12 0..3 0..3 -1..1: eval_jacobi
i0..12 2..4 1..2 0..1: eval_sh_jacobi
0.5..20 0.5..20 0.01..5: fdtr fdtrc
0.5..20 0.5..20 p: fdtri
1..10 0.3..0.6 0.5..2: fdtridfd
e-1..2 e-1..2: gammainc gammaincc
e-1..2 p: gammaincinv gammainccinv
0.2..3 0.2..9 0.1..5: gdtr gdtrc
p 0.2..9 0.1..5: gdtria
0.2..3 p 0.1..5: gdtrib
0.2..3 0.2..9 p: gdtrix
0.1..3 -5..5: huber pseudo_huber
-10..10 0.1..40: hankel1 hankel1e hankel2 hankel2e jv jve yv yve
0..20 0.1..30: iv ive
0..10 0.1..30: kv kve
0.5..5 -20..5: hyp0f1
0.5..4 0.5..4 -5..5: hyp1f1
0.5..4 0.5..4 0.1..10: hyperu
0.5..3 0.5..3 1..4 -0.9..0.9: hyp2f1
i0..5 0.01..30: kn
i0..5 0.1..40: yn
i0..5 i5..15 -1..1: lpmv
0.5..5 0.1..20: modstruve struve
0..10: itstruve0 itmodstruve0
0.1..10: it2struve0
i0..20 i20..40 p: nbdtr nbdtrc
i1..20 i20..40 p: nbdtri
p 5..40 p: nbdtrik
1..20 p p: nbdtrin
1..10 2..10 0.1..5 0.1..5: ncfdtr
1..10 2..10 0.1..5 p: ncfdtri
2..10 0.3..0.5 0.1..2 0.5..1.5: ncfdtridfd
0.3..0.5 5..10 0.1..2 0.5..1.5: ncfdtridfn
2..10 3..10 0.05..0.3 1..3: ncfdtrinc
1..20 -3..3 -3..3: nctdtr
1..20 -2..2 p: nctdtrit
0.3..0.6 0.5..1.5 0.5..1.5: nctdtridf
1..20 p -2..2: nctdtrinc
p 0.1..5 -5..5: nrdtrimn
-5..0 0.6..0.99 0.1..5: nrdtrisd
-5..5 -3..3: owens_t
-3..3 -4..4: pbdv pbvv
-4..4 -4..4: pbwa
i0..30 0.1..30: pdtr pdtrc
i0..30 p: pdtri
p 0.1..30: pdtrik
0.1..20 0..10: poch
0..90 0..60 0..60: radian
i1..50 p: smirnov smirnovi
0.5..30 -5..5: stdtr
0.5..30 p: stdtrit
0.6..0.95 0.5..3: stdtridf
-5..5 0.1..3 0.1..3: voigt_profile
0.1..3 0.1..3 0..5: wright_bessel log_wright_bessel
i0..4 0..10: mathieu_a
i1..4 0..10: mathieu_b
i0..4 0..10 0..90: mathieu_cem
i1..4 0..10 0..90: mathieu_sem
i0..4 0.1..10 0..2: mathieu_modcem1 mathieu_modcem2
i1..4 0.1..10 0..2: mathieu_modsem1 mathieu_modsem2
i0..2 i2..5 0.1..5: obl_cv pro_cv
i0..2 i2..5 0.1..5 -0.9..0.9: obl_ang1 pro_ang1
i0..2 i2..5 0.1..5 0.1..3: obl_rad1 obl_rad2
i0..2 i2..5 0.1..5 1.1..3: pro_rad1 pro_rad2
"""


def domains():
    """The ranges of the arguments of each function."""
    found = {}
    for line in DOMAINS.strip().splitlines():
        ranges, _, names = line.partition(": ")
        for name in names.split():
            found[name] = ranges.split()
    return found


def drawn(numpy, ranges, count, seed=3):
    """Random arguments within ranges."""
    draw = numpy.random.default_rng(seed)
    made = []
    for one in ranges:
        if one == "p":
            made.append(draw.uniform(0.001, 0.999, count))
        elif one == "s":
            made.append(draw.normal(size=count) * 10.0 ** draw.uniform(-5, 5, count))
        else:
            low, high = map(float, one.lstrip("ie").split(".."))
            if one[0] == "i":
                made.append(draw.integers(int(low), int(high) + 1, count).astype(float))
            else:
                numbers = draw.uniform(low, high, count)
                made.append(10.0**numbers if one[0] == "e" else numbers)
    return made


# Bounds that differ from 1e-11, mostly because SciPy's values have fewer digits. None: other tests
# compare, because SciPy's values are wrong there.
PRECISION = {
    **dict.fromkeys("bei beip ber berp kei keip ker kerp kelvin it2i0k0 it2j0y0 itairy".split()),
    **dict.fromkeys("itj0y0 modfresnelp modfresnelm".split()),
    **dict.fromkeys("bdtrik bdtrin nbdtrik nbdtrin eval_laguerre eval_genlaguerre".split(), 1e-9),
    "iti0k0": 1e-10, "nctdtr": 1e-8, "hyperu": 1e-6, "pbvv": 1e-10, "pbwa": 1e-9,
}

# For each inverse the function that it inverts, the place of the solution there, the place of the
# probability in the inverse, and the range of solutions.
INVERSES = {
    "btdtria": ("betainc", 0, 0, "e-0.5..1"),
    "btdtrib": ("betainc", 1, 1, "e-0.5..1"),
    "chdtriv": ("chdtr", 0, 0, "0.5..20"),
    "chndtridf": ("chndtr", 1, 1, "1..20"),
    "chndtrinc": ("chndtr", 2, 2, "0.1..15"),
    "chndtrix": ("chndtr", 0, 0, "0.1..30"),
    "fdtridfd": ("fdtr", 1, 1, "0.5..20"),
    "gdtria": ("gdtr", 0, 0, "0.2..3"),
    "gdtrib": ("gdtr", 1, 1, "0.2..9"),
    "gdtrix": ("gdtr", 2, 2, "0.1..5"),
    "ncfdtri": ("ncfdtr", 3, 3, "0.1..5"),
    "ncfdtridfd": ("ncfdtr", 1, 1, "2..10"),
    "ncfdtridfn": ("ncfdtr", 0, 0, "1..10"),
    "ncfdtrinc": ("ncfdtr", 2, 2, "0.1..5"),
    "nctdtridf": ("nctdtr", 0, 0, "1..20"),
    "nctdtrinc": ("nctdtr", 1, 1, "-2..2"),
    "nctdtrit": ("nctdtr", 2, 2, "-3..3"),
    "stdtridf": ("stdtr", 0, 0, "0.5..10"),
}

# Arguments for which SciPy's values are not compared: it has NaN or another large number.
EDGES_BEYOND = {
    **dict.fromkeys("airy airye fresnel itstruve0 itj0y0 j0 j1 y0 y1".split(), (1e300,)),
    # SciPy has NaN at infinity, where both results are 0.
    **dict.fromkeys("modfresnelm modfresnelp".split(), (math.inf, 1e300, -1, -2, -0.5)),
    "gammaln": (-math.inf,),
    **dict.fromkeys("cotdg keip beip kelvin".split(), (1e-300,)),
    "it2i0k0": (0, math.inf), "it2j0y0": (0,), "itairy": (2, -2),
}
