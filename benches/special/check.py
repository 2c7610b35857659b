"""Compares the functions with mpmath and SciPy: one line for each, its largest error and where.

The first number is the error divided by the condition number if that is above 1; that in
parentheses is not divided.

    python benches/special/check.py [NAME ...]

The error is relative, in units of 2**-52, except where a list of points says otherwise. The lists
are in the files checks_*.py beside this one; each has a dictionary CHECKS from names to pairs of a
reference and a list of arguments. Differences from SciPy's values at special points are listed too.
"""

import glob
import importlib
import math
import os
import sys

import mpmath
import numpy as np
import scipy.special

import phalanx

mp = mpmath.mp
mp.dps = 40
HERE = os.path.dirname(os.path.abspath(__file__))


class Library:
    """The native functions of phalanx.scipy.special."""

    def __init__(self):
        natives = phalanx._phalanx.special
        self.arities = {name: arity for name, arity, _ in natives._functions()}
        self.call = natives._call

    def arity(self, name):
        return self.arities.get(name, 0)

    def __call__(self, name, *arguments):
        arguments = np.broadcast_arrays(*[np.asarray(a, dtype=float) for a in arguments])
        if name not in self.arities:
            raise NameError(name)
        if self.arities[name] != len(arguments):
            raise TypeError(f"{name} has {self.arities[name]} arguments")
        made = self.call(name, [phalanx.array(np.ascontiguousarray(a)) for a in arguments])
        results = phalanx.asnumpy(made)
        return results if results.shape else float(results)


def error_of(value, reference):
    """The relative error in units of 2**-52; infinity if special values differ."""
    try:
        reference = mpmath.mpf(reference) if not isinstance(reference, mpmath.mpf) else reference
    except TypeError:
        reference = mpmath.re(reference)
    rounded = float(reference)
    if math.isnan(value) or math.isnan(rounded):
        return 0.0 if math.isnan(value) and math.isnan(rounded) else math.inf
    if math.isinf(value) or math.isinf(rounded):
        return 0.0 if value == rounded else math.inf
    if value == rounded:
        return 0.0
    # Subnormal numbers have fewer digits.
    scale = max(abs(reference), mpmath.mpf(2.2250738585072014e-308))
    return float(abs(mpmath.mpf(value) - reference) / scale * 2**52)


def condition_of(reference, point, exact):
    """The sum of the relative changes of the value for a relative change of each argument."""
    total = 0.0
    for i, x in enumerate(point):
        changed = [mpmath.mpf(float(a)) for a in point]
        e = mpmath.mpf(10) ** -12
        changed[i] *= 1 + e
        try:
            total += float(abs((reference(*changed) - exact) / exact / e))
        except Exception:
            return 1.0
    return total


RECORDS = None


def record(name, point, exact, error):
    """Notes a value for the tests of the crate."""
    if RECORDS is None:
        return
    value = float(exact)
    if math.isfinite(value) and value != 0 and abs(value) > 1e-300 and error < 1e4:
        arguments = " ".join(repr(float(a)) for a in point)
        RECORDS.append(f"{name} {math.ceil(1.5 * error + 8)} {value!r} {arguments}")


def compare(lib, name, reference, points, quiet=False, worst=1):
    """Prints the largest error of a function for a list of tuples of arguments."""
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    columns = [np.array(column, dtype=float) for column in zip(*points)]
    values = lib(name, *columns)
    errors = []
    for point, value in zip(points, values):
        try:
            exact = reference(*[mpmath.mpf(float(a)) for a in point])
        except (ValueError, ZeroDivisionError, OverflowError, ArithmeticError) as error:
            errors.append((-1.0, point, value, repr(error)))
            continue
        if exact is None:
            continue
        errors.append((error_of(float(value), exact), point, float(value), exact))
        if len(errors) % max(len(points) // 5, 1) == 1:
            if RECORDS is not None and exact:
                condition = condition_of(reference, point, exact)
                record(name, point, exact, max(errors[-1][0], 4 * min(condition, 1e4)))
    skipped = sum(1 for e in errors if e[0] < 0)
    errors.sort(key=lambda e: -e[0])
    # Of the errors, what the condition of the function does not explain.
    plain = errors[0][0] if errors else 0.0
    scaled = []
    for error, point, value, exact in errors[:60]:
        if error > 6 and math.isfinite(error):
            error /= max(condition_of(reference, point, exact), 1.0)
        scaled.append((error, point, value, exact))
    errors = sorted(scaled, key=lambda e: -e[0])
    for error, point, value, exact in errors[:worst]:
        where = ", ".join(f"{float(a):.17g}" for a in point)
        text = f"{name:18s} {error:9.3g} ulp ({plain:9.3g}) at ({where}): "
        text += f"{value!r}, {mpmath.nstr(exact, 17)}"
        if skipped:
            text += f"   ({skipped} of {len(points)} without reference)"
        if not quiet:
            print(text, flush=True)
    return errors[0][0] if errors else 0.0


SPECIAL = [
    math.nan,
    math.inf,
    -math.inf,
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    5e-324,
    -5e-324,
    1e-310,
    1e308,
    -1e308,
    1e-20,
    -1e-20,
    1e20,
    -1e20,
    10.0,
    -10.0,
    171.5,
    800.0,
]


def against_scipy(lib, name, values=None, tolerance=1e-9, show=6):
    """Prints where the values at special points are not SciPy's."""
    function = getattr(scipy.special, name, None)
    if function is None:
        return 0
    arity = lib.arity(name)
    values = values or (
        SPECIAL if arity < 3 else [math.nan, math.inf, 0.0, 1.0, -1.0, 0.5, 2.5, 1e20]
    )
    if arity > 3:
        values = [math.nan, math.inf, 0.0, 1.0, -1.0, 0.5, 3.0]
    grid = [g.ravel() for g in np.meshgrid(*[values] * arity, indexing="ij")]
    ours = lib(name, *grid)
    # Loops for integers are not meant: all arguments are floats.
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = function(*grid)
        except TypeError:
            theirs = function(grid[0].astype(int), *grid[1:])
    if isinstance(theirs, tuple) or np.iscomplexobj(theirs):
        return 0
    with np.errstate(all="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        same |= np.abs(ours - theirs) <= tolerance * np.abs(theirs)
    # A nan of a nan is right, whatever SciPy says.
    same |= np.isnan(ours) & np.any([np.isnan(g) for g in grid], axis=0)
    bad = np.flatnonzero(~same)
    for i in bad[:show]:
        where = ", ".join(f"{g[i]:g}" for g in grid)
        print(f"    {name}({where}) = {float(ours[i])!r}, SciPy has {float(theirs[i])!r}")
    if len(bad) > show:
        print(f"    {name}: {len(bad)} of {len(ours)} differ")
    return len(bad)


def record_special(lib, name):
    """Notes values at special points at which SciPy's value is the same."""
    function = getattr(scipy.special, name, None)
    arity = lib.arity(name)
    if function is None or not isinstance(function, np.ufunc) or arity > 3:
        return
    values = [math.nan, math.inf, -math.inf, 0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 1e20]
    grid = [g.ravel() for g in np.meshgrid(*[values] * arity, indexing="ij")]
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = function(*grid)
        except TypeError:
            return
    ours = lib(name, *grid)
    pick = np.random.default_rng(5).permutation(len(ours))[:8]
    for i in pick:
        a, b = float(ours[i]), float(theirs[i])
        if a == b or (math.isnan(a) and math.isnan(b)):
            arguments = " ".join(repr(float(g[i])) for g in grid)
            RECORDS.append(f"{name} 0 {b!r} {arguments}")


def main():
    global RECORDS
    arguments = sys.argv[1:]
    # Writes values for special/tests/values.rs.
    if arguments and arguments[0] == "--write":
        arguments.pop(0)
        RECORDS = []
    lib = Library()
    sys.path.insert(0, HERE)
    sys.modules.setdefault("check", sys.modules["__main__"])
    for file in sorted(glob.glob(os.path.join(HERE, "checks_*.py"))):
        module = importlib.import_module(os.path.basename(file)[:-3])
        for name, (reference, points) in module.CHECKS.items():
            if arguments and name not in arguments:
                continue
            if lib.arity(name) == 0:
                print(f"{name:18s} MISSING")
                continue
            compare(lib, name, reference, points)
            if name not in getattr(module, "OWN_CONVENTIONS", ()):
                against_scipy(lib, name)
            if RECORDS is not None:
                record_special(lib, name)
        if hasattr(module, "inverses") and (not arguments or "inverses" in arguments):
            module.inverses(lib)
    if RECORDS is not None:
        with open(os.path.join(HERE, "../../special/tests/values.txt"), "w") as file:
            file.write("\n".join(sorted(set(RECORDS))) + "\n")


if __name__ == "__main__":
    main()
