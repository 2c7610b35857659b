"""The functions of SciPy that run on the host: signature, result and summary of each."""

TABLE = """
cdf2rdf(w, v) -> (ndarray, ndarray): The blocks and the vectors. | Real blocks on a diagonal and
    real vectors, from complex eigenvalues and eigenvectors in conjugated pairs.
cossin(X, p=None, q=None, separate=False, swap_sign=False, compute_u=True, compute_vh=True) ->
    tuple of ndarray: The left vectors, the cosines and sines, and the right vectors. | The
    decomposition of a unitary matrix into cosines and sines.
expm_cond(A, check_finite=True) -> float: The condition. | The relative condition of the
    exponential of a matrix.
find_best_blas_type(arrays=(), dtype=None) -> (str, dtype, bool): The letter, the dtype and whether
    the order is Fortran's. | The type of the routines of BLAS for arrays.
funm(A, func, disp=True) -> ndarray: The function of the matrix. | A function of a matrix, of a
    function of its eigenvalues.
get_blas_funcs(names, arrays=(), dtype=None, ilp64=False) -> function or list of function: The
    routines. | The routines of BLAS for the dtypes of arrays; they take arrays of NumPy.
get_lapack_funcs(names, arrays=(), dtype=None, ilp64=False) -> function or list of function: The
    routines. | The routines of LAPACK for the dtypes of arrays; they take arrays of NumPy.
hessenberg(a, calc_q=False, overwrite_a=False, check_finite=True) -> ndarray or (ndarray, ndarray):
    The matrix of Hessenberg, and the unitary one. | The form of Hessenberg of a matrix.
invhilbert(n, exact=False) -> ndarray: The matrix; an array of NumPy's objects with `exact`, where
    numbers are too long. | The inverse of the matrix of Hilbert.
invpascal(n, kind='symmetric', exact=True) -> ndarray: The matrix; an array of NumPy's objects where
    numbers are too long. | The inverse of the matrix of Pascal.
ldl(A, lower=True, hermitian=True, overwrite_a=False, check_finite=True) -> (ndarray, ndarray,
    ndarray): The permuted triangle, the blocks on the diagonal, and the order of the rows. | The
    factorisation of an indefinite Hermitian or symmetric matrix.
matrix_balance(A, permute=True, scale=True, separate=False, overwrite_a=False) -> (ndarray,
    ndarray): The balanced matrix, and the transformation. | A similar matrix whose rows and
    columns have norms of the same order.
ordqz(A, B, sort='lhp', output='real', overwrite_a=False, overwrite_b=False, check_finite=True) ->
    tuple of ndarray: Both triangles, the quotients of eigenvalues, and both unitary matrices. |
    The decomposition of two matrices into triangles, with sorted eigenvalues.
pascal(n, kind='symmetric', exact=True) -> ndarray: The matrix; an array of NumPy's objects where
    numbers are too long. | The matrix of Pascal, of binomial coefficients.
qr_delete(Q, R, k, p=1, which='row', overwrite_qr=False, check_finite=True) -> (ndarray, ndarray):
    The factors. | The factors of a matrix without some of its rows or columns.
qr_insert(Q, R, u, k, which='row', rcond=None, overwrite_qru=False, check_finite=True) -> (ndarray,
    ndarray): The factors. | The factors of a matrix with further rows or columns.
qr_update(Q, R, u, v, overwrite_qruv=False, check_finite=True) -> (ndarray, ndarray): The factors.
    | The factors of a matrix to which a product of vectors is added.
qz(A, B, output='real', lwork=None, sort=None, overwrite_a=False, overwrite_b=False,
    check_finite=True) -> tuple of ndarray: Both triangles, and both unitary matrices. | The
    decomposition of two matrices into triangles.
rsf2csf(T, Z, check_finite=True) -> (ndarray, ndarray): The triangle and the unitary matrix. | The
    complex form of Schur from the real one.
schur(a, output='real', lwork=None, overwrite_a=False, sort=None, check_finite=True) -> tuple: The
    triangle, the unitary matrix, and with `sort` the number of sorted eigenvalues. | The form of
    Schur of a matrix.
solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True) -> ndarray: The solution. | The
    solution of Riccati's algebraic equation of continuous time.
solve_continuous_lyapunov(a, q) -> ndarray: The solution. | The solution of Lyapunov's equation of
    continuous time.
solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True) -> ndarray: The solution. | The
    solution of Riccati's algebraic equation of discrete time.
solve_discrete_lyapunov(a, q, method=None) -> ndarray: The solution. | The solution of Lyapunov's
    equation of discrete time.
solve_lyapunov(a, q) -> ndarray: The solution. | The solution of Lyapunov's equation of continuous
    time, by an older name.
solve_sylvester(a, b, q) -> ndarray: The solution. | The solution of Sylvester's equation ``a x + x
    b = q``.
solve_toeplitz(c_or_cr, b, check_finite=True) -> ndarray: The solutions. | The solution of equations
    with a matrix of constant diagonals, in a time proportional to the square of their number.
"""

# Those of matrices in bands, which may be longer.
OF_BANDS = """
cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True) -> ndarray: The solutions.
    | The solution of equations whose matrix of bands is factorised by `cholesky_banded`.
cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True) -> ndarray: The triangle,
    in bands. | The triangle of Cholesky of a positive definite matrix in bands.
eigh_tridiagonal(d, e, eigvals_only=False, select='a', select_range=None, check_finite=True,
    tol=0.0, lapack_driver='auto') -> ndarray or (ndarray, ndarray): The eigenvalues in ascending
    order, and the eigenvectors. | The eigenvalues of a symmetric matrix of three diagonals.
eigvals_banded(a_band, lower=False, overwrite_a_band=False, select='a', select_range=None,
    check_finite=True) -> ndarray: The eigenvalues in ascending order. | The eigenvalues alone of
    a Hermitian matrix in bands.
eigvalsh_tridiagonal(d, e, select='a', select_range=None, check_finite=True, tol=0.0,
    lapack_driver='auto') -> ndarray: The eigenvalues in ascending order. | The eigenvalues alone
    of a symmetric matrix of three diagonals.
"""
