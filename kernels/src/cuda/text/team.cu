// Exchange of values between the threads of a team, and between the thread blocks of a chunked
// loop. `F` is a fold: it has a type `F::T` and a function `F::join(T, T)`, whose left argument is
// always from the lower virtual lane.

//# Lanes
template <class T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Lanes {
    T lane[N];
};

//# load_lanes
template <class T, int N> DEVICE void load_lanes(T (&to)[N], const char* from) {
    Lanes<T, N> lanes = *(const Lanes<T, N>*)from;
#pragma unroll
    for (int k = 0; k < N; k++) to[k] = lanes.lane[k];
}

//# store_lanes
template <class T, int N> DEVICE void store_lanes(char* to, const T (&from)[N]) {
    Lanes<T, N> lanes;
#pragma unroll
    for (int k = 0; k < N; k++) lanes.lane[k] = from[k];
    *(Lanes<T, N>*)to = lanes;
}

// Combines the virtual lanes of a thread pairwise and returns the result.
//# join_lanes
template <class F, int N> DEVICE typename F::T join_lanes(typename F::T (&x)[N]) {
#pragma unroll
    for (int d = 1; d < N; d *= 2) {
#pragma unroll
        for (int k = 0; k + d < N; k += 2 * d) x[k] = F::join(x[k], x[k + d]);
    }
    return x[0];
}

// Combines the values of the threads of a row team pairwise; every thread gets the result.
// `pool` is shared memory for one value of each warp.
//# join_row
template <class F, int TEAM> DEVICE typename F::T join_row(typename F::T x, char* pool) {
    typedef typename F::T T;
    constexpr int WIDTH = TEAM < 32 ? TEAM : 32;
    int lane = threadIdx.x % WIDTH;
#pragma unroll
    for (int d = 1; d < WIDTH; d *= 2) {
        T other = shuffle_down(x, d, WIDTH);
        if (lane % (2 * d) == 0) x = F::join(x, other);
    }
    if (TEAM <= 32) return shuffle_from(x, 0, WIDTH);
    T* shared = (T*)pool;
    int warp = threadIdx.x / 32, first = warp / (TEAM / 32) * (TEAM / 32);
    barrier();
    if (lane == 0) shared[warp] = x;
    barrier();
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

// The same for column teams: thread `t` of a team has column `x` of `ACROSS`.
//# join_columns
template <class F, int TEAM, int ACROSS, int N>
DEVICE void join_columns(typename F::T (&v)[N], char* pool, int t, int x) {
    typedef typename F::T T;
    T* shared = (T*)pool;
    for (int d = 1; d < TEAM; d *= 2) {
        barrier();
#pragma unroll
        for (int k = 0; k < N; k++) shared[(t * ACROSS + x) * N + k] = v[k];
        barrier();
        if (t % (2 * d) == 0) {
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] = F::join(v[k], shared[((t + d) * ACROSS + x) * N + k]);
        }
    }
    barrier();
    if (t == 0) {
#pragma unroll
        for (int k = 0; k < N; k++) shared[x * N + k] = v[k];
    }
    barrier();
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = shared[x * N + k];
}

// Whether this thread block is the last of `chunks` that call this; the counter is then 0 again.
//# is_last
DEVICE bool is_last(u32* counter, u32 chunks) {
    SHARED u32 before;
    fence();
    barrier();
    if (threadIdx.x == 0) before = atomic_next(counter, chunks - 1);
    barrier();
    fence();
    return before == chunks - 1;
}

// Waits until `chunks` thread blocks have called this for the `round`th time.
//# meet
DEVICE void meet(u32* counter, u32 chunks, u32 round) {
    fence();
    barrier();
    if (threadIdx.x == 0) {
        atomic_add(counter, 1u);
        while (*(volatile u32*)counter < chunks * round) pause();
    }
    barrier();
    fence();
}

// Sets the counters of `meet` to 0 again after all thread blocks have called this.
//# part
DEVICE void part(u32* counter, u32 chunks) {
    if (threadIdx.x == 0 && atomic_next(counter + 1, chunks - 1) == chunks - 1) *counter = 0;
}

//# load_fresh
template <class T> DEVICE T load_fresh(const T* from) {
    union {
        T whole;
        u32 words[(sizeof(T) + 3) / 4];
    } parts = {};
    if (sizeof(T) % 4 == 0) {
#pragma unroll
        for (int w = 0; w < (sizeof(T) + 3) / 4; w++)
            parts.words[w] = ((const volatile u32*)from)[w];
        return parts.whole;
    }
    return *from;
}
