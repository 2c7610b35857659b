"""The barycentric form of polynomials and rational functions."""

import phalanx as np

from ._basis import near

# Pairs of a point and a node in one step.
_PAIRS = 1 << 24
_LEAST = 16


def value(x, nodes, weights, data):
    """``sum(w f / (x - nodes)) / sum(w / (x - nodes))`` at a vector of points, for weights w and
    the columns f of `data`; at a node, the row of `data`.

    Nodes are taken in groups, so that no matrix of all pairs is in memory while points stay split
    over the devices.
    """
    count, columns = data.shape
    # Of points and nodes, it is the points that are split over the devices.
    nodes, weights, data = near(nodes), near(weights), near(data)
    size = max(_LEAST, _PAIRS // max(x.shape[0], 1))
    above = below = place = None
    for start in range(0, count, size):
        part = slice(start, min(start + size, count))
        apart = x[:, None] - nodes[part]
        is_node = apart == 0
        terms = weights[part] / np.where(is_node, 1, apart)
        if columns == 1:
            top = np.sum(terms * data[part, 0], axis=1)[:, None]
        else:
            top = terms @ data[part]
        bottom = np.sum(terms, axis=1)
        found = np.max(np.where(is_node, np.arange(part.start, part.stop), -1), axis=1)
        above = top if above is None else above + top
        below = bottom if below is None else below + bottom
        place = found if place is None else np.maximum(place, found)
    exact = np.take(data, np.maximum(place, 0), axis=0)
    return np.where((place >= 0)[:, None], exact, above / below[:, None])
