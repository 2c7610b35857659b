// Complex numbers as integers with their order: one word for parts of 32 bits, two for 64 bits.
struct Argument {
    u64 from, first, second, count;
};

KERNEL(256) complex_keys(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
        Key key = key_at(a.from, i);
        if (sizeof(Word) == 4) {
            ((u64*)a.first)[i] = (u64)key.first << 32 | (u64)key.second;
        } else {
            ((u64*)a.first)[i] = key.first;
            ((u64*)a.second)[i] = key.second;
        }
    }
}
