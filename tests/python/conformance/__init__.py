"""Every function called as Python writes it, on NumPy and on Phalanx."""
