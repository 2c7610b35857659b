//! The MPI functions in use, typed by the handles of an implementation.

use super::find::Symbols;
use std::ffi::{c_char, c_int, c_void};

/// Declares the table and its loading from one list of functions.
macro_rules! functions {
    ($( $field:ident: $name:ident, fn($($argument:ty),*); )+) => {
        /// One pointer for each function.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Table<H> {
            $( #[doc = concat!("`", stringify!($name), "`")]
               pub(super) $field: unsafe extern "C" fn($($argument),*) -> c_int, )+
        }

        impl<H> Table<H> {
            /// The functions of a library whose handles are of type `H`.
            pub(super) fn load(symbols: &Symbols) -> Result<Table<H>, String> {
                Ok(Table { $( $field: {
                    let name = stringify!($name);
                    let function = symbols
                        .function::<unsafe extern "C" fn($($argument),*) -> c_int>(name);
                    function.ok_or_else(|| format!("{} has no {name}", symbols.origin))?
                } ),+ })
            }

            /// The functions of the library that the program is linked with.
            ///
            /// # Safety
            /// The library's handles are of type `H`.
            #[cfg(feature = "mpi")]
            pub(super) unsafe fn linked() -> Table<H> {
                Table { $( $field: {
                    let function = ::mpi::ffi::$name as *const ();
                    // SAFETY: the types of the functions are those of the standard; the caller
                    // promises the type of the handles.
                    unsafe {
                        std::mem::transmute::<
                            *const (),
                            unsafe extern "C" fn($($argument),*) -> c_int,
                        >(function)
                    }
                } ),+ }
            }
        }
    };
}

functions! {
    initialized: MPI_Initialized, fn(*mut c_int);
    finalized: MPI_Finalized, fn(*mut c_int);
    init_thread: MPI_Init_thread, fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    query_thread: MPI_Query_thread, fn(*mut c_int);
    is_thread_main: MPI_Is_thread_main, fn(*mut c_int);
    finalize: MPI_Finalize, fn();
    comm_dup: MPI_Comm_dup, fn(H, *mut H);
    comm_rank: MPI_Comm_rank, fn(H, *mut c_int);
    comm_size: MPI_Comm_size, fn(H, *mut c_int);
    comm_split: MPI_Comm_split, fn(H, c_int, c_int, *mut H);
    comm_free: MPI_Comm_free, fn(*mut H);
    comm_get_attr: MPI_Comm_get_attr, fn(H, c_int, *mut c_void, *mut c_int);
    comm_set_errhandler: MPI_Comm_set_errhandler, fn(H, H);
    bcast: MPI_Bcast, fn(*mut c_void, c_int, H, c_int, H);
    isend: MPI_Isend, fn(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    irecv: MPI_Irecv, fn(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    ibarrier: MPI_Ibarrier, fn(H, *mut H);
    ibcast: MPI_Ibcast, fn(*mut c_void, c_int, H, c_int, H, *mut H);
    iallgather: MPI_Iallgather,
        fn(*const c_void, c_int, H, *mut c_void, c_int, H, H, *mut H);
    iallgatherv: MPI_Iallgatherv,
        fn(*const c_void, c_int, H, *mut c_void, *const c_int, *const c_int, H, H, *mut H);
    ialltoallv: MPI_Ialltoallv,
        fn(*const c_void, *const c_int, *const c_int, H,
            *mut c_void, *const c_int, *const c_int, H, H, *mut H);
    iscatterv: MPI_Iscatterv,
        fn(*const c_void, *const c_int, *const c_int, H, *mut c_void, c_int, H, c_int, H, *mut H);
    igatherv: MPI_Igatherv,
        fn(*const c_void, c_int, H, *mut c_void, *const c_int, *const c_int, H, c_int, H, *mut H);
    iprobe: MPI_Iprobe, fn(c_int, c_int, H, *mut c_int, *mut c_void);
    test: MPI_Test, fn(*mut H, *mut c_int, *mut c_void);
    cancel: MPI_Cancel, fn(*mut H);
    get_count: MPI_Get_count, fn(*const c_void, H, *mut c_int);
    error_class: MPI_Error_class, fn(c_int, *mut c_int);
    error_string: MPI_Error_string, fn(c_int, *mut c_char, *mut c_int);
}
