"""Classes whose methods compute on the mesh of their arrays."""

import types

from .._arguments import beside, home


class OnMesh:
    """An object with arrays; new arrays of its methods are on their mesh.

    Methods of subclasses are replaced when the subclass is made.
    """

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name, value in list(vars(cls).items()):
            if name.startswith("_") and name not in ("__init__", "__call__"):
                continue
            if isinstance(value, types.FunctionType):
                setattr(cls, name, beside(value))
            elif isinstance(value, (classmethod, staticmethod)):
                setattr(cls, name, type(value)(beside(value.__func__)))

    def _home(self):
        return [home(one) for one in vars(self).values() if one is not self]
