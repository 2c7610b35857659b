"""The plane `mpi` beside plain loops over MPI's own calls, on this machine.

    python benches/collectives_mpi.py [PROCESSES [BYTES]]

Needs mpicc and mpirun of one MPI, and a release build's test program of the crate `collectives`,
which it builds. Prints a table of microseconds: ours, plain, and how many times as long ours takes.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile


def program():
    """The path of the test program `mpi`, built for release."""
    told = subprocess.run(
        ["cargo", "test", "--release", "-p", "phalanx-collectives", "--test", "mpi", "--no-run",
         "--message-format=json"],
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout
    built = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    return [one["executable"] for one in built if one.get("executable")][-1]


def times(processes, command, environment=()):
    """The lines `time CALL BYTES PROCESSES MICROSECONDS WHOSE` that a command writes."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    told = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", str(processes), *command],
        check=True, stdout=subprocess.PIPE, text=True,
        env=os.environ | root | dict(environment),
    ).stdout
    # The test's own line may stand before the first.
    lines = [line[line.index("time "):].split() for line in told.splitlines() if "time " in line]
    return {(line[1], int(line[2])): float(line[4]) for line in lines if len(line) == 6}


def main():
    processes = sys.argv[1] if len(sys.argv) > 1 else "4"
    longest = sys.argv[2] if len(sys.argv) > 2 else str(4 << 20)
    own = os.environ.get("COLLECTIVES_PROGRAM") or program()
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        loops = os.path.join(folder, "loops")
        subprocess.run(["mpicc", "-O2", "-o", loops, *glob.glob(f"{here}/mpi_loops.c")], check=True)
        # In turns, so that what else the machine does meets both; the best of each counts.
        plain, ours = {}, {}
        for _ in range(3):
            test = [own, "speed::", "--nocapture", "--test-threads=1"]
            for best, found in [
                (plain, times(processes, [loops, longest])),
                (ours, times(processes, test, {"COLLECTIVES_BYTES": longest})),
            ]:
                for call, micros in found.items():
                    best[call] = min(micros, best.get(call, micros))
    print(f"| Call, {processes} processes | Bytes | Ours, µs | MPI's, µs | Ratio |")
    print("|---|---|---|---|---|")
    for (call, length), micros in sorted(ours.items()):
        own, other = micros, plain[call, length]
        print(f"| {call} | {length} | {own:.1f} | {other:.1f} | {own / other:.2f} |")


if __name__ == "__main__":
    main()
