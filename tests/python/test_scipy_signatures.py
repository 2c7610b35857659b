"""Calls that are drawn from the signatures of SciPy's functions; a failure prints its seed.

The cases are the same in each run. `--full` draws many more; `PHALANX_TEST_SEED` draws those from a
seed on. `python -m tests.python.signature_cases AREA SEED 1 NAME` repeats one. Seeds do not depend
on the commit, because SciPy's compiled functions crash on some arguments, and with them all tests.
"""

import functools
import os

import numpy
import pytest

import phalanx
from phalanx.scipy import ndimage, special

from .conftest import FULL, RANKS
from .signature_cases import DEVICES, Area, outcome
from .signatures import areas
from .signatures.undefined import UNDEFINED, undefined

# Each case is computed twice on several devices, and all processes compute it.
CASES = 100 if FULL else 2 if RANKS > 1 else 4 if DEVICES > 1 else 8
SEED = int(os.environ.get("PHALANX_TEST_SEED", 0))

area_of = functools.cache(Area)


def functions():
    """The compared functions of all areas."""
    return [(area, name) for area in areas.AREAS for name in area_of(area).functions()]


@pytest.mark.parametrize(("area", "name"), functions())
def test_drawn_arguments(area, name):
    found = ((seed, area_of(area).case(name, seed)) for seed in range(SEED, SEED + CASES))
    differences = [f"{name}, seed {seed}: {text}" for seed, text in found if text]
    assert not differences, "\n".join(differences[:5])


@pytest.mark.parametrize("area", areas.AREAS)
def test_the_tables_name_functions_that_are_there(area):
    work = area_of(area)
    # A name that starts with a point is that of a method of several classes.
    public = {name[place:] for name in work.public() for place in (0, name.find(".")) if place >= 0}
    assert set(work.table.LEFT_OUT) <= public
    assert set(work.table.OWN) <= public
    assert work.table.EXACT <= public
    assert {name for one, names, *_ in UNDEFINED if one == area for name in names or []} <= public
    for name in work.functions():
        # Each required parameter has a strategy.
        work.strategies(name)


@pytest.mark.parametrize("area", areas.AREAS)
def test_few_calls_are_refused(area):
    """Cases of errors alone would compare nothing."""
    work, refused = area_of(area), 0
    names = work.functions()[:: 1 if FULL else 4]
    for name in names:
        given, keywords, d = work.draw(name, 0)
        if not undefined(area, name, d.values):
            refused += isinstance(outcome(
                work.both(name)[1], given, keywords, lambda x: x.ours()), Exception)
    assert refused < 0.4 * len(names) + 1


def test_an_unchanged_image_is_returned_as_a_copy():
    for compute in (
        lambda x: ndimage.uniform_filter(x, 1), lambda x: ndimage.gaussian_filter(x, 0),
        lambda x: ndimage.minimum_filter(x, 1), lambda x: ndimage.zoom(x, 1),
        lambda x: ndimage.spline_filter1d(x, 1),
    ):
        x = phalanx.arange(6.0)
        found = compute(x)
        found[...] = 9
        assert (x == phalanx.arange(6.0)).all()


def test_lambertw_reaches_the_main_branch_near_the_branch_point():
    x, y = numpy.meshgrid(numpy.linspace(-1.5, 0.5, 41), numpy.linspace(-1, 1, 41))
    z = x + 1j * y
    found = special.lambertw(phalanx.asarray(z)).get()
    numpy.testing.assert_allclose(found * numpy.exp(found), z, atol=1e-12)
    assert (abs(found.imag) < numpy.pi).all()
