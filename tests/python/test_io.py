"""Files."""

import io
import os
import signal
import stat
import subprocess
import time
import zipfile

import numpy
import pytest

import phalanx as np

from . import worlds

pytestmark = pytest.mark.one_process("each process has a temporary folder of its own")


@pytest.fixture
def array():
    return np.arange(12.0).reshape(3, 4)


def test_npy(tmp_path, array):
    np.save(tmp_path / "a", array)
    assert numpy.array_equal(numpy.load(tmp_path / "a.npy"), array.get())
    assert np.array_equal(np.load(tmp_path / "a.npy"), array)
    numpy.save(tmp_path / "b.npy", numpy.asfortranarray(array.get()).astype(">i4"))
    assert np.array_equal(np.load(str(tmp_path / "b.npy")), array)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_npz(tmp_path, array, save):
    getattr(np, save)(tmp_path / "a", array, k=array + 1)
    with numpy.load(tmp_path / "a.npz") as theirs, np.load(tmp_path / "a.npz") as ours:
        assert sorted(ours) == sorted(theirs) == ["arr_0", "k"]
        for name in ours:
            assert numpy.array_equal(ours[name].get(), theirs[name])
        with pytest.raises(KeyError):
            ours["none"]
    with pytest.raises(ValueError):
        getattr(np, save)(tmp_path / "b", array, arr_0=array)
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def test_open_files(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    assert np.array_equal(np.load(file), array)
    file = io.BytesIO()
    np.savez(file, x=array)
    file.seek(0)
    assert np.array_equal(np.load(file)["x"], array)


def test_text(tmp_path, array):
    np.savetxt(tmp_path / "a.txt", array, fmt="%.3f", delimiter=",")
    assert np.array_equal(np.loadtxt(tmp_path / "a.txt", delimiter=","), array)
    filled = np.genfromtxt(io.StringIO("1,,3"), delimiter=",", filling_values=2)
    assert filled.tolist() == [1, 2, 3]
    np.arange(3, dtype="i4").tofile(tmp_path / "a.bin")
    assert np.fromfile(tmp_path / "a.bin", dtype="i4").tolist() == [0, 1, 2]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        np.load(tmp_path / "none.npy")


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError):
        np.load(tmp_path / "a.npy")
    numpy.save(tmp_path / "b.npy", numpy.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises((ValueError, TypeError)):
        np.load(tmp_path / "b.npy")


def test_compressed_files_are_whole_and_keep_what_is_there(tmp_path, array):
    path, target = tmp_path / "a.npz", tmp_path / "target.npz"
    np.savez_compressed(target, array)
    target.chmod(0o640)
    path.symlink_to(target)
    planted = tmp_path / "a.npz.part.npz"
    planted.symlink_to(tmp_path / "elsewhere")
    np.savez_compressed(path, x=array + 1)
    assert path.is_symlink() and stat.S_IMODE(target.stat().st_mode) == 0o640
    assert numpy.array_equal(numpy.load(target)["x"], array.get() + 1)
    assert not (tmp_path / "elsewhere").exists()
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert archive.getinfo("x.npy").compress_type == zipfile.ZIP_DEFLATED
    target.chmod(0o440)
    with pytest.raises(PermissionError, match="PX081"):
        np.savez_compressed(path, x=array)
    assert float(np.load(path)["x"][0, 0]) == 1
    full = tmp_path / "full.npz"
    full.symlink_to("/dev/full")
    with pytest.raises(OSError, match="PX081"):
        np.savez_compressed(full, array)
    full.unlink()
    with pytest.raises(FileNotFoundError, match="PX081"):
        np.savez_compressed(tmp_path / "none" / "a", array)
    planted.unlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.npz", "target.npz"]


def test_several_writers_leave_one_whole_file(tmp_path):
    program = """
        import sys
        import phalanx as np
        for turn in range(10):
            np.savez_compressed(sys.argv[1], x=np.full(5000, float(sys.argv[2])))
        """
    worlds.apart()
    path = tmp_path / "a.npz"
    environment = worlds.surroundings() | {"PHALANX_DEVICES": "cpu:1"}
    writers = [
        subprocess.Popen(worlds.python(program, str(path), str(number)), env=environment)
        for number in range(3)
    ]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            with numpy.load(path) as found:
                x = found["x"]
            assert x.shape == (5000,) and (x == x[0]).all()
            seen += 1
    assert seen and [writer.wait() for writer in writers] == [0] * 3
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def test_members_are_of_one_version(tmp_path, array):
    path = tmp_path / "a.npz"
    np.savez(path, a=array, b=array)
    with np.load(path) as before:
        assert "a" in before and "c" not in before and len(before) == 2
        first = before["a"]
        np.savez(path, a=array + 1, b=array + 1, c=array)
        assert np.array_equal(before["b"], first) and list(before) == ["a", "b"]
    assert np.array_equal(np.load(path)["b"], array + 1)
    with pytest.raises(ValueError, match="closed"):
        before["a"]


def test_thousands_of_members_are_read_at_once(tmp_path):
    path = tmp_path / "a.npz"
    numpy.savez(path, **{f"member{place}": numpy.full(3, place) for place in range(3000)})
    with np.load(path) as found:
        arrays = [found[name] for name in found.files]
    assert arrays[2999].tolist() == [2999] * 3
    np.savez(tmp_path / "b.npz", **{f"member{place}": array for place, array in enumerate(arrays)})
    assert len(np.load(tmp_path / "b.npz")) == 3000


def counted(counter, call):
    """The number of bytes that a call adds to a counter of this process in `/proc/self/io`."""

    def bytes_so_far():
        with open("/proc/self/io") as counters:
            return int(next(line for line in counters if line.startswith(counter)).split()[1])

    before = bytes_so_far()
    call()
    return bytes_so_far() - before


@pytest.mark.skipif(not os.path.exists("/proc/self/io"), reason="no /proc/self/io here")
def test_the_directory_of_an_archive_is_written_and_read_once(tmp_path):
    path, bytes_read = tmp_path / "a.npz", {}

    def load():
        with np.load(path) as found:
            for place, name in enumerate(found.files):
                assert found[name].tolist() == [place] * 3

    for count in (300, 3000):
        arrays = {f"member{place}": np.full(3, place) for place in range(count)}
        written = counted("wchar", lambda: np.savez(path, **arrays))
        assert written < 1.5 * path.stat().st_size
        bytes_read[count] = counted("rchar", load)
    # A directory for each of ten times as many members would be 40 times as many bytes.
    assert bytes_read[3000] <= 15 * bytes_read[300], bytes_read


@pytest.mark.parametrize("packed", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
def test_archives_packed_otherwise_are_read(tmp_path, packed):
    host = numpy.zeros(300_000)
    host[5] = 3
    with zipfile.ZipFile(tmp_path / "a.npz", "w", packed) as archive:
        with archive.open("x.npy", "w") as member:
            numpy.lib.format.write_array(member, host)
    assert numpy.array_equal(np.load(tmp_path / "a.npz")["x"].get(), host)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[80] ^= 0xFF
    (tmp_path / "b.npz").write_bytes(content)
    with pytest.raises((ValueError, OSError)):
        np.load(tmp_path / "b.npz")["x"]


@pytest.mark.parametrize("descr", ["d", "f8", "float64", ">d", "=f8", "float"])
def test_dtypes_in_other_words_are_read(tmp_path, descr):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,)}}".ljust(117) + "\n"
    elements = numpy.array([1.5, 2.5], numpy.dtype(descr)).tobytes()
    (tmp_path / "a.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + elements
    )
    assert np.load(tmp_path / "a.npy").tolist() == [1.5, 2.5]


def test_files_too_large_for_the_memory_are_a_memory_error(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "a.npy"
    with open(path, "wb") as file:
        numpy.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (1 << 28,)}
        )
        file.truncate(file.tell() + (8 << 28))
    ended = worlds.run(
        """
        import resource, sys
        import phalanx as np
        x = np.arange(3)
        float(x.sum())
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), used + (1 << 30)))
        try:
            print(float(np.load(sys.argv[1])[0]))
        except MemoryError as error:
            print("MemoryError", error.code)
        print(x.tolist())
        """,
        str(path),
    )
    assert ended.stdout.splitlines() == ["MemoryError PX080", "[0, 1, 2]"], ended.stdout


def test_files_left_by_killed_saves_are_removed(tmp_path, array):
    program = """
        import os, signal, sys
        import phalanx as np
        x = np.zeros(20_000_000)
        float(x[0])
        print("saving", flush=True)
        while True:
            np.save(sys.argv[1], x)
        """

    def leftovers():
        return [name for name in os.listdir(tmp_path) if name.startswith(".phalanx-")]

    def is_written():
        # A file without content may not be locked yet. Then it is removed, and written anew.
        return any(path.stat().st_size > 0 for path in tmp_path.glob(".phalanx-*"))

    for clear in [
        lambda: np.save(tmp_path / "b", array),
        lambda: np.savez_compressed(tmp_path / "b", array),
        lambda: np.restore(tmp_path / "none.npz"),
    ]:
        with worlds.started(worlds.python(program, str(tmp_path / "a"))) as running:
            running.stdout.readline()
            end, found = time.monotonic() + 60, False
            while not found and time.monotonic() < end:
                running.send_signal(signal.SIGSTOP)
                # Before all its threads have stopped, the process may still rename the file.
                os.waitid(os.P_PID, running.pid, os.WSTOPPED)
                if not (found := is_written()):
                    running.send_signal(signal.SIGCONT)
                    time.sleep(0.01)
            assert found
            # A file that a live process is writing must not be removed.
            before = leftovers()
            np.save(tmp_path / "c", array)
            assert leftovers() == before
            running.kill()
            running.wait()
        end = time.monotonic() + 10
        clear()
        # After a slow look through the folder, the next one waits.
        while leftovers() and time.monotonic() < end:
            time.sleep(0.05)
            clear()
        assert not leftovers()
