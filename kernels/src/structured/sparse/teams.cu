// Operations in which threads share the entries of a row. A team of TEAM neighbouring threads has a
// row; then all threads of the thread block have each of its long rows. Teams of one thread are for
// short rows, which they go through in order.
#define ROWS (THREADS / TEAM)
#define LONG (64 * TEAM)

// The threads of a row: the number of this thread among them, and how many they are.
struct Team {
    u32 lane, threads;
    // Numbers of the warps, for the threads of a block.
    u32* counts;
};

// Whether any thread of the warp, or of the block, has work. All threads ask as often.
DEVICE bool go_on(const Team& team, bool has_work) {
    return team.threads == THREADS ? has_work : ballot(has_work) != 0;
}

// How many threads of the team before this one have a flag, and how many of the team have it.
DEVICE u32 before(const Team& team, bool flag, u32& total) {
    u32 lane = threadIdx.x % 32, flags = ballot(flag);
    if (team.threads != THREADS) {
        u32 own = (flags >> (lane - team.lane)) & ((1u << TEAM) - 1);
        total = count_ones(own);
        return count_ones(own & ((1u << team.lane) - 1));
    }
    barrier();
    if (lane == 0) team.counts[threadIdx.x / 32] = count_ones(flags);
    barrier();
    u32 sum = 0;
    total = 0;
    for (u32 warp = 0; warp < THREADS / 32; warp++) {
        if (warp < threadIdx.x / 32) sum += team.counts[warp];
        total += team.counts[warp];
    }
    return sum + count_ones(flags & ((1u << lane) - 1));
}

DEVICE u64 length_of(const Pattern& p, u64 row) { return end_of(p, row) - begin_of(p, row); }

// A kernel that calls `ALONE(argument, row)` or `NAME(argument, row, team)` for each row of A; a
// long row has no entries for the teams. `LENGTH` is that of a row.
#if TEAM == 1
#define SHORT(ALONE, NAME) \
    if (is_row && !is_long) ALONE(a, own);
#else
#define SHORT(ALONE, NAME) NAME(a, is_row && !is_long ? own : NONE, team);
#endif
#define TEAMS(ALONE, NAME) \
    SHARED u32 counts[THREADS / 32]; \
    u64 first = (u64)blockIdx.x * ROWS; \
    u64 own = first + threadIdx.x / TEAM; \
    bool is_row = own < a.a.rows; \
    bool is_long = is_row && LENGTH(own) > LONG; \
    Team team = {threadIdx.x % TEAM, TEAM, counts}; \
    SHORT(ALONE, NAME) \
    if (barrier_all(!is_long)) return; \
    team.lane = threadIdx.x; \
    team.threads = THREADS; \
    for (u64 row = first; row < first + ROWS && row < a.a.rows; row++) { \
        if (LENGTH(row) > LONG) NAME(a, row, team); \
    }

#define NONE (~(u64)0)
#define BOUNDS(p, begin, end) \
    u64 begin = row == NONE ? 0 : begin_of(p, row), end = row == NONE ? 0 : end_of(p, row);

#if defined(COUNT_KEPT) || defined(KEEP)
#define LENGTH(row) length_of(a.a, row)

// Counts the entries of a row for which the mask holds; their elements are copied if a result has
// rows for them.
DEVICE void keep_row(const Argument& a, u64 row, const Team& team) {
    BOUNDS(a.a, begin, end)
    u64 kept = 0;
#ifdef KEEP
    BOUNDS(a.result, to, stop)
#endif
    for (u64 base = begin; go_on(team, base < end); base += team.threads) {
        u64 i = base + team.lane;
        bool is_kept = i < end && ((const u8*)a.x)[i] != 0;
        u32 total;
        u64 at = kept + before(team, is_kept, total);
#ifdef KEEP
        if (is_kept && to + at < stop) ((T*)a.to)[to + at] = ((const T*)a.a_values)[i];
#endif
        kept += total;
    }
#ifdef COUNT_KEPT
    if (row != NONE && team.lane == 0) ((i64*)a.to)[row] = (i64)kept;
#endif
}

DEVICE void keep_alone(const Argument& a, u64 row) {
    BOUNDS(a.a, begin, end)
#ifdef KEEP
    BOUNDS(a.result, to, stop)
    for (; begin < end && to < stop; begin++) {
        if (((const u8*)a.x)[begin] != 0) ((T*)a.to)[to++] = ((const T*)a.a_values)[begin];
    }
#else
    i64 kept = 0;
    for (; begin < end; begin++) kept += ((const u8*)a.x)[begin] != 0;
    ((i64*)a.to)[row] = kept;
#endif
}

#ifdef COUNT_KEPT
KERNEL(THREADS) count_kept(const Argument a) { TEAMS(keep_alone, keep_row) }
#else
KERNEL(THREADS) keep(const Argument a) { TEAMS(keep_alone, keep_row) }
#endif
#endif

#ifdef FOLD
#define LENGTH(row) length_of(a.a, row)

// Adds the value of the thread `other` places after this one; a value counts if it has one.
DEVICE void combine(S& sum, bool& has, u32 other) {
    S next = shuffle_down(sum, other);
    bool has_next = shuffle_down((u32)has, other) != 0;
    if (has_next) sum = has ? COMBINE(sum, next) : next;
    has |= has_next;
}

DEVICE void fold_row(const Argument& a, u64 row, const Team& team) {
    SHARED alignas(16) char memory[THREADS / 32 * sizeof(S)];
    SHARED bool have[THREADS / 32];
    BOUNDS(a.a, begin, end)
    S sum = S();
    bool has = false;
    for (u64 i = begin + team.lane; i < end; i += team.threads) {
        S value = WIDE(((const T*)a.a_values)[i]);
        sum = has ? COMBINE(sum, value) : value;
        has = true;
    }
    bool is_block = team.threads == THREADS;
    for (u32 other = (is_block ? 32 : TEAM) / 2; other > 0; other /= 2) combine(sum, has, other);
    if (is_block) {
        // The first warp has entries; others may have none.
        S* sums = (S*)memory;
        barrier();
        if (threadIdx.x % 32 == 0) {
            sums[threadIdx.x / 32] = sum;
            have[threadIdx.x / 32] = has;
        }
        barrier();
        for (u32 warp = 1; warp < THREADS / 32; warp++) {
            if (threadIdx.x == 0 && have[warp]) sum = COMBINE(sum, sums[warp]);
        }
    }
    if (row != NONE && team.lane == 0) ((T*)a.to)[row] = has ? NARROW(sum) : T();
}

DEVICE void fold_alone(const Argument& a, u64 row) {
    BOUNDS(a.a, at, end)
    T result = T();
    if (at < end) {
        S sum = WIDE(((const T*)a.a_values)[at]);
        for (at++; at < end; at++) sum = COMBINE(sum, WIDE(((const T*)a.a_values)[at]));
        result = NARROW(sum);
    }
    ((T*)a.to)[row] = result;
}

KERNEL(THREADS) fold(const Argument a) { TEAMS(fold_alone, fold_row) }
#endif

#if defined(UNION_COUNT) || defined(UNION)
#define LENGTH(row) (length_of(a.a, row) + length_of(a.b, row))

// The columns of two sorted rows without duplicates. A column stands behind the smaller ones of
// both rows, of which those that both have count once.
DEVICE void unite(const Argument& a, u64 row, const Team& team) {
    BOUNDS(a.a, a_begin, a_end)
    BOUNDS(a.b, b_begin, b_end)
    u64 common = 0;
    u32 total;
#ifdef UNION
    BOUNDS(a.result, begin, end)
    for (u64 base = a_begin; go_on(team, base < a_end); base += team.threads) {
        u64 i = base + team.lane;
        I column = i < a_end ? column_of(a.a, i) : 0;
        u64 j = i < a_end ? lower(a.b, b_begin, b_end, column) : b_end;
        u64 found = common + before(team, j < b_end && column_of(a.b, j) == column, total);
        u64 at = begin + (i - a_begin) + (j - b_begin) - found;
        if (i < a_end && at < end) ((I*)a.to)[at] = column;
        common += total;
    }
    common = 0;
#endif
    for (u64 base = b_begin; go_on(team, base < b_end); base += team.threads) {
        u64 j = base + team.lane;
        I column = j < b_end ? column_of(a.b, j) : 0;
        u64 i = j < b_end ? lower(a.a, a_begin, a_end, column) : a_end;
        bool is_common = i < a_end && column_of(a.a, i) == column;
        u64 found = common + before(team, is_common, total);
#ifdef UNION
        u64 at = begin + (i - a_begin) + (j - b_begin) - found;
        if (j < b_end && !is_common && at < end) ((I*)a.to)[at] = column;
#endif
        common += total;
    }
#ifdef UNION_COUNT
    u64 count = (a_end - a_begin) + (b_end - b_begin) - common;
    if (row != NONE && team.lane == 0) ((i64*)a.to)[row] = (i64)count;
#endif
}

DEVICE void unite_alone(const Argument& a, u64 row) {
    BOUNDS(a.a, i, i_end)
    BOUNDS(a.b, j, j_end)
#ifdef UNION
    BOUNDS(a.result, begin, end)
#endif
    u64 count = 0;
    for (; i < i_end || j < j_end; count++) {
        I column;
        if (j >= j_end) column = column_of(a.a, i++);
        else if (i >= i_end) column = column_of(a.b, j++);
        else {
            I left = column_of(a.a, i), right = column_of(a.b, j);
            column = left < right ? left : right;
            i += left <= right;
            j += right <= left;
        }
#ifdef UNION
        if (begin + count < end) ((I*)a.to)[begin + count] = column;
#endif
    }
#ifdef UNION_COUNT
    ((i64*)a.to)[row] = (i64)count;
#endif
}

#ifdef UNION_COUNT
KERNEL(THREADS) union_count(const Argument a) { TEAMS(unite_alone, unite) }
#else
KERNEL(THREADS) union_columns(const Argument a) { TEAMS(unite_alone, unite) }
#endif
#endif
