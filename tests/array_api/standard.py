"""A plugin for pytest: settings for the official suite of the standard. The variable
``ARRAY_API_TESTS_CHECKOUT`` names its checkout (``cargo xtask test --array-api CHECKOUT`` sets it).

The suite's package of signatures would import every version of the standard; the stand-in below
lets it import only the tested version. The tests of ``expected_failures.txt`` are expected to fail;
a listed test that passes is a failure, unless its line ends with ``sometimes``.

All arrays, even small ones, are split over the devices. Failing examples are not made smaller,
since that would take most of the time; without the two settings below, one would be.
"""

import os
import pathlib
import sys
import types

import phalanx
import pytest
from hypothesis import Phase, settings

phalanx.init(split_from=1)
# The suite's own profile inherits the settings of this one.
settings.register_profile("standard", phases=[Phase.explicit, Phase.generate], database=None)
settings.load_profile("standard")

_HERE = pathlib.Path(__file__).parent
_CHECKOUT = pathlib.Path(os.environ["ARRAY_API_TESTS_CHECKOUT"])
_package = types.ModuleType("array_api_stubs")
_package.__path__ = [str(_CHECKOUT / "array-api" / "src" / "array_api_stubs")]
sys.modules["array_api_stubs"] = _package


def _expected():
    """The tests that fail, each with a flag whether it always fails."""
    lines = (_HERE / "expected_failures.txt").read_text().splitlines()
    tests = [line for line in lines if line and not line.startswith("#")]
    return {line.removesuffix(" sometimes"): not line.endswith(" sometimes") for line in tests}


def pytest_collection_modifyitems(items):
    """Marks the tests that are expected to fail."""
    expected = _expected()
    found = set()
    for item in items:
        name = "array_api_tests/" + item.nodeid.rpartition("array_api_tests/")[2]
        if name in expected:
            item.add_marker(pytest.mark.xfail(reason="expected", strict=expected[name]))
            found.add(name)
    unknown = set(expected) - found
    if unknown and len(items) > 1000:
        raise pytest.UsageError(f"expected_failures.txt has tests that are not there: {unknown}")
