//! The table of the variables: a row has a variable's name, the form of its values, its default,
//! the version that introduced it, its group and its documentation.

use super::kinds::{
    CopySize, Count, DeviceList, Fallback, File, Folder, Folders, HostPort, Index, Instructions,
    Ip, Kind, Level, MatrixLibrary, Meeting, Memory, Name, Names, Patience, Seconds, Switch,
    Threads, TransportName,
};
use std::ffi::OsString;

/// The beginning of the names of our variables.
pub const PREFIX: &str = "PHALANX_";

/// The subject of a group of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Devices, memory, threads and output.
    Session,
    /// How several processes find each other. `phalanx run` sets these.
    StartUp,
    /// The developers' tests.
    Tests,
}

impl Group {
    /// All groups, in the order of the documentation.
    pub const ALL: [Group; 3] = [Group::Session, Group::StartUp, Group::Tests];

    /// The group's heading.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Session => "Session",
            Group::StartUp => "Start-up of several processes",
            Group::Tests => "Tests",
        }
    }

    /// A sentence about the group.
    pub const fn about(self) -> &'static str {
        match self {
            Group::Session => "Read once, when a session starts.",
            Group::StartUp => {
                "`phalanx run` sets these for the processes it starts; set them by hand to start \
                 processes yourself. Under `mpirun`, `srun` and the like none is needed: see \
                 [launching.md](launching.md)."
            }
            Group::Tests => {
                "Read by the project's own tests and set by `cargo xtask`; a session ignores them."
            }
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// The form of a value, in words.
    pub allowed: &'static str,
    /// The value that applies if the variable is not set, in words.
    pub default: &'static str,
    /// The first version that knows the variable.
    pub since: &'static str,
    /// The group.
    pub group: Group,
    /// The documentation.
    pub doc: &'static str,
}

/// A value that lacks the form of its variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue {
    /// The variable.
    pub variable: &'static Variable,
    /// The value.
    pub value: String,
}

impl PartialEq for Variable {
    fn eq(&self, other: &Variable) -> bool {
        self.name == other.name
    }
}

impl Eq for Variable {}

/// Declares the table, the struct of parsed values and the parser from one list of rows.
macro_rules! variables {
    ($( $(#[doc = $doc:literal])+ $field:ident: $kind:ty = $name:literal,
        default $default:literal, since $since:literal, $group:ident; )+) => {
        /// Every variable, in the order of the documentation.
        pub const VARIABLES: &[Variable] = &[ $( Variable {
            name: $name,
            allowed: <$kind as Kind>::ALLOWED,
            default: $default,
            since: $since,
            group: Group::$group,
            doc: concat!($($doc),+).trim_ascii(),
        } ),+ ];

        /// The values of the variables; `None` for each variable that is unset or empty.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Environment {
            $( $(#[doc = $doc])+ pub $field: Option<<$kind as Kind>::Value>, )+
        }

        impl Environment {
            /// Parses the values that `lookup` returns for the names of the table.
            pub fn parse(
                lookup: impl Fn(&str) -> Option<OsString>,
            ) -> Result<Environment, InvalidValue> {
                let mut environment = Environment::default();
                let mut variables = VARIABLES.iter();
                $(
                    let variable = variables.next().expect("bug: each field has its row");
                    environment.$field = parse_one::<$kind>(variable, lookup($name))?;
                )+
                Ok(environment)
            }
        }
    };
}

variables! {
    /// The devices of each process: `cpu` for one, `cpu:n` for n, which share the process's
    /// threads; `cuda` for all GPUs, `cuda:0,2` for those with these numbers (a repeated number
    /// makes two devices); `auto` for all GPUs, or `cpu` if there is none; `null-cuda:n` to plan as
    /// on n GPUs without one, and compute nothing. Several processes of a host divide all GPUs.
    devices: DeviceList = "PHALANX_DEVICES", default "auto", since "0.1", Session;
    /// Folders, separated by `:`, in which CUDA's libraries are searched first.
    cuda_path: Folders = "PHALANX_CUDA_PATH", default "none", since "0.1", Session;
    /// The folder in which compiled GPU kernels are kept; `off` for none.
    kernel_cache: Folder = "PHALANX_KERNEL_CACHE", default "~/.cache/phalanx/kernels", since "0.1",
        Session;
    /// A folder into which the text of every compiled GPU kernel is written.
    save_source: Folder = "PHALANX_SAVE_SOURCE", default "none", since "0.1", Session;
    /// Whether repeated GPU launches are enqueued as a whole by CUDA graphs; `0` enqueues each by
    /// itself.
    cuda_graphs: Switch = "PHALANX_CUDA_GRAPHS", default "1", since "0.1", Session;
    /// Whether each launch of a kernel of the user's own, such as a RawKernel, is checked: its
    /// arrays are copied between guards, and a write into a guard ends the session with an error
    /// that names the kernel; `1` or `0`. Launches then wait for the GPU.
    check_kernels: Switch = "PHALANX_CHECK_KERNELS", default "0", since "0.1", Session;
    /// On GPUs: whether products of f32 matrices (and c64) may round their elements to TF32, which
    /// has 10 bits after the point and is several times as fast; `1` or `0`.
    tf32: Switch = "PHALANX_TF32", default "0", since "0.1", Session;
    /// The most memory a device may hold: in bytes, or in percent of the memory of a GPU or of a
    /// CPU device's share of the machine. A session with several processes uses the smallest limit
    /// of all.
    memory_limit: Memory = "PHALANX_MEMORY_LIMIT", default "none", since "0.1", Session;
    /// Compute threads of the process, shared by its devices. The processes of a host divide its
    /// cores, and have no more threads than processors to which they are bound.
    threads: Threads = "PHALANX_THREADS", default "all cores", since "0.1", Session;
    /// The library that multiplies and factorises matrices on CPUs: the path of a BLAS and LAPACK,
    /// or `auto` for the first usable of MKL, OpenBLAS and BLIS that the system's loader finds,
    /// then one that the process has loaded, such as NumPy's. `own` uses Phalanx's own routines,
    /// whose bits do not depend on a library and its threads. Processes with different libraries
    /// use `own`. `phalanx info` shows what is found.
    blas: MatrixLibrary = "PHALANX_BLAS", default "auto", since "0.1", Session;
    /// The widest vector instructions that Phalanx's own loops on CPUs use: `auto` for the best
    /// that the processor has. Results do not depend on it; other libraries choose by themselves.
    instructions: Instructions = "PHALANX_INSTRUCTIONS", default "auto", since "0.1", Session;
    /// Whether results have the same bits on any number of devices, CPUs or GPUs each, and in any
    /// number of processes ([reproducible.md](reproducible.md)); `1` or `0`, the same on all.
    reproducible: Switch = "PHALANX_REPRODUCIBLE", default "0", since "0.1", Session;
    /// Whether each of several processes of a host binds itself to the NUMA node of its GPUs, or
    /// without GPUs to one of the host's nodes, unless its launcher has bound it already; `1` or
    /// `0`.
    bind_cpu: Switch = "PHALANX_BIND_CPU", default "1", since "0.1", Session;
    /// The most detailed events and spans to write to standard error.
    log: Level = "PHALANX_LOG", default "off", since "0.1", Session;
    /// The file into which a session writes its timeline when it ends: the steps and messages of
    /// the devices of all ranks, for Perfetto ([timeline.md](timeline.md)); a table of it goes to
    /// standard error. That of process 0 counts. `off` for none.
    trace: File = "PHALANX_TRACE", default "off", since "0.1", Session;
    /// How bytes travel between processes: by `mpi`, over `tcp`, or `auto` for MPI if MPI's
    /// launcher has started the processes and all of them can use its library, else TCP. The same
    /// on all. GPU data travel by NCCL if all have the same version, except with `mpi`, or if each
    /// process has one GPU and the price table shows that MPI, which accepts its memory, is faster.
    transport: TransportName = "PHALANX_TRANSPORT", default "auto", since "0.1", Session;
    /// The MPI library to open. A library that is already in the process, such as that of mpi4py,
    /// is used in any case.
    mpi_library: File = "PHALANX_MPI_LIBRARY", default "none: the system's", since "0.1", Session;
    /// The file with the price table that `phalanx info --measure` writes and process 0 reads.
    prices: File = "PHALANX_PRICES",
        default "prices/HOSTS in the cache folder of the user, if it is there", since "0.1",
        Session;
    /// Whether MPI receives addresses of GPU memory, if GPUs of different processes communicate by
    /// MPI. By default the library is asked, and tested by an exchange at start; else the bytes
    /// travel through pinned memory. `0` forbids GPU addresses; `1` tests whatever the library
    /// answers, which ends the processes if it takes the addresses for the host's.
    mpi_cuda: Switch = "PHALANX_MPI_CUDA", default "none: the library is asked", since "0.1",
        Session;
    /// In Python: whether NumPy computes on the host, with a warning, if the module lacks one of
    /// its functions. `off` makes that a TypeError.
    fallback: Fallback = "PHALANX_FALLBACK", default "off", since "0.1", Session;
    /// In Python: the size from which a copy to the host that another library requests
    /// (`numpy.asarray(x)`, a plot, a data frame) gives a warning, once for each session. `x.get()`
    /// copies without a warning.
    implicit_copy: CopySize = "PHALANX_IMPLICIT_COPY", default "256M", since "0.1", Session;
    /// The folder of the demo's elevation data.
    data: Folder = "PHALANX_DATA", default "data", since "0.1", Session;
    /// The number of this process, from 0. Needs `PHALANX_SIZE`. Without both, the variables of
    /// `mpirun`, `srun` and other launchers are used (docs/launching.md).
    rank: Index = "PHALANX_RANK", default "0", since "0.1", StartUp;
    /// How many processes there are. With more than one, the variables below define how they meet;
    /// `1` makes a process of another launcher a world of its own.
    size: Count = "PHALANX_SIZE", default "1", since "0.1", StartUp;
    /// The number of this process among those of its host, from 0.
    local_rank: Index = "PHALANX_LOCAL_RANK",
        default "as `PHALANX_RANK` if `PHALANX_ADDRESS` is on loopback", since "0.1", StartUp;
    /// How many of the processes are on this host.
    local_size: Count = "PHALANX_LOCAL_SIZE",
        default "as `PHALANX_SIZE` if `PHALANX_ADDRESS` is on loopback", since "0.1", StartUp;
    /// The address at which process 0 waits for the others; the same on all.
    address: HostPort = "PHALANX_ADDRESS",
        default "none: needed by several processes, or `PHALANX_RENDEZVOUS`", since "0.1", StartUp;
    /// How the processes find the address of process 0: by the file of that path, which all of
    /// them can open, by `pmix`, by `pmi` or by `mpi`; `auto` for the way that the launcher offers.
    rendezvous: Meeting = "PHALANX_RENDEZVOUS", default "auto", since "0.1", StartUp;
    /// The address of this machine on which this process accepts connections. By default loopback
    /// if all processes are on one host, else the address from which the others are reached.
    bind: Ip = "PHALANX_BIND", default "see the meaning", since "0.1", StartUp;
    /// The network interface on whose address this process accepts connections, such as `ib0`, on
    /// hosts with several networks; `PHALANX_BIND` overrides it.
    interface: Name = "PHALANX_INTERFACE", default "none", since "0.1", StartUp;
    /// A file with the secret that every connection must prove to know; the same on all, readable
    /// by its owner only.
    token_file: File = "PHALANX_TOKEN_FILE",
        default "none: needed with `PHALANX_ADDRESS`", since "0.1", StartUp;
    /// Whether TCP traffic between processes is encrypted (TLS 1.3), for untrusted networks; `1` or
    /// `0`, the same on all. Messages then do not travel by MPI, unless `PHALANX_TRANSPORT` is
    /// `mpi`; data that MPI and NCCL carry is not encrypted.
    tls: Switch = "PHALANX_TLS", default "0", since "0.1", StartUp;
    /// How long start-up may take before it is an error.
    timeout: Seconds = "PHALANX_TIMEOUT", default "60", since "0.1", StartUp;
    /// How long a process may give no sign of life, because it was stopped or its host hangs,
    /// before the others end with an error; they name it after 5 s. Processes that are merely slow
    /// do not count. `0` for no limit; the same on all.
    stall: Patience = "PHALANX_STALL", default "60", since "0.1", StartUp;
    /// How often the run has been restarted, from 0: `phalanx run --restart` sets it for the
    /// program, which continues from its last checkpoint.
    attempt: Index = "PHALANX_ATTEMPT", default "0", since "0.1", StartUp;
    /// The kind of devices of the tests: `cpu`, or `cuda` for devices that are all the first GPU.
    test_devices: DeviceList = "PHALANX_TEST_DEVICES", default "cpu", since "0.1", Tests;
    /// Runs every test on every mesh instead of a sample of the meshes, and ten times as many
    /// random faults (`cargo xtask test --full`).
    test_full: Switch = "PHALANX_TEST_FULL", default "0", since "0.1", Tests;
    /// Runs only the random program of this seed and shows it (`cargo xtask replay --seed`).
    test_seed: Index = "PHALANX_TEST_SEED", default "none: all seeds", since "0.1", Tests;
    /// Runs one eighth of the Python tests, that of this number from 0 to 7.
    test_share: Index = "PHALANX_TEST_SHARE", default "none: all tests", since "0.1", Tests;
    /// Runs a sixth of the cases of each Python test and a part of the random programs.
    /// Compiles a quarter of the CUDA texts, each for a third of the architectures. The number,
    /// from 0 to 11, decides which.
    test_turn: Index = "PHALANX_TEST_TURN", default "none: all cases", since "0.1", Tests;
    /// Parts that must be present, so that their tests are not skipped: any of `openmpi`, `mpich`,
    /// `mpi4py`, `mpicc`, `namespaces` (of networks), `valgrind`, `gpu` and `gpus` (several).
    test_require: Names = "PHALANX_TEST_REQUIRE", default "none", since "0.1", Tests;
    /// The folder of the reference results that the conformance tests compare with.
    conformance_data: Folder = "PHALANX_CONFORMANCE_DATA", default "none", since "0.1", Tests;
    /// Rewrites the golden files instead of comparing with them (`cargo xtask bless`).
    bless: Switch = "PHALANX_BLESS", default "0", since "0.1", Tests;
}

fn parse_one<K: Kind>(
    variable: &'static Variable,
    text: Option<OsString>,
) -> Result<Option<K::Value>, InvalidValue> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match K::parse(&text) {
        Some(value) => Ok(Some(value)),
        None => Err(InvalidValue { variable, value: text.to_string_lossy().into_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::most_threads;
    use super::super::page::markdown;
    use super::super::values::{Devices, LogLevel, MemoryLimit};
    use super::*;
    use std::time::Duration;

    fn parse(pairs: &[(&str, &str)]) -> Result<Environment, InvalidValue> {
        Environment::parse(|name| {
            let found = pairs.iter().find(|pair| pair.0 == name);
            found.map(|pair| OsString::from(pair.1))
        })
    }

    #[test]
    fn every_row_is_complete_and_named_once() {
        for (position, variable) in VARIABLES.iter().enumerate() {
            assert!(variable.name.starts_with(PREFIX), "{}", variable.name);
            assert!(!VARIABLES[..position].contains(variable), "{} stands twice", variable.name);
            assert!(variable.doc.ends_with(['.', ')']), "{} has no sentence", variable.name);
            assert!(markdown().contains(&format!("| `{}` |", variable.name)));
        }
    }

    #[test]
    fn values_of_the_right_form_are_read() {
        let environment = parse(&[
            ("PHALANX_DEVICES", "cpu:4"),
            ("PHALANX_MEMORY_LIMIT", "512M"),
            ("PHALANX_LOG", "DEBUG"),
            ("PHALANX_TIMEOUT", "1.5"),
            ("PHALANX_ADDRESS", "[::1]:4000"),
            ("PHALANX_THREADS", ""),
            ("PHALANX_TEST_FULL", "1"),
            ("PHALANX_IMPLICIT_COPY", "off"),
        ])
        .unwrap();
        assert_eq!(environment.implicit_copy, Some(None));
        assert_eq!(environment.devices, Some(Devices::Cpu(4)));
        assert_eq!(environment.memory_limit, Some(MemoryLimit::Bytes(512 << 20)));
        let part = parse(&[("PHALANX_MEMORY_LIMIT", "80%")]).unwrap().memory_limit;
        assert_eq!(part.map(|part| part.of(1000)), Some(800));
        assert_eq!(environment.log, Some(LogLevel::Debug));
        assert_eq!(environment.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(environment.address.as_deref(), Some("[::1]:4000"));
        assert_eq!(environment.threads, None);
        let most = most_threads().to_string();
        assert_eq!(parse(&[("PHALANX_THREADS", &most)]).unwrap().threads, Some(most_threads()));
        assert_eq!(environment.test_full, Some(true));
    }

    #[test]
    fn values_of_the_wrong_form_name_their_variable() {
        for (name, value) in [
            ("PHALANX_DEVICES", "cpu:0"),
            ("PHALANX_DEVICES", "gpu"),
            ("PHALANX_DEVICES", "cpu:1025"),
            ("PHALANX_MEMORY_LIMIT", "12Q"),
            ("PHALANX_MEMORY_LIMIT", "99999999999T"),
            ("PHALANX_MEMORY_LIMIT", "G"),
            ("PHALANX_MEMORY_LIMIT", "0%"),
            ("PHALANX_MEMORY_LIMIT", "101%"),
            ("PHALANX_THREADS", "+2"),
            ("PHALANX_THREADS", "0"),
            ("PHALANX_THREADS", "4000000"),
            ("PHALANX_LOG", "loud"),
            ("PHALANX_RANK", "-1"),
            ("PHALANX_ADDRESS", "localhost"),
            ("PHALANX_ADDRESS", ":80"),
            ("PHALANX_ADDRESS", "localhost:0"),
            ("PHALANX_BIND", "localhost"),
            ("PHALANX_RENDEZVOUS", "file:"),
            ("PHALANX_RENDEZVOUS", "/a/path"),
            ("PHALANX_INTERFACE", "two words"),
            ("PHALANX_TIMEOUT", "nan"),
            ("PHALANX_TIMEOUT", "0"),
            ("PHALANX_BLESS", "yes"),
            ("PHALANX_TRANSPORT", "nccl"),
            ("PHALANX_MPI_CUDA", "yes"),
        ] {
            let error = parse(&[(name, value)]).expect_err(value);
            assert_eq!((error.variable.name, error.value.as_str()), (name, value));
        }
    }
}
