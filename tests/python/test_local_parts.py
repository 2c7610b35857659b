"""`from_local`: parts of every kind, of one device and of several, and refused parts."""

import numpy
import pytest

import phalanx as np
import phalanx.cuda

from . import worlds
from .conftest import device_count

DEVICES = device_count()

pytestmark = pytest.mark.one_process("looks at the parts of one process")


@pytest.mark.parametrize("extent", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_one_part_is_split_over_the_devices_of_its_process(extent, axis):
    shape = [3, 3]
    shape[axis] = extent
    part = numpy.arange(3.0 * extent).reshape(shape)
    joined = np.from_local(part, axis=axis)
    numpy.testing.assert_array_equal(joined.get(), part)
    blocks = [shard.data for shard in joined.local_shards()]
    assert len(blocks) == DEVICES
    split = numpy.array_split(part, DEVICES, axis=axis)
    for block, expected in zip(blocks, split, strict=True):
        numpy.testing.assert_array_equal(block, expected)
    numpy.testing.assert_array_equal((joined * 2).get(), part * 2)


def test_parts_that_lie_in_no_order_of_ours_and_of_other_dtypes():
    part = numpy.arange(24, dtype=">i4").reshape(4, 6).T[::-1]
    numpy.testing.assert_array_equal(np.from_local(part).get(), part)
    # A part that starts at an unaligned address is copied.
    unaligned = numpy.frombuffer(b"." + numpy.arange(9.0).tobytes(), dtype="u1")[1:].view("f8")
    numpy.testing.assert_array_equal(np.from_local(unaligned).get(), numpy.arange(9.0))


@pytest.mark.skipif(phalanx.cuda.is_available(), reason="GPUs have memory of their own")
def test_a_part_is_not_copied():
    part = numpy.arange(12.0).reshape(6, 2)
    joined = np.from_local(part)
    for view in joined.local_view():
        assert view.size == 0 or numpy.shares_memory(view, part)


def test_the_shards_of_an_array_make_it_again():
    x = np.arange(24.0).reshape(4, 6)
    for placed in [x.with_sharding(0), x.with_sharding(1), x * 2]:
        again = np.from_local(placed.local_shards())
        numpy.testing.assert_array_equal(again.get(), placed.get())
        assert again.sharding.axes == placed.sharding.axes or DEVICES == 1
    # Parts that are the whole array on every device are one array, and are not joined.
    whole = np.from_local(x.with_sharding(None).local_shards())
    numpy.testing.assert_array_equal(whole.get(), x.get())


def test_arrays_of_ours_and_of_other_libraries_are_parts():
    with np.local():
        own = [np.arange(3.0) + device for device in range(DEVICES)]
    expected = numpy.concatenate([numpy.arange(3.0) + device for device in range(DEVICES)])
    numpy.testing.assert_array_equal(np.from_local(own).get(), expected)
    numpy.testing.assert_array_equal(np.from_local(tuple(own)).get(), expected)
    numpy.testing.assert_array_equal(np.from_local(own[0]).get(), numpy.arange(3.0))

    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    parts = [Exporter(numpy.arange(3.0) + device) for device in range(DEVICES)]
    numpy.testing.assert_array_equal(np.from_local(parts).get(), expected)
    torch = pytest.importorskip("torch")
    tensors = [torch.arange(3.0) + device for device in range(DEVICES)]
    numpy.testing.assert_array_equal(np.from_local(tensors).get(), expected)


def test_a_view_of_the_parts_makes_an_array_that_is_split_alike():
    x = np.arange(12.0).reshape(3, 4)
    for placed in [x.with_sharding(0), x.with_sharding(1)]:
        again = np.from_local(placed.local_view(), axis=1)
        numpy.testing.assert_array_equal(again.get(), placed.get())
        assert again.sharding.axes == placed.sharding.axes or DEVICES == 1
    whole = np.from_local(x.with_sharding(None).local_view())
    numpy.testing.assert_array_equal(whole.get(), x.get())


@pytest.mark.skipif(DEVICES == 1, reason="one device has all shards")
def test_some_of_the_shards_of_an_array_are_no_array():
    x = np.arange(12.0).reshape(3, 4)
    for placed in [x.with_sharding(0), x.with_sharding(1), x.with_sharding(None)]:
        shards = placed.local_shards()
        for some in [shards[:1], shards[0], shards[: DEVICES - 1], shards + shards[:1]]:
            with pytest.raises(ValueError, match="PX159") as refused:
                np.from_local(some)
            assert refused.value.code == "PX159"
    # The data of shards are normal parts.
    numpy.testing.assert_array_equal(np.from_local(shards[0].data).get(), x.get())


def test_parts_that_are_refused():
    with pytest.raises(np.exceptions.AxisError) as refused:
        np.from_local(numpy.ones((2, 2)), axis=2)
    assert refused.value.code == "PX003"
    with pytest.raises(np.exceptions.AxisError):
        np.from_local(numpy.float64(1.0))
    with pytest.raises(ValueError, match="PX031"):
        np.from_local([numpy.ones(2)] * (DEVICES + 2))
    with pytest.raises(TypeError, match="PX146"):
        np.from_local(numpy.array(["a"]))
    if DEVICES > 1:
        unlike = [numpy.ones(2)] * (DEVICES - 1) + [numpy.ones(2, dtype="i4")]
        with pytest.raises(ValueError, match=r"f64\[2\].* and rank 0 i32\[2\]"):
            np.from_local(unlike)


def test_parts_of_several_processes_of_several_devices():
    program = """
        import numpy
        import phalanx as np
        np.init(split_from=1)
        rank = np.rank()
        # Processes give parts of unlike lengths, each split over three devices.
        own = numpy.arange(5.0 + 2 * rank) + 100 * rank
        joined = np.from_local(own)
        expected = numpy.concatenate([numpy.arange(5.0), numpy.arange(7.0) + 100])
        assert joined.tolist() == expected.tolist(), joined
        again = np.from_local((joined * 2).local_shards())
        assert again.tolist() == (2 * expected).tolist(), again
        nothing = np.from_local(numpy.zeros((0, 2)) if rank else numpy.ones((4, 2)))
        assert nothing.shape == (4, 2) and float(nothing.sum()) == 8
        whole = np.from_local(joined.with_sharding(None).local_shards())
        assert whole.tolist() == expected.tolist()

        def refused(part, axis=0):
            try:
                np.from_local(part, axis=axis)
            except Exception as error:
                return type(error).__name__, str(error).splitlines()[0]
        told = [
            refused(numpy.ones(2, dtype=["f8", "i4"][rank])),
            refused(numpy.ones((2, 2 + rank))),
            refused(numpy.ones((2,) * (1 + rank))),
            refused([numpy.ones(2)] * (3 - rank)),
            refused(numpy.array(["a"]) if rank else numpy.ones(1)),
            refused(numpy.ones(2), axis=rank),
        ]
        for one in told:
            print(rank, *one, flush=True)
        # The session continues.
        assert np.from_local(own).shape == (12,)
        print("well", flush=True)
        """
    ended = worlds.run(program, processes=2, devices=3)
    assert ended.stdout.count("well") == 2, ended.stdout
    lines = [line.removeprefix("[1] ") for line in ended.stdout.splitlines()]
    for rank in (0, 1):
        own = [line for line in lines if line.startswith(str(rank))]
        assert len(own) == 6, ended.stdout
        assert "f64[" in own[0] and "i32[" in own[0] and "PX031" in own[0], own
        assert "f64[2, 2]" in own[1] and "f64[2, 3]" in own[1], own
        assert "PX031" in own[1] and "PX031" in own[2] and "PX031" in own[3], own
        assert ("PX146" if rank else "rank 1 gives no part") in own[4], own
        assert ("AxisError" if rank else "names axis 1") in own[5], own
