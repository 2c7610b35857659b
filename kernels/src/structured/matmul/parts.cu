// The sum of partial products of `count` numbers each; if `adds` is set, added to the old values.
struct Argument {
    u64 parts, to;
    u64 count, many, adds;
};

#define GROUPS 8

KERNEL(32 * GROUPS) sum_parts(const Argument a) {
    SHARED alignas(16) char memory[32 * GROUPS * sizeof(T)];
    T* sums = (T*)memory;
    int lane = threadIdx.x % 32, group = threadIdx.x / 32;
    u64 at = (u64)blockIdx.x * 32 + lane;
    const T* parts = (const T*)a.parts + at;
    T sum = T();
    if (at < a.count) {
#pragma unroll 8
        for (u64 part = group; part < a.many; part += GROUPS) sum = OP(sum, parts[part * a.count]);
    }
    sums[threadIdx.x] = sum;
    barrier();
    if (group > 0 || at >= a.count) return;
    T* to = (T*)a.to + at;
    for (int other = 1; other < GROUPS; other++) sum = OP(sum, sums[other * 32 + lane]);
    *to = a.adds ? OP(*to, sum) : sum;
}
