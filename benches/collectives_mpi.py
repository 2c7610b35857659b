"""The plane `mpi` compared with plain loops over MPI's own calls, on this machine.

    python benches/collectives_mpi.py [PROCESSES [BYTES]]

Prints a table of microseconds: our time; the time of a plain loop over the calls that the plane
makes, tested until they are complete; and the time of a loop over MPI's blocking calls. Each of the
two is followed by the ratio of our time to it. Needs mpicc and mpirun of the same MPI. Builds the
release test program of the crate `collectives`.

    COLLECTIVES_PROGRAM  the test program, if it is already built
    COLLECTIVES_LOOPS    the program of `mpi_loops.c`, if it is already built
    COLLECTIVES_MPIRUN   the launcher and its options, in place of mpirun --oversubscribe
    COLLECTIVES_ROUNDS   the number of measurements (3); the best counts
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile


def program(test):
    """The path of a test program of the crate `collectives`, built for release."""
    told = subprocess.run(
        ["cargo", "test", "--release", "-p", "phalanx-collectives", "--test", test, "--no-run",
         "--message-format=json"],
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout
    built = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    return [one["executable"] for one in built if one.get("executable")][-1]


def build_loops(folder):
    """The path of the plain loops, built in a folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    loops = os.path.join(folder, "loops")
    subprocess.run(["mpicc", "-O3", "-o", loops, f"{here}/mpi_loops.c"], check=True)
    return loops


def times(processes, command, environment=()):
    """The lines `time CALL BYTES PROCESSES MICROSECONDS WHOSE` that a command writes."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    launcher = shlex.split(os.environ.get("COLLECTIVES_MPIRUN", "mpirun --oversubscribe"))
    told = subprocess.run(
        [*launcher, "-n", str(processes), *command],
        check=True, stdout=subprocess.PIPE, text=True,
        env=os.environ | root | dict(environment),
    ).stdout
    # The test's own line may precede the first.
    lines = [line[line.index("time "):].split() for line in told.splitlines() if "time " in line]
    return {(line[1], int(line[2]), line[5]): float(line[4]) for line in lines if len(line) == 6}


def measured(processes, longest, own, loops):
    """The best times of some rounds. The programs take turns, so that other load affects both."""
    best = {}
    test = [own, "speed::", "--nocapture", "--test-threads=1"]
    for _ in range(int(os.environ.get("COLLECTIVES_ROUNDS", "3"))):
        for found in [
            times(processes, [loops, longest]),
            times(processes, test, {"COLLECTIVES_BYTES": longest}),
        ]:
            for call, micros in found.items():
                best[call] = min(micros, best.get(call, micros))
    return best


def main():
    processes = sys.argv[1] if len(sys.argv) > 1 else "4"
    longest = sys.argv[2] if len(sys.argv) > 2 else str(4 << 20)
    own = os.environ.get("COLLECTIVES_PROGRAM") or program("mpi")
    with tempfile.TemporaryDirectory() as folder:
        loops = os.environ.get("COLLECTIVES_LOOPS") or build_loops(folder)
        best = measured(processes, longest, own, loops)
    print(f"| Call, {processes} processes | Bytes | Ours, µs | The same calls, µs | Ratio "
          "| MPI's that wait, µs | Ratio |")
    print("|---|---|---|---|---|---|---|")
    for call, length in sorted({(call, length) for call, length, _ in best}):
        ours = best.get((call, length, "ours"))
        tested = best.get((call, length, "tested"))
        same = best.get((call, length, "same"), tested)
        blocking = best.get((call, length, "blocking"))
        if None not in (ours, same, blocking):
            print(f"| {call} | {length} | {ours:.2f} | {same:.2f} | {ours / same:.2f} "
                  f"| {blocking:.2f} | {ours / blocking:.2f} |")


if __name__ == "__main__":
    main()
