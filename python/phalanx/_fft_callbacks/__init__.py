"""Callbacks of Fourier transforms: CuPy's ``set_cufft_callbacks``.

``manager`` sets the callbacks and computes the transforms, ``texts`` is what is known of a text by
its ``tokens``, ``forms`` and ``pointers``. ``kernels`` runs callbacks on GPUs, ``elements``
translates them for CPUs.
"""

from .manager import functions, get_current_callback_manager, set_cufft_callbacks

__all__ = ["functions", "get_current_callback_manager", "set_cufft_callbacks"]
