// Copies a box of items, the first axis fastest.
typedef unsigned long long u64;
typedef long long i64;

struct Argument {
    u64 from, to, items;
    unsigned item, axes;
    u64 extents[8];
    i64 from_strides[8], to_strides[8];
};

template <class Word> __device__ void copy_items(const Argument& a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.items; i += step) {
        u64 rest = i;
        i64 from = 0, to = 0;
        for (unsigned axis = 0; axis < a.axes; axis++) {
            u64 outer = rest / a.extents[axis];
            i64 index = (i64)(rest - outer * a.extents[axis]);
            from += index * a.from_strides[axis];
            to += index * a.to_strides[axis];
            rest = outer;
        }
        *(Word*)(a.to + to) = *(const Word*)(a.from + from);
    }
}

extern "C" __global__ void copy_box(const Argument a) {
    switch (a.item) {
        case 1: copy_items<unsigned char>(a); break;
        case 2: copy_items<unsigned short>(a); break;
        case 4: copy_items<unsigned>(a); break;
        case 8: copy_items<u64>(a); break;
        default: copy_items<uint4>(a); break;
    }
}
