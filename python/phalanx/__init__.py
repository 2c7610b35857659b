"""Phalanx: NumPy's arrays over the devices of one machine or many.

``import phalanx as np`` runs a NumPy program on all devices: arrays are global, operations are
recorded and run fused when a value is observed.
"""

import os as _os

from . import _phalanx

_phalanx._set_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
from ._index_tricks import c_, index_exp, ndenumerate, ndindex, r_, s_  # noqa: E402,F401
from ._phalanx import *  # noqa: E402,F403
