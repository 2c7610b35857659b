"""Clusters of points: the modules of `scipy.cluster`.

Vector quantization computes on devices. Hierarchies are SciPy's own on the host, if it is
installed: ``pip install phalanx[scipy]``.
"""

from . import hierarchy, vq

__all__ = ["hierarchy", "vq"]
