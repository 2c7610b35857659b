"""What the processes of a call tell each other: numbers, texts and failures."""

import builtins
import json

import numpy

import phalanx as np

from ... import _phalanx
from ..._phalanx import _refusal
from ._header import Malformed


class Processes:
    """The processes that have devices in the mesh of the call. Making one is Collective."""

    def __init__(self, name):
        self._name = name
        self.own, self.count = 0, 1
        if _phalanx.size() > 1:
            # In a block of arrays of its own, a process is alone.
            rank = _phalanx.rank()
            ranks = self._joined(numpy.array([rank])).tolist()
            self.own, self.count = ranks.index(rank), len(ranks)

    @staticmethod
    def _joined(part):
        return np.from_local(part).get()

    def gathered(self, numbers):
        """The numbers of all processes, a row for each. Collective."""
        row = numpy.array([numbers], dtype=numpy.int64)
        return row if self.count == 1 else self._joined(row)

    def text(self, own):
        """The texts of all processes, one after the other. Collective."""
        if self.count == 1:
            return own
        return self._joined(numpy.frombuffer(own, numpy.uint8)).tobytes()

    def shared(self, failure=None, numbers=()):
        """The numbers of all processes; raises on each of them the failure of the first process
        that has one. Collective."""
        told = b"" if failure is None else json.dumps(self._told(failure)).encode()
        rows = self.gathered([len(told), *numbers])
        if rows[:, 0].any():
            texts = self.text(told)
            length = next(int(row[0]) for row in rows if row[0])
            kind, mistake, text, hint = json.loads(texts[:length])
            raise _refusal(getattr(builtins, kind), mistake, text, hint) from failure
        return rows[:, 1:]

    def _told(self, failure):
        """The class, the kind of mistake, the text and the hint of an error."""
        if isinstance(failure, Malformed):
            mistake = "large" if failure.kind is OverflowError else "value"
            hint = "docs/sparse.md describes the files that can be read"
            return failure.kind.__name__, mistake, f"{self._name}: {failure}", hint
        # Classes of modules, such as that of files that are not compressed, become their bases.
        kinds = (kind.__name__ for kind in type(failure).__mro__)
        kind = next(kind for kind in kinds if hasattr(builtins, kind))
        plain = {"FileNotFoundError": "there is no such file", "PermissionError": "no permission"}
        text = plain.get(kind) or getattr(failure, "strerror", None) or str(failure)
        if kind in ("UnicodeDecodeError", "UnicodeEncodeError"):
            kind = "ValueError"
        hint = "see whether the path is right on all processes"
        return kind, "value", f"{self._name}: {text}", hint

    def array(self, part):
        """One array of the parts of all processes. Collective."""
        return np.asarray(part) if self.count == 1 else np.from_local(part)
