/* An MPI library for tests of the table: it knows its handles and does nothing. The interface is
 * chosen by OPEN_MPI, MPICH or STANDARD. */
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
#define VERSION "Open MPI v4.1.4"
#endif

#define WRONG 99
#define EXPECT(condition) if (!(condition)) return WRONG

/* Set by the tests: what threads may do, from 0 to 3, whether this is the main one, and whether the
 * library is initialised; if it is not, its initialisation never ends. */
int stub_level = 3, stub_is_main = 1, stub_is_initialised = 1;

static int levels[4] = LEVELS;
static int limit = 1 << 20;

int MPI_Get_library_version(char *text, int *len) {
    strcpy(text, VERSION);
    *len = (int)strlen(VERSION);
    return 0;
}
int MPI_Initialized(int *flag) { *flag = stub_is_initialised; return 0; }
int MPI_Finalized(int *flag) { *flag = 0; return 0; }
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
    EXPECT(comm == DUPLICATE && handler == ERRORS_RETURN);
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
/* The first test of a request finds nothing, the second that it is over, the third an error. */
int MPI_Test(Handle *request, int *flag, void *status) {
    static int turn;
    EXPECT(*request == REQUEST);
    *flag = turn > 0;
    memset(status, 0x11, 20);
    if (turn == 1) *request = NO_REQUEST;
    return turn++ == 2 ? TRUNCATED + 100 : 0;
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
/* What Open MPI and MPICH say of GPU memory. */
int MPIX_Query_cuda_support(void) { return CUDA; }
#endif
