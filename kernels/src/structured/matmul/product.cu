// Products of stacks of matrices in C order, of elements that no library multiplies: a block has a
// square of a result at a time, a thread an element of it.
#define SIDE 16

struct Argument {
    u64 a, b, c;
    u64 m, n, k, count;
    // Whether the products are added to what is there.
    u64 adds;
};

extern "C" __global__ void __launch_bounds__(SIDE * SIDE) product(const Argument a) {
    __shared__ T left[SIDE][SIDE + 1], right[SIDE][SIDE + 1];
    const u64 across = (a.n + SIDE - 1) / SIDE, down = (a.m + SIDE - 1) / SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    for (u64 square = blockIdx.x; square < a.count * across * down; square += gridDim.x) {
        const u64 matrix = square / (across * down), place = square - matrix * across * down;
        const u64 row = place / across * SIDE + y, column = place % across * SIDE + x;
        const bool is_inside = row < a.m && column < a.n;
        const T* from = (const T*)a.a + matrix * a.m * a.k;
        const T* with = (const T*)a.b + matrix * a.k * a.n;
        T* to = (T*)a.c + matrix * a.m * a.n + row * a.n + column;
        T sum = is_inside && a.adds ? *to : T(0);
        for (u64 first = 0; first < a.k; first += SIDE) {
            left[y][x] = row < a.m && first + x < a.k ? from[row * a.k + first + x] : T(0);
            right[y][x] = first + y < a.k && column < a.n ? with[(first + y) * a.n + column] : T(0);
            __syncthreads();
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                sum = op_add(sum, op_multiply(left[y][i], right[i][x]));
            }
            __syncthreads();
        }
        if (is_inside) *to = sum;
    }
}
