"""Predicted times: a price table gives plans times, and a broken one is no error of one process."""

import re

from . import worlds

TABLE = """phalanx prices 2
local 1000 10000000000
tcp 20000 1000000000
cpu-read 5000 20000000000
cpu-write 5000 20000000000
cpu-arithmetic-f32 5000 20000000000
cpu-arithmetic-f64 5000 10000000000
"""

SUM = """
import phalanx as np

np.init(split_from=1)
x = np.ones(1_000_000)
np.evaluate(x)
for program in (lambda: x + 1.0, lambda: np.fft.fft(x)):
    result = program()
    plan = result.explain()
    if np.rank() == 0:
        print(plan)
    np.evaluate(result)
"""


def milliseconds(text):
    found = re.search(r"predicted time ([0-9.]+) (µs|ms)", text)
    return float(found[1]) * (1e-3 if found[2] == "µs" else 1.0)


def test_a_table_gives_times(tmp_path):
    table = tmp_path / "prices"
    table.write_text(TABLE)
    environment = {"PHALANX_PRICES": str(table)}
    one = worlds.run(SUM, environment=environment).stdout
    # 5 µs, and 8 MB read and written at 20 GB/s.
    assert abs(milliseconds(one) - 0.805) < 0.01
    assert "has not measured cpu-transform" in one
    # Two devices share the processor, two processes have one each, as far as the plan knows.
    shared = worlds.run(SUM, devices=2, environment=environment).stdout
    assert abs(milliseconds(shared) - 0.805) < 0.01
    apart = worlds.run(SUM, processes=2, environment=environment).stdout
    assert abs(milliseconds(apart) - 0.405) < 0.01


def test_one_process_runs_without_a_table_that_it_cannot_read(tmp_path):
    broken = tmp_path / "prices"
    broken.write_text("phalanx prices 1\n")
    for path in (broken, tmp_path / "missing", tmp_path):
        ended = worlds.run(SUM, environment={"PHALANX_PRICES": str(path)})
        assert "predicted" not in ended.stdout
        ended = worlds.run(SUM, processes=2, environment={"PHALANX_PRICES": str(path)}, check=False)
        assert ended.returncode != 0 and "PX090" in ended.stderr


def test_a_table_of_other_hosts_is_not_used(tmp_path):
    table = tmp_path / "prices"
    table.write_text(TABLE + "hosts elsewhere\n")
    ended = worlds.run(SUM, environment={"PHALANX_PRICES": str(table)})
    assert "predicted" not in ended.stdout
