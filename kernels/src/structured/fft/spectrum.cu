// Copies half spectra and sets the imaginary parts of real elements to zero: the first element of
// a line, and the element in the middle if the length is even.
struct Argument {
    u64 from, to;
    u64 total;
    // Elements of a line, elements of a row of neighbours, and the row in the middle (0: none).
    u64 extent, inner, middle;
};

struct alignas(2 * sizeof(R)) Complex {
    R re, im;
};

KERNEL(256) spectrum(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 row = i / a.inner % a.extent;
        Complex x = ((const Complex*)a.from)[i];
        if (row == 0 || row == a.middle) x.im = 0;
        ((Complex*)a.to)[i] = x;
    }
}
