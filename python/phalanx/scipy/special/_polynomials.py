"""Orthogonal polynomials as objects."""

import inspect

import phalanx as np

from ._described import HOST, composed
from ._host import from_host, scipy_special
from ._host_table import FAMILIES
from ._parameters import OF_FUNCTIONS, PARAMETERS

_TITLES = {
    "chebyt": "Chebyshev polynomial of the first kind",
    "chebyu": "Chebyshev polynomial of the second kind",
    "chebyc": "Chebyshev polynomial of the first kind on [-2, 2]",
    "chebys": "Chebyshev polynomial of the second kind on [-2, 2]",
    "sh_chebyt": "shifted Chebyshev polynomial of the first kind",
    "sh_chebyu": "shifted Chebyshev polynomial of the second kind",
    "gegenbauer": "Gegenbauer polynomial",
    "genlaguerre": "generalised Laguerre polynomial",
    "hermite": "physicists' Hermite polynomial",
    "hermitenorm": "probabilists' Hermite polynomial",
    "jacobi": "Jacobi polynomial",
    "laguerre": "Laguerre polynomial",
    "legendre": "Legendre polynomial",
    "sh_jacobi": "shifted Jacobi polynomial",
    "sh_legendre": "shifted Legendre polynomial",
}


class orthopoly1d(np.poly1d):
    """An orthogonal polynomial: a `phalanx.poly1d` with the weights of its quadrature.

    SciPy computes the coefficients on the host. Calls compute the values of the elements of an
    array on its devices, with the `eval_` function of the family if it is there.
    """

    def __init__(self, host, evaluate):
        super().__init__(from_host(host.coef))
        self.weights = from_host(host.weights)
        self.weight_func, self.limits, self.normcoef = host.weight_func, host.limits, host.normcoef
        self._evaluate = evaluate

    def __call__(self, v):
        if self._evaluate is None or isinstance(v, np.poly1d):
            return super().__call__(v)
        return self._evaluate(v)


def _made(name, given):
    """The function that makes polynomials of a family."""
    kind = inspect.Parameter
    own = [{"p1": "p", "q1": "q"}.get(one, one) for one in given]
    parameters = [kind(one, kind.POSITIONAL_OR_KEYWORD) for one in ["n", *own]]
    parameters.append(kind("monic", kind.POSITIONAL_OR_KEYWORD, default=False))
    signature = inspect.Signature(parameters)

    def make(*args, **options):
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        n, *middle, monic = bound.arguments.values()
        function = getattr(scipy_special(name), name)
        host = function(n, *middle, monic=monic)
        factor = 1.0 / float(function(n, *middle).coef[0]) if monic else None
        from .. import special

        evaluate = getattr(special, f"eval_{name}")

        def values(x):
            found = evaluate(n, *middle, x)
            return found if factor is None else found * factor

        return orthopoly1d(host, values)

    make.__name__ = make.__qualname__ = name
    make.__module__ = "phalanx.scipy.special"
    make.__signature__ = signature
    text = OF_FUNCTIONS[name]
    make.__doc__ = composed(
        f"The {_TITLES[name]} of degree `n`, as an object that can be called.",
        parameters,
        "orthopoly1d: The polynomial, with the attributes `weights`, `weight_func`, `limits` and "
        "`normcoef`.",
        {"ValueError": "The degree is negative.",
         "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``."},
        HOST,
        {one.name: text.get(one.name) or PARAMETERS[one.name] for one in parameters},
        {},
    )
    return make


def found(name):
    """The function of a family; None for other names."""
    return _made(name, FAMILIES[name]) if name in FAMILIES else None
