"""Compares two JSON documents of the terrain program.

    python compare.py A.json B.json [--tolerance 1e-12]

Integers, texts and structure must be equal, real numbers within the relative tolerance. Prints
every difference; exits with 1 if there is one and with 2 if a document cannot be read.
"""

import argparse
import json
import math
import sys


def differences(a, b, tolerance, where="document"):
    """Yields a line for each difference."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            place = f"{where}.{key}"
            if key not in a:
                yield f"{place}: only in the second document"
            elif key not in b:
                yield f"{place}: only in the first document"
            else:
                yield from differences(a[key], b[key], tolerance, place)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{where}: {len(a)} elements and {len(b)} elements"
        for place, (left, right) in enumerate(zip(a, b)):
            yield from differences(left, right, tolerance, f"{where}[{place}]")
    elif type(a) is not type(b):
        yield f"{where}: {a!r} ({type(a).__name__}) and {b!r} ({type(b).__name__})"
    elif isinstance(a, float):
        if not math.isclose(a, b, rel_tol=tolerance, abs_tol=0.0) and not (a != a and b != b):
            scale = max(abs(a), abs(b))
            yield f"{where}: {a!r} and {b!r}, relative difference {abs(a - b) / scale:.3g}"
    elif a != b:
        yield f"{where}: {a!r} and {b!r}"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--tolerance", type=float, default=1e-12)
    arguments = parser.parse_args()
    lines = list(differences(read(arguments.a), read(arguments.b), arguments.tolerance))
    for line in lines:
        print(line)
    print(f"{len(lines)} differences" if lines else "equal")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
