// Combines an element into a table that other threads combine into at the same time. The order is
// arbitrary, so the result of the combination must not depend on it.
//# exchange_until
template <class T, class F> DEVICE void exchange_until(T* place, F join) {
    if (sizeof(T) < 4) {
        u64 address = (u64)place;
        u32* word = (u32*)(address & ~3ull);
        u32 shift = 8 * (u32)(address & 3), mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
        u32 old = *word, seen;
        do {
            seen = old;
            T own;
            u32 part = (seen & mask) >> shift;
            memcpy(&own, &part, sizeof(T));
            own = join(own);
            part = 0;
            memcpy(&part, &own, sizeof(T));
            old = atomic_replace(word, seen, (seen & ~mask) | (part << shift));
        } while (old != seen);
    } else if (sizeof(T) == 4) {
        u32 old = *(u32*)place, seen;
        do {
            seen = old;
            T own;
            memcpy(&own, &seen, 4);
            own = join(own);
            u32 bits;
            memcpy(&bits, &own, 4);
            old = atomic_replace((u32*)place, seen, bits);
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
            old = atomic_replace((u64*)place, seen, bits);
        } while (old != seen);
    }
}
