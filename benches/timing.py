"""The timing that the benchmarks of statements share."""

import time


def least(once, seconds, most):
    """The least result of `once`, which returns its own time, over at most so many calls and about
    so many seconds, after one call to warm up."""
    once()
    best, start = once(), time.perf_counter()
    for _ in range(most):
        if time.perf_counter() - start > seconds:
            break
        best = min(best, once())
    return best
