//! The configuration of a session, and the one place where the environment is read.

pub use crate::config_error::{ConfigError, IntroductionFlaw, TokenFlaw};
use crate::config_error::{LONGEST_TOKEN, SHORTEST_TOKEN};
pub use crate::environment::{Devices, MeetingWay, MemoryLimit, Transport};
use crate::environment::{Environment, LogLevel, UnknownVariable, VARIABLES};
use crate::environment::{Variable, most_threads, unknown};
use crate::meeting::{Meeting, address_beside, interface_of};
use crate::placement::{Launcher, Placement, own_placement};
use crate::ways::{has_pmix, ways};
use phalanx_collectives::mpi::Library;
pub use phalanx_collectives::mpi::MpiOptions;
use phalanx_collectives::{Links, Prices, PrivateFileError, read_private};
pub use phalanx_device::cuda::CudaOptions;
use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, TcpListener};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

/// The default time limit of start-up.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The default limit of a process's silence.
const DEFAULT_STALL: Duration = Duration::from_secs(60);
/// The default size in bytes at which a copy for another library is warned of.
const IMPLICIT_COPY: usize = 256 << 20;

/// The configuration of a session.
///
/// ```
/// # use phalanx::Config;
/// let config = Config::default().devices(4).memory_limit(1 << 30);
/// assert_eq!(config.devices, phalanx::Devices::Cpu(4));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The devices of this process.
    pub devices: Devices,
    /// The folders in which CUDA's libraries are searched, and the folder of compiled kernels.
    pub cuda: CudaOptions,
    /// The number of compute threads of this process, shared by its devices; at least one.
    pub threads: usize,
    /// The memory limit of each device.
    pub memory_limit: Option<MemoryLimit>,
    /// In Python: the size in bytes from which a copy for another library causes a warning; `None`
    /// for never.
    pub implicit_copy: Option<usize>,
    /// The level of detail written to standard error.
    pub log: LogLevel,
    /// The folder of the demo's data.
    pub data: PathBuf,
    /// Whether a process that shares its host with others binds itself to a NUMA node.
    pub bind_cpu: bool,
    /// The place of this process among those that a launcher started; `None` without a launcher.
    pub placement: Option<Placement>,
    /// How the processes of a launcher learn where process 0 waits.
    pub meeting: Meeting,
    /// How this process meets the others. `None` if it is the only one, and before
    /// [`Config::meet`].
    pub startup: Option<Startup>,
    /// How messages travel between processes.
    pub transport: Transport,
    /// The settings for the MPI library.
    pub mpi: MpiOptions,
    /// How long another process may be silent before the run ends; `None` for no limit.
    pub stall: Option<Duration>,
    /// Whether TCP traffic between processes is encrypted; the same on all processes.
    pub is_encrypted: bool,
    /// The measured costs of messages; only those of process 0 count.
    pub prices: Option<Prices>,
    /// The path of the price table, which may not exist yet.
    pub prices_file: Option<PathBuf>,
}

/// How a process meets the other processes of its world.
#[derive(Clone, PartialEq, Eq)]
pub struct Startup {
    /// The rank of this process, less than `size`.
    pub rank: usize,
    /// The number of processes, at least two.
    pub size: usize,
    /// The host and port at which process 0 waits for the others.
    pub address: String,
    /// The address of this machine on which this process accepts connections.
    pub bind: IpAddr,
    /// The secret that every connection must prove to know.
    pub token: Vec<u8>,
    /// The time limit of start-up.
    pub timeout: Duration,
    /// On process 0: a socket that listens at the address already.
    pub listener: Option<Listener>,
    /// A value to drop once all have met, such as the guard of a file with the secret.
    pub left: Option<Left>,
}

/// A value of the meeting that is dropped with the last of its handles.
#[derive(Clone)]
pub struct Left(Arc<Mutex<Box<Kept>>>);

/// The type of such a value.
type Kept = dyn std::any::Any + Send;

impl Left {
    pub(crate) fn new(kept: Box<Kept>) -> Left {
        Left(Arc::new(Mutex::new(kept)))
    }
}

impl PartialEq for Left {
    fn eq(&self, other: &Left) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Left {}

/// A listening socket.
#[derive(Clone, Debug)]
pub struct Listener(Arc<TcpListener>);

impl Listener {
    /// Wraps a listening socket.
    pub fn new(socket: TcpListener) -> Listener {
        Listener(Arc::new(socket))
    }

    /// Another handle to the socket.
    pub(crate) fn handle(&self) -> std::io::Result<TcpListener> {
        self.0.try_clone()
    }
}

impl PartialEq for Listener {
    fn eq(&self, other: &Listener) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Listener {}

impl Default for Config {
    /// One CPU device, all cores, no limit, no other process. Reads nothing.
    fn default() -> Config {
        Config {
            devices: Devices::Cpu(1),
            cuda: CudaOptions::default(),
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            memory_limit: None,
            implicit_copy: Some(IMPLICIT_COPY),
            log: LogLevel::Off,
            data: PathBuf::from("data"),
            bind_cpu: true,
            placement: None,
            meeting: Meeting::default(),
            startup: None,
            transport: Transport::Auto,
            mpi: MpiOptions::default(),
            stall: Some(DEFAULT_STALL),
            is_encrypted: false,
            prices: None,
            prices_file: None,
        }
    }
}

impl Config {
    /// Reads the configuration from the environment.
    ///
    /// Unknown variables that begin with `PHALANX_` are reported once on standard error, by process
    /// 0.
    ///
    /// Collectivity  Local.
    /// Errors        PX090 to PX094.
    pub fn from_env() -> Result<Config, ConfigError> {
        let (environment, mut config) = Config::without_prices()?;
        if config.rank() == 0 && config.size() > 1 {
            config.prices = crate::prices::read(&environment, config.prices_file.as_deref())?;
        }
        Ok(config)
    }

    /// As `from_env`, for measuring prices (`prices::measure`). The file that `PHALANX_PRICES`
    /// names is only written, so it need not exist.
    ///
    /// Collectivity  Local.
    /// Errors        PX090 to PX094.
    pub fn to_measure() -> Result<Config, ConfigError> {
        Config::without_prices().map(|(_, config)| config)
    }

    fn without_prices() -> Result<(Environment, Config), ConfigError> {
        let environment = Environment::parse(|name| std::env::var_os(name))?;
        let mut config = Config::from_environment(&environment)?;
        if environment.size.is_none() && environment.rank.is_none() {
            config.placement = Placement::find(&|name| std::env::var(name).ok(), &|path| {
                std::fs::read_to_string(path).ok()
            })?;
        }
        if let Some(placement) = &config.placement {
            config.threads =
                environment.threads.unwrap_or_else(|| crate::binding::threads_of(placement));
        }
        config.prices_file = environment.prices.clone().or_else(|| {
            let nodes = config.placement.as_ref().map_or(&[][..], |placement| &placement.nodes);
            Some(cache_folder()?.join("prices").join(crate::prices::file_name(nodes)))
        });
        if environment.kernel_cache.is_none() {
            config.cuda.cache = own_cache();
        }
        config.cuda.folders.extend(packages_of_environment());
        if is_without_cuda(&|name| std::env::var(name).ok()) {
            config.mpi.cuda.get_or_insert(false);
        }
        let launcher = config.placement.as_ref().map(|placement| placement.launcher);
        config.mpi.mpich_first = launcher == Some(Launcher::Hydra);
        let has_launcher = launcher.is_some_and(|launcher| launcher != Launcher::Phalanx);
        config.mpi.is_without_pmix = has_launcher && !has_pmix(&|name| std::env::var(name).ok());
        if let Some(placement) = config.placement.as_ref().filter(|placement| placement.size > 1) {
            config.meeting.ways =
                ways(&environment, placement, &config, &|name| std::env::var(name).ok());
        }
        static WARNED: Once = Once::new();
        if config.rank() == 0 {
            WARNED.call_once(|| {
                for unknown in unknown_variables() {
                    eprintln!("{}", unknown_warning(&unknown));
                }
            });
        }
        Ok((environment, config))
    }

    /// The configuration of parsed variables. Reads the token file that they name.
    pub fn from_environment(environment: &Environment) -> Result<Config, ConfigError> {
        let default = Config::default();
        Ok(Config {
            devices: environment.devices.clone().unwrap_or_default(),
            cuda: cuda_options(environment),
            threads: environment.threads.unwrap_or(default.threads),
            memory_limit: environment.memory_limit,
            implicit_copy: environment.implicit_copy.unwrap_or(default.implicit_copy),
            log: environment.log.unwrap_or_default(),
            data: environment.data.clone().unwrap_or(default.data),
            bind_cpu: environment.bind_cpu.unwrap_or(true),
            placement: own_placement(environment)?,
            meeting: Meeting {
                ways: Vec::new(),
                bind: environment.bind,
                interface: environment.interface.clone(),
                timeout: environment.timeout.unwrap_or(DEFAULT_TIMEOUT),
            },
            startup: startup(environment)?,
            transport: environment.transport.unwrap_or_default(),
            mpi: MpiOptions {
                library: environment.mpi_library.clone(),
                cuda: environment.mpi_cuda,
                mpich_first: false,
                is_without_pmix: false,
            },
            stall: environment.stall.unwrap_or(Some(DEFAULT_STALL)),
            is_encrypted: environment.tls.unwrap_or(false),
            prices: None,
            prices_file: None,
        })
    }

    /// Sets the number of CPU devices of this process; zero counts as one.
    pub fn devices(self, devices: usize) -> Config {
        Config { devices: Devices::Cpu(devices.max(1)), ..self }
    }

    /// Sets the GPUs of this process by number; all GPUs if `numbers` is empty. A number given
    /// twice makes two devices.
    pub fn gpus(self, numbers: &[usize]) -> Config {
        Config { devices: Devices::Cuda(numbers.to_vec()), ..self }
    }

    /// A configuration for tests: this many devices of the kind that PHALANX_TEST_DEVICES names.
    #[doc(hidden)]
    pub fn for_tests(devices: usize) -> Config {
        let environment = Environment::parse(|name| std::env::var_os(name));
        let environment = environment.unwrap_or_default();
        let mut cuda = cuda_options(&environment);
        cuda.cache = cuda.cache.or_else(own_cache);
        let config = Config { cuda, ..Config::default() };
        match environment.test_devices {
            Some(Devices::Cuda(numbers)) => {
                let number = numbers.first().copied().unwrap_or(0);
                config.gpus(&vec![number; devices.max(1)])
            }
            _ => config.devices(devices),
        }
    }

    /// Sets the number of compute threads of this process. It is limited to the range from one to
    /// [`most_threads`].
    pub fn threads(self, threads: usize) -> Config {
        Config { threads: threads.clamp(1, most_threads()), ..self }
    }

    /// Sets the memory limit of each device in bytes.
    pub fn memory_limit(self, bytes: usize) -> Config {
        Config { memory_limit: Some(MemoryLimit::Bytes(bytes)), ..self }
    }

    /// Sets the memory limit of each device in percent, from 1 to 100: of a GPU's memory, or of a
    /// CPU device's share of the machine's memory.
    pub fn memory_limit_percent(self, percent: u8) -> Config {
        let limit = MemoryLimit::Percent(percent.clamp(1, 100));
        Config { memory_limit: Some(limit), ..self }
    }

    /// Sets the level of detail written to standard error.
    pub fn log(self, log: LogLevel) -> Config {
        Config { log, ..self }
    }

    /// Sets the folder of the demo's data.
    pub fn data(self, data: impl Into<PathBuf>) -> Config {
        Config { data: data.into(), ..self }
    }

    /// Whether a launcher that may start MPI has started this process with this rank and size.
    pub fn is_launched_by_mpi(&self, rank: usize, size: usize) -> bool {
        let is_launched = |placement: &Placement| {
            placement.launcher.starts_mpi() && (placement.rank, placement.size) == (rank, size)
        };
        self.placement.as_ref().is_some_and(is_launched)
    }

    /// Sets whether TCP traffic between processes is encrypted; the same on all processes.
    pub fn encrypted(self, is_encrypted: bool) -> Config {
        Config { is_encrypted, ..self }
    }

    /// Sets how long another process may be silent before the run ends; `None` for no limit. Must
    /// be the same on all processes.
    pub fn stall(self, stall: Option<Duration>) -> Config {
        Config { stall, ..self }
    }

    /// Sets how messages travel between processes.
    pub fn transport(self, transport: Transport) -> Config {
        Config { transport, ..self }
    }

    /// Sets how this process meets the others.
    pub fn startup(self, startup: Startup) -> Config {
        Config { startup: Some(startup), ..self }
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        match (&self.startup, &self.placement) {
            (Some(startup), _) => startup.rank,
            (None, Some(placement)) => placement.rank,
            (None, None) => 0,
        }
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        match (&self.startup, &self.placement) {
            (Some(startup), _) => startup.size,
            (None, Some(placement)) => placement.size,
            (None, None) => 1,
        }
    }
}

impl fmt::Debug for Startup {
    /// Shows everything except the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Startup")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .field("address", &self.address)
            .field("bind", &self.bind)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// The MPI library that would be used, its version and path, or why there is none. Does not
/// initialise it. Local.
pub fn mpi_library(options: &MpiOptions) -> String {
    let library = Library::open(options);
    library.map_or_else(|error| error.to_string(), |library| library.describe())
}

/// Whether Open MPI was configured without CUDA. Its query does not report this setting, and it
/// would dereference addresses of GPU memory on the host.
fn is_without_cuda(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_off = |name| {
        let value = variable(name).unwrap_or_default().to_lowercase();
        ["0", "false", "no", "f", "n", "disabled"].contains(&value.as_str())
    };
    ["OMPI_MCA_opal_cuda_support", "OMPI_MCA_mpi_cuda_support"].into_iter().any(is_off)
}

/// How GPU data would travel by MPI, and why. This applies if `PHALANX_TRANSPORT` is `mpi`, or if
/// processes that use MPI have no common NCCL. Does not initialise the library. Local.
pub fn mpi_gpus(options: &MpiOptions) -> String {
    let library = Library::open(options);
    library.map_or_else(|_| String::from("not at all: there is no MPI"), |it| it.describe_gpus())
}

/// Whether NumPy may compute functions that this module lacks (`PHALANX_FALLBACK`). Reads the
/// environment at every call: in Python the variable may be set for a few calls.
///
/// Collectivity  Local.
/// Errors        PX090 to PX092.
pub fn falls_back() -> Result<bool, ConfigError> {
    Ok(Environment::parse(|name| std::env::var_os(name))?.fallback.unwrap_or_default())
}

/// Every variable of the table with its value in the environment.
pub fn variables_in_effect() -> Vec<(&'static Variable, Option<OsString>)> {
    let value =
        |variable: &Variable| std::env::var_os(variable.name).filter(|text| !text.is_empty());
    VARIABLES.iter().map(|variable| (variable, value(variable))).collect()
}

/// The environment's variables that begin with `PHALANX_` and are not in the table.
pub fn unknown_variables() -> Vec<UnknownVariable> {
    let names: Vec<OsString> = std::env::vars_os().map(|pair| pair.0).collect();
    unknown(names.iter().map(OsString::as_os_str))
}

/// The warning about an unknown variable.
pub fn unknown_warning(unknown: &UnknownVariable) -> String {
    let UnknownVariable { name, nearest } = unknown;
    format!("warning: {name} is no variable of Phalanx; the nearest is {nearest}")
}

/// The CUDA options that our variables request.
fn cuda_options(environment: &Environment) -> CudaOptions {
    let cache = environment.kernel_cache.clone();
    CudaOptions {
        folders: environment.cuda_path.clone().unwrap_or_default(),
        cache: cache.filter(|folder| folder.as_os_str() != "off"),
        save_source: environment.save_source.clone(),
        without_graphs: environment.cuda_graphs == Some(false),
        tf32: environment.tf32.unwrap_or(false),
    }
}

/// The user's own folder for compiled kernels.
fn own_cache() -> Option<PathBuf> {
    Some(cache_folder()?.join("kernels"))
}

/// The user's folder for files that can be made again.
fn cache_folder() -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    Some(base.join("phalanx"))
}

/// The library folders of NVIDIA's packages in an active Python environment.
fn packages_of_environment() -> Vec<PathBuf> {
    let Some(environment) = std::env::var_os("VIRTUAL_ENV") else { return Vec::new() };
    let Ok(versions) = std::fs::read_dir(PathBuf::from(environment).join("lib")) else {
        return Vec::new();
    };
    let sites = versions.flatten().map(|version| version.path().join("site-packages"));
    sites.flat_map(|site| cuda_packages(&site)).collect()
}

/// The library folders of NVIDIA's packages in a folder of Python packages.
pub fn cuda_packages(site: &Path) -> Vec<PathBuf> {
    let Ok(packages) = std::fs::read_dir(site.join("nvidia")) else { return Vec::new() };
    let folders = packages.flatten().map(|package| package.path().join("lib"));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// How this process meets the others, if our variables state it.
fn startup(environment: &Environment) -> Result<Option<Startup>, ConfigError> {
    let (Some(rank), Some(size)) = (environment.rank, environment.size) else { return Ok(None) };
    // A single process opens no socket, so it needs nothing else.
    if size == 1 {
        return Ok(None);
    }
    if environment.address.is_none() && environment.rendezvous.is_some() {
        return Ok(None);
    }
    let address = environment.address.clone();
    let address = address.ok_or_else(|| missing("PHALANX_ADDRESS", "PHALANX_SIZE"))?;
    let token_file = environment.token_file.as_deref();
    let token = token(token_file.ok_or_else(|| missing("PHALANX_TOKEN_FILE", "PHALANX_SIZE"))?)?;
    let interface = environment.interface.as_deref();
    let bind = match (environment.bind, interface) {
        (Some(bind), _) => bind,
        (None, Some(name)) => interface_of(rank, name)?,
        (None, None) => address_beside(&address),
    };
    let timeout = environment.timeout.unwrap_or(DEFAULT_TIMEOUT);
    Ok(Some(Startup { rank, size, address, bind, token, timeout, listener: None, left: None }))
}

pub(crate) fn missing(variable: &'static str, needed_by: &'static str) -> ConfigError {
    ConfigError::Missing { variable, needed_by }
}

/// The secret in a file, without surrounding white space.
fn token(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let flawed = |flaw| ConfigError::TokenUnsafe { path: path.to_owned(), flaw };
    let content = read_private(path, LONGEST_TOKEN, Links::Followed);
    let content = content.map_err(|error| match error {
        PrivateFileError::System(source) => {
            ConfigError::TokenUnreadable { path: path.to_owned(), source }
        }
        PrivateFileError::NoFile => flawed(TokenFlaw::NoFile),
        PrivateFileError::Foreign(user) => flawed(TokenFlaw::Foreign { user }),
        PrivateFileError::Open(mode) => flawed(TokenFlaw::Open { mode }),
        PrivateFileError::Long(most) => flawed(TokenFlaw::Long { most }),
    })?;
    match content.trim_ascii() {
        token if token.len() < SHORTEST_TOKEN => {
            Err(flawed(TokenFlaw::Short { length: token.len() }))
        }
        token => Ok(token.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::parse(|name| {
            let found = pairs.iter().find(|pair| pair.0 == name);
            found.map(|pair| OsString::from(pair.1))
        })
        .unwrap()
    }

    fn config(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_environment(&environment(pairs))
    }

    /// A token file that is removed at the end of the test.
    struct TokenFile(PathBuf);

    impl TokenFile {
        fn new(name: &str, content: &[u8], mode: u32) -> TokenFile {
            let name = format!("phalanx-config-test-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::File::create(&path).unwrap().write_all(content).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            }
            TokenFile(path)
        }

        fn path(&self) -> &str {
            self.0.to_str().unwrap()
        }
    }

    impl Drop for TokenFile {
        fn drop(&mut self) {
            // A leftover test file harms nobody.
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn nothing_set_is_the_default() {
        let automatic = Config { devices: Devices::Auto, ..Config::default() };
        assert_eq!(config(&[]).unwrap(), automatic);
        assert!(Config::default().threads <= most_threads());
        assert_eq!(Config::default().threads(usize::MAX).threads, most_threads());
    }

    #[test]
    fn a_world_of_one_has_no_startup() {
        let alone = config(&[("PHALANX_SIZE", "1"), ("PHALANX_RANK", "0")]).unwrap();
        assert_eq!(alone.startup, None);
        assert_eq!((alone.rank(), alone.size()), (0, 1));
    }

    #[test]
    fn startup_is_read_with_its_secret() {
        let file = TokenFile::new("whole", b"0123456789abcdef0123456789abcdef\n", 0o600);
        let config = config(&[
            ("PHALANX_RANK", "1"),
            ("PHALANX_SIZE", "3"),
            ("PHALANX_ADDRESS", "10.0.0.1:4000"),
            ("PHALANX_BIND", "10.0.0.2"),
            ("PHALANX_TOKEN_FILE", file.path()),
        ])
        .unwrap();
        let startup = config.startup.clone().unwrap();
        assert_eq!((config.rank(), config.size()), (1, 3));
        assert_eq!(startup.token, b"0123456789abcdef0123456789abcdef");
        assert_eq!(startup.bind, IpAddr::from([10, 0, 0, 2]));
        assert_eq!(startup.timeout, DEFAULT_TIMEOUT);
        assert!(!format!("{startup:?}").contains("token"), "the secret must not be shown");
    }

    #[test]
    fn secrets_are_files_of_some_size_and_nothing_is_waited_for() {
        let long = TokenFile::new("long", &[b'x'; LONGEST_TOKEN as usize + 1], 0o600);
        let flaw = |path: &str| match token(Path::new(path)) {
            Err(ConfigError::TokenUnsafe { flaw, .. }) => flaw,
            other => panic!("{other:?}"),
        };
        assert_eq!(flaw(long.path()), TokenFlaw::Long { most: LONGEST_TOKEN });
        assert_eq!(flaw("/dev/zero"), TokenFlaw::NoFile);
        assert_eq!(flaw("/"), TokenFlaw::NoFile);
    }

    #[test]
    fn what_is_missing_is_named() {
        for (pairs, absent) in [
            (&[("PHALANX_RANK", "0")][..], "PHALANX_SIZE"),
            (&[("PHALANX_SIZE", "2")], "PHALANX_RANK"),
            (&[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "0")], "PHALANX_ADDRESS"),
            (
                &[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "0"), ("PHALANX_ADDRESS", "a:1")],
                "PHALANX_TOKEN_FILE",
            ),
        ] {
            let error = config(pairs).unwrap_err();
            assert_eq!(error.code(), "PX091");
            assert!(matches!(error, ConfigError::Missing { variable, .. } if variable == absent));
        }
    }

    #[test]
    fn a_rank_beyond_the_size_is_refused() {
        let error = config(&[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "2")]).unwrap_err();
        assert!(matches!(error, ConfigError::RankOutOfRange { rank: 2, size: 2 }));
        assert_eq!(error.code(), "PX092");
    }

    #[test]
    fn a_wrong_value_names_variable_value_and_form() {
        let parsed = Environment::parse(|name| {
            (name == "PHALANX_DEVICES").then(|| OsString::from("cpu:none"))
        });
        let error = ConfigError::from(parsed.unwrap_err());
        assert_eq!(error.code(), "PX090");
        assert_eq!(
            error.to_string(),
            "PHALANX_DEVICES is `cpu:none`, but takes `auto`, `cpu`, `cpu:n` (n from 1 to 1024), \
             `cuda`, `cuda:0,2` or `null-cuda:n`"
        );
    }

    #[test]
    fn open_mpi_that_was_told_to_do_without_cuda_is_noticed() {
        let set = |name: &'static str, value: &'static str| {
            is_without_cuda(&move |asked| (asked == name).then(|| String::from(value)))
        };
        assert!(set("OMPI_MCA_opal_cuda_support", "0"));
        assert!(set("OMPI_MCA_mpi_cuda_support", "False"));
        assert!(!set("OMPI_MCA_opal_cuda_support", "1"));
        assert!(!set("OMPI_MCA_mpi_show_handle_leaks", "0"));
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_keeps_no_secret_is_refused() {
        let open = TokenFile::new("open", b"0123456789abcdef", 0o644);
        let short = TokenFile::new("short", b"0123456789\n\n\n\n\n\n\n", 0o600);
        for (path, flaw) in [
            (open.path(), TokenFlaw::Open { mode: 0o644 }),
            (short.path(), TokenFlaw::Short { length: 10 }),
        ] {
            let error = token(Path::new(path)).unwrap_err();
            assert_eq!(error.code(), "PX094");
            assert!(matches!(error, ConfigError::TokenUnsafe { flaw: found, .. } if found == flaw));
        }
        let absent = token(Path::new("/nonexistent/token")).unwrap_err();
        assert_eq!(absent.code(), "PX093");
    }
}
