"""The functions that SciPy computes on the host: signature, result and definition of each."""

# Classes of SciPy, and functions that set how it reports errors.
CLASSES = ("SpecialFunctionError", "SpecialFunctionWarning", "errstate")

TABLE = """
ai_zeros(nt) -> tuple of ndarray: Zeros of Ai and of its derivative, and the values there. | The
    zeros of the Airy function Ai and of its derivative.
bi_zeros(nt) -> tuple of ndarray: Zeros of Bi and of its derivative, and the values there. | The
    zeros of the Airy function Bi and of its derivative.
bei_zeros(nt) -> ndarray: The zeros. | The zeros of the Kelvin function bei.
beip_zeros(nt) -> ndarray: The zeros. | The zeros of the derivative of the Kelvin function bei.
ber_zeros(nt) -> ndarray: The zeros. | The zeros of the Kelvin function ber.
berp_zeros(nt) -> ndarray: The zeros. | The zeros of the derivative of the Kelvin function ber.
kei_zeros(nt) -> ndarray: The zeros. | The zeros of the Kelvin function kei.
keip_zeros(nt) -> ndarray: The zeros. | The zeros of the derivative of the Kelvin function kei.
ker_zeros(nt) -> ndarray: The zeros. | The zeros of the Kelvin function ker.
kerp_zeros(nt) -> ndarray: The zeros. | The zeros of the derivative of the Kelvin function ker.
kelvin_zeros(nt) -> tuple of ndarray: The zeros of each function. | The zeros of the eight Kelvin
    functions.
erf_zeros(nt) -> ndarray: The complex zeros. | The zeros of the error function in the first
    quadrant.
fresnel_zeros(nt) -> (ndarray, ndarray): The complex zeros of S, then of C. | The zeros of the
    Fresnel integrals.
fresnelc_zeros(nt) -> ndarray: The complex zeros. | The zeros of the Fresnel integral of the cosine.
fresnels_zeros(nt) -> ndarray: The complex zeros. | The zeros of the Fresnel integral of the sine.
jn_zeros(n, nt) -> ndarray: The zeros. | The zeros of a Bessel function of the first kind.
jnp_zeros(n, nt) -> ndarray: The zeros. | The zeros of the derivative of a Bessel function of the
    first kind.
yn_zeros(n, nt) -> ndarray: The zeros. | The zeros of a Bessel function of the second kind.
ynp_zeros(n, nt) -> ndarray: The zeros. | The zeros of the derivative of a Bessel function of the
    second kind.
jnyn_zeros(n, nt) -> tuple of ndarray: The zeros of jn, jn', yn and yn'. | The zeros of both Bessel
    functions and of their derivatives.
jnjnp_zeros(nt) -> tuple of ndarray: Zeros, orders, numbers and types. | The zeros of Bessel
    functions of the first kind and of their derivatives, in ascending order.
y0_zeros(nt, complex=False) -> (ndarray, ndarray): The zeros, and the derivatives there. | The zeros
    of the Bessel function Y0.
y1_zeros(nt, complex=False) -> (ndarray, ndarray): The zeros, and the derivatives there. | The zeros
    of the Bessel function Y1.
y1p_zeros(nt, complex=False) -> (ndarray, ndarray): The zeros, and the values of Y1 there. | The
    zeros of the derivative of the Bessel function Y1.
bernoulli(n) -> ndarray: The numbers of the indices 0 to `n`. | Bernoulli numbers.
euler(n) -> ndarray: The numbers of the indices 0 to `n`. | Euler numbers.
stirling2(N, K, *, exact=False) -> ndarray or int: The numbers. | Stirling numbers of the second
    kind: partitions of `N` elements into `K` sets.
ellip_harm(h2, k2, n, p, s, signm=1, signn=1) -> ndarray: The values. | An ellipsoidal harmonic
    function, also named a Lame function.
ellip_harm_2(h2, k2, n, p, s) -> ndarray: The values. | An ellipsoidal harmonic function of the
    second kind.
ellip_normal(h2, k2, n, p) -> ndarray: The constant. | The constant that normalises an ellipsoidal
    harmonic function.
lqmn(m, n, z) -> (ndarray, ndarray): The values for all orders and degrees, and their derivatives. |
    Associated Legendre functions of the second kind.
lqn(n, z) -> (ndarray, ndarray): The values for all degrees, and their derivatives. | Legendre
    functions of the second kind.
mathieu_even_coef(m, q) -> ndarray: The coefficients. | The Fourier coefficients of an even Mathieu
    function.
mathieu_odd_coef(m, q) -> ndarray: The coefficients. | The Fourier coefficients of an odd Mathieu
    function.
obl_cv_seq(m, n, c) -> ndarray: The values for the degrees `m` to `n`. | Characteristic values of
    oblate spheroidal wave functions.
pro_cv_seq(m, n, c) -> ndarray: The values for the degrees `m` to `n`. | Characteristic values of
    prolate spheroidal wave functions.
pbdn_seq(n, z) -> (ndarray, ndarray): The values for the orders 0 to `n`, and their derivatives. |
    Parabolic cylinder functions D of a complex argument.
pbdv_seq(v, x) -> (ndarray, ndarray): The values for the orders up to `v`, and their derivatives. |
    Parabolic cylinder functions D.
pbvv_seq(v, x) -> (ndarray, ndarray): The values for the orders up to `v`, and their derivatives. |
    Parabolic cylinder functions V.
riccati_jn(n, x) -> (ndarray, ndarray): The values for the orders 0 to `n`, and their derivatives. |
    Riccati-Bessel functions of the first kind.
riccati_yn(n, x) -> (ndarray, ndarray): The values for the orders 0 to `n`, and their derivatives. |
    Riccati-Bessel functions of the second kind.
geterr() -> dict: A word for each category. | The treatment of errors by the functions that SciPy
    computes. Functions on devices report no errors.
seterr(**kwargs) -> dict: The former words. | Sets the treatment of errors by the functions that
    SciPy computes. Functions on devices report no errors.
"""

_FAMILIES = """
chebyt t | | Chebyshev polynomials of the first kind
chebyu u | | Chebyshev polynomials of the second kind
chebyc c | | Chebyshev polynomials of the first kind on [-2, 2]
chebys s | | Chebyshev polynomials of the second kind on [-2, 2]
sh_chebyt ts | | shifted Chebyshev polynomials of the first kind
sh_chebyu us | | shifted Chebyshev polynomials of the second kind
gegenbauer cg | alpha | Gegenbauer polynomials
genlaguerre la | alpha | generalised Laguerre polynomials
hermite h | | physicists' Hermite polynomials
hermitenorm he | | probabilists' Hermite polynomials
jacobi j | alpha, beta | Jacobi polynomials
laguerre l | | Laguerre polynomials
legendre p | | Legendre polynomials
sh_jacobi js | p1, q1 | shifted Jacobi polynomials
sh_legendre ps | | shifted Legendre polynomials
"""

# The families of orthogonal polynomials: parameters and name.
FAMILIES = {}
for _line in _FAMILIES.strip().splitlines():
    _names, _parameters, _of = (part.strip() for part in _line.split("|"))
    _own, _short = _names.split()
    FAMILIES[_own] = _parameters.split(", ") if _parameters else []
    _parameters = f"n, {_parameters}, mu=False" if _parameters else "n, mu=False"
    for _name in f"roots_{_own}", f"{_short}_roots":
        TABLE += (
            f"{_name}({_parameters}) -> tuple of ndarray: The nodes and the weights; their sum "
            f"as well, if `mu`. | The nodes and weights of Gauss quadrature with {_of}.\n"
        )
