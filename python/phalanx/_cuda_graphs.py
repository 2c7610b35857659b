"""CuPy's graphs of captured operations: ``phalanx.cuda.Graph``."""

from . import _cuda_streams as _streams
from . import _phalanx


class Graph:
    """Operations that ``Stream.begin_capture`` and ``end_capture`` have captured.

    A launch runs all of them on what their arrays contain then, and writes the arrays that they
    wrote or made. Arrays that they made are zero before the first launch. The graph works on CPUs
    and on any number of devices; its operations are planned together and fused, and a launch costs
    one call. Numbers and random draws are as they were when the graph was captured.
    """

    def __init__(self, *args, **kwargs):
        raise TypeError("a Graph is made by Stream.begin_capture and Stream.end_capture")

    @classmethod
    def _of(cls, native):
        graph = object.__new__(cls)
        graph._native = native
        return graph

    @property
    def graph(self):
        """0: the operations are no graph of CUDA's own until they run."""
        return 0

    graphExec = graph

    @property
    def host_funcargs(self):
        """The functions of the host that are called in the graph: none can be captured."""
        return ()

    def launch(self, stream=None):
        """Runs the operations.

        Parameters
        ----------
        stream : Stream, optional
            Work in this stream runs before the operations, and its later work after them; by
            default the current stream.

        Returns
        -------
        None
            The operations are recorded.

        Raises
        ------
        BufferError
            An array that they write is lent to another library.

        Notes
        -----
        Local, as operations are: they run when their values are needed. With ``stream`` on a GPU it
        is Collective, as the end of ``with stream:`` is.
        """
        if stream is None:
            self._native.launch()
        else:
            with stream:
                self._native.launch()

    def upload(self, stream=None):
        """Does nothing: the first launch plans the operations, and later ones use its plan.

        Parameters
        ----------
        stream : Stream, optional
            Accepted for programs of CuPy.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        Nothing
            The call has no effect.

        Notes
        -----
        Local.
        """

    def debug_dot_str(self, flags=0):
        """The operations as a graph in the language of Graphviz.

        Parameters
        ----------
        flags : int, optional
            Accepted for programs of CuPy.

        Returns
        -------
        str
            The text.

        Raises
        ------
        Nothing
            Every graph has a text.

        Notes
        -----
        Local.
        """
        return self._native.dot()

    def __len__(self):
        return len(self._native)

    def __repr__(self):
        return f"<Graph of {len(self)} operations>"


def begin():
    """Begins to capture."""
    _phalanx._begin_capture()
    _streams._captures.any_begun = True


def end():
    """Ends the capture and returns its graph."""
    native = _phalanx._end_capture()
    if native is None:
        raise _phalanx._refusal(
            RuntimeError, "state", "end_capture: no operations are being captured"
        )
    return Graph._of(native)
