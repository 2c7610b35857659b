// Combines elements that a stable sort has ordered by slot. `Slot` is the type of slots; a number
// that is not below `a.slots` means no slot. `Element` is the type of elements, and `OP` combines
// two of them.
struct Argument {
    // The slot of each element, the positions of elements in the order of slots, the elements, and
    // the result.
    u64 slots_of, order, values, to;
    u64 count, slots;
    // Results of the tiles: one `Part` each.
    u64 parts;
    // Slots are computed from positions in tables of `length` elements. The tables begin `apart`
    // elements from each other; point `i` has table `i / inner % tables`.
    u64 positions, length, inner, tables, apart;
};

#define THREADS 256
#define ITEMS 8
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)

DEVICE Slot slot_at(const Argument& a, u64 rank) {
    return ((const Slot*)a.slots_of)[((const i64*)a.order)[rank]];
}

// Converts positions to slots; positions outside of their tables have none.
KERNEL(THREADS) grouped_slots(const Argument a) {
    u64 step = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < a.count; i += step) {
        u64 position = ((const u64*)a.positions)[i];
        u64 first = a.tables > 1 ? i / a.inner % a.tables * a.apart : 0;
        ((Slot*)a.slots_of)[i] = (Slot)(position < a.length ? first + position : a.slots);
    }
}

// Writes the last element of each slot to the slot.
KERNEL(THREADS) grouped_last(const Argument a) {
    u64 step = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < a.count; i += step) {
        u64 from = ((const i64*)a.order)[i];
        Slot slot = ((const Slot*)a.slots_of)[from];
        bool is_last = i + 1 == a.count || slot_at(a, i + 1) != slot;
        if (is_last && slot < a.slots) ((Element*)a.to)[slot] = ((const Element*)a.values)[from];
    }
}

#ifdef IN_ORDER
// The thread of the first element of each slot combines the elements of the slot strictly in order.
KERNEL(THREADS) grouped_in_order(const Argument a) {
    u64 step = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < a.count; i += step) {
        Slot slot = slot_at(a, i);
        if (slot >= a.slots || (i > 0 && slot_at(a, i - 1) == slot)) continue;
        Element all = ((const Element*)a.to)[slot];
        for (u64 at = i; at < a.count; at++) {
            u64 from = ((const i64*)a.order)[at];
            if (((const Slot*)a.slots_of)[from] != slot) break;
            all = OP(all, ((const Element*)a.values)[from]);
        }
        ((Element*)a.to)[slot] = all;
    }
}
#endif

#ifdef Wide
// Elements are combined as numbers of type `Wide`; `WIDEN` converts to it, and `NARROW` from it.

// The combination of the last elements of a run: those from the last element that begins a slot,
// or all elements if none of them begins a slot.
struct Some {
    Wide value;
    bool is, begins;
};

DEVICE Some joined(Some lower, Some upper) {
    if (upper.begins || !lower.is) return Some{upper.value, upper.is, lower.begins || upper.begins};
    if (!upper.is) return lower;
    return Some{OP(lower.value, upper.value), true, lower.begins};
}

DEVICE Some shuffle_up(Some x, int distance) {
    unsigned flags = (x.is ? 1u : 0u) | (x.begins ? 2u : 0u);
    Wide value = shuffle_up(x.value, distance);
    flags = shuffle_up(flags, distance);
    return Some{value, (flags & 1) != 0, (flags & 2) != 0};
}

// The result of a tile: the combination of the elements before the first that begins a slot, and
// that of the elements from the last that begins a slot.
struct Part {
    Wide before, since;
    bool has_before, begins;
};

DEVICE void put_slot(const Argument& a, Slot slot, Wide value) {
    if (slot < a.slots) ((Element*)a.to)[slot] = NARROW(value);
}

// Each thread has elements that follow each other in the order of slots. The old value of a slot is
// combined with the first of its elements. The thread that finds the end of a slot writes it. The
// combined pairs depend on the order alone, so sums have the same bits each time.
KERNEL(THREADS) grouped_tiles(const Argument a) {
    SHARED alignas(16) char memory[WARPS * sizeof(Wide)];
    SHARED u8 flags[WARPS];
    Wide* totals = (Wide*)memory;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u64 first = (u64)blockIdx.x * TILE + threadIdx.x * ITEMS;
    // The slot of the element before the thread's elements; no earlier thread has written it.
    Slot former = first > 0 && first < a.count ? slot_at(a, first - 1) : (Slot)0;
    Slot slot = former;
    Some open = Some{Wide(), false, false};
    Wide early = Wide();
    bool has_early = false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        u64 rank = first + i;
        if (rank < a.count) {
            u64 from = ((const i64*)a.order)[rank];
            Slot own = ((const Slot*)a.slots_of)[from];
            Wide value = WIDEN(((const Element*)a.values)[from]);
            if (rank == 0 || own != slot) {
                if (open.begins) {
                    put_slot(a, slot, open.value);
                } else if (open.is) {
                    early = open.value;
                    has_early = true;
                }
                if (own < a.slots) value = OP(WIDEN(((const Element*)a.to)[own]), value);
                open = Some{value, true, true};
            } else {
                open = Some{open.is ? OP(open.value, value) : value, true, open.begins};
            }
            slot = own;
        }
    }
    Some up_to = open;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        Some lower = shuffle_up(up_to, d);
        if (lane >= d) up_to = joined(lower, up_to);
    }
    Some next = shuffle_up(up_to, 1);
    if (lane == 31) {
        totals[warp] = up_to.value;
        flags[warp] = (up_to.is ? 1 : 0) | (up_to.begins ? 2 : 0);
    }
    barrier();
    Some lower = Some{Wide(), false, false};
    for (int w = 0; w < warp; w++)
        lower = joined(lower, Some{totals[w], (flags[w] & 1) != 0, (flags[w] & 2) != 0});
    if (lane > 0) lower = joined(lower, next);
    Part* part = (Part*)a.parts + blockIdx.x;
    if (open.begins) {
        // The slot that is open before this thread's elements ends among them.
        Wide all = lower.value;
        if (has_early) all = lower.is ? OP(lower.value, early) : early;
        if (lower.begins) {
            put_slot(a, former, all);
        } else {
            part->before = all;
            part->has_before = lower.is || has_early;
        }
    }
    if (threadIdx.x == THREADS - 1) {
        Some all = joined(lower, open);
        part->since = all.value;
        part->begins = all.begins;
    }
}

// Completes the slots that are open at the end of a tile: they end in a later tile, or at the end
// of all elements.
KERNEL(THREADS) grouped_ends(const Argument a) {
    u64 tiles = (a.count + TILE - 1) / TILE;
    u64 tile = (u64)blockIdx.x * THREADS + threadIdx.x;
    const Part* parts = (const Part*)a.parts;
    if (tile >= tiles || !parts[tile].begins) return;
    Wide all = parts[tile].since;
    for (u64 at = tile + 1; at < tiles; at++) {
        const Part& part = parts[at];
        if (!part.begins) {
            all = OP(all, part.since);
            continue;
        }
        if (part.has_before) all = OP(all, part.before);
        break;
    }
    u64 last = tile * TILE + TILE - 1;
    put_slot(a, slot_at(a, last < a.count ? last : a.count - 1), all);
}
#endif
