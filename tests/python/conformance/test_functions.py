"""Every function of `tests/conformance/functions/`, called by its name in Python and compared with
NumPy's answer: values, dtypes, shapes, layouts, aliases and classes of errors.

There is a test for each function of a topic. `missing.txt` names the functions that the module does
not have yet; remove lines, never add any.
"""

import functools
import pathlib

import phalanx
import pytest

from ..conftest import FULL, device_count
from .cases import Case, chosen, exists, expansion, folder, topics
from .comparison import Comparison, Difference, Found, fetched, words

# The number of failures shown for a function.
SHOWN = 2
MISSING = pathlib.Path(__file__).with_name("missing.txt")

needs_data = pytest.mark.skipif(
    folder() is None, reason="PHALANX_CONFORMANCE_DATA names no folder with NumPy's results"
)


@functools.cache
def missing():
    """The names that the module does not have yet."""
    return [line for line in MISSING.read_text().splitlines() if line and line[0] != "#"]


def described():
    """The functions that are described, with their topics."""
    pairs = [(topic, name) for topic, names in topics().items() for name in names]
    return [
        pytest.param(topic, name, id=f"{topic}-{name}")
        for topic, name in pairs
        if name not in missing()
    ]


@needs_data
def test_the_list_of_missing_names_says_what_is_missing():
    names = {name for functions in topics().values() for name in functions}
    listed = set(missing())
    problems = [f"{name} is listed twice" for name in listed if missing().count(name) > 1]
    problems += [f"{name} is described nowhere" for name in sorted(listed - names)]
    for name in sorted(names):
        if name in listed and exists(phalanx, name):
            problems.append(f"{name} is there: take it out")
        if name not in listed and not exists(phalanx, name):
            problems.append(f"{name} is not there, and this is not said")
    assert not problems, f"{MISSING.name}:\n" + "\n".join(problems)


@needs_data
@pytest.mark.parametrize(("topic", "name"), described())
def test_function(topic, name):
    cases = [Case(line) for line in chosen(topics()[topic][name], device_count(), FULL)]
    elsewhere = answers_of_one_device(cases)
    faults = []
    for number, case in enumerate(cases):
        fault = fault_of(case, elsewhere.get(number))
        if fault:
            faults.append(f"      {case.words()}\n    {fault}")
    summary = f"{name}: {len(faults)} of {len(cases)} cases differ from NumPy\n"
    if faults:
        pytest.fail(summary + "\n".join(faults[:SHOWN]), pytrace=False)


def fault_of(case, elsewhere=None):
    """A text about a wrong answer to a case, or None."""
    try:
        bases, found = answered(case)
    except Exception as error:
        if getattr(error, "code", None) == "PX033":
            return f"panicked: {error}"
        return fault_of_error(case, error)
    if "raises" in case.expected:
        return f"{words(found)}, but NumPy raises {case.expected['raises']}"
    comparison = Comparison(case, bases)
    try:
        comparison.check(found)
        comparison.aliases(found, case.expected)
    except Difference as difference:
        return str(difference)
    if elsewhere is not None and elements(found) != elsewhere:
        return f"found {elements(found)}\n    and on one device {elsewhere}"
    return None


def answered(case):
    """The bases, and the answer of the call with the elements of its arrays."""
    bases, views = case.arrays(phalanx)
    answer = case.call(phalanx, views)
    if (number := case.line.get("mutates")) is not None:
        answer = (views[number], bases[number])
    return bases, fetched(answer, phalanx.ndarray)


def fault_of_error(case, error):
    """A text about a wrong exception, or None."""
    found = expansion().error_class(error)
    told = f"{type(error).__name__}: {error}".replace("\n", "\n      ")
    expected = case.expected.get("raises")
    if expected is None:
        return told
    # NumPy's AxisError is both a ValueError and an IndexError.
    if found == expected or (found == "AxisError" and expected in ("ValueError", "IndexError")):
        return None
    return f"{told}\n    but NumPy raises {expected}"


def answers_of_one_device(cases):
    """The answers on one device of cases that must be the same on all meshes."""
    numbers = [number for number, case in enumerate(cases) if case.line["compare"] == "same"]
    if not numbers or device_count() == 1:
        return {}
    phalanx.shutdown()
    phalanx.init(1, split_from=1)
    try:
        return {number: elements(answered(cases[number])[1]) for number in numbers}
    finally:
        phalanx.shutdown()
        phalanx.init(split_from=1)


def elements(found):
    """The elements of answers."""
    if isinstance(found, list):
        return [elements(one) for one in found]
    return found.host.tolist() if isinstance(found, Found) else found
