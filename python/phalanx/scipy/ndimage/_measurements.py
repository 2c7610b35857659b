"""Sums, moments, extremes and medians of the elements with the same label."""

import phalanx as np

from ._described import COLLECTIVE, described
from ._support import array, host, refuse

_RESULT = "ndarray: One result for each label of `index`; without axes for one label."
_POSITIONS = "tuple of int, or list of tuples: The position for each label of `index`."
# So many labels are looked for one after another; for more, elements are sorted by their labels.
_FEW_LABELS = 8
_REFUSED = {
    "ValueError": "The shapes do not broadcast, or there are no elements.",
    "TypeError": "The dtype is not supported.",
}
_MEASURED = (
    f"{COLLECTIVE} Each device combines its own elements; sums of floats may differ in their last "
    "digits between numbers of devices."
)


def _measured(returns=_RESULT):
    return described(returns, _REFUSED, _MEASURED)


class _Groups:
    """The elements of an image by their labels: a number for each element, and the numbers of the
    wanted labels."""

    def __init__(self, input, labels, index):
        if _is_countable(labels):
            self.of_elements = labels.ravel().astype(np.int64)
            self.count = int(labels.max()) + 1
            wanted = array(index).astype(np.int64)
            self.found = (wanted >= 0) & (wanted < self.count)
        else:
            known, numbers = np.unique(labels, return_inverse=True)
            self.of_elements = numbers.reshape(-1)
            self.count = known.size
            index = array(index)
            wanted = np.minimum(np.searchsorted(known, index), self.count - 1)
            self.found = known[wanted] == index
        self.wanted = np.where(self.found, wanted, 0)
        self.values = input.ravel()

    def sizes(self):
        """The number of elements of each group."""
        return np.bincount(self.of_elements, minlength=self.count)

    def sums(self, values):
        """The sum of values of each group, in float64."""
        return np.bincount(self.of_elements, weights=values, minlength=self.count)

    def select(self, results):
        """The results of the wanted labels; 0 for labels without elements."""
        return np.where(self.found, results[self.wanted], np.zeros((), results.dtype))

    def extremes(self, is_minimum):
        """The smallest or largest elements of the wanted labels; 0 for labels without elements.

        As in SciPy, which sorts them, NaN is the largest element.
        """
        values, kind = self.values, self.values.dtype.kind
        values = values.astype(np.uint8) if kind == "b" else values
        if kind == "f":
            start = np.nan if is_minimum else -np.inf
        else:
            start = np.iinfo(values.dtype).max if is_minimum else np.iinfo(values.dtype).min
        found = np.full(self.count, start, values.dtype)
        combine = (np.fmin if kind == "f" else np.minimum) if is_minimum else np.maximum
        combine.at(found, self.of_elements, values)
        found = np.where(self.sizes() > 0, found, np.zeros((), values.dtype))
        return self.select(found.astype(self.values.dtype))


def _is_countable(labels):
    """Whether labels are integers that may be positions of a list."""
    kind, size = labels.dtype.kind, labels.dtype.itemsize
    if not (kind == "i" or (kind == "u" and size < 8)):
        return False
    return int(labels.min()) >= 0 and int(labels.max()) <= labels.size


def _broadcast(input, labels):
    return np.broadcast_arrays(input, array(labels))


def _is_one(index):
    return index is None or np.isscalar(index)


def _mask(labels, index):
    """The elements of one label; those with positive labels without an index."""
    return labels > 0 if index is None else labels == index


def _moments(input, labels, index, is_centered=False):
    """Numbers of elements, sums, and sums of squared differences from the means."""
    input = array(input)
    if labels is None:
        return _moments_of(input, None, is_centered)
    input, labels = _broadcast(input, labels)
    if _is_one(index):
        return _moments_of(input, _mask(labels, index), is_centered)
    groups = _Groups(input, labels, index)
    sizes, sums = groups.sizes(), groups.sums(groups.values)
    found = [groups.select(sizes), groups.select(sums)]
    if is_centered:
        means = sums / sizes
        differences = groups.values - means[groups.of_elements]
        squares = differences * differences.conj()
        found.append(groups.select(groups.sums(squares)))
    return found


def _moments_of(values, mask, is_centered):
    """As `_moments`, of the elements of a mask."""
    if mask is None:
        size = np.asarray(values.size)
        total = values.sum()
    else:
        size, total = np.count_nonzero(mask), values.sum(where=mask)
    found = [size, total]
    if is_centered:
        mean = values.mean() if mask is None else total / size
        # The differences have the dtype of the elements, also if they are halves.
        mean = mean.astype(values.dtype) if values.dtype.kind in "fc" else mean
        differences = values - mean
        squares = differences * differences.conj()
        found.append(squares.sum() if mask is None else squares.sum(where=mask))
    return found


@_measured()
def sum_labels(input, labels=None, index=None):
    """The sums of the elements of labels."""
    return _moments(input, labels, index)[1]


@_measured()
def sum(input, labels=None, index=None):
    """The sums of the elements of labels, by the former name of `sum_labels`."""
    return sum_labels(input, labels, index)


@_measured()
def mean(input, labels=None, index=None):
    """The means of the elements of labels; NaN for labels without elements."""
    sizes, sums = _moments(input, labels, index)
    return sums / array(sizes).astype(np.float64)


@_measured()
def variance(input, labels=None, index=None):
    """The variances of the elements of labels."""
    sizes, _, squares = _moments(input, labels, index, is_centered=True)
    return squares / array(sizes).astype(np.float64)


@_measured()
def standard_deviation(input, labels=None, index=None):
    """The standard deviations of the elements of labels."""
    return np.sqrt(variance(input, labels, index))


def _selected(input, labels, index, wanted):
    """Some of "minimum", "maximum", "first", "last" (positions) and "median", by their names."""
    input = array(input)
    if labels is None:
        return _selected_of(input.ravel(), None, wanted)
    flat, labels = _broadcast(input, labels)
    if _is_one(index):
        mask = _mask(labels, index).ravel()
        places = np.flatnonzero(mask)
        return _selected_of(flat.ravel()[places], places, wanted)
    groups = _Groups(flat, labels, index)
    if flat.dtype.kind != "c" and set(wanted) <= {"minimum", "maximum"}:
        return {name: groups.extremes(name == "minimum") for name in wanted}
    values = groups.values
    # Elements by their labels, and those of a label by their values.
    order = np.lexsort((values, groups.of_elements))
    ends = np.cumsum(groups.sizes())
    starts = ends - groups.sizes()
    low = np.where(groups.found, starts[groups.wanted], 0)
    high = np.where(groups.found, ends[groups.wanted] - 1, 0)
    is_some = groups.found & (high >= low)
    high = np.maximum(high, low)
    zero = np.zeros((), values.dtype)
    found = {}
    if "minimum" in wanted:
        found["minimum"] = np.where(is_some, values[order[low]], zero)
    if "maximum" in wanted:
        found["maximum"] = np.where(is_some, values[order[high]], zero)
    if "first" in wanted:
        found["first"] = np.where(is_some, order[low], 0)
    if "last" in wanted:
        found["last"] = np.where(is_some, order[high], 0)
    if "median" in wanted:
        step = (high - low) // 2
        found["median"] = _middle(values[order[low + step]], values[order[high - step]])
    return found


def _middle(low, high):
    """The mean of two elements; of integers in float64."""
    if low.dtype.kind in "biu":
        low, high = low.astype(np.float64), high.astype(np.float64)
    return (low + high) / 2.0


def _selected_of(values, places, wanted):
    """As `_selected`, of some elements of the flat image."""
    found = {}

    def place(at):
        return at if places is None else places[at]

    if "minimum" in wanted:
        found["minimum"] = values.min()
    if "first" in wanted:
        found["first"] = place(np.argmin(values))
    if "maximum" in wanted:
        found["maximum"] = values.max()
    if "last" in wanted:
        found["last"] = place(np.argmax(values))
    if "median" in wanted:
        found["median"] = np.median(values)
    return found


@_measured()
def minimum(input, labels=None, index=None):
    """The smallest elements of labels."""
    return _selected(input, labels, index, ("minimum",))["minimum"]


@_measured()
def maximum(input, labels=None, index=None):
    """The largest elements of labels."""
    return _selected(input, labels, index, ("maximum",))["maximum"]


@_measured()
def median(input, labels=None, index=None):
    """The medians of the elements of labels."""
    return _selected(input, labels, index, ("median",))["median"]


def _positions(places, shape):
    """Positions in an image, given those in the flat image. They are read to the host."""
    import numpy

    places = host(places)
    axes = numpy.unravel_index(places, shape) if shape else ()
    if places.ndim == 0:
        return tuple(axes)
    return [tuple(one) for one in zip(*(axis.ravel() for axis in axes))]


@_measured(_POSITIONS)
def minimum_position(input, labels=None, index=None):
    """The positions of the smallest elements of labels."""
    input = array(input)
    return _positions(_selected(input, labels, index, ("first",))["first"], input.shape)


@_measured(_POSITIONS)
def maximum_position(input, labels=None, index=None):
    """The positions of the largest elements of labels."""
    input = array(input)
    return _positions(_selected(input, labels, index, ("last",))["last"], input.shape)


@_measured("(ndarray, ndarray, tuple or list, tuple or list): The smallest elements, the largest "
           "elements, and the positions of both.")
def extrema(input, labels=None, index=None):
    """The smallest and the largest elements of labels, and their positions."""
    input = array(input)
    found = _selected(input, labels, index, ("minimum", "maximum", "first", "last"))
    positions = (_positions(found[one], input.shape) for one in ("first", "last"))
    return found["minimum"], found["maximum"], *positions


@_measured("tuple of float, or list of tuples: The coordinates for each label of `index`.")
def center_of_mass(input, labels=None, index=None):
    """The means of the coordinates of labels, weighted by the elements."""
    input = array(input)
    if input.ndim == 0:
        raise refuse("an element without axes has no coordinates", IndexError)
    total = sum_labels(input, labels, index)
    centers = []
    for axis, extent in enumerate(input.shape):
        shape = [1] * input.ndim
        shape[axis] = extent
        coordinates = np.arange(extent, dtype=np.float64).reshape(shape)
        centers.append(sum_labels(input * coordinates, labels, index) / total)
    if not centers or centers[0].ndim == 0:
        return tuple(centers)
    found = host(np.stack(centers))
    return [tuple(one) for one in found.T]


@described("ndarray: The numbers of elements in the bins; of objects for several labels.",
           _REFUSED, COLLECTIVE)
def histogram(input, min, max, bins, labels=None, index=None):
    """The histograms of the elements of labels."""
    edges = np.linspace(min, max, bins + 1)

    def count(values):
        return np.histogram(values, edges)[0]

    return labeled_comprehension(input, labels, index, count, object, None)


def _groups(values, labels, wanted, has_positions):
    """For each of the labels that are wanted its elements, and their positions if these are."""
    if wanted.size <= _FEW_LABELS and wanted.dtype.kind in "biu":
        for one in wanted:
            place = labels == one
            place = np.flatnonzero(place) if has_positions else place
            yield (values[place], place) if has_positions else (values[place],)
        return
    order = np.argsort(labels, kind="stable")
    labels, values, wanted = labels[order], values[order], np.asarray(wanted)
    starts = host(np.searchsorted(labels, wanted, side="left"))
    ends = host(np.searchsorted(labels, wanted, side="right"))
    for start, end in zip(starts, ends):
        group = slice(int(start), int(end))
        yield (values[group], order[group]) if has_positions else (values[group],)


@described("ndarray: The results of the function, one for each label of `index`.", _REFUSED,
           f"{COLLECTIVE} The function receives arrays on devices.")
def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """The results of a function of the elements of labels."""
    import numpy

    input = array(input)
    if labels is None:
        if index is not None:
            raise refuse("index without defined labels", ValueError, "together")
        flat = input.ravel()
        return func(flat, np.arange(flat.size)) if pass_positions else func(flat)
    try:
        input, labels = _broadcast(input, labels)
    except ValueError as error:
        text = "input and labels must have the same shape (excepting dimensions with width 1)"
        raise refuse(text, ValueError, "together") from error
    values, labels = input.ravel(), labels.ravel()
    if index is None:
        places = np.flatnonzero(labels > 0)
        return func(values[places], places) if pass_positions else func(values[places])
    is_one, index = np.isscalar(index), numpy.atleast_1d(host(index))
    if index.ndim > 1:
        raise refuse("the index has more than one axis", ValueError)
    kind = numpy.dtype(labels.dtype)
    if (index.astype(kind).astype(index.dtype) != index).any():
        text = f"Cannot convert index values from <{index.dtype}> to <{kind}> (labels' type) " \
               "without loss of precision"
        raise refuse(text, ValueError, "dtype")
    is_object = numpy.dtype(out_dtype) == object
    results = numpy.full(index.shape, default, out_dtype)
    for at, given in enumerate(_groups(values, labels, index.astype(kind), pass_positions)):
        if given[0].size:
            found = func(*given)
            results[at] = found if is_object else host(found)
    if is_object:
        return results[0] if is_one else results
    results = np.asarray(results)
    return results[0] if is_one else results


