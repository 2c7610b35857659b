"""A plugin for pytest: the signatures of one version of the standard, without the others.

The package of signatures imports every version of the standard, of which only that which is tested
is kept here.
"""

import pathlib
import sys
import types

_FOLDER = pathlib.Path(__file__).parent / "suite" / "array-api" / "src" / "array_api_stubs"
_package = types.ModuleType("array_api_stubs")
_package.__path__ = [str(_FOLDER)]
sys.modules["array_api_stubs"] = _package
