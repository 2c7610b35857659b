// Synchronises members on several GPUs within a kernel. `MEMBERS`, their number, must be defined
// before this text.
//
// Every member has a memory block that all members can access: slots for data, which successive
// calls use in turn, then a flag for each pair of a thread block and a member. A member writes
// its data to its own slot, raises its flag at every member, and waits for all flags in its own
// memory. Then it reads all slots. Flags hold the number of the last call, so they are never
// lowered.
//
// No slot is overwritten while a member still reads it. A member that raises the flag of call n + 1
// has finished call n, because its calls are successive kernels of one stream. A member that starts
// call n + 2, which uses the slot of call n if there are two slots, has seen the flags of all
// members for call n + 1; so all members have finished call n. A member is at most one call ahead
// of another, so the data of call n is present when its flag says n or n + 1. This holds for all
// lengths of calls and numbers of thread blocks: one waiting thread block is enough.
//
// A thread block waits for the same thread block on other GPUs, and never for one of its own GPU.
#define SLOTS 2
#define SLOT_BYTES (256 << 10)
#define MOST_MEMBERS 16
#define THREADS 512

struct Meeting {
    // The memory blocks in rank order, with this GPU's addresses.
    u64 memory[MEMBERS];
    // The address of a word that becomes nonzero when the kernel must stop waiting for the others.
    u64 stop;
    u64 rank;
    // The number of the call, in 32 bits.
    u64 turn;
};

DEVICE u64 slot_of(const Meeting &meeting, u32 member) {
    return meeting.memory[member] + meeting.turn % SLOTS * SLOT_BYTES;
}

DEVICE u64 flag_of(const Meeting &meeting, u32 at, u32 member) {
    u64 flags = meeting.memory[at] + SLOTS * SLOT_BYTES;
    return flags + (blockIdx.x * MOST_MEMBERS + member) * sizeof(u32);
}

// Waits for a flag; false if the wait was stopped.
DEVICE bool wait_for(u64 flag, u32 turn, u64 stop) {
    for (u32 look = 1;; look++) {
        u32 seen = load_acquire(flag);
        // The number of calls may wrap around.
        if ((i32)(seen - turn) >= 0) return true;
        if (look % 1024 == 0 && load_relaxed(stop) != 0) return false;
    }
}

// Makes the data that this thread block has written to its slot visible to all members, and their
// data to this thread block. Returns false to all threads if the wait was stopped.
DEVICE bool meet(const Meeting &meeting) {
    // The flag must follow all writes of the threads of the thread block, on other GPUs
    // too. The barrier orders these writes before the system-wide release of the thread that raises
    // the flag. Likewise, the acquire precedes all reads after the barrier.
    barrier();
    bool has_met = true;
    if (threadIdx.x < MEMBERS) {
        u32 other = threadIdx.x, own = (u32)meeting.rank, turn = (u32)meeting.turn;
        store_release(flag_of(meeting, other, own), turn);
        has_met = wait_for(flag_of(meeting, own, other), turn, meeting.stop);
    }
    return barrier_all(has_met);
}
