"""Modules of the package that are NumPy's own, because they have no functions of arrays.

They have no file here: a finder gives NumPy's module to ``import phalanx.typing``.
"""

import importlib as _importlib
import importlib.machinery as _machinery
import sys as _sys

# Their names in NumPy and here.
OF_NUMPY = frozenset("dtypes lib.array_utils lib.format lib.npyio typing".split())


class _Finder:
    """Finds the modules for the import statement, and loads them."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        package, _, rest = name.partition(".")
        if package != __package__ or rest not in OF_NUMPY:
            return None
        return _machinery.ModuleSpec(name, cls)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        # The import statement takes the module from here. NumPy's keeps its name and origin.
        name = module.__name__
        _sys.modules[name] = _importlib.import_module(name.replace(__package__, "numpy", 1))


_sys.meta_path.append(_Finder)
