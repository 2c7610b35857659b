"""Features of CuPy beyond NumPy: cuda, fft.config, profiler, pinned memory, messages."""

import logging
import time

import numpy
import pytest

import phalanx as np
import phalanx.cuda
import phalanx.fft.config
import phalanx.x
import phalanx.x.profiler
from phalanx.cuda import runtime

from . import worlds
from .conftest import device_count

DEVICES = device_count()


def test_settings_of_plans_are_remembered():
    config = phalanx.fft.config
    assert np.fft.config is config
    kept = config.get_plan_cache_size()
    config.set_plan_cache_size(4)
    assert config.get_plan_cache_size() == config.get_plan_cache().get_size() == 4
    config.set_plan_cache_size(kept)
    config.set_plan_cache_max_memsize(-1)
    assert config.get_plan_cache_max_memsize() == -1
    config.clear_plan_cache()
    with pytest.raises(ValueError):
        config.set_plan_cache_size(-2)
    config.enable_nd_planning = config.enable_nd_planning
    assert numpy.allclose(np.fft.fft(np.arange(4.0)).get(), numpy.fft.fft(numpy.arange(4.0)))


def test_plan_cache_is_shown(capsys):
    phalanx.fft.config.show_plan_cache_info()
    assert "0 of" in capsys.readouterr().out


@pytest.mark.one_process("each process has a time of its own")
def test_functions_are_timed():
    calls = []

    def twice(x, by=2):
        calls.append(by)
        return x * by

    timed = phalanx.x.profiler.benchmark(
        twice, (np.arange(10.0),), {"by": 3}, n_repeat=5, n_warmup=2
    )
    assert calls == [3] * 7
    rows = DEVICES if phalanx.cuda.is_available() else 1
    assert timed.cpu_times.shape == (5,) and timed.gpu_times.shape == (rows, 5)
    if not phalanx.cuda.is_available():
        assert (timed.gpu_times[0] >= timed.cpu_times).all()
    assert repr(timed).startswith("twice") and "CPU:" in timed.to_str()
    short = phalanx.x.profiler.benchmark(twice, (np.arange(3.0),), n_warmup=0, max_duration=0)
    assert len(short.cpu_times) == 1


def test_parts_of_programs_have_names(caplog):
    time_range = phalanx.x.profiler.time_range
    with caplog.at_level(logging.DEBUG, "phalanx.profiler"):
        with time_range("outer", color_id=0), time_range("inner", sync=True):
            np.arange(3.0) + 1

        @time_range()
        def named(x):
            return x + 1

        assert named(1) == 2 and named(2) == 3
    told = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert told == ["inner", "outer", "named", "named"]
    with pytest.raises(ValueError):
        time_range("both", color_id=1, argb_color=2)
    with phalanx.x.profiler.profile():
        pass


@pytest.mark.one_process("looks at what one process holds")
def test_pools_report_the_used_bytes():
    pool = phalanx.cuda.get_default_memory_pool()
    x = np.zeros(100_000)
    x.evaluate()
    held = pool.used_bytes()
    assert held >= 800_000 and pool.total_bytes() >= 800_000
    del x
    # Work of earlier tests may still be running.
    end = time.monotonic() + 60
    while pool.used_bytes() > held - 800_000:
        assert time.monotonic() < end
        time.sleep(0.001)
    pool.free_all_blocks()
    assert pool.free_bytes() == pool.n_free_blocks() == 0
    if not phalanx.cuda.is_available():
        with pytest.raises(ValueError, match="memory_limit"):
            pool.set_limit(size=pool.get_limit() + 1)
    pool.set_limit(size=pool.get_limit())
    phalanx.cuda.set_allocator(phalanx.cuda.MemoryPool().malloc)
    phalanx.cuda.get_default_pinned_memory_pool().free_all_blocks()
    with phalanx.cuda.using_allocator(None):
        assert np.ones(3).tolist() == [1, 1, 1]


def test_limits_are_those_of_the_session():
    told = worlds.run(
        """
        import phalanx as np
        import phalanx.cuda
        np.init(devices=2, memory_limit=1 << 26)
        print(phalanx.cuda.get_default_memory_pool().get_limit(), np.cuda.runtime.memGetInfo()[1])
        """
    ).stdout
    assert told.split() == [str(1 << 26)] * 2


def test_limits_may_be_texts():
    told = worlds.run(
        """
        import phalanx as np
        import phalanx.cuda
        for wrong in "80 percent", "0%", -1, 1.5:
            try:
                np.init(memory_limit=wrong)
            except ValueError as error:
                print("memory_limit must be" in str(error))
        np.init(memory_limit="50%")
        whole = int(open("/proc/meminfo").read().split()[1]) << 10
        print(phalanx.cuda.get_default_memory_pool().get_limit() == whole // 100 * 50)
        """
    ).stdout
    assert told.split() == ["True"] * 5


def test_pinned_memory_is_a_buffer():
    memory = phalanx.cuda.alloc_pinned_memory(80)
    array = numpy.frombuffer(memory, "f8", 10)
    array[:] = numpy.arange(10)
    assert memory.size() == 80 and memory.ptr == array.__array_interface__["data"][0]
    assert np.asarray(array).tolist() == list(range(10))
    for like in [phalanx.x.empty_like_pinned, phalanx.x.zeros_like_pinned]:
        made = like(np.ones((2, 3), dtype="f4"))
        assert type(made) is numpy.ndarray and made.shape == (2, 3) and made.dtype == "f4"
    assert phalanx.x.zeros_pinned((2, 2), order="F").flags.f_contiguous
    block = phalanx.cuda.alloc(16)
    block.memset(1, 16)
    host = numpy.zeros(16, "u1")
    block.copy_to_host(host.ctypes.data, 16)
    assert (host == 1).all()


def test_devices():
    assert runtime is phalanx.cuda.runtime and runtime.getDeviceCount() == DEVICES
    assert runtime.getDevice() == phalanx.cuda.get_device_id() == 0
    free, whole = phalanx.cuda.Device(0).mem_info
    assert 0 < free <= whole
    name = runtime.getDeviceProperties(0)["name"]
    assert name == b"cpu:0" or phalanx.cuda.is_available()
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.setDevice(DEVICES)
    runtime.deviceSynchronize()
    assert phalanx.cuda.Device() == phalanx.cuda.Device(0)
    assert DEVICES == 1 or phalanx.cuda.Device(0) != phalanx.cuda.Device(1)


def test_results_are_kept_until_they_are_cleared():
    calls = []

    @phalanx.x.memoize(for_each_device=True)
    def square(n):
        calls.append(n)
        return n * n

    assert [square(3), square(3)] == [9, 9] and calls == [3]
    phalanx.x.clear_memo()
    assert square(3) == 9 and calls == [3, 3]


def test_messages_between_two_processes():
    ended = worlds.run(
        """
        import numpy
        import phalanx as np
        import phalanx.distributed

        group = phalanx.distributed.init_process_group()
        rank, size = group.rank, group.size
        if rank == 0:
            for peer in (1, 2):
                group.send(numpy.full((2, 3), peer, "f4"), peer)
                group.send(numpy.arange(200_000) + peer, peer)
            back = numpy.empty(1)
            group.recv(back, 2)
            print("back", back.tolist())
            try:
                group.recv(numpy.empty(3), 1)
            except ValueError as error:
                print(error)
        else:
            small, large = numpy.empty((2, 3), "f4"), numpy.empty(200_000, int)
            with np.local():
                own = np.zeros((2, 3), dtype="f4")
            group.recv(own, 0)
            group.recv(large, 0)
            assert (own.get() == rank).all() and (large == numpy.arange(200_000) + rank).all()
            group.send(numpy.asarray([10.0 + rank]), 0)
        group.barrier()
        for wrong in (rank, size, -1):
            try:
                group.send(numpy.empty(1), wrong)
            except ValueError as error:
                pass
            else:
                raise AssertionError(wrong)
        total = np.arange(5).sum()
        assert int(total) == 10
        """,
        processes=3,
    )
    assert "back [12.0]" in ended.stdout, ended.stdout
    assert "process 1 has sent 8 bytes of <f8, and not 3 elements of <f8" in ended.stdout


def test_a_message_that_never_comes():
    ended = worlds.run(
        """
        import numpy
        import phalanx as np
        import phalanx.distributed
        group = phalanx.distributed.init_process_group()
        if group.rank == 0:
            try:
                group.recv(numpy.empty(1), 1)
            except ConnectionError as error:
                print(error)
        """,
        processes=2,
    )
    assert "process 1 has ended" in ended.stdout, ended.stdout


@pytest.mark.skipif(phalanx.cuda.is_available(), reason="of CPUs")
def test_a_cpu_has_nothing_to_order():
    stream, event = phalanx.cuda.Stream(), phalanx.cuda.Event()
    with stream:
        assert phalanx.cuda.get_current_stream() is stream
        x = np.arange(3.0) + 1
        assert stream.record(event) is event and event.done and event.query()
    assert phalanx.cuda.get_current_stream() is phalanx.cuda.Stream.null
    stream.wait_event(event)
    stream.synchronize()
    assert stream.done and stream.ptr == event.ptr == phalanx.cuda.Stream.null.ptr == 0
    later = phalanx.cuda.Event().record()
    assert phalanx.cuda.get_elapsed_time(event, later) >= 0
    assert phalanx.cuda.ExternalStream(0).ptr == 0
    assert x.get(stream=stream).tolist() == np.asnumpy(x, stream=1).tolist() == [1, 2, 3]
    assert not hasattr(x, "__cuda_array_interface__") and x.__dlpack_device__() == (1, 0)
    with pytest.raises(ValueError, match="recorded"):
        phalanx.cuda.get_elapsed_time(event, phalanx.cuda.Event())
    with pytest.raises(ZeroDivisionError), stream:
        1 / 0
    assert stream.use() is stream and phalanx.cuda.get_current_stream() is stream
    assert phalanx.cuda.Stream.null.use() is phalanx.cuda.get_current_stream()
    with phalanx.cuda.Device(DEVICES - 1) as device:
        assert phalanx.cuda.get_device_id() == runtime.getDevice() == device.id
    assert phalanx.cuda.get_device_id() == 0 and device.attributes == {}
    with pytest.raises(runtime.CUDARuntimeError, match="CPUs"):
        device.compute_capability
    with pytest.raises(runtime.CUDARuntimeError):
        phalanx.cuda.Device(-1)
    with pytest.raises(runtime.CUDARuntimeError, match="no attribute"):
        runtime.deviceGetAttribute("WarpSize", 0)
    with phalanx.cuda.profile():
        phalanx.cuda.nvtx.RangePush("part")
        phalanx.cuda.nvtx.Mark("here")
        phalanx.cuda.nvtx.RangePop()
    phalanx.cuda.profiler.start()
    phalanx.cuda.profiler.stop()
    assert runtime.driverGetVersion() == runtime.runtimeGetVersion() == 0


def test_asking_for_gpus_begins_no_session():
    ended = worlds.run(
        """
        import phalanx as np
        import phalanx.cuda
        told = phalanx.cuda.is_available()
        np.init(devices=2)
        print(told, np.mesh().devices)
        """
    )
    assert ended.stdout.split() == ["False", "2"]


def test_names_of_cupys_own_module_are_there():
    import phalanx.cuda.memory
    import phalanx.cuda.stream

    assert np.get_default_memory_pool() is phalanx.cuda.get_default_memory_pool()
    assert np.get_default_pinned_memory_pool() is phalanx.cuda.get_default_pinned_memory_pool()
    assert np.is_available() == phalanx.cuda.is_available()
    calls = []

    @np.memoize(for_each_device=True)
    def squared(number):
        calls.append(number)
        return number**2

    assert squared(3) == squared(3) == 9 and calls == [3]
    np.clear_memo()
    assert squared(3) == 9 and calls == [3, 3]
    assert phalanx.cuda.stream.Stream is phalanx.cuda.Stream
    assert phalanx.cuda.stream.get_current_stream().ptr == phalanx.cuda.get_current_stream().ptr
    assert phalanx.cuda.memory.MemoryPool is phalanx.cuda.MemoryPool
    assert phalanx.cuda.pinned_memory.PinnedMemoryPool is phalanx.cuda.PinnedMemoryPool
    assert phalanx.cuda.device.Device is phalanx.cuda.Device


def test_the_configuration_of_a_session_is_shown(capsys):
    told = np.show_config("dicts")
    assert told["Phalanx"] == np.__version__ and told["NumPy"] == numpy.__version__
    assert told["Devices"] == np.mesh().devices and told["Processes"] == np.size()
    assert np.show_config() is None and np.show_runtime() is None
    assert capsys.readouterr().out.count("Phalanx") == 2
    with pytest.raises(ValueError, match="PX141"):
        np.show_config("yaml")


def test_arrays_lie_on_the_cpu_and_on_a_device_of_cupys():
    place = np.arange(3).device
    name = "cuda" if phalanx._phalanx._gpu_count() else "cpu"
    assert place == name and np.arange(3).to_device(place).tolist() == [0, 1, 2]
    assert np.zeros(2, device=place).device == place and repr(place) == repr(name)
    assert place.id == int(place) == phalanx.cuda.Device().id
    with place as same:
        assert same.id == place.id
    with phalanx.cuda.Device(DEVICES - 1):
        assert place.id == DEVICES - 1
    place.use()
    place.synchronize()
    assert len(place.mem_info) == 2
    with pytest.raises(AttributeError):
        place.nothing


def test_devices_say_where_they_are():
    device = phalanx.cuda.Device(0)
    if phalanx.cuda.is_available():
        assert phalanx.cuda.Device.from_pci_bus_id(device.pci_bus_id) == device
    else:
        with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorNoDevice"):
            device.pci_bus_id
    with pytest.raises(runtime.CUDARuntimeError, match="ffff"):
        phalanx.cuda.Device.from_pci_bus_id("ffff:00:00.0")
    assert runtime.deviceCanAccessPeer(0, 0) == 0
    if not phalanx.cuda.is_available() and DEVICES > 1:
        assert runtime.deviceCanAccessPeer(0, DEVICES - 1) == 1
    with pytest.raises(runtime.CUDARuntimeError, match="no device"):
        runtime.deviceCanAccessPeer(0, DEVICES)


def test_the_limit_of_a_cpu_says_where_it_is_set():
    if phalanx.cuda.is_available():
        pytest.skip("a GPU takes another limit")
    pool = np.get_default_memory_pool()
    with pytest.raises(ValueError, match=r"phalanx\.init\(memory_limit=1073741824\)") as raised:
        pool.set_limit(size=2**30)
    assert "PHALANX_MEMORY_LIMIT=1073741824" in str(raised.value)
    with pytest.raises(ValueError, match="80%"):
        pool.set_limit(fraction=0.5)


def test_matrices_that_cannot_be_factorised_may_be_ignored():
    x = phalanx.x
    singular, indefinite = np.ones((2, 2)), np.asarray([[1.0, 2.0], [2.0, 1.0]])
    with x.errstate(linalg="ignore"):
        assert x.geterr()["linalg"] == "ignore"
        assert np.isnan(np.linalg.cholesky(indefinite)).all()
        assert np.isnan(np.linalg.inv(singular)).all()
        assert np.isnan(np.linalg.solve(singular, np.ones(2))).all()
        with x.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
            np.linalg.inv(singular)
        assert np.isnan(np.linalg.inv(singular)).all()
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(singular)
    try:
        assert x.seterr(linalg="ignore")["linalg"] == "raise"
        assert np.isnan(np.linalg.inv(singular)).all()
    finally:
        assert x.seterr(linalg="raise")["linalg"] == "ignore"


def test_modes_of_errors_are_those_of_the_module():
    x = phalanx.x
    assert x.geterr() == {**np.geterr(), "linalg": "raise", "fallback_mode": None}
    with pytest.raises(FloatingPointError):
        with x.errstate(divide="raise", linalg="raise"):
            assert np.geterr()["divide"] == "raise"
            (np.ones(2) / np.zeros(2)).get()
    before = x.seterr(divide="raise")
    try:
        assert x.geterr()["divide"] == "raise" and before["divide"] != "raise"
    finally:
        x.seterr(**{name: mode for name, mode in before.items() if mode})
    for modes in [{"linalg": "perhaps"}, {"fallback_mode": "warn"}, {"divide": "perhaps"}]:
        with pytest.raises(ValueError):
            with x.errstate(**modes):
                pass
        with pytest.raises(ValueError):
            x.seterr(**modes)


def test_scipy_has_the_name_that_programs_for_cupy_expect():
    import phalanx.scipy.sparse.linalg
    import phalanx.x.scipy.ndimage
    import phalanx.x.scipy.sparse.linalg
    from phalanx.x.scipy import special
    from phalanx.x.scipy.signal import windows

    assert phalanx.x.scipy.ndimage is phalanx.scipy.ndimage
    assert phalanx.x.scipy.sparse.linalg is phalanx.scipy.sparse.linalg
    assert special is phalanx.scipy.special and windows is phalanx.scipy.signal.windows
    assert phalanx.x.scipy.get_array_module(np.ones(2)) is np
    assert phalanx.x.scipy.get_array_module(numpy.ones(2)) is numpy
    with pytest.raises(ImportError):
        import phalanx.x.scipy.nothing  # noqa: F401
