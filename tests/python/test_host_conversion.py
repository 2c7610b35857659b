"""Arrays for other libraries: copies on any number of devices, and elements lent for writing."""

import array
import ctypes
import hashlib
import io

import numpy
import pytest

import phalanx as np

from . import worlds


def test_numpy_converts_whatever_the_devices():
    for dtype in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
        for shape in [(), (0, 2), (6,), (2, 3), (1, 6, 1)]:
            size = int(numpy.prod(shape))
            host = numpy.arange(size).astype(dtype).reshape(shape)
            x = np.asarray(host)
            for made in [numpy.asarray(x), numpy.array(x), numpy.asanyarray(x), x.__array__()]:
                numpy.testing.assert_array_equal(made, host, strict=True)
                assert made.flags.writeable and made.flags.c_contiguous
    x = np.arange(6.0).reshape(2, 3)
    numpy.testing.assert_array_equal(numpy.asarray(x.T), x.get().T)
    numpy.testing.assert_array_equal(numpy.asarray(x[:, ::2] + 1), x.get()[:, ::2] + 1)
    assert numpy.asarray(x, dtype="f4").dtype == numpy.float32
    assert numpy.asarray([x, x]).shape == (2, 2, 3)
    with pytest.raises(ValueError):
        x.__array__(copy=False)


def test_numpy_gets_a_copy():
    x = np.arange(6.0)
    for made in [numpy.asarray(x), numpy.array(x), numpy.frombuffer(x), memoryview(x)]:
        made[0] = 7
        assert float(x[0]) == 0
        assert [float(element) for element in made] == [7, 1, 2, 3, 4, 5]
    kept = numpy.asarray(x)
    x += 1
    assert kept.tolist() == [0, 1, 2, 3, 4, 5]


def test_conversion_raises_the_error_of_any_read():
    base = np.arange(4)
    with np.deferred_errors():
        power = base ** np.asarray([1, 2, -1, 1])
    with pytest.raises(ValueError, match="negative integer powers"):
        numpy.asarray(power)


def test_bfloat16_is_converted():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    made = numpy.asarray(np.arange(3).astype(ml_dtypes.bfloat16))
    assert made.dtype == ml_dtypes.bfloat16 and made.tolist() == [0, 1, 2]


def test_lists_of_arrays_are_arrays():
    x = np.arange(5)
    assert isinstance(np.power([x], 2), np.ndarray)
    assert np.power([x], 2).tolist() == [[0, 1, 4, 9, 16]]
    assert numpy.power([x], 2).tolist() == [[0, 1, 4, 9, 16]]
    assert np.add([x[1], 2, x[3]], x[:3]).tolist() == [1, 3, 5]
    assert (x[:2] + [x[1], x[2]]).tolist() == [1, 3]


def test_arrays_of_numpy_are_written():
    x = np.linspace(0, 1, 5)
    host = numpy.ones(5)
    held = host
    host += x
    host *= x > 0
    assert host is held and type(host) is numpy.ndarray
    numpy.testing.assert_array_equal(host, (1 + x.get()) * (x.get() > 0))
    integers = numpy.ones(5, "i8")
    with pytest.raises(TypeError):
        integers += x
    host[:] = x
    numpy.copyto(host, x * 2, where=x > 0.4)
    numpy.testing.assert_array_equal(host, numpy.where(x.get() > 0.4, x.get() * 2, x.get()))
    assert numpy.add(x, 1, out=host) is host and host.tolist() == (x + 1).tolist()
    assert numpy.divmod(x + 1, 2, out=(None, host))[1] is host
    rows, total = x.reshape(1, 5), numpy.zeros(5)
    assert numpy.sum(rows, axis=0, out=total) is total and total.tolist() == x.tolist()
    assert numpy.add.reduce(rows, axis=0, out=total) is total
    total[:] = -1
    numpy.maximum.reduce(rows, axis=0, out=total, where=rows > 0.4, initial=0)
    assert total.tolist() == [0, 0, 0.5, 0.75, 1]
    counted = numpy.zeros(3)
    numpy.add.at(counted, np.asarray([0, 2, 2]), np.asarray([1.0, 2.0, 3.0]))
    assert counted.tolist() == [1, 0, 5]
    numpy.put(counted, np.asarray([1]), np.asarray([9.0]))
    numpy.putmask(counted, np.asarray([True, False, False]), np.zeros(1))
    assert counted.tolist() == [0, 9, 5]
    assert numpy.arange(5)[x > 0.4].tolist() == [2, 3, 4]
    assert numpy.arange(5)[np.asarray([1, 3])].tolist() == [1, 3]


def test_objects_that_arrays_cannot_hold_are_numpys():
    x, none = numpy.broadcast_arrays(np.arange(3), None)
    assert type(x) is numpy.ndarray and none.tolist() == [None] * 3


def test_ufuncs_of_other_libraries_compute_on_the_host():
    def add(a, b):
        return a * 10 + b

    # A function with the name of one of ours that does something else.
    tens = numpy.frompyfunc(add, 2, 1)
    x = np.arange(3)
    assert tens(x, 1).tolist() == [1, 11, 21]
    out = np.zeros(3)
    assert tens(x, 2, out=out, casting="unsafe") is out and out.tolist() == [2, 12, 22]
    tens(x, 3, out=out, casting="unsafe", where=x > 0)
    assert out.tolist() == [2, 13, 23]
    tens.at(out, np.asarray([0]), 5)
    assert out.tolist() == [25, 13, 23]


def test_bytes_are_read_as_of_any_buffer():
    x = np.arange(5.0)
    host = x.get()
    assert hashlib.sha256(x).digest() == hashlib.sha256(host).digest()
    assert b"".join([np.asarray([65, 66], dtype="u1"), b"C"]) == b"ABC"
    file = io.BytesIO()
    assert file.write(x) == 40 and file.getvalue() == host.tobytes()
    assert array.array("d", x).tolist() == host.tolist()


def test_files_are_read_into_the_memory_of_an_array():
    for x in [np.zeros(6), np.zeros((3, 2)), np.zeros((2, 6))[1], np.zeros(12)[::2]]:
        assert io.BytesIO(numpy.arange(6.0).tobytes()).readinto(x) == 48
        assert x.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    base = np.zeros((2, 6))
    io.BytesIO(numpy.arange(6.0).tobytes()).readinto(base[1])
    assert base.tolist() == [[0] * 6, [0, 1, 2, 3, 4, 5]]
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(bytes(48)).readinto(np.broadcast_to(np.zeros(1), (6,)))
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(bytes(8)).readinto(base[0, 0])


class Buffer(ctypes.Structure):
    """The interpreter's buffer structure, requested in the way of C libraries."""

    _fields_ = [
        ("start", ctypes.c_void_p), ("owner", ctypes.c_void_p), ("length", ctypes.c_ssize_t),
        ("item", ctypes.c_ssize_t), ("is_read_only", ctypes.c_int), ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]

    WRITABLE, FORMAT, STRIDES, RECORDS_RO = 1, 4, 0x18, 0x1C

    def __init__(self, x, flags):
        super().__init__()
        get = ctypes.pythonapi.PyObject_GetBuffer
        get(ctypes.py_object(x), ctypes.byref(self), ctypes.c_int(flags))

    def __del__(self):
        if self.owner:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self))

    @property
    def elements(self):
        """The elements as a vector of doubles."""
        return (ctypes.c_double * (self.length // 8)).from_address(self.start)


def elements(x, flags):
    """The elements of a buffer; the buffer is held until they are copied."""
    buffer = Buffer(x, flags)
    return list(buffer.elements)


def lent(x):
    """An object that may write the elements of an array while it is alive."""
    return Buffer(x, Buffer.WRITABLE)


def test_buffers_of_every_dtype():
    for dtype in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
        for shape in [(2, 3), (6,), (1, 6, 1)]:
            host = numpy.arange(6).astype(dtype).reshape(shape)
            x = np.asarray(host)
            for flags in [Buffer.RECORDS_RO, Buffer.RECORDS_RO | Buffer.WRITABLE]:
                view = Buffer(x, flags)
                letter = view.format.decode()
                assert numpy.dtype({"Zf": "F", "Zd": "D"}.get(letter, letter)) == host.dtype
                assert tuple(view.shape[: view.ndim]) == shape and view.item == host.itemsize
                assert tuple(view.strides[: view.ndim]) == host.strides
                assert ctypes.string_at(view.start, view.length) == host.tobytes()
                del view
            with pytest.raises(BufferError):
                Buffer(np.ones((2, 3)), 0x40 | Buffer.STRIDES)
    assert elements(np.asarray(3.0), Buffer.RECORDS_RO) == [3]
    assert Buffer(np.zeros((0, 2)), Buffer.RECORDS_RO).length == 0
    x = np.arange(6.0).reshape(2, 3)
    assert elements(x.T, 0) == [0, 3, 1, 4, 2, 5]
    assert elements(x + 1, 0) == [1, 2, 3, 4, 5, 6]
    # The exposed elements do not change, and stay valid while the buffer is held.
    view = Buffer(x, 0)
    for _ in range(3):
        x += 1
    assert list(view.elements) == [0, 1, 2, 3, 4, 5] and float(x[0, 0]) == 3
    del x
    made = [np.zeros((2, 3)) + 7 for _ in range(20)]
    assert list(view.elements) == [0, 1, 2, 3, 4, 5] and len(made) == 20


def test_elements_that_are_lent_are_not_used():
    x = np.arange(12.0).reshape(3, 4)
    whole = np.arange(12.0).reshape(3, 4)
    held = lent(x[2])
    held.elements[0] = 100
    for use in [
        lambda: x + 1, lambda: float(x[2, 0]), lambda: str(x), lambda: x[1:].get(), lambda: lent(x),
        lambda: x.T.sum(), lambda: numpy.asarray(x), lambda: x.__setitem__((2, 1), 5),
        lambda: x.fill(0), lambda: x.evaluate(), lambda: x.copy(), lambda: x.local_shards(),
    ]:
        with pytest.raises(BufferError, match=r"lent at \S*test_host_conversion.py:\d+") as told:
            use()
        assert told.value.code == "PX039"
    # Other elements of the array can be read, and a second part may be lent.
    assert x[1].tolist() == [4, 5, 6, 7] and x.shape == (3, 4)
    x[1] = 9
    other = lent(x[0])
    other.elements[3] = -1
    assert (x[1] + 1).tolist() == [10] * 4
    del held
    assert x[2].tolist() == [100, 9, 10, 11]
    with pytest.raises(BufferError):
        x[0].sum()
    del other
    whole[1], whole[2, 0], whole[0, 3] = 9, 100, -1
    assert x.tolist() == whole.tolist()


def test_operations_recorded_before_a_loan_read_the_earlier_elements():
    x = np.arange(4.0)
    before = x * 2
    x += 1
    held = lent(x)
    held.elements[0] = 50
    assert before.tolist() == [0, 2, 4, 6]
    del held
    x += 1
    assert x.tolist() == [51, 3, 4, 5]


def test_an_exception_keeps_its_class_where_a_loan_ends():
    x = np.zeros(3)

    def fails():
        held = lent(x)
        held.elements[1] = 1
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails()
    assert x.tolist() == [0, 1, 0]


def test_the_array_interface_is_that_of_numpy():
    x = np.zeros((2, 3), "i2")
    assert x.__array_interface__ == {"version": 3, "shape": (2, 3), "typestr": "<i2"}


@pytest.mark.one_process("begins sessions of its own")
@pytest.mark.parametrize("devices", [1, 3])
def test_a_large_copy_is_warned_of_once(devices):
    program = """
        import io, sys, warnings, numpy, phalanx as np
        np.init(split_from=1)
        x = np.arange(1000.0)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            numpy.asarray(x[:100])
            x.get(), x.tolist(), bytes(x)
            print(len(told))
            numpy.asarray(x)
            numpy.asarray(x), x.__array__()
        print(*(f"{one.category.__name__} {one.message}" for one in told))
        """
    warned = worlds.run(program, devices=devices, environment={"PHALANX_IMPLICIT_COPY": "4K"})
    none, text = warned.stdout.splitlines()
    assert none == "0" and text.startswith("RuntimeWarning") and text.count("Runtime") == 1
    assert "8000 bytes" in text and "x.get()" in text, text
    for value in ["off", ""]:
        assert worlds.run(program, environment={"PHALANX_IMPLICIT_COPY": value}).stdout == "0\n\n"
    refused = worlds.run(program, environment={"PHALANX_IMPLICIT_COPY": "-1"}, check=False)
    assert "PX090" in refused.stderr


@pytest.mark.one_process("begins sessions of its own")
def test_ranks_that_convert_differently_are_reported():
    ended = worlds.run(
        """
        import numpy, phalanx as np
        np.init(split_from=1)
        x = np.arange(1000.0)
        print(numpy.asarray(x).sum())
        if np.rank() == 1:
            numpy.asarray(x)
        print(float(x.sum() + 1))
        """,
        processes=2, check=False,
    )
    assert ended.returncode != 0 and "PX062" in ended.stderr, ended.stderr
    assert ended.stdout.count("499500.0") == 2


def test_pandas_makes_frames_of_arrays():
    pandas = pytest.importorskip("pandas")
    x = np.arange(6.0).reshape(2, 3)
    frame = pandas.DataFrame(x, columns=list("abc"))
    assert frame.to_numpy().tolist() == x.tolist()
    series = pandas.Series(x[1])
    series[0] = 9
    assert float(x[1, 0]) == 3 and series.tolist() == [9, 4, 5]
    assert (pandas.Series([1.0, 2.0, 3.0]) + x[1]).tolist() == [4, 6, 8]
    assert pandas.cut(x[0], 2).codes.tolist() == [0, 0, 1]


def test_matplotlib_draws_arrays(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    x = np.linspace(0, 1, 20)
    y = np.outer(x, x)
    for draw in [
        lambda axes: axes.plot(x, x**2), lambda axes: axes.scatter(x, x, c=x, s=10 * x),
        lambda axes: axes.bar(np.arange(20), x), lambda axes: axes.hist(x),
        lambda axes: axes.imshow(y), lambda axes: axes.contour(y),
        lambda axes: axes.errorbar(x, x, yerr=x / 10), lambda axes: axes.fill_between(x, x, x + 1),
    ]:
        figure, axes = pyplot.subplots()
        draw(axes)
        figure.savefig(tmp_path / "figure.png")
        pyplot.close(figure)


def test_scipy_takes_arrays():
    pytest.importorskip("scipy")
    import scipy.linalg
    import scipy.ndimage
    import scipy.optimize
    import scipy.signal
    import scipy.spatial
    import scipy.special

    x = np.linspace(0, 1, 20)
    square = np.asarray([[4.0, 1, 0], [1, 3, 1], [0, 1, 5]])
    for function in [
        lambda x, square: scipy.special.gamma(x + 1), lambda x, square: scipy.special.jv(0, x),
        lambda x, square: scipy.linalg.solve(square, square[0], overwrite_a=True),
        lambda x, square: scipy.linalg.expm(square), lambda x, square: scipy.signal.detrend(x),
        lambda x, square: scipy.ndimage.gaussian_filter(square, 1),
        lambda x, square: scipy.spatial.distance.pdist(square),
        lambda x, square: scipy.spatial.transform.Rotation.from_rotvec(square[0]).as_matrix(),
        lambda x, square: scipy.optimize.nnls(square, square[1])[0],
    ]:
        found = function(x, square)
        assert type(found) is numpy.ndarray
        numpy.testing.assert_allclose(found, function(x.get(), square.get()), rtol=1e-12)


def test_pictures_are_made_of_arrays():
    image = pytest.importorskip("PIL.Image")
    x = np.arange(48, dtype="u1").reshape(4, 4, 3)
    for pixels in [x, x[:, :, 0], x[:, :, 0] > 4, x[:, :, 1].astype("f4")]:
        made = image.fromarray(pixels)
        numpy.testing.assert_array_equal(numpy.asarray(made), pixels.get())
        assert np.asarray(made).tolist() == pixels.tolist()


def test_scikit_learn_fits_arrays():
    cluster = pytest.importorskip("sklearn.cluster")
    linear = pytest.importorskip("sklearn.linear_model")
    host = numpy.random.default_rng(0).normal(size=(60, 4))
    x = np.asarray(host)
    found = cluster.KMeans(2, n_init=1, random_state=0).fit(x)
    expected = cluster.KMeans(2, n_init=1, random_state=0).fit(host)
    numpy.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    fitted = linear.LinearRegression(copy_X=False).fit(x, x @ np.arange(4.0))
    numpy.testing.assert_allclose(fitted.coef_, [0, 1, 2, 3], atol=1e-12)
    numpy.testing.assert_array_equal(x.get(), host)


def test_ufuncs_of_numba_write_arrays():
    numba = pytest.importorskip("numba")

    @numba.vectorize([numba.float64(numba.float64)])
    def tripled(element):
        return 3 * element

    @numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")
    def summed(elements, result):
        total = 0.0
        for place in range(elements.shape[0]):
            total += elements[place]
            result[place] = total

    x, out = np.arange(5.0), np.zeros(5)
    assert tripled(x).tolist() == [0, 3, 6, 9, 12]
    assert tripled(x, out=out) is out and out.tolist() == [0, 3, 6, 9, 12]
    assert summed(x, out) is out and out.tolist() == [0, 1, 3, 6, 10]


def test_torch_writes_arrays_in_place():
    torch = pytest.importorskip("torch")
    x = np.arange(6.0).reshape(2, 3)
    tensor = torch.frombuffer(x, dtype=torch.float64)
    tensor += 1
    tensor[0] = 9
    with pytest.raises(BufferError, match="PX039"):
        x.tolist()
    del tensor
    assert x.tolist() == [[9, 2, 3], [4, 5, 6]]


@pytest.mark.one_process("MPI starts in the process of the tests")
def test_mpi4py_receives_into_arrays():
    pytest.importorskip("mpi4py")
    program = """
        import numpy, phalanx as np
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise SystemExit(f"no MPI: {error}")
        np.init(split_from=1)
        own = MPI.COMM_SELF
        x = np.zeros((4, 3))
        # The rows at the ends are received while those between are sent and written.
        requests = [own.Irecv(x[-1], 0, 0), own.Irecv(x[0], 0, 1)]
        x[2] = 9
        own.Send(x[2], 0, 0)
        own.Send(np.arange(3.0), 0, 1)
        try:
            x + 1
        except BufferError as error:
            print(error.code)
        MPI.Request.Waitall(requests)
        del requests
        print(x.tolist())
        own.Sendrecv(np.arange(2.0), 0, 0, x[1, ::2], 0, 0)
        own.Allreduce(MPI.IN_PLACE, x)
        total = np.zeros(3)
        own.Allreduce(x[1], total)
        print(total.tolist())
        """
    for devices in [1, 3]:
        ended = worlds.run(program, devices=devices, check=False)
        if "no MPI" in ended.stderr:
            worlds.lacks("openmpi", "MPI library")
        assert ended.stdout.splitlines() == [
            "PX039",
            "[[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [9.0, 9.0, 9.0]]",
            "[0.0, 0.0, 1.0]",
        ], ended.stderr


@worlds.needs_mpirun
@pytest.mark.one_process("starts processes of its own")
def test_ranks_receive_into_arrays_of_all():
    pytest.importorskip("mpi4py")
    ended = worlds.mpirun(
        """
        import numpy, phalanx as np
        from mpi4py import MPI
        np.init(split_from=1, comm=MPI.COMM_WORLD)
        x = np.arange(5.0)
        total = np.zeros(5)
        MPI.COMM_WORLD.Allreduce(x, total)
        print("all", total.tolist(), flush=True)
        """,
        processes=2,
    )
    assert ended.stdout.count("all [0.0, 2.0, 4.0, 6.0, 8.0]") == 2, ended.stdout
