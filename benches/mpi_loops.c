/* Plain loops over MPI's own calls, compared with the plane `mpi` by `benches/collectives_mpi.py`.
 *
 * Prints, as process 0: time CALL BYTES PROCESSES MICROSECONDS WHOSE, where WHOSE is
 *   blocking  the blocking call of MPI;
 *   tested    the nonblocking form of the call, tested until it is complete;
 *   same      the calls that the plane makes, if they differ, tested until they are complete. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limit of the plane: up to these bytes in total, `all_reduce` gathers all data everywhere. */
#define WHOLE_BYTES (64 << 10)

static int rank, size;
static char *whole, *other, *scratch;
static int *counts, *places, *equal, *equal_places;

static void finish(MPI_Request *request) {
    for (int over = 0; !over;) MPI_Test(request, &over, MPI_STATUS_IGNORE);
}

static void ping_pong(int len) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(whole, len, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(other, len, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Irecv(other, len, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(whole, len, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void ping_pong_tested(int len) {
    MPI_Request request;
    for (int turn = 0; turn < 2 && rank < 2; turn++) {
        if (turn == rank)
            MPI_Isend(whole, len, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(other, len, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        finish(&request);
    }
}

static void barrier(int len) { MPI_Barrier(MPI_COMM_WORLD); }

static void barrier_tested(int len) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    finish(&request);
}

static void broadcast(int len) { MPI_Bcast(whole, len, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void broadcast_tested(int len) {
    MPI_Request request;
    MPI_Ibcast(whole, len, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void all_gather(int len) {
    int part = len / size;
    MPI_Allgather(other, part, MPI_BYTE, whole, part, MPI_BYTE, MPI_COMM_WORLD);
}

static void all_gather_tested(int len) {
    MPI_Request request;
    int part = len / size;
    MPI_Iallgather(other, part, MPI_BYTE, whole, part, MPI_BYTE, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void gather(int len) {
    int part = len / size;
    MPI_Gather(other, part, MPI_BYTE, whole, part, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void gather_tested(int len) {
    MPI_Request request;
    int part = len / size;
    MPI_Igather(other, part, MPI_BYTE, whole, part, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void all_to_all(int len) {
    int part = len / size;
    MPI_Alltoall(whole, part, MPI_BYTE, other, part, MPI_BYTE, MPI_COMM_WORLD);
}

static void all_to_all_tested(int len) {
    MPI_Request request;
    int part = len / size;
    MPI_Ialltoall(whole, part, MPI_BYTE, other, part, MPI_BYTE, MPI_COMM_WORLD, &request);
    finish(&request);
}

/* Equal parts of `bytes` bytes, one after another. */
static void part_equally(int bytes) {
    for (int member = 0; member < size; member++) {
        equal[member] = bytes;
        equal_places[member] = member * bytes;
    }
}

static void all_to_all_same(int len) {
    MPI_Request request;
    part_equally(len / size);
    MPI_Ialltoallv(whole, equal, equal_places, MPI_BYTE, other, equal, equal_places, MPI_BYTE,
                   MPI_COMM_WORLD, &request);
    finish(&request);
}

static void all_reduce(int len) {
    MPI_Allreduce(MPI_IN_PLACE, whole, len / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void all_reduce_tested(int len) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, whole, len / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);
}

/* Adds the data of all processes in `scratch`, `stride` bytes apart, into `target`. */
static void add(float *restrict target, size_t len, size_t stride) {
    memcpy(target, scratch, len);
    for (int member = 1; member < size; member++) {
        const float *restrict from = (const float *)(scratch + member * stride);
        for (size_t at = 0; at < len / 4; at++) target[at] += from[at];
    }
}

/* As the plane: all data travel to all processes, or each part to the process that adds it. */
static void all_reduce_same(int len) {
    MPI_Request request;
    if ((long)len * size <= WHOLE_BYTES) {
        memcpy(scratch + (size_t)rank * len, whole, len);
        MPI_Iallgather(MPI_IN_PLACE, len, MPI_BYTE, scratch, len, MPI_BYTE, MPI_COMM_WORLD, &request);
        finish(&request);
        add((float *)whole, len, len);
        return;
    }
    int items = len / 4, own;
    for (int member = 0, start = 0; member < size; member++) {
        counts[member] = 4 * (items / size + (member < items % size));
        places[member] = start;
        start += counts[member];
    }
    own = counts[rank];
    part_equally(own);
    MPI_Ialltoallv(whole, counts, places, MPI_BYTE, scratch, equal, equal_places, MPI_BYTE,
                   MPI_COMM_WORLD, &request);
    finish(&request);
    add((float *)(whole + places[rank]), own, own);
    MPI_Iallgatherv(MPI_IN_PLACE, own, MPI_BYTE, whole, counts, places, MPI_BYTE, MPI_COMM_WORLD,
                    &request);
    finish(&request);
}

static void all_reduce_i64(int len) {
    MPI_Allreduce(MPI_IN_PLACE, whole, len / 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void all_reduce_i64_tested(int len) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, whole, len / 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);
}

static const struct {
    const char *name;
    void (*blocking)(int), (*tested)(int), (*same)(int);
} CALLS[] = {
    {"ping_pong", ping_pong, ping_pong_tested, 0},
    {"barrier", barrier, barrier_tested, 0},
    {"broadcast", broadcast, broadcast_tested, 0},
    {"gather", gather, gather_tested, 0},
    {"all_gather", all_gather, all_gather_tested, 0},
    {"all_to_all", all_to_all, all_to_all_tested, all_to_all_same},
    {"all_reduce", all_reduce, all_reduce_tested, all_reduce_same},
    {"all_reduce_i64", all_reduce_i64, all_reduce_i64_tested, 0},
};

static void measure(const char *name, const char *whose, void (*call)(int), int len) {
    int repeat = (1 << 28) / len;
    repeat = repeat < 20 ? 20 : repeat > 10000 ? 10000 : repeat;
    for (int turn = 0; turn < 5; turn++) call(len);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int turn = 0; turn < repeat; turn++) call(len);
    double micros = (MPI_Wtime() - start) * 1e6 / repeat;
    if (rank == 0) printf("time %s %d %d %.2f %s\n", name, len, size, micros, whose);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **words) {
    int longest = count > 1 ? atoi(words[1]) : 1 << 16, provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t room = (size_t)longest + WHOLE_BYTES + 4 * (size_t)size * size;
    whole = malloc(longest);
    other = malloc(longest);
    scratch = malloc(room);
    /* Memory that was never written maps to one page of zeros, which is read faster. */
    memset(whole, 1, longest);
    memset(other, 1, longest);
    memset(scratch, 1, room);
    counts = calloc(size, sizeof *counts);
    places = calloc(size, sizeof *places);
    equal = calloc(size, sizeof *equal);
    equal_places = calloc(size, sizeof *equal_places);
    for (int len = 1 << 10; len <= longest; len *= 8) {
        for (size_t at = 0; at < sizeof CALLS / sizeof *CALLS; at++) {
            measure(CALLS[at].name, "blocking", CALLS[at].blocking, len);
            measure(CALLS[at].name, "tested", CALLS[at].tested, len);
            if (CALLS[at].same) measure(CALLS[at].name, "same", CALLS[at].same, len);
        }
    }
    MPI_Finalize();
    return 0;
}
