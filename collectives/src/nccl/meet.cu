// How members on several GPUs meet within a kernel. Before this text stands `MEMBERS`: how many
// they are.
//
// Every member has a block of memory that all of them reach: slots for data, of which calls take
// one after the other in turn, then a flag for each pair of a block of threads and a member. A
// member puts its data into its own slot, raises its flag at every member, and waits for all flags
// at its own; then it reads all slots. Flags hold the number of the last call, so that they are
// never lowered.
//
// Why no slot is written while somebody still reads it: whoever raises the flag of call n + 1 has
// done with all of call n, because the calls of a member are kernels of one stream that come one
// after the other. Whoever begins call n + 2, which has the slot of call n where there are two,
// has seen the flags of all members for call n + 1, so all are done with call n. And a member is at
// most one call ahead of another, so that the data for call n is there when its flag says n or
// n + 1. All this is so whatever the lengths of the calls are and however many blocks of threads
// they take: one that waits is enough.
//
// Blocks of threads wait for the same block of other GPUs, and never for one of their own GPU.
#define SLOTS 2
#define SLOT_BYTES (256 << 10)
#define MOST_MEMBERS 16
#define THREADS 512

struct Meeting {
    // The blocks of memory in the order of ranks, as this GPU addresses them.
    u64 memory[MEMBERS];
    // The address of a word that is not zero once the others are not to be waited for.
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

// Waits for a flag; false if it was not to be waited for.
DEVICE bool wait_for(u64 flag, u32 turn, u64 stop) {
    for (u32 look = 1;; look++) {
        u32 seen = load_acquire(flag);
        // The number of calls may overflow.
        if ((i32)(seen - turn) >= 0) return true;
        if (look % 1024 == 0 && load_relaxed(stop) != 0) return false;
    }
}

// What the block of threads has written to its own slot is there for all members, and what theirs
// have written is there for it; false, for all threads, if the call is to end without.
DEVICE bool meet(const Meeting &meeting) {
    // What all threads of the block have written comes before the flag, also for other GPUs: the
    // barrier orders it before the release of the thread that raises it, which is of the whole
    // system. In the same way the acquire comes before what all threads read behind the barrier.
    barrier();
    bool has_met = true;
    if (threadIdx.x < MEMBERS) {
        u32 other = threadIdx.x, own = (u32)meeting.rank, turn = (u32)meeting.turn;
        store_release(flag_of(meeting, other, own), turn);
        has_met = wait_for(flag_of(meeting, own, other), turn, meeting.stop);
    }
    return barrier_all(has_met);
}
