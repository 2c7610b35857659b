"""Files of several arrays."""

from collections.abc import Mapping

from . import _phalanx
from ._phalanx import _refusal


class NpzFile(Mapping):
    """The arrays of a .npz file by their names; each access reads one.

    The file stays open, so that the arrays are those that it had when it was opened.
    """

    def __init__(self, name, archive):
        self._name, self._archive = name, archive
        self.files = list(archive.files)
        self._known = set(self.files)

    def __getitem__(self, name):
        if name not in self._known:
            name = name.removesuffix(".npy")
        if name not in self._known:
            raise _refusal(KeyError, "choice", f"{name} is not a file in the archive")
        if self._archive is None:
            raise _refusal(ValueError, "state", f"{self._name} has been closed")
        return _phalanx.asarray(self._archive[name])

    def __contains__(self, name):
        return name in self._known or name.removesuffix(".npy") in self._known

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __repr__(self):
        shown = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._name!r} with keys: {shown}"

    def close(self):
        """Closes the file."""
        close = getattr(self._archive, "close", None)
        if close is not None:
            close()
        self._archive = None

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()
