// Dense parts of sparse factorisations (fronts): the elements of a matrix in their places, and the
// sums of fronts. T is the type of elements, S is that of sums, and N is that of numbers of
// elements. A definition selects the kernel that is compiled.
struct Argument {
    u64 to, slots, rows, columns, source;
    // Elements of the result, or places.
    u64 count;
    // Rows and columns of the result's matrices; elements of the result for places.
    u64 height, width;
    // Matrices of the source, their rows and columns.
    u64 sources, below, across;
};

#define THREADS 256

#ifdef ADD
KERNEL(THREADS) add_fronts(const Argument a) {
    u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (thread >= a.count) return;
    N at = (N)thread, width = (N)a.width, height = (N)a.height;
    N line = at / width, place = at % width, front = line / height;
    u64 slot = (u64)((const i64*)a.slots)[front];
    if (slot >= a.sources) return;
    u64 row = (u64)(i64)((const i32*)a.rows)[line];
    if (row >= a.below) return;
    u64 column = (u64)(i64)((const i32*)a.columns)[front * width + place];
    if (column >= a.across) return;
    T* to = (T*)a.to + at;
    T from = ((const T*)a.source)[(slot * a.below + row) * a.across + column];
    *to = NARROW(op_add(WIDE(*to), WIDE(from)));
}
#endif

#ifdef PLACE
KERNEL(THREADS) place(const Argument a) {
    u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (at >= a.count) return;
    u64 place = (u64)((const i64*)a.rows)[at];
    if (place < a.height) ((T*)a.to)[place] = ((const T*)a.source)[at];
}
#endif
