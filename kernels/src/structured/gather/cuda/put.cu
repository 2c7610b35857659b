// Writing at positions: computes the target positions of values in the device's block, and performs
// the writes that can be done in any order. `Word` is a word as wide as an element, `Element` is
// the type of elements, `Slot` is the type of target positions.
struct Argument {
    u64 positions, values, to;
    // The row of values that writes each target position, counted from one; the target position of
    // each value.
    u64 winners, places;
    // The number of values; rows of values and of the device's block in each stretch; elements of
    // a row; the position of the first row of the block; elements of the block.
    u64 total, rows, extent, inner, first, elements;
};

// The target position of value `i`; `a.elements` if it is outside of the block. `k` receives the
// row of the value in its stretch.
DEVICE u64 place_of(const Argument& a, u64 i, u64& k) {
    u64 row = a.inner == 1 ? i : i / a.inner, column = i - row * a.inner;
    u64 outer = row < a.rows ? 0 : row / a.rows;
    k = row - outer * a.rows;
    u64 at = ((const u64*)a.positions)[i] - a.first;
    return at < a.extent ? (outer * a.extent + at) * a.inner + column : a.elements;
}

#define EACH(i)                                                                                  \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += (u64)gridDim.x * blockDim.x)

#ifdef Word
// The last of several values for a target position wins, in any order of the threads.
KERNEL(256) put_claim(const Argument a) {
    EACH(i) {
        u64 k, place = place_of(a, i, k);
        if (place < a.elements) atomic_max((unsigned*)a.winners + place, (unsigned)k + 1);
    }
}

KERNEL(256) put_write(const Argument a) {
    EACH(i) {
        u64 k, place = place_of(a, i, k);
        if (place < a.elements && ((const unsigned*)a.winners)[place] == (unsigned)k + 1)
            ((Word*)a.to)[place] = ((const Word*)a.values)[i];
    }
}
#endif

#ifdef Slot
KERNEL(256) put_places(const Argument a) {
    EACH(i) {
        u64 k;
        ((Slot*)a.places)[i] = (Slot)place_of(a, i, k);
    }
}
#endif

#ifdef OP
// Combinations in any order: those of integers by an exact operation.
KERNEL(256) put_any_order(const Argument a) {
    EACH(i) {
        u64 k, place = place_of(a, i, k);
        if (place >= a.elements) continue;
        Element value = ((const Element*)a.values)[i];
#ifdef ATOMIC
        ATOMIC((Operand*)a.to + place, (Operand)value);
#else
        exchange_until((Element*)a.to + place, [=](Element own) { return OP(own, value); });
#endif
    }
}
#endif
