"""The parameters of linear algebra: their types and descriptions."""

_ARRAY = "array_like"
_MAY = ("bool", "Without effect: arguments are not overwritten.")
_OF_BANDS = (_ARRAY, "The matrix in bands: diagonals as rows, in the places of their columns.")
_LWORK = ("int", "Without effect.")
_LETTERS = ("str or sequence of str", "The names of the routines, without the letter of the dtype.")

PARAMETERS = {
    "A": (_ARRAY, "The first matrix."),
    "B": (_ARRAY, "The second matrix."),
    "Q": (_ARRAY, "The orthonormal columns."),
    "R": (_ARRAY, "The triangle."),
    "T": (_ARRAY, "The real triangle of Schur."),
    "X": (_ARRAY, "The unitary matrix, or its four blocks."),
    "Z": (_ARRAY, "The unitary matrix of Schur."),
    "a": (_ARRAY, "The matrix, or several ones."),
    "a_band": _OF_BANDS,
    "ab": _OF_BANDS,
    "arrays": ("sequence of array_like", "The arrays whose dtypes decide."),
    "axis": ("int", "The axis."),
    "b": (_ARRAY, "The right side: a vector, or vectors as columns."),
    "balanced": ("bool", "Whether the matrices are balanced first."),
    "baxis": ("int", "The axis of the right sides in `b`."),
    "c_or_cr": ("array_like or (array_like, array_like)", "The first column, or the first column "
                "and the first row; the row is the conjugated column by default."),
    "calc_q": ("bool", "Whether the unitary matrix is returned."),
    "caxis": ("int", "The axis of the columns in `c`."),
    "cb_and_lower": ("(array_like, bool)", "The triangle in bands, and whether it is the lower "
                     "one."),
    "check_finite": ("bool", "Whether infinities and NaNs are refused."),
    "compute_u": ("bool", "Whether left vectors are computed."),
    "compute_vh": ("bool", "Whether right vectors are computed."),
    "d": (_ARRAY, "The diagonal."),
    "disp": ("bool", "Whether a warning is printed; with False an estimate of the error is "
             "returned as well."),
    "dtype": ("dtype", "The dtype, if there are no arrays."),
    "e": (_ARRAY, "The diagonal beside the main one."),
    "eigvals_only": ("bool", "Whether there are no eigenvectors."),
    "exact": ("bool", "Whether the elements are integers."),
    "func": ("callable", "The function of eigenvalues, of an array."),
    "hermitian": ("bool", "Whether the matrix is Hermitian, and not symmetric."),
    "ilp64": ("bool or 'preferred'", "Whether the routines take integers of 64 bits."),
    "input_matrix": (_ARRAY, "The matrix, of arrays of ours, or a sparse one."),
    "k": ("int", "The number of the first row or column."),
    "kind": ("{'symmetric', 'lower', 'upper'}", "The form of the matrix."),
    "l_and_u": ("(int, int)", "The numbers of diagonals below and above the main one."),
    "lapack_driver": ("str", "The routine of LAPACK."),
    "lower": ("bool", "Whether the lower triangle is used, and not the upper one."),
    "lwork": _LWORK,
    "max_ev": ("int", "The most eigenvalues that are expected for a selection by values."),
    "method": ("{'direct', 'bilinear'}", "The method; by the extent by default."),
    "n": ("int", "The number of rows."),
    "names": _LETTERS,
    "outaxis": ("int", "The axis of the solutions in the result."),
    "output": ("{'real', 'complex'}", "Whether blocks of two rows stay for real matrices."),
    "overwrite_a": _MAY,
    "overwrite_a_band": _MAY,
    "overwrite_ab": _MAY,
    "overwrite_b": _MAY,
    "overwrite_c": _MAY,
    "overwrite_qr": _MAY,
    "overwrite_qru": _MAY,
    "overwrite_qruv": _MAY,
    "p": ("int", "The number of rows or columns."),
    "permute": ("bool", "Whether rows and columns may be exchanged."),
    "pivoting": ("bool", "Whether columns are exchanged, so that the diagonal descends."),
    "q": (_ARRAY, "The matrix on the right side."),
    "r": (_ARRAY, "The weights of the inputs."),
    "rcond": ("float", "The least condition for which a column is inserted."),
    "rng": ("int or Generator", "The source of random numbers; one on which all processes agree "
            "by default."),
    "s": (_ARRAY, "The matrix of the mixed terms."),
    "scale": ("bool", "Whether rows and columns may be scaled."),
    "seed": ("int or Generator", "An older name of `rng`."),
    "select": ("{'a', 'v', 'i'}", "Whether all eigenvalues are computed, or those within limits, "
               "or those with numbers."),
    "select_range": ("(float, float)", "The limits, or the first and the last number."),
    "separate": ("bool", "Whether parts are returned as vectors of their own."),
    "sketch_size": ("int", "The number of rows of the sketch."),
    "sort": ("callable or str", "Which eigenvalues are first: a function of them, or 'lhp', 'rhp', "
             "'iuc' or 'ouc'."),
    "swap_sign": ("bool", "Whether the other block of sines is negative."),
    "tol": ("float", "The absolute tolerance of eigenvalues."),
    "trans": ("{0, 1, 2}", "Whether the equations are those of the matrix, of its transpose or of "
              "its adjoint."),
    "u": (_ARRAY, "The vectors that are inserted or added."),
    "unit_diagonal": ("bool", "Whether the elements of the diagonal are taken as ones."),
    "v": (_ARRAY, "The eigenvectors, or the second vector."),
    "w": (_ARRAY, "The eigenvalues."),
    "which": ("{'row', 'col'}", "Whether it is rows or columns."),
}

_MATRIX = (_ARRAY, "The matrix.")
# Parameters of functions of SciPy that differ.
OF_HOST = {
    "cossin": {"p": ("int", "The number of rows of the upper blocks."),
               "q": ("int", "The number of columns of the left blocks.")},
    "expm_cond": {"A": _MATRIX},
    "funm": {"A": _MATRIX},
    "ldl": {"A": _MATRIX},
    "matrix_balance": {"A": _MATRIX},
    "solve_continuous_are": {"b": (_ARRAY, "The matrix of the inputs."),
                             "e": (_ARRAY, "The matrix of the derivatives.")},
    "solve_discrete_are": {"b": (_ARRAY, "The matrix of the inputs."),
                           "e": (_ARRAY, "The matrix of the next states.")},
    "solve_sylvester": {"b": (_ARRAY, "The second matrix.")},
}
