"""Functions of square matrices."""

import math

import phalanx as np

from .._arguments import array, refuse
from . import _host
from ._arrays import adjoint, checked, doubled, epsilon, lapack_dtype, not_of_none, real_of
from ._described import COLLECTIVE, DECOMPOSED, described

# The degrees of the approximations of Pade, and the 1-norms up to which they are exact to rounding.
# Source: N. J. Higham, "The scaling and squaring method for the matrix exponential revisited"
# (2005), table 2.3; for single precision, N. J. Higham, "Functions of Matrices" (2008).
_LIMITS = {
    "d": ((3, 1.495585217958292e-2), (5, 2.539398330063230e-1), (7, 9.504178996162932e-1),
          (9, 2.097847961257068), (13, 5.371920351148152)),
    "f": ((3, 4.258730016922831e-1), (5, 1.880152677804762), (7, 3.925724783138660)),
}
_SQUARE = {"ValueError": "The matrix has infinities or NaNs.",
           "LinAlgError": "The matrix is not square."}
_ON_HOST = (
    DECOMPOSED + " It is computed by the eigenvectors of a Hermitian matrix; for another one SciPy "
    "computes it on the host, and matrices of more than 2**22 elements are refused."
)
_A = {"A": ("array_like", "The matrix, or several ones.")}


def _coefficients(degree):
    """The coefficients of the approximation of Pade, divided by the last one."""
    of = math.factorial
    return [
        of(2 * degree - power) // (of(power) * of(degree - power)) for power in range(degree + 1)
    ]


def _of_square(A):
    A = array(A)
    if A.ndim < 2:
        raise refuse("The input array must be at least two-dimensional", np.linalg.LinAlgError)
    if A.shape[-1] != A.shape[-2]:
        raise refuse("Last 2 dimensions of the array must be square", np.linalg.LinAlgError)
    return A.astype(lapack_dtype(A), copy=False)


@described("ndarray: The exponentials.", _SQUARE, COLLECTIVE + " Norms of matrices are read. "
           "Distribution: gathers: equations are solved by whole matrices.", **_A)
def expm(A):
    """The exponential of a matrix, by Pade's approximation with scaling and squaring."""
    A = doubled(array(A))[0]
    is_number = A.ndim == 0 or (A.ndim == 1 and A.size == 1)
    if is_number:
        A = A.astype(np.complex128 if A.dtype.kind == "c" else np.float64)
        return np.exp(A)[(None,) * (2 - A.ndim)]
    A = _of_square(A)
    if A.size == 0:
        return np.zeros_like(A)
    if A.shape[-1] == 1:
        return np.exp(A)
    return _exponential(A)


def _exponential(A):
    import numpy

    norms = np.abs(A).sum(axis=-2).max(axis=-1).get()
    most = float(norms.max(initial=0.0))
    limits = _LIMITS[real_of(A.dtype).char]
    last, limit = limits[-1]
    degree = next((one for one, bound in limits if most <= bound), last)
    squarings = numpy.zeros(norms.shape, int)
    with numpy.errstate(divide="ignore"):
        ratio = numpy.where(numpy.isfinite(norms) & (norms > limit), norms / limit, 1)
        squarings = numpy.ceil(numpy.log2(ratio)).astype(int)
    turns = int(squarings.max())
    if turns:
        scale = (0.5**squarings).astype(real_of(A.dtype))
        A = A * np.asarray(scale)[..., None, None]
    found = np.linalg.solve(*_pade(A, degree))
    for turn in range(turns):
        again = found @ found
        if squarings.ndim:
            again = np.where(np.asarray(turn < squarings)[..., None, None], again, found)
        found = again
    return found


def _pade(A, degree):
    """The denominator and the numerator of the approximation."""
    b = [float(one) for one in _coefficients(degree)]
    one = np.eye(A.shape[-1], dtype=A.dtype)
    A2 = A @ A
    if degree == 13:
        A4 = A2 @ A2
        A6 = A2 @ A4
        odd = A6 @ (b[13] * A6 + b[11] * A4 + b[9] * A2)
        odd = A @ (odd + b[7] * A6 + b[5] * A4 + b[3] * A2 + b[1] * one)
        even = A6 @ (b[12] * A6 + b[10] * A4 + b[8] * A2)
        even = even + b[6] * A6 + b[4] * A4 + b[2] * A2 + b[0] * one
    else:
        odd, even, power = b[1] * one, b[0] * one, None
        for at in range(2, degree, 2):
            power = A2 if power is None else power @ A2
            odd, even = odd + b[at + 1] * power, even + b[at] * power
        odd = A @ odd
    return even - odd, even + odd


@described("ndarray or (ndarray, ndarray): The exponential, if it is wanted, and the derivative.",
           {"ValueError": "The matrices are not square or of different shapes, or `method` is "
            "unknown."}, COLLECTIVE + " It is a part of an exponential of twice the extent.",
           A=("array_like", "The matrix."), E=("array_like", "The direction."),
           method=("{'SPS', 'blockEnlarge'}", "Without effect on how it is computed."),
           compute_expm=("bool", "Whether the exponential is returned."))
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """The exponential of a matrix and its derivative in a direction."""
    A, E = checked(A, check_finite), checked(E, check_finite)
    if method not in (None, "SPS", "blockEnlarge"):
        raise refuse(f"Unknown implementation {method}", mistake="choice")
    for one, name in ((A, "A"), (E, "E")):
        if one.ndim < 2 or one.shape[-2] != one.shape[-1]:
            raise refuse(f"expected {name} to be a square matrix")
    if A.shape[-1] != E.shape[-1]:
        raise refuse("expected A and E to be the same shape")
    is_real = A.dtype.kind != "c"
    if method != "blockEnlarge" or {A.dtype.kind, E.dtype.kind} & set("biu"):
        A, E = (one.astype(np.complex128 if one.dtype.kind == "c" else np.float64)
                for one in (A, E))
    A, E = np.broadcast_arrays(not_of_none(A), not_of_none(E))
    n = A.shape[-1]
    upper = np.concatenate([A, E], axis=-1)
    lower = np.concatenate([np.zeros_like(A), A], axis=-1)
    whole = expm(np.concatenate([upper, lower], axis=-2))
    derivative = whole[..., :n, n:]
    if not compute_expm:
        return derivative
    found = whole[..., :n, :n]
    return found.real if is_real and method != "blockEnlarge" else found, derivative


def _is_hermitian(A):
    return bool((A == adjoint(A)).all())


def _in_double(A):
    return A.astype(np.result_type(A.dtype, np.float64), copy=False)


def _by_eigenvalues(A, function):
    """A function of the eigenvalues of a Hermitian matrix."""
    values, vectors = np.linalg.eigh(A)
    return (vectors * function(values)[..., None, :]) @ adjoint(vectors)


def _root(values):
    """Roots, complex ones if a value is negative. Values of the size of rounding are zeros."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    limit = largest * values.shape[-1] * epsilon(values.dtype)
    values = np.where(np.abs(values) <= limit, 0, values)
    if bool((values < 0).any()):
        values = values.astype(np.result_type(values.dtype, np.complex64))
    return np.sqrt(values)


_NOT_GIVEN = object()
_OF_ROOTS = {"disp": ("bool", "Deprecated, as in SciPy: with False an estimate of the error is "
                      "returned as well."),
             "blocksize": ("int", "Deprecated, without effect.")}


@described("ndarray: The root.", _SQUARE, _ON_HOST, **_OF_ROOTS, **_A)
def sqrtm(A, disp=_NOT_GIVEN, blocksize=_NOT_GIVEN):
    """The square root of a matrix."""
    A = doubled(np.atleast_2d(array(A)) if np.ndim(A) == 0 else array(A))[0]
    A = _of_square(A)
    options = {name: one for name, one in (("disp", disp), ("blocksize", blocksize))
               if one is not _NOT_GIVEN}
    if options or A.size == 0 or not _is_hermitian(A):
        return _host.of_scipy("sqrtm", A, **options)
    return _by_eigenvalues(A, _root)


@described("ndarray: The logarithm.", _SQUARE, _ON_HOST, **_OF_ROOTS, **_A)
def logm(A, disp=_NOT_GIVEN):
    """The logarithm of a matrix."""
    A = _of_square(A)
    options = {} if disp is _NOT_GIVEN else {"disp": disp}
    if options or A.size == 0 or not _is_hermitian(A):
        return _host.of_scipy("logm", A, **options)
    values, vectors = np.linalg.eigh(_in_double(A))
    if bool((values <= 0).any()):
        return _host.of_scipy("logm", A)
    return (vectors * np.log(values)[..., None, :]) @ adjoint(vectors)


@described("ndarray: The signs.", _SQUARE, _ON_HOST, **_OF_ROOTS, **_A)
def signm(A, disp=_NOT_GIVEN):
    """The matrix with the signs of the eigenvalues of a matrix in their place."""
    A = array(A)
    # As in SciPy, truth values are in single precision.
    A = _of_square(A if A.dtype.kind == "b" else doubled(A)[0])
    options = {} if disp is _NOT_GIVEN else {"disp": disp}
    if options or A.size == 0 or not _is_hermitian(A):
        return _host.of_scipy("signm", A, **options)

    def signs(values):
        limit = 1000 * epsilon(values.dtype) * np.abs(values).max(axis=-1, keepdims=True)
        return np.where(np.abs(values) <= limit, 0, np.sign(values)).astype(values.dtype)

    return _by_eigenvalues(A, signs)


@described("ndarray: The power.", {**_SQUARE, "LinAlgError": "The matrix is not square, or "
           "singular and `t` negative."}, _ON_HOST + " Integral powers are products.",
           t=("float", "The exponent."), **_A)
def fractional_matrix_power(A, t):
    """The power of a matrix with an exponent that need not be integral."""
    given = array(A)
    A = not_of_none(_of_square(given))
    if t == int(t):
        # Powers of integers are integers.
        return np.linalg.matrix_power(given, int(t))
    if A.size and _is_hermitian(A):
        values, vectors = np.linalg.eigh(_in_double(A))
        if bool((values > 0).all()):
            return (vectors * (values**t)[..., None, :]) @ adjoint(vectors)
    return _host.of_scipy("fractional_matrix_power", A, t)


_BY_EXPONENTIALS = COLLECTIVE + " It is computed by exponentials."


@described("ndarray: The cosine.", _SQUARE, _BY_EXPONENTIALS, **_A)
def cosm(A):
    """The cosine of a matrix."""
    A = not_of_none(_of_square(doubled(array(A))[0]))
    if A.dtype.kind == "c":
        return (expm(1j * A) + expm(-1j * A)) / 2
    return expm(1j * A).real


@described("ndarray: The sine.", _SQUARE, _BY_EXPONENTIALS, **_A)
def sinm(A):
    """The sine of a matrix."""
    A = not_of_none(_of_square(doubled(array(A))[0]))
    if A.dtype.kind == "c":
        return -0.5j * (expm(1j * A) - expm(-1j * A))
    return expm(1j * A).imag


@described("ndarray: The tangent.", _SQUARE, _BY_EXPONENTIALS, **_A)
def tanm(A):
    """The tangent of a matrix."""
    return np.linalg.solve(checked(cosm(A)), checked(sinm(A)))


@described("ndarray: The hyperbolic cosine.", _SQUARE, _BY_EXPONENTIALS, **_A)
def coshm(A):
    """The hyperbolic cosine of a matrix."""
    A = not_of_none(_of_square(doubled(array(A))[0]))
    return (expm(A) + expm(-A)) / 2


@described("ndarray: The hyperbolic sine.", _SQUARE, _BY_EXPONENTIALS, **_A)
def sinhm(A):
    """The hyperbolic sine of a matrix."""
    A = not_of_none(_of_square(doubled(array(A))[0]))
    return (expm(A) - expm(-A)) / 2


@described("ndarray: The hyperbolic tangent.", _SQUARE, _BY_EXPONENTIALS, **_A)
def tanhm(A):
    """The hyperbolic tangent of a matrix."""
    return np.linalg.solve(checked(coshm(A)), checked(sinhm(A)))
