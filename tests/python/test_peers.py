"""Programs that use other libraries with Phalanx; each is skipped if its library is absent."""

import numpy
import pytest

import phalanx as np
import phalanx.cuda

from . import worlds
from .conftest import device_count

DEVICES = device_count()
of_cpus = pytest.mark.skipif(
    phalanx.cuda.is_available(), reason="memory of GPUs is that of test_gpu.py"
)


def test_pytorch_differentiates_through_a_function_of_ours():
    torch = pytest.importorskip("torch")
    place = f"cuda:{np._phalanx._gpus()[0][0]}" if np._phalanx._gpus() else "cpu"

    class Sine(torch.autograd.Function):
        """The sine, computed by Phalanx, as an operation of PyTorch."""

        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return torch.from_dlpack(np.sin(np.from_dlpack(x.detach())))

        @staticmethod
        def backward(context, gradient):
            (x,) = context.saved_tensors
            cosine = np.cos(np.from_dlpack(x.detach()))
            return torch.from_dlpack(np.from_dlpack(gradient) * cosine)

    x = torch.linspace(0, 3, 7, dtype=torch.float64, requires_grad=True, device=place)
    Sine.apply(x).sum().backward()
    assert torch.allclose(x.grad, torch.cos(x.detach()))
    assert torch.autograd.gradcheck(Sine.apply, (x,))
    with pytest.raises(BufferError, match="detach"):
        np.from_dlpack(x)


@of_cpus
def test_tensors_of_pytorch_are_parts():
    torch = pytest.importorskip("torch")
    parts = [torch.full((2, 3), float(device)) for device in range(DEVICES)]
    x = np.from_local(parts)
    assert x.shape == (2 * DEVICES, 3) and x.dtype == numpy.float32
    held = [part.__array_interface__["data"][0] for part in x.local_view()]
    assert held == [part.data_ptr() for part in parts]
    mixed = x + torch.ones(3)
    assert isinstance(mixed, np.ndarray) and mixed.tolist()[-1] == [DEVICES] * 3
    # A transposed array has another layout.
    turned = np.from_dlpack(torch.arange(6.0).reshape(2, 3).T)
    assert turned.tolist() == [[0, 3], [1, 4], [2, 5]]


@of_cpus
def test_jax_takes_arrays_and_calls_back():
    jax = pytest.importorskip("jax")
    x = np.arange(6, dtype="f4")
    there = jax.numpy.from_dlpack(x)
    assert np.from_dlpack(there * 2).tolist() == [0, 2, 4, 6, 8, 10]
    assert (x + there).tolist() == [0, 2, 4, 6, 8, 10]

    def root(host):
        return np.sqrt(np.asarray(host)).get()

    @jax.jit
    def program(value):
        kind = jax.ShapeDtypeStruct(value.shape, value.dtype)
        return jax.pure_callback(root, kind, value) + 1

    numpy.testing.assert_allclose(program(there), numpy.sqrt(x.get()) + 1)


@of_cpus
def test_numba_works_on_local_shards():
    numba = pytest.importorskip("numba")

    @numba.njit
    def clip(part, highest):
        for place in range(part.size):
            part[place] = min(part[place], highest)

    @numba.njit
    def total(part):
        summed = 0.0
        for element in part:
            summed += element
        return summed

    x = np.arange(10.0).with_sharding(0)
    with x.local_view() as shards:
        for shard in shards:
            clip(shard, 4.0)
    assert x.tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 4, 4]
    assert [total(part) for part in x.local_view()] == [part.sum() for part in x.local_view()]
    assert float(x.sum()) == 30


def test_pandas_frames_come_and_go():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
    x = np.asarray(frame)
    shares = pandas.DataFrame((x / x.sum(axis=0)).get(), columns=frame.columns)
    numpy.testing.assert_allclose(shares["a"], [1 / 6, 2 / 6, 3 / 6])
    assert np.asarray(frame["b"]).tolist() == [4, 5, 6]
    assert np.asarray(pandas.Series([1, 2, None], dtype="Int64"), dtype="f8")[:2].tolist() == [1, 2]
    root = np.sqrt(frame["a"])
    assert isinstance(root, pandas.Series) and root.shape == (3,)


def test_code_for_any_library_finds_the_namespace():
    compat = pytest.importorskip("array_api_compat")

    def standardised(x):
        xp = compat.array_namespace(x)
        return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)

    x = np.arange(12.0).reshape(4, 3)
    assert compat.array_namespace(x) is np and compat.is_array_api_obj(x)
    assert compat.device(x) == x.device and compat.size(x) == 12
    assert compat.to_device(x, x.device).shape == x.shape
    found = standardised(x)
    assert isinstance(found, np.ndarray)
    numpy.testing.assert_allclose(found.get(), standardised(x.get()), rtol=1e-12)


@pytest.mark.parametrize("devices", [1, 3])
def test_scipy_computes_with_arrays_of_the_standard(devices):
    pytest.importorskip("scipy")
    # SciPy reads the variable when it is imported.
    worlds.run(
        """
        import numpy
        import phalanx as np
        import scipy.cluster.vq, scipy.special, scipy.stats

        np.init(split_from=1)
        x = np.linspace(1, 2, 12).reshape(3, 4)
        for function in [
            lambda x: scipy.special.logsumexp(x, axis=0),
            lambda x: scipy.special.softmax(x, axis=1),
            lambda x: scipy.stats.skew(x, axis=0),
            lambda x: scipy.stats.zscore(x, axis=0),
            lambda x: scipy.stats.gmean(x),
            lambda x: scipy.cluster.vq.whiten(x),
        ]:
            found = function(x)
            assert isinstance(found, np.ndarray), found
            numpy.testing.assert_allclose(found.get(), function(x.get()), rtol=1e-9, atol=1e-9)
        """,
        devices=devices,
        environment={"SCIPY_ARRAY_API": "1"},
    )
