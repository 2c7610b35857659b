"""Phalanx: NumPy's arrays over the devices of one machine or many.

``import phalanx as np`` runs a NumPy program on all devices: arrays are global, operations are
recorded and run fused when a value is observed.
"""

import os as _os

from . import _phalanx

_phalanx._set_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
from ._index_tricks import c_, index_exp, ndenumerate, ndindex, r_, s_  # noqa: E402,F401
from ._phalanx import *  # noqa: E402,F403
from ._phalanx import __version__ as __version__  # noqa: E402
from . import _panics as _panics  # noqa: E402
from . import _session as _session  # noqa: E402
from ._interoperability import (  # noqa: E402
    asnumpy as asnumpy,
    from_dlpack as from_dlpack,
    get_array_module as get_array_module,
)
from ._callbacks import frompyfunc, vectorize  # noqa: E402,F401
from ._configuration import show_config, show_runtime  # noqa: E402,F401
from ._kernels import ElementwiseKernel, ReductionKernel, fuse  # noqa: E402,F401
from ._user_ufuncs import UserUfunc, ufunc_from  # noqa: E402,F401
from ._raw import RawKernel, RawModule  # noqa: E402,F401
from ._polynomial import poly1d  # noqa: E402,F401
from ._shapes import broadcast, einsum_path  # noqa: E402,F401
from ._evaluation import (  # noqa: E402
    evaluate as evaluate,
    explain as explain,
    print as print,
    visualize_sharding as visualize_sharding,
)
from . import fft, linalg, random, scipy  # noqa: E402,F401
from . import _absent as _absent  # noqa: E402
from ._namespace import (  # noqa: E402,F401
    __array_api_version__,
    __array_namespace_info__,
    __getattr__,
    e,
    euler_gamma,
    inf,
    info,
    nan,
    newaxis,
    pi,
)
