// Combines the items of all members, in place, on every member, in the order in which hosts combine
// them (`order.rs`), so that the bits are the same. `items.cu` and `meet.cu` must precede this
// text.
struct Reducing {
    Meeting meeting;
    u64 data;
    u64 bytes;
    // Whether parts are combined along the ring; otherwise by the tree.
    u64 along_ring;
};

// Whether whole items fill 16 bytes, which a thread moves at a time; otherwise it moves one item.
enum : u32 { IS_EVEN = 16 % sizeof(Item) == 0, LANES = IS_EVEN ? 16 / sizeof(Item) : 1 };
struct alignas(IS_EVEN ? 16 : alignof(Item)) Pack {
    Item items[LANES];
};

// Members beyond a power of two are paired at the front.
enum : int {
    LEAVES = MEMBERS >= 16 ? 16 : MEMBERS >= 8 ? 8 : MEMBERS >= 4 ? 4 : 2,
    PAIRS = MEMBERS - LEAVES
};

template <int FIRST, int COUNT> DEVICE Item up_tree(const Item *items) {
    if constexpr (COUNT > 1) {
        Item lower = up_tree<FIRST, COUNT / 2>(items);
        return combine(lower, up_tree<FIRST + COUNT / 2, COUNT / 2>(items));
    } else if constexpr (FIRST < PAIRS) {
        return combine(items[2 * FIRST], items[2 * FIRST + 1]);
    } else {
        return items[FIRST + PAIRS];
    }
}

// Combines the members' items, which are in the order of combination.
DEVICE Item all_of(const Item *items, bool along_ring) {
    if (!along_ring) return up_tree<0, LEAVES>(items);
    Item result = items[0];
#pragma unroll
    for (int at = 1; at < MEMBERS; at++) result = combine(result, items[at]);
    return result;
}

// The first member in an item's order. Parts are nearly equal runs of items, the first few longer
// by one; the order of part `i` starts with member `i + 1`.
DEVICE u32 first_member(u32 item, u32 items, bool along_ring) {
    if (!along_ring) return 0;
    u32 each = items / MEMBERS, longer = items % MEMBERS, border = longer * (each + 1);
    u32 part = item < border ? item / (each + 1) : longer + (item - border) / each;
    return (part + 1) % MEMBERS;
}

KERNEL(THREADS) one_shot_reduce(PARAMETER Reducing call) {
    const Meeting &meeting = call.meeting;
    bool along_ring = call.along_ring != 0;
    u32 items = (u32)(call.bytes / sizeof(Item)), packs = (items + LANES - 1) / LANES;
    u32 first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    Item *data = (Item *)call.data, *slot = (Item *)slot_of(meeting, (u32)meeting.rank);
    // Slots are aligned to packs; data is aligned to items.
    bool is_aligned = call.data % alignof(Pack) == 0;
    for (u32 pack = first; pack < packs; pack += step) {
        u32 at = pack * LANES;
        if (is_aligned && at + LANES <= items) {
            ((Pack *)slot)[pack] = ((const Pack *)data)[pack];
        } else {
            for (u32 item = at; item < at + LANES && item < items; item++) slot[item] = data[item];
        }
    }
    if (!meet(meeting)) return;
    // The thread block reads from each member the same items that it wrote for its own member.
    for (u32 pack = first; pack < packs; pack += step) {
        u32 at = pack * LANES, end = at + LANES;
        u32 member = first_member(at, items, along_ring);
        if (end <= items && member == first_member(end - 1, items, along_ring)) {
            Pack packs_of[MEMBERS], result;
#pragma unroll
            for (u32 other = 0; other < MEMBERS; other++) {
                u64 from = slot_of(meeting, (member + other) % MEMBERS);
                packs_of[other] = ((const Pack *)from)[pack];
            }
#pragma unroll
            for (u32 lane = 0; lane < LANES; lane++) {
                Item all[MEMBERS];
#pragma unroll
                for (int other = 0; other < MEMBERS; other++) {
                    all[other] = packs_of[other].items[lane];
                }
                result.items[lane] = all_of(all, along_ring);
            }
            if (is_aligned) {
                ((Pack *)data)[pack] = result;
            } else {
#pragma unroll
                for (u32 lane = 0; lane < LANES; lane++) data[at + lane] = result.items[lane];
            }
            continue;
        }
        // The last few items, and packs that contain a border between parts.
        for (u32 item = at; item < end && item < items; item++) {
            u32 start = first_member(item, items, along_ring);
            Item all[MEMBERS];
#pragma unroll
            for (u32 other = 0; other < MEMBERS; other++) {
                u64 from = slot_of(meeting, (start + other) % MEMBERS);
                all[other] = ((const Item *)from)[item];
            }
            data[item] = all_of(all, along_ring);
        }
    }
}
