"""``phalanx.scipy`` under the name that programs for ``cupyx.scipy`` expect.

Every module below this name is the module of ``phalanx.scipy``, not a copy of it.
"""

import importlib as _importlib
import importlib.abc as _abc
import importlib.util as _util
import sys as _sys

from ... import scipy as _scipy
from ..._interoperability import get_array_module as get_array_module

_OWN, _SAME = f"{__name__}.", f"{_scipy.__name__}."


class _Same(_abc.MetaPathFinder, _abc.Loader):
    """Imports the modules below this name: each is the one of the other name."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(_OWN):
            return None
        found = _util.find_spec(_SAME + fullname[len(_OWN):])
        if found is None:
            return None
        is_package = found.submodule_search_locations is not None
        return _util.spec_from_loader(fullname, self, is_package=is_package)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__spec__.name
        _sys.modules[name] = _importlib.import_module(_SAME + name[len(_OWN):])


# Before all others: below a package of two names they would find its modules, and copy them.
_sys.meta_path.insert(0, _Same())


def __getattr__(name):
    return getattr(_scipy, name)


def __dir__():
    return dir(_scipy)
