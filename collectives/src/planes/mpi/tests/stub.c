/* An MPI library for tests of the table: it accepts only its own handles and does nothing.
 * OPEN_MPI, MPICH or STANDARD selects the interface. */
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#if defined(MPICH)
typedef int Handle;
#define WORLD 0x44000000
#define BYTE 0x4c00010d
#define ERRORS_RETURN 0x54000001
#define NO_REQUEST 0x2c000000
#define TAG_LIMIT 0x64400001
#define LEVELS {0, 1, 2, 3}
#define TRUNCATED 14
#define DUPLICATE ((Handle)0x84000007)
#define REQUEST ((Handle)0xac000003)
#define IN_PLACE ((void *)-1)
#define VERSION "Intel(R) MPI Library 2021.13 for Linux* OS"
#elif defined(STANDARD)
typedef void *Handle;
#define WORLD ((Handle)0x101)
#define BYTE ((Handle)0x247)
#define ERRORS_RETURN ((Handle)0x143)
#define NO_REQUEST ((Handle)0x180)
#define TAG_LIMIT 501
#define LEVELS {0, 1024, 2048, 4096}
#define TRUNCATED 15
#define DUPLICATE ((Handle)0x7fff12345678)
#define REQUEST ((Handle)0x7fff87654320)
#define IN_PLACE ((void *)1)
#define VERSION "A library of the standard's interface"
int MPI_Abi_get_version(int *major, int *minor) { *major = 1; *minor = 0; return 0; }
#else
typedef void *Handle;
char ompi_mpi_comm_world[8], ompi_mpi_byte[8], ompi_mpi_errors_return[8], ompi_request_null[8];
#define WORLD ((Handle)ompi_mpi_comm_world)
#define BYTE ((Handle)ompi_mpi_byte)
#define ERRORS_RETURN ((Handle)ompi_mpi_errors_return)
#define NO_REQUEST ((Handle)ompi_request_null)
#define TAG_LIMIT 0
#define LEVELS {0, 1, 2, 3}
#define TRUNCATED 15
#define DUPLICATE ((Handle)0x7fff12345678)
#define REQUEST ((Handle)0x7fff87654320)
#define IN_PLACE ((void *)1)
#define VERSION "Open MPI v4.1.4"
#endif

#define UNDEFINED (-32766)
#define SPLIT_COLOR 4
#define SPLIT_KEY 6
#define WRONG 99
#define EXPECT(condition) if (!(condition)) return WRONG

/* Set by the tests: the level of threads from 0 to 3, whether this is the main thread, and whether
 * the library is initialised; if it is not, its initialisation never ends. */
int stub_level = 3, stub_is_main = 1, stub_is_initialised = 1, stub_is_finalised = 0;
/* Read by the tests: the number of communicators that were made and not freed. */
int stub_communicators = 0;

static int levels[4] = LEVELS;
static int limit = 1 << 20;

int MPI_Get_library_version(char *text, int *len) {
    strcpy(text, VERSION);
    *len = (int)strlen(VERSION);
    return 0;
}
int MPI_Initialized(int *flag) { *flag = stub_is_initialised; return 0; }
int MPI_Finalized(int *flag) { *flag = stub_is_finalised; return 0; }
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    EXPECT(required == levels[3]);
    while (!stub_is_initialised) sleep(1);
    *provided = levels[stub_level];
    return 0;
}
int MPI_Query_thread(int *provided) { *provided = levels[stub_level]; return 0; }
int MPI_Is_thread_main(int *flag) { *flag = stub_is_main; return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Abort(Handle comm, int code) { return WRONG; }
int MPI_Comm_dup(Handle comm, Handle *made) {
    EXPECT(comm == WORLD || comm == DUPLICATE);
    *made = DUPLICATE;
    stub_communicators++;
    return 0;
}
int MPI_Comm_rank(Handle comm, int *rank) { EXPECT(comm == WORLD); *rank = 2; return 0; }
int MPI_Comm_size(Handle comm, int *size) { EXPECT(comm == WORLD); *size = 7; return 0; }
int MPI_Comm_get_attr(Handle comm, int key, void *value, int *flag) {
    EXPECT(comm == DUPLICATE && key == TAG_LIMIT);
    *(int **)value = &limit;
    *flag = 1;
    return 0;
}
int MPI_Comm_set_errhandler(Handle comm, Handle handler) {
    EXPECT((comm == DUPLICATE || comm == WORLD) && handler == ERRORS_RETURN);
    return 0;
}
int MPI_Bcast(void *data, int count, Handle type, int root, Handle comm) {
    EXPECT(type == BYTE && comm == DUPLICATE && root == 3);
    memset(data, 'b', (size_t)count);
    return 0;
}
int MPI_Isend(const void *data, int count, Handle type, int to, int tag, Handle comm, Handle *request) {
    EXPECT(type == BYTE && comm == DUPLICATE && to == 5 && tag == 11 && *request == NO_REQUEST);
    *request = REQUEST;
    return 0;
}
int MPI_Irecv(void *data, int count, Handle type, int from, int tag, Handle comm, Handle *request) {
    EXPECT(type == BYTE && comm == DUPLICATE && from == 5 && tag == 11 && *request == NO_REQUEST);
    memset(data, 'r', (size_t)count);
    *request = REQUEST;
    return 0;
}
/* Of seven members with parts of 1, 2 .. 7 bytes, or of 3 bytes each, as the root 3 of a gathering and
 * as another of a scatter. */
static int is_parts(const int *counts, const int *offsets) {
    for (int member = 0, offset = 0; member < 7; offset += ++member)
        if (counts[member] != member + 1 || offsets[member] != offset) return 0;
    return 1;
}
static int started(int is_right, Handle comm, Handle *request) {
    EXPECT(is_right && comm == DUPLICATE && *request == NO_REQUEST);
    *request = REQUEST;
    return 0;
}
int MPI_Comm_split(Handle comm, int color, int key, Handle *made) {
    EXPECT(comm == DUPLICATE && key == SPLIT_KEY);
    EXPECT(color == SPLIT_COLOR || color == UNDEFINED);
    *made = DUPLICATE;
    stub_communicators += color == SPLIT_COLOR;
    return 0;
}
int MPI_Comm_free(Handle *comm) {
    EXPECT(*comm == DUPLICATE && !stub_is_finalised);
    stub_communicators--;
    return 0;
}
int MPI_Ibarrier(Handle comm, Handle *request) { return started(1, comm, request); }
int MPI_Ibcast(void *data, int count, Handle type, int root, Handle comm, Handle *request) {
    memset(data, 'B', (size_t)count);
    return started(type == BYTE && root == 3, comm, request);
}
int MPI_Iallgather(const void *from, int sent, Handle sent_type, void *to, int count, Handle type,
                   Handle comm, Handle *request) {
    memset(to, 'g', 7 * (size_t)count);
    return started(from == IN_PLACE && type == BYTE && count == 3, comm, request);
}
int MPI_Iallgatherv(const void *from, int sent, Handle sent_type, void *to, const int *counts,
                    const int *offsets, Handle type, Handle comm, Handle *request) {
    memset(to, 'G', 28);
    return started(from == IN_PLACE && type == BYTE && is_parts(counts, offsets), comm, request);
}
int MPI_Ialltoallv(const void *from, const int *counts, const int *offsets, Handle type, void *to,
                   const int *to_counts, const int *to_offsets, Handle to_type, Handle comm,
                   Handle *request) {
    memcpy(to, from, 28);
    int is_right = is_parts(counts, offsets) && is_parts(to_counts, to_offsets);
    return started(is_right && type == BYTE && to_type == BYTE, comm, request);
}
int MPI_Iscatterv(const void *from, const int *counts, const int *offsets, Handle type, void *to,
                  int count, Handle to_type, int root, Handle comm, Handle *request) {
    int is_root = from && to == IN_PLACE && is_parts(counts, offsets) && type == BYTE;
    int is_other = !from && !counts && !offsets && count == 3 && to_type == BYTE;
    if (is_other) memset(to, 's', (size_t)count);
    return started((is_root || is_other) && root == 3, comm, request);
}
int MPI_Igatherv(const void *from, int count, Handle type, void *to, const int *counts,
                 const int *offsets, Handle to_type, int root, Handle comm, Handle *request) {
    int is_root = from == IN_PLACE && is_parts(counts, offsets) && to_type == BYTE;
    int is_other = !to && !counts && !offsets && count == 3 && type == BYTE;
    if (is_root) memset(to, 'a', 28);
    return started((is_root || is_other) && root == 3, comm, request);
}
/* The first test of a request finds nothing, the second that it is over, the third an error. */
int MPI_Test(Handle *request, int *flag, void *status) {
    static int turn;
    EXPECT(*request == REQUEST);
    *flag = turn > 0;
    memset(status, 0x11, 20);
    if (turn == 1) *request = NO_REQUEST;
    return turn++ == 2 ? TRUNCATED + 100 : 0;
}
int MPI_Iprobe(int from, int tag, Handle comm, int *flag, void *status) {
    EXPECT(from == 5 && tag == 11 && comm == DUPLICATE);
    memset(status, 0x11, 20);
    *flag = 1;
    return 0;
}
int MPI_Cancel(Handle *request) { EXPECT(*request == REQUEST); return 0; }
int MPI_Get_count(const void *status, Handle type, int *count) {
    EXPECT(type == BYTE && *(const int *)status == 0x11111111);
    *count = 77;
    return 0;
}
int MPI_Error_class(int code, int *class) { *class = code - 100; return 0; }
#ifndef INCOMPLETE
int MPI_Error_string(int code, char *text, int *len) {
    strcpy(text, "a text of the library");
    *len = (int)strlen(text);
    return 0;
}
#endif
#ifdef CUDA
/* The answers of Open MPI and MPICH about GPU memory. */
int MPIX_Query_cuda_support(void) {
    /* As MPICH does. */
    if (!stub_is_initialised) abort();
    return CUDA;
}
#endif
