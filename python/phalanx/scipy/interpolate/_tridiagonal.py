"""Tridiagonal systems of dominant diagonals, solved by operations of whole arrays."""

import phalanx as np

# The sum of the couplings of a row, relative to its diagonal, is squared by each reduction. It is
# at most a half but for the rows at the ends, which are one reduction behind.
_REDUCTIONS = 8


def solved(lower, diagonal, upper, right, is_periodic=False):
    """The solution of ``lower[i] s[i - 1] + diagonal[i] s[i] + upper[i] s[i + 1] = right[i]``.

    If the system is not periodic, the first element of `lower` and the last one of `upper` are 0.
    Couplings are at most half of the diagonal together, but for the first and the last row, whose
    couplings are less than the diagonal.

    Cyclic reduction in parallel: each row eliminates its neighbours, so that it couples to rows at
    twice the distance (Hockney 1965; Heller 1976 shows that couplings decay quadratically). After
    eight reductions they are less than the precision, however many rows there are.
    """
    count = diagonal.shape[0]
    shape = (count,) + (1,) * (right.ndim - 1)
    lower, upper = lower / diagonal, upper / diagonal
    right = right / diagonal.reshape(shape)
    reductions = _REDUCTIONS if is_periodic else min(_REDUCTIONS, (count - 1).bit_length())
    for distance in (1 << at for at in range(reductions)):
        # In a system without a period, couplings beyond the ends stay 0: rows that a roll brings
        # there are multiplied by 0.
        before = [np.roll(one, distance, axis=0) for one in (lower, upper, right)]
        after = [np.roll(one, -distance, axis=0) for one in (lower, upper, right)]
        scale = 1 / (1 - lower * before[1] - upper * after[0])
        low, high = lower.reshape(shape), upper.reshape(shape)
        right = (right - low * before[2] - high * after[2]) * scale.reshape(shape)
        lower, upper = -lower * before[0] * scale, -upper * after[1] * scale
    return right
