"""Messages over TCP on loopback between two processes, compared with iperf3 on the same machine.

    python benches/loopback.py [ROUNDS]

Needs iperf3, and the test program `it` of the crate `collectives`, which it builds for release.
Prints a table of GB/s and of microseconds: the median of the rounds, with minimum and maximum.
"""

import json
import os
import socket
import statistics
import subprocess
import sys

from collectives_mpi import program

TEST = "loopback::messages_over_loopback_arrive"
SECONDS = 3


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def iperf3():
    """GB/s of one stream, as the receiver counts them."""
    port = str(free_port())
    listen = ["iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port, "--forceflush"]
    server = subprocess.Popen(listen, stdout=subprocess.PIPE, text=True)
    try:
        # The server prints a line when it listens.
        while "listening" not in server.stdout.readline():
            pass
        client = ["iperf3", "-c", "127.0.0.1", "-p", port, "-t", str(SECONDS), "-J"]
        told = subprocess.run(client, check=True, stdout=subprocess.PIPE, text=True,
                              timeout=SECONDS + 20).stdout
    finally:
        server.terminate()
        server.communicate()
    return json.loads(told)["end"]["sum_received"]["bits_per_second"] / 8e9


def ours(test):
    """Microseconds of a message, by kind and length."""
    address = f"127.0.0.1:{free_port()}"
    ranks = [
        subprocess.Popen(
            [test, TEST, "--exact", "--nocapture"], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"LOOPBACK_RANK": str(rank), "LOOPBACK_ADDRESS": address},
        )
        for rank in range(2)
    ]
    told = [rank.communicate(timeout=600)[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit("\n".join(told))
    # The test's own line may precede the first.
    lines = [line[line.index("time "):].split() for line in told[0].splitlines() if "time " in line]
    return {(line[1], int(line[2])): float(line[3]) for line in lines if len(line) == 4}


def row(name, values, unit, peer=None):
    middle = statistics.median(values)
    ratio = f"{middle / peer:.0%}" if peer else ""
    print(f"| {name} | {middle:.2f} {unit} ({min(values):.2f} to {max(values):.2f}) | {ratio} |")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    test = os.environ.get("COLLECTIVES_PROGRAM") or program("it")
    # The programs take turns, so that other load of the machine affects both.
    found = [(iperf3(), ours(test)) for _ in range(rounds)]
    peer = [there for there, _ in found]
    print("| What | Median (least to most) | Of iperf3's |")
    print("|---|---|---|")
    row("iperf3", peer, "GB/s")
    for kind, length in found[0][1]:
        micros = [own[kind, length] for _, own in found]
        if kind == "stream" and length >= 1 << 20:
            rates = [length / one / 1e3 for one in micros]
            row(f"messages of {length >> 20} MiB", rates, "GB/s", statistics.median(peer))
        elif kind == "ping_pong":
            row(f"one way of {length} bytes there and back", micros, "µs")


if __name__ == "__main__":
    main()
