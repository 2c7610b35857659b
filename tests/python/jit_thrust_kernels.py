"""Algorithms of ``jit.thrust``, as cases of ``jit_kernels``: one kernel for each."""

import bisect

import numpy

from .jit_kernels import CASES, drawn, jit

seq, device = jit.thrust.seq, jit.thrust.device


def rows(dtype="int32", count=20, high=30, seed=5):
    made = numpy.random.default_rng(seed).integers(0, high, (16, count)).astype(dtype)
    return made


def add(name, kernel, arguments, expected):
    """A case with rows in the order of C, and one with rows that are strided."""
    def contiguous():
        return kernel, 1, 16, [one.copy() for one in arguments], expected

    def strided():
        wide = [numpy.asfortranarray(one) for one in arguments]
        return kernel, 1, 16, wide, expected

    CASES[f"thrust_{name}"] = contiguous
    CASES[f"thrust_{name}_strided"] = strided


def each(function, *arrays):
    """A function of NumPy's for each row."""
    return numpy.stack([numpy.asarray(function(*row)) for row in zip(*arrays)])


@jit.rawkernel()
def sorts(a, b, c, keys, values, keys2, values2):
    i = jit.threadIdx.x
    jit.thrust.sort(seq, a[i].begin(), a[i].end())
    jit.thrust.stable_sort(device, b[i].begin(), b[i].end())
    jit.thrust.sort(seq, c[i].begin(), c[i].end(), descending)
    jit.thrust.sort_by_key(device, keys[i].begin(), keys[i].end(), values[i].begin())
    jit.thrust.stable_sort_by_key(seq, keys2[i].begin(), keys2[i].end(), values2[i].begin())


@jit.rawkernel(device=True)
def descending(a, b):
    return a > b


X = rows(count=100, high=1000)
K = each(lambda seed: numpy.random.default_rng(int(seed)).permutation(100), numpy.arange(16))
D = rows(count=100, high=8)
POSITIONS = numpy.tile(numpy.arange(100), (16, 1))
add("sorts", sorts, [X, X, X.astype("float32"), K, K * 2, D, POSITIONS],
    [numpy.sort(X), numpy.sort(X), -numpy.sort(-X.astype("float32")), numpy.sort(K),
     numpy.sort(K) * 2, numpy.sort(D), each(lambda x: numpy.argsort(x, kind="stable"), D)])


@jit.rawkernel()
def searches(x, v, out, truth, many):
    i = jit.threadIdx.x
    first, last = x[i].begin(), x[i].end()
    out[i, 0] = jit.thrust.lower_bound(seq, first, last, 10) - first
    out[i, 1] = jit.thrust.upper_bound(seq, first, last, 10) - first
    start, end = jit.thrust.equal_range(seq, first, last, i)
    out[i, 2] = end - start
    out[i, 3] = jit.thrust.count(seq, first, last, 7)
    out[i, 4] = jit.thrust.find(seq, first, last, 7) - first
    pair = jit.thrust.mismatch(seq, first, last, v[i].begin())
    out[i, 5] = pair[0] - first
    out[i, 6] = pair[1] - v[i].begin()
    truth[i, 0] = jit.thrust.binary_search(seq, first, last, 10)
    truth[i, 1] = jit.thrust.equal(seq, first, last, v[i].begin())
    truth[i, 2] = jit.thrust.is_sorted(seq, v[i].begin(), v[i].end())
    out[i, 7] = jit.thrust.is_sorted_until(seq, v[i].begin(), v[i].end()) - v[i].begin()
    jit.thrust.lower_bound(seq, first, last, v[i].begin(), v[i].end(), many[i, 0].begin())
    jit.thrust.upper_bound(seq, first, last, v[i].begin(), v[i].end(), many[i, 1].begin())
    jit.thrust.binary_search(seq, first, last, v[i].begin(), v[i].end(), many[i, 2].begin())


def _searched():
    x, v = numpy.sort(rows()), rows(seed=6)
    v[:3, :19] = x[:3, :19]
    v[0] = x[0]
    out, truth, many = [], [], []
    for i, (a, b) in enumerate(zip(x.tolist(), v.tolist())):
        differ = next((j for j in range(20) if a[j] != b[j]), 20)
        unsorted = next((j for j in range(1, 20) if b[j] < b[j - 1]), 20)
        out.append([bisect.bisect_left(a, 10), bisect.bisect_right(a, 10), a.count(i), a.count(7),
                    a.index(7) if 7 in a else 20, differ, differ, unsorted])
        truth.append([10 in a, a == b, unsorted == 20])
        many.append([[bisect.bisect_left(a, j) for j in b], [bisect.bisect_right(a, j) for j in b],
                     [j in a for j in b]])
    out, truth, many = numpy.array(out), numpy.array(truth), numpy.array(many)
    return [x, v, out * 0, truth & False, many * 0], [None, None, out, truth, many]


add("searches", searches, *_searched())


@jit.rawkernel()
def copies(x, out, index, more, sizes):
    i = jit.threadIdx.x
    first, last = x[i].begin(), x[i].end()
    jit.thrust.copy(seq, first, last, out[i, 0].begin())
    jit.thrust.fill(seq, out[i, 1].begin(), out[i, 1].end(), 10)
    jit.thrust.sequence(seq, out[i, 2].begin(), out[i, 2].end())
    jit.thrust.sequence(seq, out[i, 3].begin(), out[i, 3].end(), i, 10)
    jit.thrust.gather(seq, index[i].begin(), index[i].end(), first, out[i, 4].begin())
    jit.thrust.scatter(seq, first, last, index[i].begin(), out[i, 5].begin())
    jit.thrust.replace_copy(seq, first, last, out[i, 6].begin(), 3, 999)
    jit.thrust.reverse_copy(seq, first, last, out[i, 7].begin())
    end = jit.thrust.remove_copy(seq, first, last, more[i, 0].begin(), 3)
    sizes[i, 0] = end - more[i, 0].begin()
    jit.thrust.copy(seq, first, last, more[i, 1].begin())
    sizes[i, 1] = jit.thrust.remove(
        seq, more[i, 1].begin(), more[i, 1].end(), 3) - more[i, 1].begin()
    jit.thrust.swap_ranges(seq, more[i, 2].begin(), more[i, 2].end(), more[i, 3].begin())
    jit.thrust.reverse(seq, more[i, 3].begin(), more[i, 3].end())
    jit.thrust.replace(seq, more[i, 3].begin(), more[i, 3].end(), 0, 5)
    constant = jit.thrust.make_constant_iterator(i * i)
    counting = jit.thrust.make_counting_iterator(i * i)
    sizes[i, 2] = constant[i] + counting[i]
    jit.thrust.copy(seq, counting, counting + 20, more[i, 4].begin())


def _copied():
    x = rows(high=6)
    index = each(lambda s: numpy.random.default_rng(int(s)).permutation(20), numpy.arange(16))
    i = numpy.arange(16)[:, None]
    scattered = numpy.zeros_like(x)
    numpy.put_along_axis(scattered, index, x, 1)
    out = numpy.stack([x, x * 0 + 10, x * 0 + numpy.arange(20), i + 10 * numpy.arange(20),
                       numpy.take_along_axis(x, index, 1), scattered,
                       numpy.where(x == 3, 999, x), x[:, ::-1]], 1).astype("int32")
    kept = [[one for one in row if one != 3] for row in x.tolist()]
    more = numpy.zeros((16, 5, 20), "int64")
    more[:, 2] = x + 50
    before = more.copy()
    for at, row in enumerate(kept):
        more[at, 0, :len(row)] = row
        more[at, 1] = x[at]
        more[at, 1, :len(row)] = row
    more[:, 3] = more[:, 2, ::-1]
    more[:, 2] = 0
    more[:, 4] = i * i + numpy.arange(20)
    sizes = numpy.array([[len(row), len(row), 2 * at * at + at] for at, row in enumerate(kept)])
    return ([x, out * 0, index.astype("int32"), before, sizes * 0],
            [None, out, None, more, sizes])


add("copies", copies, *_copied())


@jit.rawkernel()
def scans(x, key, out, total):
    i = jit.threadIdx.x
    first, last = x[i].begin(), x[i].end()
    jit.thrust.adjacent_difference(seq, first, last, out[i, 0].begin())
    jit.thrust.inclusive_scan(seq, first, last, out[i, 1].begin())
    jit.thrust.exclusive_scan(seq, first, last, out[i, 2].begin())
    jit.thrust.exclusive_scan(seq, first, last, out[i, 3].begin(), 10)
    jit.thrust.inclusive_scan(seq, first, last, out[i, 4].begin(), jit.cub.Max())
    keys, end = key[i].begin(), key[i].end()
    jit.thrust.inclusive_scan_by_key(seq, keys, end, first, out[i, 5].begin())
    jit.thrust.exclusive_scan_by_key(seq, keys, end, first, out[i, 6].begin(), 5)
    total[i, 0] = jit.thrust.reduce(seq, first, last)
    total[i, 1] = jit.thrust.reduce(seq, first, last, 10)
    total[i, 2] = jit.thrust.reduce(seq, first, last, 0, jit.cub.Max())
    total[i, 3] = jit.thrust.inner_product(seq, first, last, keys, 0.5)
    keys_end, values_end = jit.thrust.reduce_by_key(
        seq, keys, end, first, out[i, 7].begin(), out[i, 8].begin())
    total[i, 4] = keys_end - out[i, 7].begin()
    total[i, 5] = values_end - out[i, 8].begin()


def _scanned():
    x, key = rows(), numpy.sort(rows(high=5, seed=8))
    out = numpy.zeros((16, 9, 20), "int32")
    total = numpy.zeros((16, 6))
    for i, (a, k) in enumerate(zip(x.tolist(), key.tolist())):
        out[i, 0] = numpy.diff(a, prepend=0)
        out[i, 1] = numpy.cumsum(a)
        out[i, 2] = numpy.cumsum(a) - a
        out[i, 3] = out[i, 2] + 10
        out[i, 4] = numpy.maximum.accumulate(a)
        found = sorted(set(k))
        for one in found:
            at = [j for j in range(20) if k[j] == one]
            sums = numpy.cumsum([a[j] for j in at])
            out[i, 5, at] = sums
            out[i, 6, at] = sums - [a[j] for j in at] + 5
            out[i, 8, found.index(one)] = sums[-1]
        out[i, 7, :len(found)] = found
        product = sum(left * right for left, right in zip(a, k)) + 0.5
        total[i] = [sum(a), sum(a) + 10, max(a), product, len(found), len(found)]
    return [x, key, out * 0, total * 0], [None, None, out, total]


add("scans", scans, *_scanned())


@jit.rawkernel()
def sets(a, b, v, w, keys, values, sizes):
    i = jit.threadIdx.x
    a1, a2, b1, b2 = a[i].begin(), a[i].end(), b[i].begin(), b[i].end()
    v1, w1 = v[i].begin(), w[i].begin()
    k = keys[i]
    sizes[i, 0] = jit.thrust.set_difference(seq, a1, a2, b1, b2, k[0].begin()) - k[0].begin()
    sizes[i, 1] = jit.thrust.set_intersection(seq, a1, a2, b1, b2, k[1].begin()) - k[1].begin()
    sizes[i, 2] = jit.thrust.set_symmetric_difference(
        seq, a1, a2, b1, b2, k[2].begin()) - k[2].begin()
    sizes[i, 3] = jit.thrust.set_union(seq, a1, a2, b1, b2, k[3].begin()) - k[3].begin()
    end, end2 = jit.thrust.set_difference_by_key(
        seq, a1, a2, b1, b2, v1, w1, k[4].begin(), values[i, 0].begin())
    sizes[i, 4] = end2 - values[i, 0].begin()
    end, end2 = jit.thrust.set_intersection_by_key(
        seq, a1, a2, b1, b2, v1, k[5].begin(), values[i, 1].begin())
    sizes[i, 5] = end2 - values[i, 1].begin()
    end, end2 = jit.thrust.set_symmetric_difference_by_key(
        seq, a1, a2, b1, b2, v1, w1, k[6].begin(), values[i, 2].begin())
    sizes[i, 6] = end - k[6].begin()
    end, end2 = jit.thrust.set_union_by_key(
        seq, a1, a2, b1, b2, v1, w1, k[7].begin(), values[i, 3].begin())
    sizes[i, 7] = end2 - values[i, 3].begin()


def _combined():
    a, b = numpy.sort(rows(high=40)), numpy.sort(rows(high=40, count=15, seed=9))
    v, w = a * 0 + 1, b * 0 + 2
    keys, values = numpy.zeros((16, 8, 40), "int32"), numpy.zeros((16, 4, 40), "int32")
    sizes = numpy.zeros((16, 8), "int64")
    for i in range(16):
        x, y = a[i].tolist(), b[i].tolist()
        made = [[], [], [], []]
        for one in sorted({*x, *y}):
            m, n = x.count(one), y.count(one)
            made[0] += [(one, 1)] * max(m - n, 0)
            made[1] += [(one, 1)] * min(m, n)
            made[2] += [(one, 1)] * max(m - n, 0) + [(one, 2)] * max(n - m, 0)
            made[3] += [(one, 1)] * m + [(one, 2)] * max(n - m, 0)
        for at, pairs in enumerate(made):
            for row in (at, at + 4):
                keys[i, row, :len(pairs)] = [key for key, _ in pairs]
                sizes[i, row] = len(pairs)
            values[i, at, :len(pairs)] = [value for _, value in pairs]
    return ([a, b, v, w, keys * 0, values * 0, sizes * 0],
            [None, None, None, None, keys, values, sizes])


add("sets", sets, *_combined())


@jit.rawkernel()
def uniques(x, key, value, sizes):
    i = jit.threadIdx.x
    sizes[i, 0] = jit.thrust.unique(seq, x[i].begin(), x[i].end()) - x[i].begin()
    a, b = jit.thrust.unique_by_key(seq, key[i].begin(), key[i].end(), value[i].begin())
    sizes[i, 1] = a - key[i].begin()
    sizes[i, 2] = b - value[i].begin()


def _unique():
    x = numpy.sort(rows(high=8))
    value = rows(seed=11)
    left, values, sizes = x.copy(), value.copy(), numpy.zeros((16, 3), "int64")
    for i in range(16):
        at = [0] + [j for j in range(1, 20) if x[i, j] != x[i, j - 1]]
        left[i, :len(at)] = x[i, at]
        values[i, :len(at)] = value[i, at]
        sizes[i] = len(at)
    return [x, x.copy(), value, sizes * 0], [left, left, values, sizes]


add("uniques", uniques, *_unique())


@jit.rawkernel()
def shared_kernel(x, y):
    tid = jit.threadIdx.x
    memory = jit.shared_memory(numpy.int32, 32)
    memory[tid] = x[tid]
    jit.syncthreads()
    y[tid] = jit.thrust.count(device, memory, memory + 32, tid) + jit.thrust.count(
        seq, memory.begin(), memory.end(), 3)


def _shared():
    x = drawn(32, dtype="int32", high=32)
    y = numpy.array([(x == i).sum() + (x == 3).sum() for i in range(32)])
    return shared_kernel, 1, 32, [x, y * 0], [None, y]


CASES["thrust_in_shared_memory"] = _shared


@jit.rawkernel()
def typed_kernel(x, y):
    i = jit.threadIdx.x
    first, last = x[i].begin(), x[i].end()
    jit.thrust.sort(seq, first, last)
    y[i, 0] = jit.thrust.reduce(seq, first, last, 10)
    jit.thrust.inclusive_scan(seq, first, last, first)
    y[i, 1] = x[i, -1]
    jit.thrust.adjacent_difference(seq, first, last, first)
    y[i, 2] = x[i, -1]
    jit.thrust.exclusive_scan(seq, first, last, first, 1)
    y[i, 3] = x[i, -1]
    jit.thrust.sequence(seq, first, last)
    y[i, 4] = x[i, -1]
    y[i, 5] = jit.thrust.inner_product(seq, first, last, first, 0.0)


def _typed(dtype):
    x = rows(dtype, count=9, high=6)
    total, high = x.astype("complex128").sum(1), x.max(1)
    y = numpy.stack([total + 10, total, high, total - high + 1, total * 0 + 8, total * 0 + 204], 1)
    y = y.astype("complex128") if x.dtype.kind == "c" else y.real
    return typed_kernel, 1, 16, [x, y * 0], [None, y]


for _dtype in ("int8", "uint16", "int64", "float16", "float64", "complex64"):
    CASES[f"thrust_of_{_dtype}"] = lambda dtype=_dtype: _typed(dtype)
