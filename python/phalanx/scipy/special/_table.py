"""The elementwise functions of ``scipy.special``: their parameters and results.

A line has the parameters, the results if there are several, and the names. SciPy has loops for
complex numbers for the names with a star.
"""

LOOPS = """
a b: agm beta betaln
k n p: bdtr bdtrc nbdtr nbdtrc
k n y: bdtri nbdtri
y n p: bdtrik nbdtrik
k y p: bdtrin nbdtrin
x: bei beip ber berp cbrt cosdg cosm1 cotdg entr exp10 exp2 expit exprel gammaln gammasgn i0 i0e i1
x: i1e itstruve0 it2struve0 itmodstruve0 j0 j1 k0 k0e k1 k1e kei keip ker kerp kolmogorov log_expit
x: round sindg softplus tandg y0 y1 zetac
x: dawsn* digamma* erf* erfc* erfcx* erfi* exp1* expi* expm1* gamma* log1p* log_ndtr* loggamma*
x: ndtr* psi* rgamma* wrightomega*
x -> ai aip bi bip: airy* airye*
x -> apt bpt ant bnt: itairy
x -> shi chi: shichi*
x -> si ci: sici*
x -> s c: fresnel*
x -> fp kp: modfresnelp
x -> fm km: modfresnelm
x -> be ke bep kep: kelvin
x -> ij0 iy0: itj0y0 it2j0y0
x -> ii0 ik0: iti0k0 it2i0k0
z: spence* wofz*
y: erfinv erfcinv ndtri_exp
p: kolmogi logit ndtri
a lmb nu: besselpoly
a b x: betainc betaincc gdtr gdtrc wright_bessel log_wright_bessel
a b y: betaincinv betainccinv
n k: binom
x lmbda: boxcox boxcox1p inv_boxcox inv_boxcox1p tklmbda
p b x: btdtria gdtria
a p x: btdtrib gdtrib
a b p: gdtrix
v x: chdtr chdtrc
v p: chdtri
p x: chdtriv
x df nc: chndtr
x p nc: chndtridf
x df p: chndtrinc
p df nc: chndtrix
m: ellipe ellipk
p: ellipkm1
phi m: ellipeinc ellipkinc
u m -> sn cn dn ph: ellipj
x y: elliprc* kl_div powm1 rel_entr xlog1py* xlogy*
x y z: elliprd* elliprf* elliprg*
x y z p: elliprj*
n x: eval_chebyc* eval_chebys* eval_chebyt* eval_chebyu* eval_hermite eval_hermitenorm
n x: eval_laguerre* eval_legendre* eval_sh_chebyt* eval_sh_chebyu* eval_sh_legendre* expn kn yn
n alpha x: eval_gegenbauer* eval_genlaguerre*
n alpha beta x: eval_jacobi*
n p q x: eval_sh_jacobi*
dfn dfd x: fdtr fdtrc
dfn dfd p: fdtri
dfn p x: fdtridfd
a x: gammainc gammaincc
a y: gammaincinv gammainccinv
delta r: huber pseudo_huber
v z: hankel1* hankel1e* hankel2* hankel2e*
v z: iv* ive* jn* jv* jve* kv* kve* yv* yve*
v z: hyp0f1*
a b x: hyp1f1* hyperu
a b c z: hyp2f1*
m v x: lpmv
m q: mathieu_a mathieu_b
m q x -> y yp: mathieu_cem mathieu_sem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1
m q x -> y yp: mathieu_modsem2
v x: modstruve struve
dfn dfd nc f: ncfdtr
dfn dfd nc p: ncfdtri
dfn p nc f: ncfdtridfd
p dfd nc f: ncfdtridfn
dfn dfd p f: ncfdtrinc
df nc t: nctdtr
p nc t: nctdtridf
df p t: nctdtrinc
df nc p: nctdtrit
p std x: nrdtrimn
mn p x: nrdtrisd
m n c: obl_cv pro_cv
m n c x -> s sp: obl_ang1 pro_ang1 obl_rad1 obl_rad2 pro_rad1 pro_rad2
m n c cv x -> s sp: obl_ang1_cv pro_ang1_cv obl_rad1_cv obl_rad2_cv pro_rad1_cv pro_rad2_cv
h a: owens_t
v x -> d dp: pbdv
v x -> v vp: pbvv
a x -> w wp: pbwa
k m: pdtr pdtrc
k y: pdtri
p m: pdtrik
a m: poch
d m s: radian
n d: smirnov
n p: smirnovi
df t: stdtr
df p: stdtrit
p t: stdtridf
x sigma gamma: voigt_profile
"""

# SciPy's loops where they are not those of float32 and then of float64: the first that takes all
# dtypes computes, so their order decides the dtype of a result. `l` is an integer, and capitals are
# complex.
ORDER = """
d f: cbrt cosdg cosm1 cotdg ellipe ellipk ellipkm1 exp10 exp2 expit exprel gammaln gammasgn i0 i0e
d f: i1 i1e j0 j1 k0 k0e k1 k1e log_expit logit sindg tandg y0 y1 zetac
e f d: softplus
d D f F: digamma gamma loggamma psi rgamma
d f D F: dawsn erf erfc erfcx erfi expm1 fresnel log1p log_ndtr ndtr
f d F D: airy airye exp1 expi shichi sici spence wrightomega
D F: wofz
dd ff: beta betaln ellipeinc ellipkinc ellipj gammainc gammaincc gammainccinv gammaincinv modstruve
dd ff: struve
dd ff DD FF: xlog1py xlogy
ff dd FF DD: elliprc
ff dd fF dD: iv ive jn jv jve kv kve yv yve
ff fF dd dD: hyp0f1
fF dD: hankel1 hankel1e hankel2 hankel2e
ld ff dd: expn kn pdtri smirnov smirnovi yn
ld ff fF dd dD: eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_laguerre eval_legendre
ld ff fF dd dD: eval_sh_chebyt eval_sh_chebyu eval_sh_legendre
ld: eval_hermite eval_hermitenorm
ddd fff: besselpoly log_wright_bessel radian voigt_profile wright_bessel
fff ddd FFF DDD: elliprd elliprf elliprg
fff dld ddd: bdtr bdtrc bdtri
lld fff ddd: nbdtr nbdtrc nbdtri
fff ffF ddd ddD: hyp1f1
ldd fff ffF ddd ddD: eval_gegenbauer eval_genlaguerre
lddd ffff fffF dddd dddD: eval_jacobi eval_sh_jacobi
dddd dddD ffff fffF: hyp2f1
ffff dddd FFFF DDDD: elliprj
"""

# The definitions of functions of several results, and of those that no native part computes.
SUMMARIES = {
    "airy": "The Airy functions Ai and Bi and their derivatives.",
    "airye": "The Airy functions and their derivatives, scaled against overflow: Ai and Ai' times "
    "exp(2/3 x sqrt(x)), Bi and Bi' times exp(-|2/3 x sqrt(x)|).",
    "itairy": "The integrals of Ai and Bi from 0 to x, then those of Ai(-t) and Bi(-t).",
    "shichi": "The hyperbolic sine integral and the hyperbolic cosine integral.",
    "sici": "The sine integral and the cosine integral.",
    "fresnel": "The Fresnel integrals of sin(pi t**2 / 2) and cos(pi t**2 / 2) from 0 to x.",
    "modfresnelp": "The integral of exp(i t**2) from x to infinity, and that integral times "
    "exp(-i (x**2 + pi / 4)) / sqrt(pi).",
    "modfresnelm": "The integral of exp(-i t**2) from x to infinity, and that integral times "
    "exp(i (x**2 + pi / 4)) / sqrt(pi).",
    "kelvin": "The Kelvin functions ber + i bei and ker + i kei, and their derivatives.",
    "itj0y0": "The integrals of the Bessel functions J0 and Y0 from 0 to x.",
    "it2j0y0": "The integral of (1 - J0(t)) / t from 0 to x, and of Y0(t) / t from x to infinity.",
    "iti0k0": "The integrals of the modified Bessel functions I0 and K0 from 0 to x.",
    "it2i0k0": "The integral of (I0(t) - 1) / t from 0 to x, and of K0(t) / t from x to infinity.",
    "wofz": "The Faddeeva function exp(-z**2) erfc(-i z).",
    "round": "The nearest integer; the even one of two that are equally near.",
    "expm1": "exp(x) - 1, precise near 0.",
    "log1p": "log(1 + x), precise near 0.",
    "exp2": "2 to the power x.",
    "cbrt": "The cube root of x.",
    "softplus": "log(1 + exp(x)).",
    "jn": "The Bessel function of the first kind of real order; another name of `jv`.",
    "hankel1": "The Hankel function of the first kind, J + i Y, of a real argument.",
    "hankel1e": "The Hankel function of the first kind times exp(-i z), of a real argument.",
    "hankel2": "The Hankel function of the second kind, J - i Y, of a real argument.",
    "hankel2e": "The Hankel function of the second kind times exp(i z), of a real argument.",
    "ellipj": "The Jacobian elliptic functions sn, cn, dn, and the amplitude.",
    "ellipe": "The complete elliptic integral of the second kind.",
    "ellipk": "The complete elliptic integral of the first kind.",
    "ellipkm1": "The complete elliptic integral of the first kind for the parameter 1 - p.",
    "ellipeinc": "The incomplete elliptic integral of the second kind.",
    "ellipkinc": "The incomplete elliptic integral of the first kind.",
    "elliprc": "Carlson's degenerate symmetric elliptic integral RC.",
    "elliprd": "Carlson's symmetric elliptic integral of the second kind, RD.",
    "elliprf": "Carlson's symmetric elliptic integral of the first kind, RF.",
    "elliprg": "Carlson's completely symmetric elliptic integral of the second kind, RG.",
    "elliprj": "Carlson's symmetric elliptic integral of the third kind, RJ.",
    "eval_chebyc": "The Chebyshev polynomial of the first kind on [-2, 2].",
    "eval_chebys": "The Chebyshev polynomial of the second kind on [-2, 2].",
    "eval_chebyt": "The Chebyshev polynomial of the first kind.",
    "eval_chebyu": "The Chebyshev polynomial of the second kind.",
    "eval_gegenbauer": "The Gegenbauer polynomial.",
    "eval_genlaguerre": "The generalised Laguerre polynomial.",
    "eval_hermite": "The physicists' Hermite polynomial.",
    "eval_hermitenorm": "The probabilists' Hermite polynomial.",
    "eval_jacobi": "The Jacobi polynomial.",
    "eval_laguerre": "The Laguerre polynomial.",
    "eval_legendre": "The Legendre polynomial.",
    "eval_sh_chebyt": "The Chebyshev polynomial of the first kind, shifted to [0, 1].",
    "eval_sh_chebyu": "The Chebyshev polynomial of the second kind, shifted to [0, 1].",
    "eval_sh_jacobi": "The Jacobi polynomial, shifted to [0, 1].",
    "eval_sh_legendre": "The Legendre polynomial, shifted to [0, 1].",
    "hyp0f1": "The confluent hypergeometric limit function 0F1.",
    "hyp1f1": "The confluent hypergeometric function 1F1.",
    "hyp2f1": "Gauss's hypergeometric function 2F1.",
    "hyperu": "The confluent hypergeometric function U of the second kind.",
    "it2struve0": "The integral of the Struve function H0(t) / t from x to infinity.",
    "itmodstruve0": "The integral of the modified Struve function L0 from 0 to x.",
    "itstruve0": "The integral of the Struve function H0 from 0 to x.",
    "struve": "The Struve function of real order.",
    "modstruve": "The modified Struve function of real order.",
    "lpmv": "The associated Legendre function of integer order and real degree.",
    "mathieu_a": "The characteristic value of even Mathieu functions.",
    "mathieu_b": "The characteristic value of odd Mathieu functions.",
    "mathieu_cem": "The even Mathieu function and its derivative; x is in degrees.",
    "mathieu_sem": "The odd Mathieu function and its derivative; x is in degrees.",
    "mathieu_modcem1": "The even modified Mathieu function of the first kind and its derivative.",
    "mathieu_modcem2": "The even modified Mathieu function of the second kind and its derivative.",
    "mathieu_modsem1": "The odd modified Mathieu function of the first kind and its derivative.",
    "mathieu_modsem2": "The odd modified Mathieu function of the second kind and its derivative.",
    "obl_cv": "The characteristic value of oblate spheroidal wave functions.",
    "pro_cv": "The characteristic value of prolate spheroidal wave functions.",
    "pbdv": "The parabolic cylinder function D and its derivative.",
    "pbvv": "The parabolic cylinder function V and its derivative.",
    "pbwa": "The parabolic cylinder function W and its derivative.",
    "log_wright_bessel": "The logarithm of Wright's generalised Bessel function.",
    "wright_bessel": "Wright's generalised Bessel function.",
}
for _kind, _of in ("obl", "oblate"), ("pro", "prolate"):
    for _suffix, _given in ("", ""), ("_cv", ", with a given characteristic value"):
        _end = f"and its derivative{_given}."
        SUMMARIES[f"{_kind}_ang1{_suffix}"] = (
            f"The {_of} spheroidal angular function of the first kind {_end}"
        )
        for _number, _ordinal in (1, "first"), (2, "second"):
            SUMMARIES[f"{_kind}_rad{_number}{_suffix}"] = (
                f"The {_of} spheroidal radial function of the {_ordinal} kind {_end}"
            )


class Row:
    """The entry of a function: parameters, suffixes of its results, loops for complex numbers."""

    __slots__ = ("parameters", "results", "is_complex")

    def __init__(self, parameters, results, is_complex):
        self.parameters, self.results, self.is_complex = parameters, results, is_complex


def _rows():
    rows = {}
    for line in LOOPS.strip().splitlines():
        head, _, names = line.partition(": ")
        parameters, _, results = (part.split() for part in head.partition("->"))
        for name in names.split():
            rows[name.rstrip("*")] = Row(parameters, results, name.endswith("*"))
    return rows


ROWS = _rows()


def _orders():
    orders = {}
    for line in ORDER.strip().splitlines():
        inputs, _, names = line.partition(": ")
        orders.update((name, inputs.split()) for name in names.split())
    return orders


_ORDERS = _orders()


def loops(name):
    """SciPy's loops of a function, as ufuncs of NumPy state them."""
    row = ROWS[name]
    count = len(row.parameters)
    inputs = _ORDERS.get(name, ["f" * count, "d" * count])
    return [f"{one}->{one[-1] * max(1, len(row.results))}" for one in inputs]
