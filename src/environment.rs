//! The table of the environment variables that Phalanx knows.
//!
//! A row has a variable's name, the form of its values, its default, the version that introduced
//! it, its group and its documentation. Parsing, the list of `phalanx info`, `docs/environment.md`
//! and the warning about unknown names all use the table. This module does not read the
//! environment: `Config::from_env` does. It uses the standard library alone, so that the developer
//! commands can include it without building the framework.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::net::IpAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

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

/// A name that begins like ours and is not in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariable {
    /// The name found.
    pub name: String,
    /// The nearest known name.
    pub nearest: &'static str,
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
    /// Whether each of several processes of a host binds itself to the NUMA node of its GPUs, or
    /// without GPUs to one of the host's nodes, unless its launcher has bound it already; `1` or
    /// `0`.
    bind_cpu: Switch = "PHALANX_BIND_CPU", default "1", since "0.1", Session;
    /// The most detailed events and spans to write to standard error.
    log: Level = "PHALANX_LOG", default "off", since "0.1", Session;
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
    test_full: Flag = "PHALANX_TEST_FULL", default "0", since "0.1", Tests;
    /// Runs only the random program of this seed and shows it (`cargo xtask replay --seed`).
    test_seed: Index = "PHALANX_TEST_SEED", default "none: all seeds", since "0.1", Tests;
    /// Runs one eighth of the Python tests, that of this number from 0 to 7.
    test_share: Index = "PHALANX_TEST_SHARE", default "none: all tests", since "0.1", Tests;
    /// Parts that must be present, so that their tests are not skipped: any of `openmpi`, `mpich`,
    /// `mpi4py`, `mpicc`, `namespaces` (of networks), `gpu` and `gpus` (several).
    test_require: Names = "PHALANX_TEST_REQUIRE", default "none", since "0.1", Tests;
    /// The folder of the reference results that the conformance tests compare with.
    conformance_data: Folder = "PHALANX_CONFORMANCE_DATA", default "none", since "0.1", Tests;
    /// Rewrites the golden files instead of comparing with them (`cargo xtask bless`).
    bless: Flag = "PHALANX_BLESS", default "0", since "0.1", Tests;
}

/// How messages travel between processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// By MPI if an MPI launcher started the processes and all can use it, otherwise over TCP.
    #[default]
    Auto,
    /// Over TCP.
    Tcp,
    /// By MPI.
    Mpi,
}

/// The memory limit of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryLimit {
    /// This many bytes.
    Bytes(usize),
    /// A percentage of the device's memory.
    Percent(u8),
}

impl MemoryLimit {
    /// The limit in bytes for a device with this much memory.
    pub fn of(self, memory: usize) -> usize {
        match self {
            MemoryLimit::Bytes(bytes) => bytes,
            MemoryLimit::Percent(percent) => memory / 100 * usize::from(percent),
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryLimit::Bytes(bytes) => write!(f, "{bytes} bytes"),
            MemoryLimit::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for MemoryLimit {
    type Err = ();

    /// The limit of a text in the form of PHALANX_MEMORY_LIMIT.
    fn from_str(text: &str) -> Result<MemoryLimit, ()> {
        let limit = match text.strip_suffix('%') {
            Some(percent) => positive(percent)
                .filter(|percent| *percent <= 100)
                .map(|percent| MemoryLimit::Percent(percent as u8)),
            None => byte_count(text).map(MemoryLimit::Bytes),
        };
        limit.ok_or(())
    }
}

/// How processes learn where process 0 waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeetingWay {
    /// By a way that the launcher offers.
    Auto,
    /// By PMIx.
    Pmix,
    /// By PMI-1.
    Pmi,
    /// By MPI.
    Mpi,
    /// By a file that all processes can open.
    File(PathBuf),
}

/// The devices of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Devices {
    /// All GPUs; one CPU device if there are none.
    #[default]
    Auto,
    /// This many CPU devices, which share the process's threads.
    Cpu(usize),
    /// The GPUs of these numbers, one device for each; all GPUs if there are no numbers.
    Cuda(Vec<usize>),
    /// This many devices that stand for GPUs: programs are planned, and nothing is computed.
    NullCuda(usize),
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::Auto => f.write_str("auto"),
            Devices::Cpu(count) => write!(f, "cpu:{count}"),
            Devices::NullCuda(count) => write!(f, "null-cuda:{count}"),
            Devices::Cuda(numbers) if numbers.is_empty() => f.write_str("cuda"),
            Devices::Cuda(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
        }
    }
}

impl FromStr for Devices {
    type Err = ();

    /// The devices of a text in the form of PHALANX_DEVICES.
    fn from_str(text: &str) -> Result<Devices, ()> {
        devices(text).ok_or(())
    }
}

/// The devices of a text.
fn devices(text: &str) -> Option<Devices> {
    let (kind, numbers) = match text.split_once(':') {
        Some((kind, numbers)) => (kind, Some(numbers)),
        None => (text, None),
    };
    match (kind, numbers) {
        ("auto", None) => Some(Devices::Auto),
        ("cpu", None) => Some(Devices::Cpu(1)),
        ("cpu", Some(count)) => {
            positive(count).filter(|count| *count <= MOST_DEVICES).map(Devices::Cpu)
        }
        ("cuda", None) => Some(Devices::Cuda(Vec::new())),
        ("cuda", Some(numbers)) => {
            let numbers: Option<Vec<usize>> = numbers.split(',').map(natural).collect();
            numbers.filter(|numbers| numbers.len() <= MOST_DEVICES).map(Devices::Cuda)
        }
        ("null-cuda", None) => Some(Devices::NullCuda(1)),
        ("null-cuda", Some(count)) => {
            positive(count).filter(|count| *count <= MOST_DEVICES).map(Devices::NullCuda)
        }
        _ => None,
    }
}

/// The elements of `names` that begin like ours and are not in the table, each with the nearest
/// known name.
pub fn unknown<'names>(names: impl IntoIterator<Item = &'names OsStr>) -> Vec<UnknownVariable> {
    let mut unknown: Vec<UnknownVariable> = names
        .into_iter()
        .map(OsStr::to_string_lossy)
        .filter(|name| name.starts_with(PREFIX))
        .filter(|name| VARIABLES.iter().all(|variable| variable.name != name))
        .map(|name| UnknownVariable { nearest: nearest(&name), name: name.into_owned() })
        .collect();
    unknown.sort_by(|left, right| left.name.cmp(&right.name));
    unknown
}

/// The page `docs/environment.md`.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Environment variables\n\n\
         Written by `cargo xtask docs` from the table in `src/environment.rs`; change it there.\n\
         An unset or empty variable has its default.\n\
         A value of the wrong form is the error PX090.\n\
         An unknown name that begins with `PHALANX_` is a warning that names the nearest one.\n",
    );
    for group in Group::ALL {
        page += &format!("\n## {}\n\n{}\n\n", group.title(), group.about());
        page += "| Variable | Value | Default | Since | Meaning |\n|---|---|---|---|---|\n";
        for variable in VARIABLES.iter().filter(|variable| variable.group == group) {
            let Variable { name, allowed, default, since, doc, .. } = variable;
            page += &format!("| `{name}` | {allowed} | {default} | {since} | {doc} |\n");
        }
    }
    page
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

fn nearest(name: &str) -> &'static str {
    VARIABLES
        .iter()
        .map(|variable| variable.name)
        // A name that is cut short or extended is nearer than its edit distance says.
        .min_by_key(|known| {
            (!known.starts_with(name) && !name.starts_with(known), edit_distance(name, known))
        })
        .expect("bug: the table is not empty")
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two texts.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substitution = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                let mut least = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[from.len()][to.len()]
}

/// A kind of value: its form, and its parser.
pub trait Kind {
    /// The parsed value.
    type Value;
    /// The allowed form, in words.
    const ALLOWED: &'static str;
    /// The value, if the text has the allowed form.
    fn parse(text: &OsStr) -> Option<Self::Value>;
}

/// Declares the kinds of value from a list of their forms.
macro_rules! kinds {
    ($( $(#[doc = $doc:literal])+ $kind:ident: $value:ty, $allowed:literal,
        |$text:ident| $parse:expr; )+) => { $(
        $(#[doc = $doc])+
        pub struct $kind;
        impl Kind for $kind {
            type Value = $value;
            const ALLOWED: &'static str = $allowed;
            fn parse($text: &OsStr) -> Option<$value> {
                $parse
            }
        }
    )+ };
}

/// The most devices of a process; a larger number is a typing error.
const MOST_DEVICES: usize = 1024;
/// The threads that a process may have on any machine.
const MOST_THREADS: usize = 256;
/// The threads that it may have for each core, if that is more.
const MOST_THREADS_OF_A_CORE: usize = 4;

/// The most compute threads a process may have on this machine.
///
/// An idle thread repeatedly looks for work at every other thread before it sleeps. Therefore the
/// time to start threads grows faster than the square of their number: thousands keep a few cores
/// busy for a minute.
pub fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    MOST_THREADS.max(cores.saturating_mul(MOST_THREADS_OF_A_CORE))
}

kinds! {
    /// Devices of a process.
    DeviceList: Devices,
    "`auto`, `cpu`, `cpu:n` (n from 1 to 1024), `cuda`, `cuda:0,2` or `null-cuda:n`", |text| {
        devices(text.to_str()?)
    };
    /// Folders.
    Folders: Vec<PathBuf>, "paths separated by `:`", |text| {
        Some(std::env::split_paths(text).filter(|path| !path.as_os_str().is_empty()).collect())
    };
    /// A part of a device's memory.
    Memory: MemoryLimit,
    "bytes: a whole number, with or without `K`, `M`, `G` or `T` (powers of 1024), or `80%`",
    |text| text.to_str()?.parse().ok();
    /// A positive number.
    Count: usize, "a whole number from 1", |text| positive(text.to_str()?);
    /// Compute threads of a process.
    Threads: usize,
    "a whole number from 1 to 256, or to four times the number of cores if that is more", |text| {
        positive(text.to_str()?).filter(|count| *count <= most_threads())
    };
    /// A number from zero.
    Index: usize, "a whole number from 0", |text| natural(text.to_str()?);
    /// How much is logged.
    Level: LogLevel, "`off`, `error`, `warn`, `info`, `debug` or `trace`", |text| {
        LogLevel::ALL.into_iter().find(|level| text.eq_ignore_ascii_case(level.name()))
    };
    /// Whether NumPy may compute.
    Fallback: bool, "`off` or `warn`", |text| match text.to_str()? {
        "off" => Some(false),
        "warn" => Some(true),
        _ => None,
    };
    /// The size up to which copies are made without a warning.
    CopySize: Option<usize>,
    "bytes: a whole number, with or without `K`, `M`, `G` or `T` (powers of 1024), or `off`",
    |text| match text.to_str()? {
        "off" => Some(None),
        text => byte_count(text).map(Some),
    };
    /// Whether something is enabled.
    Switch: bool, "`0` or `1`", |text| match text.to_str()? {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    /// How messages travel between processes.
    TransportName: Transport, "`auto`, `tcp` or `mpi`", |text| match text.to_str()? {
        "auto" => Some(Transport::Auto),
        "tcp" => Some(Transport::Tcp),
        "mpi" => Some(Transport::Mpi),
        _ => None,
    };
    /// A folder.
    Folder: PathBuf, "a path", |text| Some(PathBuf::from(text));
    /// A file.
    File: PathBuf, "a path", |text| Some(PathBuf::from(text));
    /// How processes meet.
    Meeting: MeetingWay, "`auto`, `pmix`, `pmi`, `mpi` or `file:` with a path", |text| {
        match text.to_str() {
            Some("auto") => Some(MeetingWay::Auto),
            Some("pmix") => Some(MeetingWay::Pmix),
            Some("pmi") => Some(MeetingWay::Pmi),
            Some("mpi") => Some(MeetingWay::Mpi),
            text => {
                let path = text?.strip_prefix("file:").filter(|path| !path.is_empty())?;
                Some(MeetingWay::File(PathBuf::from(path)))
            }
        }
    };
    /// A name.
    Name: String, "a name", |text| {
        let text = text.to_str()?;
        (!text.contains(char::is_whitespace)).then(|| text.to_owned())
    };
    /// Names.
    Names: Vec<String>, "names separated by `,`", |text| {
        let text = text.to_str()?;
        let names = text.split(',').map(str::to_owned);
        (!text.contains(char::is_whitespace)).then(|| names.collect())
    };
    /// A network address of this machine.
    Ip: IpAddr, "an IP address, such as `127.0.0.1` or `0.0.0.0`", |text| {
        text.to_str()?.parse().ok()
    };
    /// A host and a port.
    HostPort: String, "`host:port`", |text| {
        let text = text.to_str()?;
        let (host, port) = text.rsplit_once(':')?;
        let valid = !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0);
        valid.then(|| text.to_owned())
    };
    /// A time.
    Seconds: Duration, "seconds, more than 0 and at most 86400", |text| {
        let seconds: f64 = text.to_str()?.parse().ok()?;
        (seconds > 0.0 && seconds <= 86400.0).then(|| Duration::from_secs_f64(seconds))
    };
    /// A time, or no limit.
    Patience: Option<Duration>, "seconds, 0 or from 0.1 to 86400; 0 is no limit", |text| {
        let seconds: f64 = text.to_str()?.parse().ok()?;
        match seconds {
            0.0 => Some(None),
            0.1..=86400.0 => Some(Some(Duration::from_secs_f64(seconds))),
            _ => None,
        }
    };
    /// A switch.
    Flag: bool, "`0` or `1`", |text| match text.to_str()? {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
}

/// The level of detail written to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Nothing.
    #[default]
    Off,
    /// Failures.
    Error,
    /// Suspicious events.
    Warn,
    /// Information for users.
    Info,
    /// Information for developers.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// All levels, from silent to everything.
    pub const ALL: [LogLevel; 6] = [
        LogLevel::Off,
        LogLevel::Error,
        LogLevel::Warn,
        LogLevel::Info,
        LogLevel::Debug,
        LogLevel::Trace,
    ];

    /// The level's name in the variable's form.
    pub const fn name(self) -> &'static str {
        match self {
            LogLevel::Off => "off",
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
            LogLevel::Trace => "trace",
        }
    }
}

fn natural(text: &str) -> Option<usize> {
    // `parse` alone accepts a leading plus sign, which is more often a mistake than intended.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn positive(text: &str) -> Option<usize> {
    natural(text).filter(|number| *number > 0)
}

fn byte_count(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return None,
    };
    positive(digits)?.checked_mul(1usize.checked_shl(shift)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn unknown_names_get_the_nearest_known_one() {
        let names =
            ["PATH", "PHALANX_DEVICES", "PHALANX_THREAD", "PHALANX_DEVCIES", "PHALANX_MEMORY"];
        let found = unknown(names.iter().map(OsStr::new));
        let found: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.nearest)).collect();
        let expected = [
            ("PHALANX_DEVCIES", "PHALANX_DEVICES"),
            ("PHALANX_MEMORY", "PHALANX_MEMORY_LIMIT"),
            ("PHALANX_THREAD", "PHALANX_THREADS"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn edit_distance_counts_a_swap_as_one() {
        assert_eq!(edit_distance("abcd", "abdc"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
