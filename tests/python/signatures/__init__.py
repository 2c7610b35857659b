"""Strategies that draw the arguments of SciPy's functions, by the names of their parameters."""
