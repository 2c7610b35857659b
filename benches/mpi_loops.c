/* Plain loops over MPI's own calls, which `benches/collectives_mpi.py` sets beside the plane `mpi`.
 * Prints, as process 0: time CALL BYTES PROCESSES MICROSECONDS plain */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char *whole, *other;

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

static void all_reduce(int len) {
    MPI_Allreduce(MPI_IN_PLACE, whole, len / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void all_gather(int len) {
    int part = len / size;
    MPI_Allgather(other, part, MPI_BYTE, whole, part, MPI_BYTE, MPI_COMM_WORLD);
}

static void all_to_all(int len) {
    int part = len / size;
    MPI_Alltoall(whole, part, MPI_BYTE, other, part, MPI_BYTE, MPI_COMM_WORLD);
}

static void broadcast(int len) { MPI_Bcast(whole, len, MPI_BYTE, 0, MPI_COMM_WORLD); }

/* The ring of sends and receives that an exchange of parts is without MPI's own collectives. */
static void all_to_all_by_messages(int len) {
    int part = len / size, count = 0;
    MPI_Request requests[2 * size];
    for (int step = 1; step < size; step++) {
        int from = (rank + size - step) % size;
        MPI_Irecv(other + from * part, part, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size;
        MPI_Isend(whole + to * part, part, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    memcpy(other + rank * part, whole + rank * part, part);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static const struct {
    const char *name;
    void (*call)(int);
} CALLS[] = {
    {"ping_pong", ping_pong},   {"all_reduce", all_reduce}, {"all_gather", all_gather},
    {"all_to_all", all_to_all}, {"broadcast", broadcast},   {"exchange", all_to_all_by_messages},
};

int main(int count, char **words) {
    int longest = count > 1 ? atoi(words[1]) : 1 << 16, provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    whole = calloc(1, longest);
    other = calloc(1, longest);
    for (int len = 1 << 10; len <= longest; len *= 8) {
        int repeat = (1 << 26) / len;
        repeat = repeat < 10 ? 10 : repeat > 400 ? 400 : repeat;
        for (size_t at = 0; at < sizeof CALLS / sizeof *CALLS; at++) {
            for (int turn = 0; turn < 5; turn++) CALLS[at].call(len);
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            for (int turn = 0; turn < repeat; turn++) CALLS[at].call(len);
            double micros = (MPI_Wtime() - start) * 1e6 / repeat;
            if (rank == 0)
                printf("time %s %d %d %.2f plain\n", CALLS[at].name, len, size, micros);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
