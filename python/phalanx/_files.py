"""Files of several arrays."""

from collections.abc import Mapping

from . import _phalanx
from ._phalanx import _refusal


class NpzFile(Mapping):
    """The arrays of a .npz file by their names, each read when it is asked for."""

    def __init__(self, file):
        self._opened = None if isinstance(file, str) else file
        self._path = file if isinstance(file, str) else None
        if self._path is None:
            self.files = list(file.files)
        else:
            import zipfile

            with zipfile.ZipFile(self._path) as archive:
                self.files = [name.removesuffix(".npy") for name in archive.namelist()]

    def __getitem__(self, name):
        if name not in self.files and name.removesuffix(".npy") in self.files:
            name = name.removesuffix(".npy")
        if name not in self.files:
            raise _refusal(KeyError, "choice", f"{name} is not a file in the archive")
        if self._path is None:
            return _phalanx.asarray(self._opened[name])
        return _phalanx._load_npz(self._path, name)

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __repr__(self):
        shown = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._path or 'object'!r} with keys: {shown}"

    def close(self):
        """Lets go of the file."""
        if self._opened is not None:
            self._opened.close()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()
