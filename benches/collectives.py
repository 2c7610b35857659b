"""Collectives of several GPUs beside torch.distributed: python benches/collectives.py [BYTES].

PROGRAM (./collectives/it) is the test program of `collectives`, which measures ours: one process
with a thread for each GPU, and a world for each process. PyTorch runs a process for each GPU. Both
enqueue many collectives in a row and wait for all. Times are microseconds of one collective, for
1 KiB to BYTES (1 GiB): the size of the result of `all_gather`, and of the input of the others.
"""

import os
import subprocess
import sys
import time

LONGEST = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30
NAMES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"]


def sizes():
    size = 1 << 10
    while size <= LONGEST:
        yield size
        size *= 4


def ours():
    """Our times by collective, bytes, members and plane."""
    program = os.environ.get("PROGRAM", "./collectives/it")
    environment = dict(os.environ, COLLECTIVES_BYTES=str(LONGEST))
    arguments = ["--exact", "speed::many_collectives_in_a_row_are_in_order_on_gpus", "--nocapture"]
    run = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-4000:])
    times = {}
    for line in run.stdout.splitlines():
        at = line.find("time ")
        if at >= 0:
            _, name, size, members, microseconds, plane = line[at:].split(" ", 5)
            times[name, int(size), int(members), plane] = float(microseconds)
    return times


def of_torch(rank, members, port, answers):
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    address = f"tcp://127.0.0.1:{port}"
    dist.init_process_group("nccl", init_method=address, rank=rank, world_size=members)
    for size in sizes():
        count = size // 4
        whole, other = (torch.zeros(count, device="cuda") for _ in range(2))
        part = other[: count // members]
        calls = {
            "all_reduce": lambda: dist.all_reduce(whole),
            "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
            "all_to_all": lambda: dist.all_to_all_single(other, whole),
            "broadcast": lambda: dist.broadcast(whole, 0),
        }
        repeat = max(10, min(400, (1 << 26) >> min(24, size.bit_length() - 1)))
        for name in NAMES:
            for _ in range(5):
                calls[name]()
            torch.cuda.synchronize()
            dist.barrier()
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(repeat):
                calls[name]()
            torch.cuda.synchronize()
            if rank == 0:
                answers.put((name, size, (time.perf_counter() - start) * 1e6 / repeat))
    dist.destroy_process_group()


def theirs(members):
    """PyTorch's times by collective and bytes."""
    import torch.multiprocessing as processes

    context = processes.get_context("spawn")
    answers = context.SimpleQueue()
    port = 29500 + os.getpid() % 1000
    started = processes.spawn(
        of_torch, args=(members, port, answers), nprocs=members, join=False
    )
    times = {}
    for _ in range(len(NAMES) * len(list(sizes()))):
        name, size, microseconds = answers.get()
        times[name, size] = microseconds
    while not started.join():
        pass
    return times


def main():
    own = ours()
    try:
        import torch
    except ImportError:
        torch = None
    for members in sorted({key[2] for key in own} - {3}):
        planes = sorted({key[3] for key in own if key[2] == members})
        other = {} if torch is None else theirs(members)
        print(f"\n{members} GPUs, microseconds: " + ", ".join([*planes, "torch.distributed"]))
        for name in NAMES:
            for size in sizes():
                times = [own.get((name, size, members, plane)) for plane in planes]
                times.append(other.get((name, size)))
                row = "".join(f"{'-':>12}" if one is None else f"{one:>12.2f}" for one in times)
                print(f"{name:<16}{size:>12}{row}")


if __name__ == "__main__":
    main()
