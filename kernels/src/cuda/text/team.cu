// What the threads of a team, and the blocks of a chunked loop, tell each other. `F` is a fold: its
// type `F::T` and `F::join(T, T)`, which always has the lower lane on the left.

template <class T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Lanes {
    T lane[N];
};

template <class T, int N> __device__ __forceinline__ void load_lanes(T (&to)[N], const char* from) {
    Lanes<T, N> lanes = *(const Lanes<T, N>*)from;
#pragma unroll
    for (int k = 0; k < N; k++) to[k] = lanes.lane[k];
}

template <class T, int N> __device__ __forceinline__ void store_lanes(char* to, const T (&from)[N]) {
    Lanes<T, N> lanes;
#pragma unroll
    for (int k = 0; k < N; k++) lanes.lane[k] = from[k];
    *(Lanes<T, N>*)to = lanes;
}

// Combines the lanes of a thread pairwise; the result is lane 0.
template <class F, int N> __device__ __forceinline__ typename F::T join_lanes(typename F::T (&x)[N]) {
#pragma unroll
    for (int d = 1; d < N; d *= 2) {
#pragma unroll
        for (int k = 0; k + d < N; k += 2 * d) x[k] = F::join(x[k], x[k + d]);
    }
    return x[0];
}

template <class T> __device__ __forceinline__ T from_lane_below(T x, int distance, int width) {
    return by_words(x, [=](unsigned word) { return __shfl_down_sync(0xffffffffu, word, distance, width); });
}

template <class T> __device__ __forceinline__ T from_first_lane(T x, int width) {
    return by_words(x, [=](unsigned word) { return __shfl_sync(0xffffffffu, word, 0, width); });
}

// Combines what the threads of a row team have found, pairwise; every thread gets the result.
// `pool` is shared memory for one value of each warp.
template <class F, int TEAM>
__device__ __forceinline__ typename F::T join_row(typename F::T x, char* pool) {
    typedef typename F::T T;
    constexpr int WIDTH = TEAM < 32 ? TEAM : 32;
    int lane = threadIdx.x % WIDTH;
#pragma unroll
    for (int d = 1; d < WIDTH; d *= 2) {
        T other = from_lane_below(x, d, WIDTH);
        if (lane % (2 * d) == 0) x = F::join(x, other);
    }
    if (TEAM <= 32) return from_first_lane(x, WIDTH);
    T* shared = (T*)pool;
    int warp = threadIdx.x / 32, first = warp / (TEAM / 32) * (TEAM / 32);
    __syncthreads();
    if (lane == 0) shared[warp] = x;
    __syncthreads();
    T found[TEAM < 64 ? 2 : TEAM / 32];
#pragma unroll
    for (int w = 0; w < TEAM / 32; w++) found[w] = shared[first + w];
#pragma unroll
    for (int d = 1; d < TEAM / 32; d *= 2) {
#pragma unroll
        for (int w = 0; w + d < TEAM / 32; w += 2 * d) found[w] = F::join(found[w], found[w + d]);
    }
    return found[0];
}

// The same for teams of columns: thread `t` of a team has column `x` of `ACROSS`.
template <class F, int TEAM, int ACROSS, int N>
__device__ __forceinline__ void join_columns(typename F::T (&v)[N], char* pool, int t, int x) {
    typedef typename F::T T;
    T* shared = (T*)pool;
    for (int d = 1; d < TEAM; d *= 2) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < N; k++) shared[(t * ACROSS + x) * N + k] = v[k];
        __syncthreads();
        if (t % (2 * d) == 0) {
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] = F::join(v[k], shared[((t + d) * ACROSS + x) * N + k]);
        }
    }
    __syncthreads();
    if (t == 0) {
#pragma unroll
        for (int k = 0; k < N; k++) shared[x * N + k] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = shared[x * N + k];
}

// Whether this block is the last of `chunks` to come here; the counter is 0 again then.
__device__ __forceinline__ bool is_last(unsigned* counter, unsigned chunks) {
    __shared__ unsigned before;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) before = atomicInc(counter, chunks - 1);
    __syncthreads();
    __threadfence();
    return before == chunks - 1;
}

// Waits until `chunks` blocks have come here for the `round`th time.
__device__ __forceinline__ void meet(unsigned* counter, unsigned chunks, unsigned round) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1u);
        while (*(volatile unsigned*)counter < chunks * round) __nanosleep(20);
    }
    __syncthreads();
    __threadfence();
}

// Makes the counters of `meet` 0 again, once all blocks are through.
__device__ __forceinline__ void part(unsigned* counter, unsigned chunks) {
    if (threadIdx.x == 0 && atomicInc(counter + 1, chunks - 1) == chunks - 1) *counter = 0;
}

template <class T> __device__ __forceinline__ T load_fresh(const T* from) {
    union {
        T whole;
        unsigned words[(sizeof(T) + 3) / 4];
    } bits = {};
    if (sizeof(T) % 4 == 0) {
#pragma unroll
        for (int w = 0; w < (sizeof(T) + 3) / 4; w++)
            bits.words[w] = ((const volatile unsigned*)from)[w];
        return bits.whole;
    }
    return *from;
}
