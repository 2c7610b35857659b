"""Meshes, shardings, shards, and arrays of one process."""

import numpy
import pytest

import phalanx as np
import phalanx.distributed

from . import worlds
from .conftest import RANKS, device_count

DEVICES = device_count()


@pytest.mark.one_process("looks at the parts of one process")
def test_mesh():
    mesh = np.mesh()
    assert mesh.axis_names == ("device",) and mesh.shape == {"device": DEVICES}
    assert (np.rank(), np.size()) == (0, 1)


@pytest.mark.parametrize("is_pending", [False, True])
def test_copies_to_the_same_sharding_are_arrays_of_their_own(is_pending):
    def made():
        x = (np.arange(24.0) + 1).with_sharding(0)
        return x if is_pending else np.evaluate(x) or x

    def same(x):
        return x.with_sharding(x.sharding)

    x = made()
    copied = same(x)
    copied[3] = 100
    assert (float(x[3]), float(copied[3])) == (4, 100)
    x[4] = -1
    assert float(copied[4]) == 5
    x = made()
    copied, again = same(x), same(same(x))
    again *= 2
    x[1] = 50
    assert [float(each[1]) for each in (x, copied, again)] == [50, 2, 4]
    # The array that was copied is gone.
    x = made()
    copied = same(x)
    del x
    again = same(copied)
    copied[0] = 9
    assert (float(copied[0]), float(again[0])) == (9, 1)
    # Views are copied.
    x = made()
    every_other, turned = same(x[::2]), same(x.reshape(4, 6).T)
    every_other[0] = turned[1, 0] = 7
    numpy.testing.assert_array_equal(x.get(), numpy.arange(24) + 1)


def test_plans_fit_operands_that_are_split_otherwise():
    # What devices hand on within the sum is split as the selection is at first, and not later.
    devices = RANKS * DEVICES
    x = np.arange(4 * devices)
    for kept in (range(4, 4 * devices, 4), range(devices - 1)):
        mask = numpy.isin(numpy.arange(x.size), list(kept))
        is_kept = np.asarray(mask)
        found = np.cumsum(np.concatenate([x[~is_kept], x[is_kept]]))
        wanted = numpy.cumsum(numpy.argsort(mask, kind="stable"))
        numpy.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.one_process("looks at the parts of one process")
def test_shardings_are_asked_for():
    x = np.arange(24.0).reshape(8, 3)
    rows = x.with_sharding(0)
    assert rows.sharding == np.Sharding("device" if DEVICES > 1 else None, None)
    assert [shard.data.shape[0] for shard in rows.local_shards()] == [
        block.size for block in numpy.array_split(numpy.arange(8), DEVICES)
    ]
    for shard in rows.local_shards():
        numpy.testing.assert_array_equal(shard.data, x.get()[shard.index])
    assert x.with_sharding(None).sharding.is_replicated
    uneven = [8] + [0] * (DEVICES - 1)
    placed = x.with_sharding(np.Sharding("device", None, blocks={0: uneven}))
    assert [shard.data.shape[0] for shard in placed.local_shards()] == uneven
    numpy.testing.assert_array_equal((placed + rows).get(), 2 * x.get())
    for wrong in [7, np.Sharding("device"), np.Sharding("nothing", None)]:
        with pytest.raises(ValueError):
            x.with_sharding(wrong)
    with pytest.raises(TypeError):
        x.with_sharding("rows")


@pytest.mark.one_process("looks at the parts of one process")
def test_local_parts_are_joined():
    parts = [numpy.full((device, 2), device) for device in range(1, DEVICES + 1)]
    joined = np.from_local(parts, axis=0)
    numpy.testing.assert_array_equal(joined.get(), numpy.concatenate(parts))
    with pytest.raises(Exception):
        np.from_local([numpy.ones(2)] * (DEVICES + 1))


def test_pictures():
    picture = np.visualize_sharding(np.arange(12.0).with_sharding(0))
    assert "0" in repr(picture) and "<table" in picture._repr_html_()
    assert "plan on" in np.explain(np.arange(12.0) * 2)


def test_pictures_have_a_colour_for_each_device():
    told = worlds.run(
        """
        import re
        import pty
        import os, sys
        import phalanx as np

        np.init(devices=6, mesh={"x": 3, "y": 2}, split_from=1)
        both = np.visualize_sharding(np.zeros((9, 8)).with_sharding(np.Sharding("x", "y")))
        colours = re.findall(r"48;5;([0-9]+)m +([0-9]) ", both.coloured())
        assert [device for _, device in colours] == list("012345"), colours
        assert len({colour for colour, _ in colours}) == 6
        # Without the codes it is the text.
        assert re.sub(r"\\x1b\\[[0-9;]*m", "", both.coloured()) == both.text
        assert "\\x1b" not in repr(both)
        page = both._repr_html_()
        assert page.count("<td") == 6 and page.count("<tr") == page.count("</tr>") == 4
        assert len(set(re.findall("background: (#[0-9a-f]+)", page))) == 6
        assert "3..6" in page and "4..8" in page and 'title="device 5"' in page
        # Blocks that several devices hold, or none, and arrays of any number of axes.
        rows = np.visualize_sharding(np.zeros((9, 8)).with_sharding(np.Sharding("x", None)))
        assert rows._repr_html_().count("<td") == 3 and "devices 2, 3" in rows._repr_html_()
        for shape in [(), (0,), (5, 0), (2, 3, 4)]:
            page = np.visualize_sharding(np.zeros(shape))._repr_html_()
            assert page.count("<table") == 1, page
        uneven = np.Sharding(("x", "y"), None, blocks={0: [9, 0, 0, 0, 0, 0]})
        np.visualize_sharding(np.zeros((9, 8)).with_sharding(uneven))._repr_html_()

        # A terminal gets colours, unless a variable forbids them.
        def printed():
            here, there = pty.openpty()
            kept, sys.stdout = sys.stdout, os.fdopen(there, "w")
            try:
                text = repr(both)
            finally:
                sys.stdout = kept
            return text
        os.environ["TERM"] = "xterm-256color"
        assert "\\x1b[" in printed()
        os.environ["NO_COLOR"] = "1"
        assert "\\x1b[" not in printed()
        print("well")
        """,
        devices=6,
    ).stdout
    assert told == "well\n", told


def test_axes_may_be_split_by_mesh_axes_in_any_order():
    """The blocks then follow each other in another order than the devices."""
    program = """
        import sys
        import numpy
        import phalanx as np

        names, order = sys.argv[1], tuple(sys.argv[2])
        extents = (3, 2) if names == "xy" else (2, 2, 2)
        np.init(mesh=dict(zip(names, extents)), split_from=1)
        chance = numpy.random.default_rng(1)
        for count in [3, 7, 600, 60_000]:
            host = chance.permutation(count)
            at = chance.integers(-count, count, count)
            parts = 1
            for name in order:
                parts *= np.mesh().shape[name]
            for blocks in [None, {0: [0] * (parts - 1) + [count]}]:
                split = np.Sharding(order, blocks=blocks)
                x, i = np.asarray(host).with_sharding(split), np.asarray(at).with_sharding(split)
                numpy.testing.assert_array_equal(np.sort(x), numpy.sort(host))
                numpy.testing.assert_array_equal(np.argsort(x), numpy.argsort(host))
                numpy.testing.assert_array_equal(np.sort(x / 7), numpy.sort(host / 7))
                numpy.testing.assert_array_equal(np.cumsum(x), numpy.cumsum(host))
                numpy.testing.assert_array_equal(x[i], host[at])
                own = numpy.argsort(host)
                found = np.take_along_axis(x, np.argsort(x), 0)
                numpy.testing.assert_array_equal(found, host[own])
                found = np.searchsorted(np.sort(x).with_sharding(split), i)
                numpy.testing.assert_array_equal(found, numpy.searchsorted(numpy.sort(host), at))
                numpy.testing.assert_array_equal(x[x > count // 2], host[host > count // 2])
                written, expected = x.copy(), host.copy()
                written[i] = i
                expected[at] = at
                numpy.testing.assert_array_equal(written, expected)
                np.add.at(written, i, 3)
                numpy.add.at(expected, at, 3)
                numpy.testing.assert_array_equal(written, expected)
                assert int(x.sum()) == host.sum()
        print("well")
        """
    for names, order in [("xy", "yx"), ("xyz", "yx"), ("xyz", "zx"), ("xyz", "zyx"), ("xyz", "xz")]:
        told = worlds.run(program, names, order, devices=6 if names == "xy" else 8).stdout
        assert told == "well\n", (names, order, told)


def test_arrays_of_this_process():
    with np.local():
        own = np.arange(5.0)
        assert float(own.sum()) == 10
    other = np.arange(5.0)
    with pytest.raises(Exception, match="PX"):
        float((own + other).sum())


def test_process_groups():
    program = """
        import numpy
        import phalanx as np
        import phalanx.distributed
        group = phalanx.distributed.init_process_group()
        rank, size = group.rank, group.size
        with np.local():
            own = np.arange(4.0) + 10 * rank
            out = np.zeros(4)
        group.all_reduce(own, out)
        print("all_reduce", out.tolist())
        group.all_reduce(own, out, op="max")
        print("max", out.tolist())
        rows = numpy.zeros((size, 4))
        group.all_gather(own, rows)
        print("all_gather", rows.tolist())
        part = numpy.zeros(4)
        group.scatter(rows * (rank + 1), part, root=1)
        print("scatter", (part == 2 * rows[rank]).all())
        group.broadcast(part, root=2)
        print("broadcast", (part == 2 * rows[2]).all())
        back = numpy.zeros((size, 4))
        group.all_to_all(rows + 100 * rank, back)
        print("all_to_all", back[:, 0].tolist() == [10 * rank + 100 * r for r in range(size)])
        piece = numpy.zeros(2)
        group.reduce_scatter(numpy.arange(2.0 * size), piece)
        print("reduce_scatter", piece.tolist() == [size * 2.0 * rank, size * (2.0 * rank + 1)])
        group.send_recv(own, part, peer=(rank + 1) % size)
        print("send_recv", part.tolist() == rows[(rank + 1) % size].tolist())
        group.barrier()
        try:
            phalanx.distributed.agree(ValueError("broken") if rank == 1 else None)
        except Exception as error:
            print("agree", "broken" in str(error))
    """
    ended = worlds.run(program, processes=3)
    lines = {line.split("] ")[-1] for line in ended.stdout.splitlines()}
    sums = [30.0, 33.0, 36.0, 39.0]
    rows = [[10.0 * r + k for k in range(4)] for r in range(3)]
    expected = {f"all_reduce {sums}", f"max {rows[2]}", "scatter True", "broadcast True",
                "all_to_all True", "reduce_scatter True", "send_recv True", "agree True"}
    assert expected <= lines, ended.stdout
    assert f"all_gather {rows}" in ended.stdout


@pytest.mark.one_process("looks at the parts of one process")
def test_process_groups_write_arrays_of_the_dtype_that_is_given():

    group = phalanx.distributed.init_process_group()
    given = numpy.array([1.5, 2.5])
    calls = [group.all_reduce, group.reduce, group.reduce_scatter, group.all_gather, group.gather]
    for call in calls:
        out = numpy.zeros(2, dtype="i8")
        with pytest.raises(ValueError, match="PX144") as refused:
            call(given, out)
        assert refused.value.code == "PX144" and not out.any()
        written = numpy.zeros(2)
        call(given, written)
        assert written.tolist() == [1.5, 2.5]
