"""Factorisations of sparse matrices, and solutions by them."""

import warnings

import phalanx as np

from ...._phalanx import _beside, _refusal
from ...._phalanx import sparse as _core
from .._classes import adopted, class_of, is_sparse, warn
from ._described import COLLECTIVE, described, on_mesh
from ._errors import MatrixRankWarning
from ._interface import LinearOperator, home
from ._operands import given_options, inexact

_GATHERED = COLLECTIVE + (
    " Every process reads the matrix to its host, and computes the same there in double precision, "
    "so the memory of each host must hold the factors."
)
_LARGE = COLLECTIVE + (
    " A matrix of 10,000 rows or more is factorised on the devices, by dense matrices, if these are "
    "GPUs, if there are several and the matrix has 100,000 rows, or if its factors take much work; "
    "others, and those whose pivots vanish, on the host of every process. Numbers are computed in "
    "double precision."
)
_COLUMNS = ("NATURAL", "COLAMD", "MMD_ATA", "MMD_AT_PLUS_A")
_RULES = ("basic", "prows", "column", "area", "secondary", "dynamic", "interp")
# Options of SuperLU that change nothing here: its own blocks, scaling and statistics.
_IGNORED = """
Equil Fact Trans IterRefine PrintStat ConditionNumber PivotGrowth ReplaceTinyPivot SymmetricMode
PanelSize Relax ILU_MILU ILU_MILU_Dim ILU_Norm ILU_FillTol RowPerm SolveInitialized
RefineInitialized
""".split()
_MATRIX = ("sparse matrix or array_like", "The matrix, square.")
_SOURCE = {
    "permc_spec": (
        "{'COLAMD', 'NATURAL', 'MMD_ATA', 'MMD_AT_PLUS_A'}",
        "How columns are ordered, so that factors have few entries: by the product of the "
        "transposed matrix and the matrix (the default; ``'MMD_ATA'`` is the same), not at all, or "
        "by the sum of both, for matrices with pivots on the diagonal.",
    ),
    "diag_pivot_thresh": (
        "float",
        "The element of the diagonal becomes the pivot if it is at least this multiple of the "
        "largest element of its column.",
    ),
    "relax": ("int", "Ignored: the method has no supernodes of leaves."),
    "panel_size": ("int", "Ignored: the method has no panels."),
    "options": (
        "dict",
        "Options by SuperLU's names: `ColPerm`, `DiagPivotThresh`, `ILU_DropTol`, "
        "`ILU_FillFactor` and `ILU_DropRule`; others are ignored. ``{'Fronts': True}`` lets `splu` "
        "factorise by dense matrices on the devices, whatever the size and the devices.",
    ),
}


class SuperLU:
    """The factors of a sparse matrix: ``Pr @ A @ Pc = L @ U``.

    `splu` and `spilu` make it.

    Raises
    ------
    TypeError
        Always.

    Notes
    -----
    Local. The name is SciPy's; the method is not that of the SuperLU library. A large matrix is
    factorised on the devices or in blocks that only serve solutions: reading `L`, `U`, `nnz`, `perm_r` or `perm_c`
    then factorises it a second time, by columns, which takes longer.
    """

    __slots__ = ("_factors", "_known", "_source")

    def __init__(self):
        text = "cannot create 'SuperLU' instances"
        raise _refusal(TypeError, "type", text, "call splu or spilu")

    @property
    def shape(self):
        """The shape of the matrix."""
        return self._factors.shape

    @property
    def fronts(self):
        """What factors on the devices take, as a `dict`; ``None`` for factors on the host.

        The numbers are those of dense matrices (`fronts`), of rows of the largest one (`largest`),
        of `elements` on all devices, of their `bytes`, and of `multiplications`.
        """
        return self._factors.fronts

    @property
    def nnz(self):
        """The number of entries of both factors. Collective at the first call."""
        return self._called(lambda: self._factors.nnz)

    @property
    def perm_r(self):
        """Where each row of the matrix stands in the product of the factors. Collective."""
        return self._once("positions", self._factors.positions)[0]

    @property
    def perm_c(self):
        """Where each column of the matrix stands in the product of the factors. Collective."""
        return self._once("positions", self._factors.positions)[1]

    @property
    def L(self):
        """The lower triangular factor, with ones on its diagonal, a `csc_array`. Collective."""
        return self._once("L", self._factors.lower_transposed)

    @property
    def U(self):
        """The upper triangular factor, a `csc_array`. Collective."""
        return self._once("U", self._factors.upper_transposed)

    def solve(self, rhs, trans="N"):
        """Solves the equations of the matrix for right-hand sides.

        Parameters
        ----------
        rhs : array_like
            The right-hand side, a vector or a matrix. Its dtype casts safely to that of the matrix.
        trans : {'N', 'T', 'H'}
            Whether the equations are those of the matrix, of its transpose, or of its conjugate
            transpose.

        Returns
        -------
        ndarray
            The solution, of the shape of `rhs` and in the dtype of the factors.

        Raises
        ------
        ValueError
            The shapes do not fit, or there is no such `trans`.
        TypeError
            The dtype does not cast safely.

        Notes
        -----
        Collective. For factors on the host, every process reads the right-hand sides and computes
        the same.
        """
        trans = _upper(trans)
        if trans not in ("N", "T", "H"):
            raise _refusal(ValueError, "choice", "trans must be N, T, or H")
        with _beside([home(self._source)]):
            rhs = np.asarray(rhs)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise _refusal(ValueError, "together", "b is of incompatible size")
        dtype = self._factors.dtype
        if not np.can_cast(rhs.dtype, dtype, "safe"):
            text = (
                f"Cannot cast array data from {rhs.dtype!r} to {dtype!r} according to the rule "
                "'safe'"
            )
            hint = "convert the matrix to the wider dtype before it is factorised"
            raise _refusal(TypeError, "dtype", text, hint)
        return self._called(lambda: self._factors.solve(rhs, trans))

    def _called(self, call):
        with _beside([home(self._source)]):
            try:
                return call()
            except np.linalg.LinAlgError:
                raise _singular() from None

    def _once(self, name, call):
        """What a call gives, kept. The rows of a transposed factor are its columns."""
        if name not in self._known:
            found = self._called(call)
            if name != "positions":
                found = class_of("csc", True)._of_core(found, self.shape, is_canonical=True)
            self._known[name] = found
        return self._known[name]


_REFUSED = {
    "ilu0": ("a pivot of the incomplete factors is zero or no entry", "use spilu, which pivots"),
    "ic0": ("a pivot is not positive, so the matrix has no incomplete Cholesky factors",
            "the matrix is Hermitian positive definite, or nearly diagonally dominant; see ilu0"),
    "ssor": ("an element of the diagonal is zero", "use spilu, which pivots"),
}


def _singular(name="columns"):
    usual = ("Factor is exactly singular", "see lsqr, or svds for the rank")
    text, hint = _REFUSED.get(name, usual)
    return _refusal(RuntimeError, "value", text, hint)


def in_columns(A, name):
    """An operand as a sparse matrix in columns or rows."""
    A = adopted(A)
    if not is_sparse(A) or A.format != "csc":
        warn(f"{name} converted its input to CSC format")
    # The core orders entries itself, so rows are as good as columns.
    if not is_sparse(A) or A.format not in ("csc", "csr"):
        A = class_of("csc", True)(A)
    return _inexact(A)


def _inexact(A):
    """The matrix with inexact elements: narrow integers become single precision, as in SciPy."""
    return A.astype(np.float32) if A.dtype.char in "?bBhH" else A


def factors_of(name, A, **options):
    """The factors of a sparse matrix by a method of the core."""
    if A.shape[0] != A.shape[1]:
        raise _refusal(ValueError, "value", "can only factor square matrices")
    made = SuperLU.__new__(SuperLU)
    made._source, made._known = A, {}
    with _beside([home(A)]):
        try:
            made._factors = _core._factorised(name, A, given_options(**options))
        except np.linalg.LinAlgError:
            raise _singular(name) from None
    return made


class FactoredInverse(LinearOperator):
    """The inverse of a matrix by its factors, which may be nearly those of the matrix."""

    def __init__(self, lu):
        self._lu = lu
        self._made = lu._factors.operator()
        super().__init__(self._made.dtype, lu.shape)

    def _home(self):
        return home(self._lu._source)

    def _matvec(self, x):
        return self._lu._factors.solve(x, "N")

    def _matmat(self, X):
        return self._lu._factors.solve(X, "N")

    def _rmatvec(self, x):
        return self._lu._factors.solve(x, "H")


def _upper(word):
    return word.upper() if isinstance(word, str) else word


def _options(options, permc_spec, diag_pivot_thresh):
    """The options of both factorisations, and those by SuperLU's names."""
    options = dict(options or {})
    named = {"ColPerm": permc_spec, "DiagPivotThresh": diag_pivot_thresh, **options}
    known = ("ColPerm", "DiagPivotThresh", "ILU_DropTol", "ILU_FillFactor", "ILU_DropRule", "Fronts")
    for name in named:
        if name not in known and name not in _IGNORED:
            text = f"'{name}' is no option of SuperLU"
            raise _refusal(TypeError, "keyword", text, f"known are {', '.join(known)}")
    order = _upper(named["ColPerm"])
    if order is not None and order not in _COLUMNS:
        text = "invalid value for 'ColPerm' parameter"
        raise _refusal(ValueError, "choice", text, f"choose one of {', '.join(_COLUMNS)}")
    return named, {"order": order, "diagonal_threshold": named["DiagPivotThresh"]}


@on_mesh
@described(
    "SuperLU: The factors.",
    {"ValueError": "The matrix is not square, or there is no such order.",
     "TypeError": "There is no such option.",
     "RuntimeError": "The matrix is singular."},
    _LARGE,
    A=_MATRIX,
    **_SOURCE,
)
def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    """Factorises a sparse matrix into a lower and an upper triangular one."""
    named, given = _options(options, permc_spec, diag_pivot_thresh)
    if named.get("Fronts"):
        return factors_of("fronts", in_columns(A, "splu"))
    return factors_of("columns", in_columns(A, "splu"), **given)


@on_mesh
@described(
    "SuperLU: The factors.",
    {"ValueError": "The matrix is not square, there is no such order or rule, or a number is out "
     "of range.",
     "TypeError": "There is no such option.",
     "RuntimeError": "A pivot is zero."},
    _GATHERED + " Elements are dropped by a threshold, and by the number that a column keeps.",
    A=_MATRIX,
    drop_tol=("float", "What is smaller than this part of its column is dropped; 1e-4."),
    fill_factor=(
        "float",
        "The most entries of both factors for each entry of the matrix; 10. Each column keeps this "
        "multiple of the mean of the columns.",
    ),
    drop_rule=(
        "str",
        "Names of SuperLU's rules, with commas between. Without ``'basic'`` there is no threshold; "
        "the others limit the number of entries.",
    ),
    **_SOURCE,
)
def spilu(
    A,
    drop_tol=None,
    fill_factor=None,
    drop_rule=None,
    permc_spec=None,
    diag_pivot_thresh=None,
    relax=None,
    panel_size=None,
    options=None,
):
    """Factorises a sparse matrix incompletely: the factors are nearly those of the matrix."""
    named, given = _options(options, permc_spec, diag_pivot_thresh)
    named = {
        "ILU_DropTol": drop_tol, "ILU_FillFactor": fill_factor, "ILU_DropRule": drop_rule,
        **{name: value for name, value in named.items() if name.startswith("ILU_")},
    }
    drop = 1e-4 if named["ILU_DropTol"] is None else float(named["ILU_DropTol"])
    fill = 10.0 if named["ILU_FillFactor"] is None else float(named["ILU_FillFactor"])
    rules = "basic,area" if named["ILU_DropRule"] is None else named["ILU_DropRule"]
    rules = rules.split(",") if isinstance(rules, str) else list(rules)
    rules = [rule.strip().lower() if isinstance(rule, str) else rule for rule in rules]
    if any(rule not in _RULES for rule in rules):
        text = "invalid value for 'ILU_DropRule' parameter"
        raise _refusal(ValueError, "choice", text, f"choose of {', '.join(_RULES)}")
    if not 0 <= drop <= 1:
        raise _refusal(ValueError, "value", "ILU_DropTol must be between 0 and 1")
    if not fill >= 1:
        raise _refusal(ValueError, "value", "ILU_FillFactor must be 1 or more")
    if "basic" not in rules:
        drop = 0.0
    given["drop"], given["fill"] = drop, fill
    if given["diagonal_threshold"] is None:
        given["diagonal_threshold"] = 0.1
    return factors_of("columns", in_columns(A, "spilu"), **given)


@on_mesh
@described(
    "callable: The function of a right-hand side that returns the solution.",
    {"ValueError": "The matrix is not square.", "RuntimeError": "The matrix is singular."},
    _LARGE,
    A=_MATRIX,
)
def factorized(A):
    """A function that solves the equations of a sparse matrix, which is factorised once."""
    return splu(A).solve


@on_mesh
@described(
    "ndarray or sparse matrix: The solution, of the shape of `b`; sparse for a sparse matrix `b`.",
    {"ValueError": "The matrix is not square, the shapes do not fit, or there is no such order."},
    _LARGE + " A singular matrix gives NaN and a `MatrixRankWarning`.",
    A=_MATRIX,
    b=("array_like or sparse matrix", "The right-hand side, a vector or a matrix."),
    permc_spec=_SOURCE["permc_spec"],
    use_umfpack=("bool", "Ignored: there is one method."),
)
def spsolve(A, b, permc_spec=None, use_umfpack=True):
    """Solves the equations of a sparse matrix."""
    A, b = adopted(A), adopted(b)
    if not is_sparse(A) or A.format not in ("csc", "csr"):
        A = class_of("csc", True)(A)
        warn("spsolve requires A be CSC or CSR matrix format")
    is_sparse_right = is_sparse(b)
    if not is_sparse_right:
        b = np.asarray(b)
    is_vector = b.ndim == 1 or (b.ndim == 2 and b.shape[1] == 1)
    rows, columns = A.shape
    if rows != columns:
        raise _refusal(ValueError, "value", f"matrix must be square (has shape {A.shape})")
    if rows != b.shape[0]:
        text = f"matrix - rhs dimension mismatch ({A.shape} - {b.shape[0]})"
        raise _refusal(ValueError, "together", text)
    _, given = _options(None, permc_spec, None)
    A = _inexact(A)
    dtype = np.result_type(inexact(A.dtype) if A.dtype.kind in "biu" else A.dtype, b.dtype)
    A = A.astype(dtype)
    right = (b.toarray() if is_sparse_right else b).astype(dtype, copy=False)
    if is_vector:
        right = right.reshape(-1)
    try:
        x = factors_of("columns", A, **given).solve(right)
    except RuntimeError:
        if is_sparse_right and not is_vector:
            raise
        warnings.warn("Matrix is exactly singular", MatrixRankWarning, stacklevel=3)
        x = np.full_like(right, np.nan)
    if is_sparse_right and not is_vector:
        if b.format != "csc":
            warn("spsolve is more efficient when sparse b is in the CSC matrix format")
        return class_of(A.format, A._is_array)(x)
    return x


@described(
    "None: Nothing.",
    {"TypeError": "There is no such keyword."},
    "Local. There is one method, so nothing changes.",
    kwargs=("bool", "`useUmfpack` and `assumeSortedIndices`, as in SciPy."),
)
def use_solver(**kwargs):
    """Selects the library of the direct solver, of which there is one."""
    for name in kwargs:
        if name not in ("useUmfpack", "assumeSortedIndices"):
            text = f"use_solver() got an unexpected keyword argument '{name}'"
            raise _refusal(TypeError, "keyword", text)
