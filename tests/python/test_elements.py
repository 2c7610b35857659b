"""Arrays without axes, which NumPy gives as its scalars, as numbers of Python."""

import json
import math
import warnings

import numpy
import pytest

import phalanx as np

from . import worlds

NUMBERS = {
    "float": [1.25, 2.5, -3.0],
    "int": [4, 5, -7],
    "complex": [1 + 2j, 3.0],
    "bool": [True],
    "large": [2**53 + 1],
}

USES = {
    "round": round,
    "round to digits": lambda x: round(x, 1),
    "round to tens": lambda x: round(x, -1),
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "isclose": lambda x: math.isclose(x, 2.0),
    "format": lambda x: f"{x:.3f}",
    "format width": lambda x: f"{x:>10}",
    "format nothing": lambda x: f"{x}",
    "percent": lambda x: "%.3f" % x,
    "percent d": lambda x: "%d" % x,
    "percent g": lambda x: "%g %s" % (x, x),
    "range": lambda x: list(range(abs(x))),
    "index": lambda x: [1, 2, 3, 4, 5, 6, 7, 8, 9][x],
    "hex": hex,
    "int": int,
    "float": float,
    "complex": complex,
    "hash": hash,
    "key": lambda x: {x: "here"},
    "found": lambda x: {1.25: 1, 4: 2, 2**53 + 1: 3}.get(x),
    "set": lambda x: len({x, x}),
    "json of float": lambda x: json.dumps({"loss": float(x)}),
    "json by default": lambda x: json.dumps({"loss": x}, default=float),
    "abs": abs,
    "divmod": lambda x: divmod(x, 2),
    "sum": lambda x: sum([x, x]),
    "max": lambda x: max(x, 3),
    "repeat": lambda x: "ab" * x,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", NUMBERS)
def test_a_sum_serves_as_numpys_does(use, kind):
    theirs, ours = numpy.sum(numpy.array(NUMBERS[kind])), np.sum(np.array(NUMBERS[kind]))
    if kind == "large" and use in ("range", "repeat", "floor", "ceil"):
        # NumPy goes by way of a float, and the others ask for too much memory.
        assert math.floor(ours) == math.ceil(ours) == 2**53 + 1
        return
    try:
        with warnings.catch_warnings():
            # An imaginary part that is dropped.
            warnings.simplefilter("error")
            expected = USES[use](theirs)
    except Exception:
        # Numbers of Python may do more than those of NumPy.
        return
    found = USES[use](ours)
    if isinstance(expected, tuple):
        assert [float(one) for one in found] == [float(one) for one in expected]
    else:
        assert found == expected, (found, expected)


def test_arrays_with_axes_are_no_keys_and_are_not_rounded():
    for array in [np.ones(3), np.ones((1,)), np.ones((0,))]:
        for use in [hash, round, math.trunc, lambda x: {x: 1}]:
            with pytest.raises(TypeError, match="PX149"):
                use(array)
    # As NumPy's scalars, json takes what it is told to call.
    with pytest.raises(TypeError):
        json.dumps(np.ones(3).sum())


def test_keys_of_elements_are_the_same_on_all_ranks():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.arange(6.0)
        found = {x.sum(): "sum", x.max(): "max"}
        print(found[15.0], found[5], round(x.mean()), f"{x.mean():.2f}", flush=True)
        """,
        processes=2,
    )
    assert ended.stdout.count("sum max 2 2.50") == 2, ended.stdout
