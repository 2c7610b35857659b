"""Maps and reductions in several streams, with an event for each and one that all wait for.

Operations on arrays run in the order of the program. Streams order the kernels of other libraries
before and after them, so a program with streams computes the same as without. Prints the sums.
"""

import phalanx as np
import phalanx.cuda

square_sum = np.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "square_sum")


def main(size=100_000, parts=4):
    """The operand, the mapped parts, their sums, and the milliseconds until each sum."""
    x = np.linspace(-1, 1, size)
    device = phalanx.cuda.Device()
    begin = phalanx.cuda.get_current_stream().record()
    streams = [phalanx.cuda.Stream(non_blocking=True) for _ in range(parts)]
    mapped, sums, events = [], [], []
    for number, stream in enumerate(streams):
        with stream:
            part = x[number * size // parts : (number + 1) * size // parts]
            mapped.append(np.sin(part) * (number + 1))
            sums.append(square_sum(mapped[-1]))
        events.append(stream.record())
    last = phalanx.cuda.Stream()
    for event in events:
        last.wait_event(event)
    with last:
        total = np.stack(sums).sum()
    last.synchronize()
    device.synchronize()
    times = [phalanx.cuda.get_elapsed_time(begin, event) for event in events]
    return {"operand": x, "mapped": mapped, "sums": sums, "total": total, "times": times,
            "done": all(stream.done for stream in streams)}


if __name__ == "__main__":
    results = main()
    print("sums", [f"{float(one):.6f}" for one in results["sums"]])
    print(f"total {float(results['total']):.6f}, all done: {results['done']}")
