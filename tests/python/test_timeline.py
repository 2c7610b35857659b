"""The timeline that PHALANX_TRACE asks for: its file and its table."""

import collections
import json
import os

import pytest

from . import worlds

PROGRAM = """
import phalanx as np
x = np.arange(400_000.0)
for _ in range(3):
    y = np.sort(x[::-1] * 2 + x)
    z = y[1:] - y[:-1]
    total = float((z * z).sum())
assert total > 0
table = np.fft.fft2(np.ones((256, 300)))
table.evaluate()
np.shutdown()
"""


def traced(path, program=PROGRAM, given=None, **options):
    """Runs a program with a timeline, and returns its events and its table. The path may be given
    in another way."""
    ended = worlds.run(program, environment={"PHALANX_TRACE": str(given or path)}, **options)
    return json.loads(path.read_text())["traceEvents"], ended.stderr


def spans(events, category):
    return [event for event in events if event["ph"] == "X" and event["cat"] == category]


def rows(events):
    """The spans of each row, in the order of their starts."""
    found = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            found[event["pid"], event["tid"]].append(event)
    return {row: sorted(of_row, key=lambda event: event["ts"]) for row, of_row in found.items()}


@pytest.mark.parametrize("processes, devices", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_every_device_of_every_rank_has_its_steps(tmp_path, processes, devices):
    events, table = traced(tmp_path / "trace.json", processes=processes, devices=devices)
    names = {(event["pid"], event["args"]["name"]) for event in events
             if event["name"] == "thread_name"}
    for rank in range(processes):
        assert (rank, "program") in names
        for device in range(devices):
            assert (rank, f"cpu:{device}") in names
            if processes * devices > 1:
                assert (rank, f"cpu:{device} messages") in names
    launches = spans(events, "launch")
    assert len(launches) >= 3 * processes * devices
    assert any("subtract" in event["name"] for event in launches)
    assert all(event["dur"] >= 0 and event["args"]["bytes"] >= 0 for event in launches
               if "bytes" in event["args"])
    assert any("sort" in event["name"] for event in spans(events, "library")
               + spans(events, "collective"))
    assert any("closed at" in event["name"] for event in spans(events, "plan"))
    if processes * devices > 1:
        exchanges = [event for event in spans(events, "message") if event["name"] == "exchange"]
        assert sum(event["args"].get("bytes", 0) for event in exchanges) > 256 * 300 * 16 // 2
    for kind in ("launch", "plan", "read"):
        assert any(line.removeprefix("[0] ").startswith(kind) for line in table.splitlines()), table
    ranks = "1 rank" if processes == 1 else f"{processes} ranks"
    assert f"timeline of {ranks}" in table and str(tmp_path / "trace.json") in table
    assert sorted(os.listdir(tmp_path)) == ["trace.json"]


@pytest.mark.parametrize("processes, devices", [(1, 3), (3, 1)])
def test_a_device_does_one_step_at_a_time(tmp_path, processes, devices):
    events, _ = traced(tmp_path / "trace.json", processes=processes, devices=devices)
    for row, of_row in rows(events).items():
        if of_row[0]["cat"] in ("plan", "read"):
            continue
        for before, after in zip(of_row, of_row[1:]):
            # Times are rounded to nanoseconds, here in microseconds.
            assert before["ts"] + before["dur"] <= after["ts"] + 0.01, (row, before, after)


def test_the_clocks_of_ranks_are_aligned(tmp_path):
    program = """
    import time
    import phalanx as np
    time.sleep(np.rank() * 0.3)
    x = np.arange(300_000.0)
    for turn in range(5):
        time.sleep(0.01)
        float((x + turn).sum())
    np.shutdown()
    """
    events, _ = traced(tmp_path / "trace.json", program, processes=3)
    combined = collections.defaultdict(list)
    for event in spans(events, "collective"):
        if event["name"].startswith("combine"):
            combined[event["args"]["plan"]].append(event)
    assert len(combined) == 5
    for of_plan in combined.values():
        assert {event["pid"] for event in of_plan} == {0, 1, 2}
        # No rank has the sum before all ranks have begun to combine it.
        begun = max(event["ts"] for event in of_plan)
        ended = min(event["ts"] + event["dur"] for event in of_plan)
        assert begun < ended + 1000, of_plan


def test_rank_0_decides(tmp_path):
    program = """
    import os
    path = os.environ.pop("PATH_OF_RANK_0")
    if os.environ["PHALANX_RANK"] == "0":
        os.environ["PHALANX_TRACE"] = path
    import phalanx as np
    float(np.arange(100_000.0).sum())
    np.shutdown()
    """
    path = tmp_path / "trace.json"
    worlds.run(program, processes=2, environment={"PATH_OF_RANK_0": str(path)})
    assert {event["pid"] for event in json.loads(path.read_text())["traceEvents"]} == {0, 1}


def test_a_session_without_an_end_in_order_writes_the_tracks_of_each_rank(tmp_path):
    program = """
    import os
    import phalanx as np
    float(np.arange(100_000.0).sum())
    if np.rank() == 1:
        os._exit(3)
    try:
        while True:
            float(np.arange(100_000.0).sum())
    except RuntimeError:
        pass
    """
    path = tmp_path / "trace.json"
    ended = worlds.run(program, processes=2, environment={"PHALANX_TRACE": str(path)}, check=False)
    assert ended.returncode != 0
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["pid"] for event in events} == {0}


def test_a_program_that_fails_has_a_timeline(tmp_path):
    program = """
    import phalanx as np
    float(np.arange(100_000.0).sum())
    raise ValueError("in the program")
    """
    path = tmp_path / "trace.json"
    options = {"environment": {"PHALANX_TRACE": str(path)}, "check": False}
    ended = worlds.run(program, **options)
    assert ended.returncode == 1 and "in the program" in ended.stderr
    assert spans(json.loads(path.read_text())["traceEvents"], "launch")
    path.unlink()
    assert worlds.run(program, processes=2, **options).returncode == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_an_error_at_the_start(tmp_path):
    program = """
    import phalanx as np
    try:
        np.arange(3.0).sum()
    except RuntimeError as error:
        print(error)
    """
    path = tmp_path / "missing" / "trace.json"
    ended = worlds.run(program, environment={"PHALANX_TRACE": str(path)})
    assert "PX081" in ended.stdout and str(path) in ended.stdout


def test_a_second_session_replaces_the_timeline_of_the_first(tmp_path):
    program = """
    import phalanx as np
    for size in (100_000, 200_000):
        np.init(devices=1)
        float(np.arange(float(size)).sum())
        np.shutdown()
    """
    events, table = traced(tmp_path / "trace.json", program)
    assert table.count("timeline of 1 rank") == 2
    assert len(spans(events, "launch")) == 1


def test_the_file_lies_where_the_session_began(tmp_path):
    program = "import os\nimport phalanx as np\nnp.init()\nos.chdir('/')\n" + PROGRAM
    events, _ = traced(tmp_path / "trace.json", program=program,
                       given=os.path.relpath(tmp_path / "trace.json"))
    assert spans(events, "launch")
