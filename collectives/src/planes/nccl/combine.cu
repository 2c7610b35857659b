// Combines the items of several members, which are consecutive in memory, in the order of ranks.
// `items.cu` must precede this text.
struct Combination {
    // The items of the first member; the items of each next member are `stride` bytes further.
    u64 from;
    u64 to;
    u64 items;
    u64 stride;
    u64 members;
};

KERNEL(256) combine_members(const Combination argument) {
    u64 step = (u64)gridDim.x * blockDim.x;
    u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (u64 at = first; at < argument.items; at += step) {
        Item result = ((const Item *)argument.from)[at];
        for (u64 member = 1; member < argument.members; member++) {
            u64 other = argument.from + member * argument.stride;
            result = combine(result, ((const Item *)other)[at]);
        }
        ((Item *)argument.to)[at] = result;
    }
}
