// ROWS linear recurrences of order ORDER along lines, one after the other: a warp for 32 lines, a
// thread for each. The samples of a warp's lines are copied to shared memory, so that neighbours are
// read together. STATES is defined if the result is the states.
#define ALL (ROWS * ORDER)
#define PART 32

struct Argument {
    u64 signal, numerator, denominator, states, to;
    i64 lines, length;
};

KERNEL(32 * WARPS) recurrence(PARAMETER Argument a) {
    SHARED T kept[WARPS][PART][PART + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T (*samples)[PART + 1] = kept[warp];
    const T* b = (const T*)a.numerator;
    const T* d = (const T*)a.denominator;
    i64 groups = (a.lines + 31) / 32;
    for (i64 group = (i64)blockIdx.x * WARPS + warp; group < groups;
         group += (i64)gridDim.x * WARPS) {
        i64 first = group * 32, line = first + lane;
        int own = a.lines - first < 32 ? (int)(a.lines - first) : 32;
        T state[ALL];
#pragma unroll
        for (int k = 0; k < ALL; k++) {
            state[k] = ((const T*)a.states)[(lane < own ? line : first) * ALL + k];
        }
        for (i64 start = 0; start < a.length; start += PART) {
            int many = a.length - start < PART ? (int)(a.length - start) : PART;
            warp_barrier();
            for (int row = 0; row < own; row++) {
                const T* from = (const T*)a.signal + (first + row) * a.length + start;
                if (lane < many) samples[row][lane] = from[lane];
            }
            warp_barrier();
            if (lane < own) {
                for (int at = 0; at < many; at++) {
                    T x = samples[lane][at];
#pragma unroll
                    for (int row = 0; row < ROWS; row++) {
                        const T* up = b + row * (ORDER + 1);
                        const T* down = d + row * (ORDER + 1);
                        T* own_state = state + row * ORDER;
                        T y = op_add(op_multiply(up[0], x), own_state[0]);
#pragma unroll
                        for (int k = 0; k < ORDER - 1; k++) {
                            T next = op_add(own_state[k + 1], op_multiply(up[k + 1], x));
                            own_state[k] = op_subtract(next, op_multiply(down[k + 1], y));
                        }
                        T last = op_multiply(up[ORDER], x);
                        own_state[ORDER - 1] = op_subtract(last, op_multiply(down[ORDER], y));
                        x = y;
                    }
                    samples[lane][at] = x;
                }
            }
#ifndef STATES
            warp_barrier();
            for (int row = 0; row < own; row++) {
                T* into = (T*)a.to + (first + row) * a.length + start;
                if (lane < many) into[lane] = samples[row][lane];
            }
#endif
        }
#ifdef STATES
        if (lane < own) {
#pragma unroll
            for (int k = 0; k < ALL; k++) ((T*)a.to)[line * ALL + k] = state[k];
        }
#endif
    }
}
