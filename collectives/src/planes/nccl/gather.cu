// Concatenates the data of all members on every member. `meet.cu` must precede this text. Lengths
// and positions may be any numbers of bytes.
struct Gathering {
    Meeting meeting;
    u64 send;
    u64 receive;
    // The number of bytes of each member, and their positions in the result.
    u64 counts[MEMBERS];
    u64 starts[MEMBERS];
    // The number of bytes of the longest member.
    u64 most;
};

DEVICE uint4 load(u64 from) {
    if (from % 16 == 0) return *(const uint4 *)from;
    u32 words[4];
    if (from % 4 == 0) {
#pragma unroll
        for (int at = 0; at < 4; at++) words[at] = ((const u32 *)from)[at];
    } else {
#pragma unroll
        for (int at = 0; at < 4; at++) {
            const u8 *bytes = (const u8 *)from + 4 * at;
            words[at] = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (u32)bytes[3] << 24;
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

DEVICE void store(u64 to, uint4 value) {
    u32 words[4] = {value.x, value.y, value.z, value.w};
    if (to % 16 == 0) {
        *(uint4 *)to = value;
    } else if (to % 4 == 0) {
#pragma unroll
        for (int at = 0; at < 4; at++) ((u32 *)to)[at] = words[at];
    } else {
#pragma unroll
        for (int at = 0; at < 16; at++) ((u8 *)to)[at] = (u8)(words[at / 4] >> at % 4 * 8);
    }
}

// The bytes from `at`, a multiple of 16, up to the end.
DEVICE void copy_rest(u64 from, u64 to, u64 at, u64 end) {
    for (u64 byte = at; byte < end; byte++) ((u8 *)to)[byte] = ((const u8 *)from)[byte];
}

KERNEL(THREADS) one_shot_gather(PARAMETER Gathering call) {
    const Meeting &meeting = call.meeting;
    u32 own = (u32)meeting.rank;
    u64 first = 16 * ((u64)blockIdx.x * THREADS + threadIdx.x), step = 16 * (u64)gridDim.x * THREADS;
    u64 slot = slot_of(meeting, own), count = call.counts[own];
    for (u64 at = first; at < count; at += step) {
        if (at + 16 <= count) {
            *(uint4 *)(slot + at) = load(call.send + at);
        } else {
            copy_rest(call.send, slot, at, count);
        }
    }
    if (!meet(meeting)) return;
    // The thread block reads from each member the same range that it wrote for its own member.
    for (u64 at = first; at < call.most; at += step) {
        uint4 values[MEMBERS];
#pragma unroll
        for (u32 member = 0; member < MEMBERS; member++) {
            if (at + 16 <= call.counts[member]) {
                values[member] = *(const uint4 *)(slot_of(meeting, member) + at);
            }
        }
#pragma unroll
        for (u32 member = 0; member < MEMBERS; member++) {
            u64 to = call.receive + call.starts[member];
            if (at + 16 <= call.counts[member]) {
                store(to + at, values[member]);
            } else if (at < call.counts[member]) {
                copy_rest(slot_of(meeting, member), to, at, call.counts[member]);
            }
        }
    }
}
