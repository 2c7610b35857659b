"""Vector quantization: names of ``scipy.cluster.vq``."""

from ._quantization import ClusterError, kmeans, kmeans2, py_vq, vq, whiten

__all__ = ["ClusterError", "kmeans", "kmeans2", "py_vq", "vq", "whiten"]
