"""A histogram by atomic additions: an ElementwiseKernel, and on GPUs a RawKernel that counts in
shared memory first. Prints the counts."""

import phalanx as np
import phalanx.cuda

count_elements = np.ElementwiseKernel(
    "T x, int32 bins", "raw int32 counts",
    """
    int bin = (int)(x * bins);
    if (bin >= 0 && bin < bins) atomicAdd(&counts[bin], 1);
    """,
    "count_elements",
)
count_by_blocks = np.RawKernel(r"""
extern "C" __global__ void count_by_blocks(const float* x, int count, int bins, int* counts) {
    extern __shared__ int own[];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int bin = (int)(x[i] * bins);
        if (bin >= 0 && bin < bins) atomicAdd(&own[bin], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], own[bin]);
}
""", "count_by_blocks")


def main(size=100_000, bins=64):
    """The elements, and their counts by each way that runs here."""
    # The squares of numbers between 0 and 1 are dense near 0.
    x = ((np.arange(size) * 0.7548776662 % 1.0) ** 2).astype("float32")
    counts = np.zeros(bins, dtype="int32")
    count_elements(x, bins, counts)
    results = {"operand": x, "elements": counts}
    if phalanx.cuda.is_available():
        counts = np.zeros(bins, dtype="int32")
        arguments = (x, np.int32(size), np.int32(bins), counts)
        count_by_blocks((264,), (256,), arguments, shared_mem=4 * bins)
        results["blocks"] = counts
    return results


if __name__ == "__main__":
    print(main(bins=8)["elements"].tolist())
