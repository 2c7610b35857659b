// Combines an element into a table that other threads combine into at the same time: in any order,
// so only for what does not depend on it.
template <class T, class F> __device__ __forceinline__ void exchange_until(T* place, F join) {
    if (sizeof(T) < 4) {
        u64 address = (u64)place;
        unsigned* word = (unsigned*)(address & ~3ull);
        unsigned shift = 8 * (unsigned)(address & 3), mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
        unsigned old = *word, seen;
        do {
            seen = old;
            T own;
            unsigned part = (seen & mask) >> shift;
            memcpy(&own, &part, sizeof(T));
            own = join(own);
            part = 0;
            memcpy(&part, &own, sizeof(T));
            old = atomicCAS(word, seen, (seen & ~mask) | (part << shift));
        } while (old != seen);
    } else if (sizeof(T) == 4) {
        unsigned old = *(unsigned*)place, seen;
        do {
            seen = old;
            T own;
            memcpy(&own, &seen, 4);
            own = join(own);
            unsigned bits;
            memcpy(&bits, &own, 4);
            old = atomicCAS((unsigned*)place, seen, bits);
        } while (old != seen);
    } else {
        u64 old = *(u64*)place, seen;
        do {
            seen = old;
            T own;
            memcpy(&own, &seen, 8);
            own = join(own);
            u64 bits;
            memcpy(&bits, &own, 8);
            old = atomicCAS((u64*)place, seen, bits);
        } while (old != seen);
    }
}
