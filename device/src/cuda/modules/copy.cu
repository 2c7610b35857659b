// Copies a box of items, the first axis fastest.
struct Argument {
    u64 from, to, items;
    u32 item, axes;
    u64 extents[8];
    i64 from_strides[8], to_strides[8];
};

template <class Word> DEVICE void copy_items(const Argument& a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.items; i += step) {
        u64 rest = i;
        i64 from = 0, to = 0;
        for (u32 axis = 0; axis < a.axes; axis++) {
            u64 outer = rest / a.extents[axis];
            i64 index = (i64)(rest - outer * a.extents[axis]);
            from += index * a.from_strides[axis];
            to += index * a.to_strides[axis];
            rest = outer;
        }
        *(Word*)(a.to + to) = *(const Word*)(a.from + from);
    }
}

KERNEL(256) copy_box(const Argument a) {
    switch (a.item) {
        case 1: copy_items<u8>(a); break;
        case 2: copy_items<u16>(a); break;
        case 4: copy_items<u32>(a); break;
        case 8: copy_items<u64>(a); break;
        default: copy_items<uint4>(a); break;
    }
}

// Copies the elements of `values` whose byte in `mask` is not zero to consecutive addresses.
struct Selection {
    u64 values, mask, to, counts;
    u64 count;
    u32 item, unused;
};

#define SELECTED 4096
#define PER_THREAD (SELECTED / 256)

// The number of selected elements among the elements of a thread block.
KERNEL(256) count_selected(const Selection a) {
    u64 first = (u64)blockIdx.x * SELECTED;
    u32 own = 0;
    for (u32 i = threadIdx.x; i < SELECTED; i += 256)
        if (first + i < a.count && ((const u8*)a.mask)[first + i]) own++;
    for (int d = 16; d > 0; d /= 2) own += shuffle_down(own, d);
    SHARED u32 warps[8];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    barrier();
    if (threadIdx.x == 0) {
        u32 all = 0;
        for (int w = 0; w < 8; w++) all += warps[w];
        ((u64*)a.counts)[blockIdx.x] = all;
    }
}

template <class Word> DEVICE void copy_selected(const Selection& a) {
    u64 first = (u64)blockIdx.x * SELECTED, at = ((const u64*)a.counts)[blockIdx.x];
    SHARED u32 warps[8];
    const u8* mask = (const u8*)a.mask;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // A row of 256 elements at a time, so that reads and writes are in order.
    for (u32 row = 0; row < PER_THREAD; row++) {
        u64 i = first + row * 256 + threadIdx.x;
        bool is = i < a.count && mask[i];
        u32 votes = ballot(is);
        if (lane == 0) warps[warp] = count_ones(votes);
        barrier();
        u32 before = 0, all = 0;
        for (int w = 0; w < 8; w++) {
            if (w == warp) before = all;
            all += warps[w];
        }
        if (is) {
            u64 place = at + before + count_ones(votes & ((1u << lane) - 1));
            ((Word*)a.to)[place] = ((const Word*)a.values)[i];
        }
        at += all;
        barrier();
    }
}

KERNEL(256) copy_selection(const Selection a) {
    switch (a.item) {
        case 1: copy_selected<u8>(a); break;
        case 2: copy_selected<u16>(a); break;
        case 4: copy_selected<u32>(a); break;
        case 8: copy_selected<u64>(a); break;
        default: copy_selected<uint4>(a); break;
    }
}
