// The nearest elements along lines: a thread for each element looks at both sides, farther and
// farther, until the distance alone costs more than what it has found.
struct Argument {
    u64 costs, to, total, spacing;
    i64 extent, inner;
};

KERNEL(256) nearest(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const f64* costs = (const f64*)a.costs;
    f64 spacing = from_bits(a.spacing), square = spacing * spacing;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 row = i / a.inner % a.extent;
        const f64* own = costs + i;
        f64 least = *own;
        i64 found = least < from_bits(0x7ff0000000000000ull) ? row : -1;
        i64 farthest = row > a.extent - 1 - row ? row : a.extent - 1 - row;
        for (i64 far = 1; far <= farthest; far++) {
            f64 apart = (f64)far * (f64)far * square;
            if (!(apart < least)) break;
            if (far <= row) {
                f64 cost = own[-far * a.inner] + apart;
                if (cost < least) {
                    least = cost;
                    found = row - far;
                }
            }
            if (row + far < a.extent) {
                f64 cost = own[far * a.inner] + apart;
                if (cost < least) {
                    least = cost;
                    found = row + far;
                }
            }
        }
        ((i64*)a.to)[i] = found;
    }
}
