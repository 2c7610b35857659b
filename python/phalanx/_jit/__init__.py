"""Kernels that are translated from Python to CUDA C++: ``phalanx.x.jit``."""
