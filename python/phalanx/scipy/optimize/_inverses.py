"""Approximate inverse derivatives of systems of equations, from the steps that were made."""

import math

import phalanx as np

from .._arguments import refuse
from ._objective import inner


def _dot(a, b):
    """The product of two vectors as a number, complex for complex ones."""
    return (np.conj(a) * b).sum().item() if a.dtype.kind == "c" else inner(a, b)


def _norm(a):
    return math.sqrt(abs(_dot(a, a)))


class Inverse:
    """The base: the product with the inverse derivative, and what a step teaches."""

    def setup(self, function, x, value):
        self.function, self.x, self.value = function, x, value

    def update(self, x, value):
        dx, df = x - self.x, value - self.value
        self.learn(x, value, dx, df)
        self.x, self.value = x, value

    def learn(self, x, value, dx, df):
        """Takes a step into account."""


class _Scaled(Inverse):
    """An inverse that starts as a multiple of the identity."""

    def __init__(self, alpha=None):
        self.alpha = alpha

    def setup(self, function, x, value):
        super().setup(function, x, value)
        if self.alpha is None:
            size = _norm(value)
            self.alpha = 0.5 * max(_norm(x), 1) / size if size else 1.0


class Broyden(_Scaled):
    """Broyden's methods; the first one has the derivative changed least, the second the inverse.

    Source: B. A. van der Rotten, "A limited memory Broyden method to solve high-dimensional systems
    of nonlinear equations" (2003).
    """

    def __init__(self, alpha=None, reduction_method="restart", max_rank=None, second=False):
        super().__init__(alpha)
        if isinstance(reduction_method, str):
            reduction_method = (reduction_method,)
        self.reduction, *rest = reduction_method
        if self.reduction not in ("restart", "simple", "svd"):
            raise refuse(f"Unknown rank reduction method {self.reduction!r}", mistake="choice")
        self.most = math.inf if max_rank is None else max_rank
        self.kept = rest[0] if rest else None
        self.second, self.terms = second, []

    def solve(self, f, tol=0):
        made = -self.alpha * f
        for c, d in self.terms:
            made = made + _dot(d, f) * c
        return made

    def _solve_adjoint(self, f):
        made = -self.alpha * f
        for c, d in self.terms:
            made = made + _dot(c, f) * d
        return made

    def learn(self, x, value, dx, df):
        self._reduce()
        row = df if self.second else self._solve_adjoint(dx)
        c = dx - self.solve(df)
        self.terms.append((c, row / _dot(df, row)))

    def _reduce(self):
        count = len(self.terms)
        if count < self.most:
            return
        if self.reduction == "restart":
            self.terms = []
        elif self.reduction == "simple":
            self.terms = self.terms[count - int(self.most) + 1 :] if self.most > 1 else []
        else:
            # The last but one of the most terms are kept, or as many as the user wants.
            self._reduce_by_values(max(int(self.most) - 2, 1) if self.kept is None else self.kept)

    def _reduce_by_values(self, rank):
        rank = min(rank, len(self.terms))
        if not rank:
            self.terms = []
            return
        c, d = (np.stack(one, axis=1) for one in zip(*self.terms))
        d, r = np.linalg.qr(d)
        c = c @ np.conj(r.T)
        u, s, vh = np.linalg.svd(c, full_matrices=False)
        d = d @ np.conj(vh.T)
        c = u * s
        self.terms = [(c[:, at], d[:, at]) for at in range(rank)]


class Anderson(_Scaled):
    """Anderson's mixing of earlier steps.

    Source: V. Eyert, "A comparative study on methods for convergence acceleration of iterative
    vector sequences" (1996).
    """

    def __init__(self, alpha=None, w0=0.01, M=5):
        super().__init__(alpha)
        self.w0, self.most, self.steps = w0, M, []

    def solve(self, f, tol=0):
        made = -self.alpha * f
        if not self.steps:
            return made
        import numpy

        right = numpy.array([_dot(df, f) for _, df in self.steps])
        try:
            factors = numpy.linalg.solve(self.matrix, right)
        except numpy.linalg.LinAlgError:
            self.steps = []
            return made
        for factor, (dx, df) in zip(factors.tolist(), self.steps):
            made = made + factor * (dx + self.alpha * df)
        return made

    def learn(self, x, value, dx, df):
        if self.most == 0:
            return
        import numpy

        self.steps = [*self.steps, (dx, df)][-self.most :]
        n = len(self.steps)
        matrix = numpy.empty((n, n), complex if x.dtype.kind == "c" else float)
        for i in range(n):
            for j in range(i, n):
                weight = self.w0**2 if i == j else 0
                matrix[i, j] = (1 + weight) * _dot(self.steps[i][1], self.steps[j][1])
                matrix[j, i] = numpy.conj(matrix[i, j])
        self.matrix = matrix


class Diagonal(_Scaled):
    """Broyden's method with a diagonal derivative."""

    def setup(self, function, x, value):
        super().setup(function, x, value)
        self.d = np.full(x.shape, 1 / self.alpha, dtype=x.dtype)

    def solve(self, f, tol=0):
        return -f / self.d

    def learn(self, x, value, dx, df):
        self.d = self.d - (df + self.d * dx) * dx / _dot(dx, dx)


class Linear(_Scaled):
    """A multiple of the identity, which does not change."""

    def solve(self, f, tol=0):
        return -self.alpha * f


class Exciting(Inverse):
    """A diagonal whose elements grow while residuals keep their sign."""

    def __init__(self, alpha=None, alphamax=1.0):
        self.alpha, self.most = alpha, alphamax

    def setup(self, function, x, value):
        super().setup(function, x, value)
        if self.alpha is None:
            size = _norm(value)
            self.alpha = 0.5 * max(_norm(x), 1) / size if size else 1.0
        self.beta = np.full(x.shape, self.alpha, dtype=x.dtype)

    def solve(self, f, tol=0):
        return -f * self.beta

    def learn(self, x, value, dx, df):
        same = value * self.value > 0
        self.beta = np.clip(np.where(same, self.beta + self.alpha, self.alpha), 0, self.most)


class Krylov(Inverse):
    """The derivative by differences, whose equations are solved iteratively."""

    def __init__(self, rdiff=None, method="lgmres", inner_maxiter=20, inner_M=None, outer_k=10,
                 **kw):
        from ..sparse import linalg

        self.rdiff, self.preconditioner = rdiff, inner_M
        solvers = ("bicgstab", "gmres", "lgmres", "cgs", "minres", "tfqmr")
        if not callable(method) and method not in solvers:
            raise refuse(f"Unknown Krylov method: {method!r}", mistake="choice")
        self.method = method if callable(method) else getattr(linalg, method)
        self.options = {"maxiter": inner_maxiter, "M": inner_M}
        if method == "gmres":
            self.options.update(restart=inner_maxiter, maxiter=1, atol=0)
        elif method == "lgmres":
            self.options.update(outer_k=outer_k, maxiter=1, outer_v=[], prepend_outer_v=True,
                                store_outer_Av=False, atol=0)
        elif method in ("bicgstab", "cgs", "tfqmr"):
            self.options["atol"] = 0
        for key, value in kw.items():
            if not key.startswith("inner_"):
                raise refuse(f"Unknown parameter {key}")
            self.options[key[len("inner_") :]] = value
        if method == "lgmres":
            self.options.setdefault("inner_m", inner_maxiter)

    def setup(self, function, x, value):
        super().setup(function, x, value)
        self._change_step()
        if hasattr(self.preconditioner, "setup"):
            self.preconditioner.setup(x, value, function)

    def _change_step(self):
        largest = float(np.abs(self.x).max()), float(np.abs(self.value).max())
        rdiff = 2.0**-26 if self.rdiff is None else self.rdiff
        self.step = rdiff * max(1, largest[0]) / max(1, largest[1])

    def _product(self, v):
        v = v.ravel()
        size = _norm(v)
        if size == 0:
            return 0 * v
        step = self.step / size
        return (self.function(self.x + step * v) - self.value) / step

    def solve(self, f, tol=0):
        from ..sparse.linalg import LinearOperator

        n = f.shape[0]
        operator = LinearOperator((n, n), matvec=self._product, dtype=f.dtype)
        name = "tol" if "tol" in self.options else "rtol"
        return self.method(operator, f, **{**self.options, name: tol})[0].ravel()

    def learn(self, x, value, dx, df):
        self.x, self.value = x, value
        self._change_step()
        if hasattr(self.preconditioner, "update"):
            self.preconditioner.update(x, value)


class Given(Inverse):
    """The derivative as the user gives it: a matrix, an operator, or a function of the point."""

    def __init__(self, jacobian):
        self.jacobian = jacobian

    def solve(self, f, tol=0):
        matrix = self.jacobian(self.x) if callable(self.jacobian) else self.jacobian
        if hasattr(matrix, "matvec") or hasattr(matrix, "tocsr"):
            from ..sparse import linalg

            return linalg.gmres(matrix, f, rtol=tol or 1e-8)[0]
        return np.linalg.solve(np.asarray(matrix), f)
