//! Reads the environment; no other part of the framework does.

use super::error::ConfigError;
use super::mpi::is_without_cuda;
use super::price_file;
use super::settings::Config;
use super::variables::cuda_options;
use super::ways::{has_pmix, ways};
use crate::config::BlasChoice;
use crate::environment::{Devices, Environment, UnknownVariable, VARIABLES, Variable, unknown};
use crate::placement::{Launcher, Placement, threads_of};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Once;

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
        if config.rank() == 0 {
            let prices = price_file::read(&environment, config.prices_file.as_deref());
            config.prices = match prices {
                // A single process only predicts times with them.
                Err(error) if config.size() == 1 => {
                    tracing::warn!(%error, "plans predict no times");
                    None
                }
                prices => prices?,
            };
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

    /// Everything except the prices, with the variables that decide whether these must be there.
    fn without_prices() -> Result<(Environment, Config), ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let environment = Environment::parse(|name| std::env::var_os(name))?;
        let mut config = Config::from_environment(&environment)?;
        if environment.size.is_none() && environment.rank.is_none() {
            config.placement =
                Placement::find(&lookup, &|path| std::fs::read_to_string(path).ok())?;
        }
        if let Some(placement) = &config.placement {
            config.threads = environment.threads.unwrap_or_else(|| threads_of(placement));
        }
        config.prices_file = environment.prices.clone().or_else(|| {
            let nodes = config.placement.as_ref().map_or(&[][..], |placement| &placement.nodes);
            Some(cache_folder()?.join("prices").join(price_file::name(nodes)))
        });
        if environment.kernel_cache.is_none() {
            config.cuda.cache = own_cache();
        }
        config.cuda.folders.extend(packages_of_environment());
        if is_without_cuda(&lookup) {
            config.mpi.cuda.get_or_insert(false);
        }
        let launcher = config.placement.as_ref().map(|placement| placement.launcher);
        config.mpi.mpich_first = launcher == Some(Launcher::Hydra);
        let has_launcher = launcher.is_some_and(|launcher| launcher != Launcher::Phalanx);
        config.mpi.is_without_pmix = has_launcher && !has_pmix(&lookup);
        if let Some(placement) = config.placement.as_ref().filter(|placement| placement.size > 1) {
            config.meeting.ways = ways(&environment, placement, &config, &lookup);
        }
        if config.rank() == 0 {
            warn_of_unknown_variables();
        }
        Ok((environment, config))
    }

    /// A configuration for tests: this many devices of the kind that PHALANX_TEST_DEVICES names.
    #[doc(hidden)]
    pub fn for_tests(devices: usize) -> Config {
        let environment = Environment::parse(|name| std::env::var_os(name));
        let environment = environment.unwrap_or_default();
        let mut cuda = cuda_options(&environment);
        cuda.cache = cuda.cache.or_else(own_cache);
        // Bits of results are compared, so a library is used only on request.
        let blas = environment.blas.clone().unwrap_or(BlasChoice::Own);
        let config = Config { cuda, blas, ..Config::default() };
        match environment.test_devices {
            Some(Devices::Cuda(numbers)) => {
                let number = numbers.first().copied().unwrap_or(0);
                config.gpus(&vec![number; devices.max(1)])
            }
            _ => config.devices(devices),
        }
    }
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

/// Warns once about the unknown variables.
fn warn_of_unknown_variables() {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        for unknown in unknown_variables() {
            eprintln!("{}", unknown_warning(&unknown));
        }
    });
}

/// The warning about an unknown variable.
pub fn unknown_warning(unknown: &UnknownVariable) -> String {
    let UnknownVariable { name, nearest } = unknown;
    format!("warning: {name} is no variable of Phalanx; the nearest is {nearest}")
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
