"""Every function, called in Python on NumPy and on Phalanx."""
