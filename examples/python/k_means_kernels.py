"""K-means clustering with kernels of its own: a ReductionKernel for sums under a mask, and on GPUs
a RawKernel that adds the points of each centre by atomic operations.

Prints the centres, and whether both ways find the same ones.
"""

import phalanx as np
import phalanx.cuda

distance = np.ElementwiseKernel(
    "T x, T y, T centre_x, T centre_y", "T z",
    "T dx = x - centre_x, dy = y - centre_y; z = dx * dx + dy * dy;",
    "squared_distance",
)
sum_under = np.ReductionKernel(
    "T x, bool mask", "T z", "mask ? x : 0", "a + b", "z = a", "0", "sum_under",
)
count_true = np.ReductionKernel(
    "bool mask", "int64 z", "mask ? 1 : 0", "a + b", "z = a", "0", "count_true",
)
# Each thread block adds its points in shared memory, and then its sums to those of all.
add_points = np.RawKernel(r"""
extern "C" __global__ void add_points(
    const double* x, const double* y, const int* nearest, int count, int centres, double* sums
) {
    extern __shared__ double own[];
    for (int k = threadIdx.x; k < 3 * centres; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        double* sum = own + 3 * nearest[i];
        atomicAdd(sum, x[i]);
        atomicAdd(sum + 1, y[i]);
        atomicAdd(sum + 2, 1.0);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 3 * centres; k += blockDim.x) atomicAdd(&sums[k], own[k]);
}
""", "add_points")


def points(size, centres):
    """Points in discs around the corners of a polygon, from a fixed sequence of numbers."""
    number = np.arange(size)
    angle, radius = 2.399963 * number, np.sqrt(number * 0.7548776662 % 1.0)
    around = 2 * np.pi / centres * (number % centres)
    return np.cos(angle) * radius + 3 * np.cos(around), np.sin(angle) * radius + 3 * np.sin(around)


def sums_by_reduction(x, y, nearest, centres):
    """The sums of the coordinates, and the number of points, of each centre."""
    rows = []
    for centre in range(centres):
        mask = nearest == centre
        rows.append(np.stack([sum_under(x, mask), sum_under(y, mask), count_true(mask)]))
    return np.stack(rows)


def sums_by_threads(x, y, nearest, centres):
    """As ``sums_by_reduction``, by the RawKernel."""
    sums = np.zeros((centres, 3))
    arguments = (
        x, y, nearest.astype("int32"), np.int32(x.size), np.int32(centres), sums
    )
    add_points((264,), (256,), arguments, shared_mem=24 * centres)
    return sums


def cluster(x, y, centres, steps, sums_of):
    """The centres, and the number of the nearest one for each point."""
    middle = np.stack([x[:centres], y[:centres]], axis=1)
    nearest = np.zeros(x.size, dtype=int)
    for _ in range(steps):
        far = distance(x[:, np.newaxis], y[:, np.newaxis], middle[:, 0], middle[:, 1])
        nearest = far.argmin(axis=1)
        sums = sums_of(x, y, nearest, centres)
        middle = sums[:, :2] / np.maximum(sums[:, 2:], 1)
    return middle, nearest


def main(size=100_000, centres=5, steps=10):
    """The points, and the centres and the nearest centre of each point, by each way that runs
    here."""
    x, y = points(size, centres)
    results = {"points": (x, y)}
    results["reduction"] = cluster(x, y, centres, steps, sums_by_reduction)
    if phalanx.cuda.is_available():
        results["threads"] = cluster(x, y, centres, steps, sums_by_threads)
    return results


if __name__ == "__main__":
    found = main()
    for centre_x, centre_y in found["reduction"][0].tolist():
        print(f"centre ({centre_x:9.6f}, {centre_y:9.6f})")
    if "threads" in found:
        print("the same by threads:", bool(np.allclose(found["threads"][0], found["reduction"][0])))
