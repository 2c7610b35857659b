"""The tests of the Python module."""
