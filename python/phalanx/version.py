"""The version of Phalanx, by the names of ``numpy.version``."""

from ._phalanx import __version__

version = full_version = short_version = __version__
git_revision = "unknown"
release = True
